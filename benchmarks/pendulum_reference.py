# SPDX-License-Identifier: GPL-3.0-or-later
"""The planar n-fold pendulum from its Lagrangian, integrated in 80-bit arithmetic: what integrators are judged by.

It shares nothing with an engine: absolute angles instead of joints, extrapolation (Gragg, Bulirsch, Stoer) instead
of Runge-Kutta. Results are kept in a file beside the benchmarks' other results, because they take a while.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np

from .extended_precision import EXTENDED, solve
from .mechanisms import GRAVITY, Mechanism, Motion, Y

ORDER = 10
"""Stages of the extrapolation; the error of a step falls as h^20."""


class Pendulum:
    """Sum over k of a_jk (cos(t_j - t_k) t_k'' + sin(t_j - t_k) t_k'^2) = g_j cos t_j; angles below the horizon."""

    def __init__(self, mechanism: Mechanism) -> None:
        links = mechanism.links
        if any(link.axis != Y or link.parent != i - 1 for i, link in enumerate(links)):
            raise ValueError("only chains that turn about y are planar pendulums")
        n = len(links)
        mass = np.array([link.mass for link in links], EXTENDED)
        center = np.array([link.center[0] for link in links], EXTENDED)
        length = np.array([links[min(i + 1, n - 1)].offset[0] for i in range(n)], EXTENDED)
        beyond = np.array([mass[i + 1 :].sum() for i in range(n)], EXTENDED)
        arm = mass * center + length * beyond  # of everything that link i carries, itself included
        a = np.zeros((n, n), EXTENDED)
        for j in range(n):
            for k in range(j + 1, n):
                a[j, k] = a[k, j] = length[j] * arm[k]
            a[j, j] = EXTENDED(links[j].inertia[1]) + mass[j] * center[j] ** 2 + length[j] ** 2 * beyond[j]
        self.a, self.g = a, EXTENDED(GRAVITY) * arm

    def slope(self, y: np.ndarray) -> np.ndarray:
        """(2n,) rates of absolute angles and their rates."""
        n = len(self.g)
        angle, rate = y[:n], y[n:]
        c, s = np.cos(angle), np.sin(angle)
        cosine = np.outer(c, c) + np.outer(s, s)
        sine = np.outer(s, c) - np.outer(c, s)
        force = self.g * c - (self.a * sine) @ (rate * rate)
        return np.concatenate([rate, solve(self.a * cosine, force)])


def extrapolated_step(pendulum: Pendulum, y: np.ndarray, h: np.longdouble) -> np.ndarray:
    """One step of length h: modified midpoint rules with 2, 4, 6 ... parts, extrapolated to infinitely many."""
    table: list[np.ndarray] = []
    first = pendulum.slope(y)
    for stage in range(ORDER):
        parts = 2 * (stage + 1)
        part = h / parts
        before, now = y, y + part * first
        for _ in range(parts - 1):
            before, now = now, before + 2 * part * pendulum.slope(now)
        fresh = [(before + now + part * pendulum.slope(now)) / 2]
        for k in range(stage):
            ratio = (EXTENDED(parts) / (2 * (stage - k))) ** 2
            fresh.append(fresh[k] + (fresh[k] - table[k]) / (ratio - 1))
        table = fresh
    return table[-1]


def computed(mechanism: Mechanism, motion: Motion, duration: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Joint angles and rates after `duration` [s] in extended precision, with equal steps."""
    pendulum = Pendulum(mechanism)
    y = np.concatenate(
        [np.cumsum(np.asarray(x, EXTENDED) @ np.array(Y, EXTENDED)) for x in (motion.rotation, motion.spin)]
    )
    for _ in range(steps):
        y = extrapolated_step(pendulum, y, EXTENDED(duration) / steps)
    angle, rate = np.split(y, 2)
    return np.diff(angle, prepend=EXTENDED(0)), np.diff(rate, prepend=EXTENDED(0))


def reference(
    mechanism: Mechanism, motion: Motion, duration: float, steps: int, kept: Path
) -> tuple[np.ndarray, np.ndarray, float]:
    """Angles and rates at the end in double precision, and by how much a quarter fewer steps change them."""
    text = repr((mechanism, motion.rotation.tolist(), motion.spin.tolist(), duration, steps, ORDER))
    source = Path(__file__).read_bytes() + Path(__file__).with_name("extended_precision.py").read_bytes()
    file = kept / f"reference-{hashlib.sha256(text.encode() + source).hexdigest()[:16]}.json"
    if not file.exists():
        fine = computed(mechanism, motion, duration, steps)
        coarse = computed(mechanism, motion, duration, 3 * steps // 4)
        change = max(float(np.abs(x - y).max()) for x, y in zip(fine, coarse, strict=True))
        kept.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps([*(x.astype(float).tolist() for x in fine), change]), encoding="utf-8")
    q, v, change = json.loads(file.read_text(encoding="utf-8"))
    return np.array(q), np.array(v), change
