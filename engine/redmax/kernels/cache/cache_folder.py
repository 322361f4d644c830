# SPDX-License-Identifier: GPL-3.0-or-later
"""Where machine code is kept between runs: a folder of the user's, one subfolder for each version of everything.

numba's own folders notice neither edited callees nor compiler settings, and lie in the package, which may be read-only.
Ours is named by a hash of all that machine code depends on, so what lies in it fits, and is never out of date.

Machine code is run, so a folder is used only where nobody but this user or root can have filled it (`trusted_folder`).
A folder that many users share is filled by one of them, who is root (`fill_shared`), and only read by the others; what
it lacks is kept in their own. Whatever is wrong with a folder costs time, never a run, and `note` says it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import platform
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ...errors import RedMaxError
from .. import route
from . import trusted_folder
from .trusted_folder import Folder, UntrustedError

log = logging.getLogger(__name__)

VARIABLE = "REDMAX_CACHE_DIR"
READY = ".ready"
"""Ending of the files that say that everything is there for something, such as an integrator."""
KERNELS = "kernels"
"""What is ready when all kernels are there."""
SHARED = "shared"
"""Name of the file that marks a folder as one for all users, which is written by `fill_shared` alone."""
USED = "used"
"""Its date says when a folder was used last."""
DAY = 86400.0
KEPT_DAYS = 30.0
"""Folders of other versions stay so long after their last use: another Blender may have use for them."""
NOT_COMPILED = (
    "cache/cache_folder",
    "cache/trusted_folder",
    "compiled_tree",
    "contact/detection",
    "layout/arrays",
    "layout/packing",
    "layout/packing_bearings",
    "layout/packing_bodies",
    "layout/packing_forces",
    "layout/packing_joints",
    "layout/packing_paths",
    "layout/packing_rows",
    "layout/packing_tables",
    "route",
    "rows/loop_results",
    "rows/redundant_rows",
    "tree/observation",
)
"""Modules here that no compiled function reads anything of."""
READ_OUTSIDE = (
    "crossings",
    "forces/base",
    "forces/lines/muscle_curves",
    "forces/lines/path",
    "solvers/box_rows",
    "solvers/contact/augmented",
    "solvers/contact/block_cholesky",
    "solvers/contact/cones",
    "solvers/contact/dense",
    "solvers/contact/impacts",
    "solvers/contact/islands",
    "solvers/contact/layout",
    "solvers/contact/near",
    "solvers/contact/products",
    "solvers/contact/residual",
    "solvers/contact/shifts",
    "solvers/contact/solve",
    "solvers/contact/splitting",
    "solvers/contact/sweeps",
    "solvers/contact/tasks",
    "solvers/contact/vectors",
    "solvers/impacts",
    "solvers/sparse_factors",
    "spatial/scalar",
    "spatial/swing_twist",
    "surfaces/layout",
    "surfaces/materials",
    "symbolic/chart_changes",
    "symbolic/slip_row",
    "symbolic/tape",
    "tracks/curve_motion",
    "tracks/sheet_motion",
)
"""Modules elsewhere in the engine whose functions or constants are compiled in, besides joints."""
OURS = re.compile(r"[0-9a-f]{16}")

_wished: list[Path] = []
_filled: list[Folder] = []
"""The shared folder, in a process that fills it."""


class Named(NamedTuple):
    """What $REDMAX_CACHE_DIR names. own: a folder of this user's, for all versions. shared: one for several users, that
    of these sources, and complete. problem: why it is neither, as part of a sentence."""

    own: Path | None = None
    shared: Folder | None = None
    problem: str = ""


def use(place: Path | None) -> None:
    """Keep machine code below `place` from now on, as Blender wants it; None for the system's place again.

    $REDMAX_CACHE_DIR goes before it.
    """
    _wished[:] = [place] if place is not None else []
    look_again()


def wished() -> Path | None:
    """The place that `use` was told, for a process that is to keep machine code there too."""
    return _wished[0] if _wished else None


def fill_shared() -> None:
    """From now on keep machine code in $REDMAX_CACHE_DIR, where all users can read it. Raises RedMaxError."""
    look_again()
    named = os.environ.get(VARIABLE)
    if not named:
        raise RedMaxError(f"No folder is named: set {VARIABLE} to the one that is to be shared, here and for its users")
    if not trusted_folder.POSIX:
        raise RedMaxError("On Windows every user keeps the fast solver in his own profile; no folder can be shared")
    try:
        every = trusted_folder.opened(Path(named), make=True, shared=True)
        others = sorted(name for name in every.names() if not OURS.fullmatch(name) and name.partition(".")[0] != SHARED)
        if others:  # all users would be able to read them
            raise RedMaxError(
                f"'{named}' holds other things too, such as '{others[0]}'; name a folder for RedMax alone"
            )
        every.write(SHARED, b"Filled by `warm-up --shared`; otherwise RedMax only reads it.\n")
        every.share()
        filled = every.inside(digest(), make=True)
        filled.share()
    except OSError as error:
        raise RedMaxError(f"The fast solver cannot be shared: {_problem(error, Path(named))}") from None
    _filled.append(filled)


def look_again() -> None:
    """Choose the folders anew, and judge them anew, when they are needed next."""
    _filled.clear()
    _named.cache_clear()
    _own.cache_clear()


def base() -> Path:
    """The folder of all versions that the user has without $REDMAX_CACHE_DIR, whether or not it can be written.

    Raises OSError where the user has no home.
    """
    if _wished:
        return _wished[0]
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA")
        return (Path(home) if home else _home() / "AppData" / "Local") / "redmax" / "kernels"
    if sys.platform == "darwin":
        return _home() / "Library" / "Caches" / "redmax" / "kernels"
    named = os.environ.get("XDG_CACHE_HOME")
    return (Path(named) if named else _home() / ".cache") / "redmax" / "kernels"


def folder() -> Path | None:
    """The folder for these sources on this machine: a shared one if it is complete, else the user's, made if need be;
    None where nothing can be kept."""
    chosen = next(readable(), None)
    return chosen.path if chosen is not None else None


def note() -> str:
    """What the user should know of the folder; empty when all is well."""
    return "" if shared() is not None else _own()[1]


def shared() -> Folder | None:
    """The folder for several users, if there is one and it is complete. It is only read."""
    return _named().shared


def writable() -> Folder | None:
    """The folder to keep new machine code in."""
    return _own()[0]


def readable() -> Iterator[Folder]:
    """The folders to look for machine code in, the shared one first."""
    for choose in (shared, writable):
        chosen = choose()
        if chosen is not None:
            yield chosen


def is_ready(*names: str) -> bool:
    """Whether all machine code is there for each of these, so that nothing will be compiled. Cheap; needs numba."""
    return any(all(chosen.has(f"{name}{READY}") for name in names) for chosen in readable())


def mark_ready(name: str, *, seconds: float) -> None:
    """All machine code is there for this one. seconds: what it took, for those who look into the folder."""
    chosen = writable()
    if chosen is None or shared() is not None:  # what came from a shared folder was not written to the user's
        return
    try:
        chosen.write(f"{name}{READY}", json.dumps({"seconds": round(seconds, 3)}).encode())
    except OSError as error:
        log.info("'%s' cannot be written (%s)", chosen.path, error.strerror or error)


def size() -> int:
    """Bytes that machine code takes on disk: of all versions in the user's folders, of this one in a shared folder."""
    for_all = [*_filled, *([read] if (read := shared()) is not None else [])]
    versions = [path for place in _own_places() for path in _versions(place)]
    return sum(_bytes(path) for path in (*versions, *(each.path for each in for_all)))


def clear() -> None:
    """Delete the machine code of all versions in the user's folders; kernels in memory go on, a shared folder stays.

    Raises OSError where that is impossible.
    """
    for place in _own_places():
        for path in _versions(place):
            shutil.rmtree(path)
    look_again()


# --- choosing --------------------------------------------------------------------------------


@cache
def _named() -> Named:
    variable = os.environ.get(VARIABLE)
    if not variable or _filled:
        return Named()
    place = Path(variable)
    try:
        every = trusted_folder.opened(place, make=True)
        if every.is_mine and not every.has(SHARED):
            return Named(own=place)
        filled = every.inside(digest()) if (every.path / digest()).exists() else None
    except OSError as error:
        return Named(problem=_problem(error, place))
    if filled is None or not filled.has(f"{KERNELS}{READY}"):
        return Named(problem=f"'{place}' is shared and lacks the fast solver for this version and computer")
    return Named(shared=filled)


@cache
def _own() -> tuple[Folder | None, str]:
    """The folder that this process writes, and what the user should know of it, which is logged too."""
    chosen, said = _chosen()
    if said:
        log.warning("%s", said)
    return chosen, said


def _chosen() -> tuple[Folder | None, str]:
    if _filled:
        return _filled[0], _for_root_to_own(_filled[0].path.parent)
    problems = [_named().problem] if _named().problem else []
    for choose, until in ((_usual, ""), (_temporary, " until that is emptied")):
        place = None
        try:
            place = choose()
            chosen = _prepared(place)
        except OSError as error:
            problems.append(_problem(error, place))
            continue
        problems += [f"the fast solver is kept in '{place}'{until}"] if problems else []
        return chosen, "; ".join(problems)
    problems.append(f"the fast solver is prepared anew at every start. Name a folder of yours in {VARIABLE}")
    return None, "; ".join(problems)


def _usual() -> Path:
    """The folder of all versions that the user names, or else the system's."""
    return _named().own or base()


def _temporary() -> Path:
    user = str(os.geteuid()) if trusted_folder.POSIX else os.environ.get("USERNAME", "user")
    return Path(tempfile.gettempdir()) / f"redmax-kernels-{user}"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # no HOME, and a user that the computer does not know
        raise OSError("no home folder is known") from None


def _prepared(place: Path) -> Folder:
    """The folder for these sources, made and seen to be writable; one that is complete need not be."""
    every = trusted_folder.opened(place, make=True)
    is_new = not (every.path / digest()).exists()
    chosen = every.inside(digest(), make=True)
    if not chosen.has(f"{KERNELS}{READY}"):
        chosen.write(USED, b"")
    else:
        _note_use(chosen)
    if is_new:
        _discard_old(chosen.path)
    return chosen


def _problem(error: OSError, place: Path | None) -> str:
    """What is wrong with a folder, as part of a sentence."""
    if isinstance(error, UntrustedError):
        return f"{error}, so nothing from there is run"
    if place is None:
        return str(error)
    return f"'{place}' cannot be used ({error.strerror or error})"


def _for_root_to_own(place: Path) -> str:
    """What to say to a user who fills a shared folder but is not root; else empty."""
    if os.geteuid() == trusted_folder.ROOT:
        return ""
    name = trusted_folder.user_name(os.geteuid())
    return (
        f"'{place}' belongs to user {name}, and RedMax runs only what belongs to root or to its user: others can "
        "use it once root owns it (`chown -R root`)"
    )


@cache
def digest() -> str:
    """16 hex digits that change with anything machine code depends on. Needs numba."""
    from llvmlite import binding  # noqa: PLC0415  (only where numba is)

    total = hashlib.sha256()
    kernels = Path(__file__).parents[1]
    named = {path.relative_to(kernels).with_suffix("").as_posix(): path for path in kernels.rglob("*.py")}
    inside = [named[name] for name in sorted(named) if name not in NOT_COMPILED and not name.endswith("__init__")]
    joints = sorted((kernels.parent / "joints").glob("*.py"))  # whose functions are compiled
    for path in (*inside, *joints, *(kernels.parent / f"{name}.py" for name in READ_OUTSIDE)):
        total.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    try:
        features = binding.get_host_cpu_features().flatten()
    except RuntimeError:  # LLVM does not know this processor's
        features = ""
    settings = [f"{key}={value}" for key, value in os.environ.items() if key.startswith("NUMBA_")]
    parts = [
        __name__,  # machine code knows its modules by name
        *(f"{package} {route.found(package)}" for package in (*route.VERSIONS, "numpy")),
        *(platform.python_implementation(), platform.python_version(), platform.system(), platform.machine()),
        *(binding.get_host_cpu_name(), features),
        *sorted(settings),
        f"checked {route.is_checked()}",
    ]
    total.update("\0".join(parts).encode())
    return total.hexdigest()[:16]


# --- files -----------------------------------------------------------------------------------


def _own_places() -> list[Path]:
    """The user's folders of all versions that are there, the usual one and the temporary one; none for who fills one
    for all."""
    found: list[Path] = []
    if _filled:
        return found
    for choose in (_usual, _temporary):
        try:
            found.append(trusted_folder.opened(choose()).path)
        except OSError:
            continue
    return found


def _versions(place: Path) -> list[Path]:
    """Our folders in it; anything else is somebody's."""
    try:
        return [path for path in place.iterdir() if OURS.fullmatch(path.name) and path.is_dir()]
    except OSError:
        return []


def _bytes(path: Path) -> int:
    total = 0
    for file in path.rglob("*"):
        try:
            total += file.stat().st_size
        except OSError:  # gone meanwhile
            continue
    return total


def _discard_old(made: Path) -> None:
    """A new version has come: delete those that nobody used for long."""
    for path in _versions(made.parent):
        if path != made and time.time() - _last_use(path) > KEPT_DAYS * DAY:
            shutil.rmtree(path, ignore_errors=True)


def _last_use(path: Path) -> float:
    for place in (path / USED, path):
        try:
            return place.stat().st_mtime
        except OSError:
            continue
    return time.time()


def _note_use(chosen: Folder) -> None:
    """Once a day is enough."""
    if time.time() - _last_use(chosen.path) > DAY:
        try:
            chosen.write(USED, b"")
        except OSError:  # read-only
            return
