# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts the operator fuzz (`operators`) in the Blender environments that exist, and judges what it says."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from . import ROOT
from .campaign import Tally
from .judge import CRASH, HANG, OK, TRACEBACK, WRONG, Verdict

STEPS, BATCH = 50, 10
SILENT = 120.0
"""Seconds without a word after which the process hangs; templates and simulations of a busy machine take a while."""


def environments() -> list[Path]:
    """The Pythons of the Blender environments that are there."""
    return [p / "bin" / "python" for p in sorted(ROOT.glob(".venv-blender-*")) if (p / ".installed").exists()]


def attack(python: Path, *, seed: int, seconds: float, folder: Path, say: Callable[[str], None], tally: Tally) -> None:
    """Sequence after sequence in one Blender until the time is over."""
    kind = "operators " + python.parents[1].name.rpartition("-")[2]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        seen = seed
        for number, verdict, lines in sequences(python, seed, BATCH, end):
            tally.add(kind, verdict)
            seen = number
            if verdict.failed:
                say(f"{kind}:{number} {verdict.name}: {verdict.detail[:300]}")
                folder.mkdir(parents=True, exist_ok=True)
                path = folder / f"{kind.replace(' ', '-')}-{number}.txt"
                path.write_text("\n".join(lines) + "\n", encoding="utf-8")
                tally.failures.append((f"{kind}:{number}", verdict, path))
        seed = seen + 1


def replay(seed: int, say: Callable[[str], None]) -> int:
    """One sequence in every Blender environment."""
    failed = 0
    for python in environments():
        for number, verdict, lines in sequences(python, seed, 1, time.monotonic() + 3600.0):
            say("\n".join(lines))
            say(f"{python.parents[1].name} operators:{number} {verdict.name}: {verdict.detail}")
            failed |= verdict.failed
    return int(failed)


def sequences(python: Path, seed: int, count: int, end: float) -> Iterator[tuple[int, Verdict, list[str]]]:
    """Seed, verdict and lines of each sequence that one process ran; one that dies or hangs ends with that."""
    with tempfile.TemporaryDirectory() as profile:
        paths = os.pathsep.join(str(p) for p in (ROOT / "engine", ROOT / "addon", ROOT))
        env = {**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1", "BLENDER_USER_RESOURCES": profile}
        command = [str(python), "-X", "faulthandler", "-m", "tests.attack.operators"]
        command += ["--seed", str(seed), "--count", str(count), "--steps", str(STEPS)]
        process = subprocess.Popen(
            command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
        try:
            yield from _judged(process, seed, end)
        finally:
            process.kill()
            process.wait()


def _judged(process: Any, seed: int, end: float) -> Iterator[tuple[int, Verdict, list[str]]]:
    heard: queue.Queue[str | None] = queue.Queue()

    def listen() -> None:
        for line in process.stdout:
            heard.put(line.rstrip("\n"))
        heard.put(None)

    threading.Thread(target=listen, daemon=True).start()
    lines: list[str] = []
    going = True
    while True:
        try:
            line = heard.get(timeout=SILENT)
        except queue.Empty:
            yield seed, Verdict(HANG, f"nothing heard for {SILENT:.0f} s after {lines[-1:]}"), lines
            return
        if line is None:
            if going and lines:
                yield seed, Verdict(CRASH, f"exit code {process.wait()} after {' '.join(lines[-3:])[-300:]}"), lines
            return
        lines.append(line)
        told = _parsed(line)
        if "seed" in told:
            seed, lines, going = told["seed"], [line], True
        if "end" in told:
            going = False
            yield seed, _verdict(told, lines), lines
            if time.monotonic() > end:
                return


def _parsed(line: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def _verdict(told: dict[str, Any], lines: list[str]) -> Verdict:
    what = told.get("what") or [""]
    if told["end"] == "fuzz":
        return Verdict(TRACEBACK, f"in the fuzz itself: {what[0]}")
    if any(text.startswith("TRACEBACK") for text in what):
        return Verdict(TRACEBACK, what[0])
    # Handlers and draw functions that raise are printed by Blender and reported to nobody.
    if any("Traceback (most recent call last)" in line for line in lines[:-1]):
        at = next(k for k, line in enumerate(lines) if "Traceback (most recent call last)" in line)
        return Verdict(TRACEBACK, " | ".join(lines[at : at + 12]))
    return Verdict(WRONG, "; ".join(what)) if told["end"] == "broken" else Verdict(OK, "", "operators")
