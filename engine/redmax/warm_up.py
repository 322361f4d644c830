# SPDX-License-Identifier: GPL-3.0-or-later
"""Compile everything once, ahead of use and with progress, so that no run stands still without a word.

Compiled kernels are kept on disk (`kernels.cache.cache_folder`): each computer does this once for each version.
"""

from __future__ import annotations

import dataclasses
import gc
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType

from . import fast, io
from .compile import compile as compile_scene
from .constraints import JointLimit
from .errors import RedMaxError
from .examples import EXAMPLES
from .integrators import INTEGRATORS
from .joints import JOINTS, Joint
from .joints.friction import Friction
from .kernels import route
from .kernels.cache import cache_folder
from .model import Model
from .simulate import simulate

OnProgress = Callable[[float, str], None]
"""Called with the part that is done, 0 to 1, and what is being compiled; from inside the compiler, so it must be short
and not raise."""

TYPICAL_SECONDS = 40
"""How long it takes on a usual computer, to be told before it begins."""

TURN = 2e-4
"""Seconds that the compiler keeps Python to itself while another thread waits."""

READY = cache_folder.KERNELS
NEVER_COMPILED = ("radau", "maximal_euler")
"""Integrators without kernels of their own; what they share with others is compiled for those."""


class _Stop(BaseException):
    """Leaves the compiler like Ctrl+C, which it survives; not an Exception, which it may take for its own."""


def is_warm() -> bool:
    """Whether nothing will have to be compiled. Loads numba, which takes half a second the first time."""
    return route.name() != route.NUMBA or cache_folder.is_ready(READY)


def warm_up(progress: OnProgress | None = None, *, stopped: Callable[[], bool] | None = None) -> bool:
    """Compile all kernels and keep them on disk; what is there already is only loaded. False if it was stopped.

    stopped: asked between functions; when it says True the rest stays undone, and what was compiled is kept.
    """
    if route.name() != route.NUMBA:
        return True
    from .kernels.cache import jit  # noqa: PLC0415  (needs numba)

    begun = time.perf_counter()
    done: set[str] = set()

    def watch(name: str, finished: bool) -> None:
        if finished:
            done.add(name)
        if progress is not None:
            progress(sum(jit.sizes.get(one, 0) for one in done) / sum(jit.sizes.values()), name)
        if not finished and stopped is not None and stopped():
            raise _Stop

    try:
        with jit.watched(watch), _short_pauses():
            _run_everything()
    except _Stop:
        return False
    except Exception as error:  # the compiler met something it does not know: say what to do instead
        raise RedMaxError(
            f"The fast solver could not be prepared ({type(error).__name__}: {error}). Please report this; "
            f"with {route.VARIABLE}={route.NUMPY} in the environment RedMax computes without it"
        ) from error
    cache_folder.mark_ready(READY, seconds=time.perf_counter() - begun)
    if progress is not None:
        progress(1.0, "")
    return True


def part_on_disk() -> float:
    """Which part of the kernels is kept already, 0 to 1, also by another process. Needs numba."""
    from .kernels import compiled_tree as tree  # noqa: F401, PLC0415  (all sizes)
    from .kernels.cache import jit  # noqa: PLC0415  (all sizes)
    from .kernels.joints.functions import Functions  # noqa: PLC0415  (all sizes)
    from .kernels.steps import extrapolation, fixed_steps, newton, runge_kutta  # noqa: F401, PLC0415  (all sizes)

    for joint in _kept_joints():
        Functions(joint)
    folder = cache_folder.writable()
    kept = {name.rsplit(".", 2)[0] for name in (folder.names() if folder is not None else ())}  # function.hash.kernel
    sizes = {name: jit.size_with_parts(function) for name, function in jit.kept_functions.items()}
    return sum(size for name, size in sizes.items() if name in kept) / sum(sizes.values())


def _kept_joints() -> list[type[Joint]]:
    """Kinds of joints whose functions are kept on disk: the engine's own."""
    from .kernels.cache.same_text import is_known  # noqa: PLC0415  (needs numba)

    return [cls for cls in JOINTS if isinstance(cls.evaluate, FunctionType) and is_known(cls.evaluate)]


@contextmanager
def _short_pauses() -> Iterator[None]:
    """Let other threads wait only for moments, so that an interface stays alive.

    A full collection of all that the compiler builds takes half a second, so only young objects are collected (130 MB
    more are used meanwhile); and a thread that wants to run gets its turn 25 times sooner.
    """
    thresholds, interval = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(*thresholds[:2], 1_000_000_000)
    sys.setswitchinterval(min(interval, TURN))
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        sys.setswitchinterval(interval)


WITH_CHANGING_MATRICES = {"muscle_arm", "four_bar"}
"""Examples whose implicit steps ask for kernels that others do not: for rows of loops, and where stiffness changes."""


def _with_a_stop(model: Model) -> Model:
    """A model with a hard limit, which has kernels of its own."""
    joint = next(joint for joint in model.joints if joint.ndof == 1)
    return dataclasses.replace(model, constraints=(JointLimit(name="stop", joint=joint.name, upper=100.0),))


def _with_friction(model: Model) -> Model:
    """A model with friction in its bearings, which has kernels of its own."""
    joints = tuple(dataclasses.replace(joint, friction=Friction()) for joint in model.joints)
    return dataclasses.replace(model, joints=joints)


def _run_everything() -> None:
    """A little of every integrator, and single calls: kernels see the same types whatever the mechanism."""
    from .kernels import compiled_tree as tree  # noqa: F401, PLC0415  (sizes of all known)
    from .kernels.joints.functions import Functions  # noqa: PLC0415  (needs numba)
    from .kernels.steps import extrapolation, fixed_steps, newton, runge_kutta  # noqa: F401, PLC0415  (sizes of all known)

    for joint in _kept_joints():
        Functions(joint).addresses()
    model = compile_scene(io.load(EXAMPLES[0].path))
    for cls in INTEGRATORS:
        if cls.kind not in NEVER_COMPILED:
            for _ in simulate(model, integrator=cls(), fps=240.0, duration=1.0 / 240.0):
                pass
    for other in (_with_a_stop(model), _with_friction(model)):
        for _ in simulate(other, integrator=INTEGRATORS["automatic"](), fps=240.0, duration=1.0 / 240.0):
            pass
    implicit = INTEGRATORS["extrapolated_euler"]
    for example in EXAMPLES:
        if example.path.stem in WITH_CHANGING_MATRICES:
            for _ in simulate(
                compile_scene(io.load(example.path)), integrator=implicit(), fps=24.0, duration=2.0 / 24.0
            ):
                pass
    single = fast.new_tree(model)
    if single is not None:
        single.accelerations(single.repeat(model.q0.copy(), model.qdot0.copy(), 1), model.qdot0)
        single.mass_matrix(model.q0, model.initial_state().chart)  # of mechanisms with drives
        single.motion(model.q0, model.qdot0, model.initial_state().chart)  # of steppers that are asked for it
