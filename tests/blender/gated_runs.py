# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulations that compute a frame only when a test lets them."""

from __future__ import annotations

import threading
import time

import bpy
import swinging

from redmax_blender.bridge.run import live


def gated(integrator, *, at=None, what=None):
    """The integrator, waiting before every frame for `gate`; at frame `at` it raises `what` instead."""
    gate, count = threading.Semaphore(0), [0]

    class Gated(type(integrator)):
        def begin(self, model, state):
            stepper = super().begin(model, state)
            advance = stepper.advance

            def wait_and_advance(t_end):
                assert gate.acquire(timeout=60)
                count[0] += 1
                if count[0] == at:
                    raise what
                return advance(t_end)

            stepper.advance = wait_and_advance
            return stepper

    made = Gated(accuracy=integrator.accuracy)
    object.__setattr__(made, "gate", gate)
    return made


def until(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


def begin(frames=(1, 13)):
    scene = swinging.build(frames=frames)
    extraction, integrator = live.prepare(scene, bpy.context.view_layer)
    slow = gated(integrator)
    run = live.begin(scene, extraction, slow)
    return scene, slow, run
