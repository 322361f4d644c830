# SPDX-License-Identifier: GPL-3.0-or-later
"""Compile everything once, ahead of use and with progress, so that no run stands still without a word.

Compiled kernels are kept on disk (`kernels.cache_folder`): each computer does this once for each version.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from . import io
from .compile import compile as compile_scene
from .errors import RedMaxError
from .examples import EXAMPLES
from .integrators import INTEGRATORS
from .kernels import cache_folder, route
from .simulate import simulate

OnProgress = Callable[[float, str], None]
"""Called with the part that is done, 0 to 1, and what is being compiled; from inside the compiler, so it must be short
and not raise."""

TYPICAL_SECONDS = 20
"""How long it takes on a usual computer, to be told before it begins."""

READY = "kernels"
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
    from .kernels import jit  # noqa: PLC0415  (needs numba)

    begun = time.perf_counter()
    done: set[str] = set()

    def watch(name: str, finished: bool) -> None:
        if finished:
            done.add(name)
        if progress is not None:
            progress(sum(jit.sizes[one] for one in done) / sum(jit.sizes.values()), name)
        if not finished and stopped is not None and stopped():
            raise _Stop

    try:
        with jit.watched(watch):
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


def _run_everything() -> None:
    """A little of every integrator: kernels see the same types whatever the mechanism, so one will do."""
    from .kernels import fixed_steps, runge_kutta, tree  # noqa: F401, PLC0415  (all are known before the first is compiled)

    model = compile_scene(io.load(EXAMPLES[0].path))
    for cls in INTEGRATORS:
        if cls.kind not in NEVER_COMPILED:
            for _ in simulate(model, integrator=cls(), fps=240.0, duration=1.0 / 240.0):
                pass
