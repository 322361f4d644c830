# SPDX-License-Identifier: GPL-3.0-or-later
"""Which code computes: numba's compiled kernels, or numpy alone. Decided here and nowhere else: once per process, and
for a single run by `held`, as while the kernels are still being compiled in another process."""

from __future__ import annotations

import gc
import importlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import metadata, util
from pathlib import Path

from ..errors import MissingWheelError, RedMaxError

VARIABLE = "REDMAX_ROUTE"
CHECKED = "REDMAX_CHECKED"
NUMBA, NUMPY = "numba", "numpy"

VERSIONS = {"numba": ("0.62", "0.63"), "llvmlite": ("0.45", "0.46")}
"""From (included) and below (excluded). Kernels are kept on disk by means of numba that it may change in any release,
so a version that was not tested computes nothing: plain numpy does, and `why_numpy` says so."""


_held: ContextVar[str] = ContextVar("redmax_route", default="")


def name() -> str:
    """The route of the run that this thread computes: the one that is held, else the usual one."""
    return _held.get() or usual()


@contextmanager
def held(route: str) -> Iterator[None]:
    """Inside, this thread computes by `route`. A model belongs to one route: compile the scene inside, too.

    Raises RedMaxError where that is impossible.
    """
    if route not in (NUMBA, NUMPY):
        raise RedMaxError(f"There is no route '{route}'; use {NUMBA} or {NUMPY}")
    if route == NUMBA and (problem := _problem()):
        raise RedMaxError(f"numba cannot compute here: {problem}")
    before = _held.set(route)
    try:
        yield
    finally:
        _held.reset(before)


@cache
def usual() -> str:
    """ "numba" where it can be used, else "numpy"; the environment variable REDMAX_ROUTE asks for one of them."""
    asked = os.environ.get(VARIABLE, "")
    if asked not in ("", NUMBA, NUMPY):
        raise RedMaxError(f"{VARIABLE} is '{asked}'; use {NUMBA} or {NUMPY}, or leave it out")
    if asked == NUMPY:
        return NUMPY
    problem = _problem()
    if asked == NUMBA and problem:
        if found(NUMBA) is None:
            raise MissingWheelError(f"{VARIABLE}={NUMBA}", NUMBA)
        raise RedMaxError(f"{VARIABLE} is '{NUMBA}', but {problem}")
    return NUMPY if problem else NUMBA


@cache
def is_checked() -> bool:
    """Whether kernels are compiled so that whatever they read or write is first seen to lie where it must; the
    environment variable REDMAX_CHECKED asks for it. They are slower by far, and kept apart from the others."""
    asked = os.environ.get(CHECKED, "")
    if asked not in ("", "0", "1"):
        raise RedMaxError(f"{CHECKED} is '{asked}'; use 1, or leave it out")
    return asked == "1"


def why_numpy(*, load: bool = True) -> str:
    """Why plain numpy computes, as part of a sentence; empty where numba does.

    load: False judges by versions alone, which is quick; numba may still prove to be broken.
    """
    if os.environ.get(VARIABLE) == NUMPY:
        return f"{VARIABLE} asks for it"
    return _problem() if load else _version_problem()


def versions() -> str:
    """The route with the version of what computes, as results keep it."""
    module = importlib.import_module(name())
    return f"{name()} {module.__version__}"


@cache
def found(package: str) -> str | None:
    """Version of the copy that an import would give, read without importing it; "" if it does not tell, None if there
    is none. A copy further down the import path must not answer for it, so only the folder beside it is asked."""
    try:
        spec = util.find_spec(package)
    except (ImportError, ValueError):  # ValueError: a module without a spec was put in its place
        return None
    if spec is None:
        return None
    for place in spec.submodule_search_locations or ():
        for distribution in metadata.distributions(name=package, path=[str(Path(place).parent)]):
            return distribution.version
    return ""


@cache
def _problem() -> str:
    """What keeps numba from computing, as part of a sentence; empty if nothing does. Loads numba to know."""
    if problem := _version_problem():
        return problem
    try:
        with nothing_collected():
            importlib.import_module("numba")
    except Exception as error:  # built for another Python or numpy it fails in many ways; each is told, none hidden
        reason = next(iter(str(error).strip().splitlines()), "no reason given")
        return f"numba {found('numba')} does not load ({type(error).__name__}: {reason})"
    return ""


@contextmanager
def nothing_collected() -> Iterator[None]:
    """Inside, Python seeks no garbage: all that an import makes stays, and going through it again and again takes a
    fifth of numba's."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@cache
def _version_problem() -> str:
    for package, (first, below) in VERSIONS.items():
        version = found(package)
        if version is None:
            return f"{package} is not installed"
        if not _release(first) <= _release(version) < _release(below):
            return f"{package} {version or 'of unknown version'} is not a tested version (>={first},<{below})"
    return ""


def _release(version: str) -> tuple[int, ...]:
    """The leading numbers: '0.62.1rc1' is (0, 62, 1)."""
    match = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(number) for number in match.group().split(".")) if match else ()
