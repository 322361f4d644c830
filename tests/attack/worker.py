# SPDX-License-Identifier: GPL-3.0-or-later
"""Does one thing after the other in a process of its own, so that a crash or a hang is a result and not an end.

Requests and answers are lines of JSON. Answers with "frame" are progress; the last one has "end": what came of it.
Run as `python -m tests.attack.worker`.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Say = Callable[[dict[str, Any]], None]

CHANNELS = ("kinetic", "energy", "work", "loss", "gap", "nodes")


def simulate(request: dict[str, Any], say: Say) -> dict[str, Any]:
    """Runs a scene: "refused" with the reason, or "ran" with the trajectory."""
    from redmax import io
    from redmax.compile import compile as compile_scene
    from redmax.errors import RedMaxError
    from redmax.integrators import INTEGRATORS
    from redmax.simulate import Recorder
    from redmax.simulate import simulate as samples_of

    text = request["text"] if "text" in request else json.dumps(request["scene"])
    try:
        model = compile_scene(io.loads(text))
        settings = {"accuracy": request.get("accuracy", "standard")}
        integrator = INTEGRATORS["automatic"](**settings)
        recorder = Recorder(model, integrator=integrator, fps=request["fps"])
        say({"frame": -1})
        for sample in samples_of(model, integrator=integrator, fps=request["fps"], duration=request["duration"]):
            recorder.add(sample)
            say({"frame": sample.index})
    except RedMaxError as error:
        return {"end": "refused", "message": str(error)[:2000]}
    run = recorder.trajectory()
    return {
        "end": "ran",
        "status": run.status,
        "message": run.message,
        "meta": json.loads(json.dumps(dict(run.meta), default=str)),
        "bodies": run.body_names,
        "joints": run.joint_names,
        "t": run.t.tolist(),
        "position": run.position.tolist(),
        "rotation": run.rotation.tolist(),
        "q": run.q.tolist(),
        "qdot": run.qdot.tolist(),
        "columns": {name: model.columns(k).start for k, name in enumerate(run.joint_names)},
        "redundant": len(run.channels["gap"][0]) if "gap" in run.channels and len(run) else 0,
        **{name: run.channels[name].tolist() for name in CHANNELS if name in run.channels},
    }


def result(request: dict[str, Any], say: Say) -> dict[str, Any]:
    """Reads an .npz file: "refused" with the reason, or "read"."""
    from redmax.errors import RedMaxError
    from redmax.trajectory import load

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.npz"
        path.write_bytes(base64.b64decode(request["data"]))
        try:
            run = load(path)
        except RedMaxError as error:
            return {"end": "refused", "message": str(error)[:2000]}
    sound = bool(np.isfinite(run.position).all() and np.isfinite(run.rotation).all() and np.isfinite(run.t).all())
    return {"end": "read", "samples": len(run), "sound": sound}


def reference(request: dict[str, Any], say: Say) -> dict[str, Any]:
    """The motion by the independent integrator, or why there is none."""
    from .reference import CannotError, follow, read
    from .reference.integrate import OutOfTimeError

    settings = {key: request[key] for key in ("rtol", "seconds", "shake", "stiff") if key in request}
    try:
        mechanism = read(request["scene"])
        motion = follow(mechanism, np.array(request["times"]), **settings)
    except (CannotError, np.linalg.LinAlgError) as error:
        return {"end": "cannot", "message": str(error)}
    except OutOfTimeError:
        return {"end": "cannot", "message": "it takes too long"}
    return {
        "end": "found",
        "bodies": mechanism.names[: mechanism.shown],
        "position": motion.position.tolist(),
        "rotation": motion.rotation.tolist(),
        "nodes": motion.nodes.tolist(),
        "kinetic": motion.kinetic.tolist(),
        "size": motion.size,
        "trusted": motion.trusted,
        "why": motion.why,
    }


def ready(request: dict[str, Any], say: Say) -> dict[str, Any]:
    """Compiles what is not compiled yet, so that no case waits for it."""
    from redmax import warm_up
    from redmax.kernels import route

    if route.name() == route.NUMBA:
        warm_up.warm_up()
    return {"end": "ready", "route": route.name()}


def crash(request: dict[str, Any], say: Say) -> dict[str, Any]:
    """Dies, to see that this is noticed."""
    os.abort()


def hang(request: dict[str, Any], say: Say) -> dict[str, Any]:
    """Computes without end, to see that this is noticed."""
    while True:
        pass


OPERATIONS = {
    "simulate": simulate,
    "read": simulate,
    "result": result,
    "reference": reference,
    "ready": ready,
    "crash": crash,
    "hang": hang,
}


def main() -> None:
    # Whatever else writes to the standard output must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(answer: dict[str, Any]) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    for line in sys.stdin:
        request = json.loads(line)
        try:
            with contextlib.redirect_stdout(sys.stderr):
                answer = OPERATIONS[request["op"]](request, say)
        except Exception:
            answer = {"end": "traceback", "message": traceback.format_exc()[-3000:]}
        say(answer)


if __name__ == "__main__":
    main()
