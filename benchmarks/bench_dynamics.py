# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward dynamics of hinge chains by the readable formulations, the oracles of the fast routes."""

from __future__ import annotations

import numpy as np

from redmax.compile import compile as compile_scene
from redmax.dynamics import recursive
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.loads import loads
from redmax.reference import projected, si_guenter

from .bench_scene import chain
from .measure import Options, Row, interleaved

ROUTES = {"recursive": recursive, "projected": projected, "Si-Guenter": si_guenter}


def run(options: Options) -> list[Row]:
    rows = []
    for n in (10, 50) if options.quick else (10, 50, 100, 200):
        model = compile_scene(chain(n))
        rng = np.random.default_rng(n)
        q, qdot = rng.uniform(-1.0, 1.0, (2, n))

        def call(route, model=model, q=q, qdot=qdot):
            kin = kinematics(model, q, qdot)
            return route.forward_dynamics(model, kin, loads(model, kin, 0.0))

        times = interleaved({name: lambda route=route: call(route) for name, route in ROUTES.items()}, options.rounds)
        ours, spread = times["recursive"]
        for peer in ("projected", "Si-Guenter"):
            rows.append(Row("readable forward dynamics", f"n = {n}", ours, "s", peer, times[peer][0], spread))
    return rows
