# SPDX-License-Identifier: GPL-3.0-or-later
"""Where machine code is kept between runs: a folder of the user's, one subfolder for each version of everything.

numba's own folders notice neither edited callees nor compiler settings, and lie in the package, which may be read-only.
Ours is named by a hash of all that machine code depends on, so what lies in it fits, and is never out of date.
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
from functools import cache
from pathlib import Path

from . import route

log = logging.getLogger(__name__)

VARIABLE = "REDMAX_CACHE_DIR"
READY = ".ready"
"""Ending of the files that say that everything is there for something, such as an integrator."""
USED = "used"
"""Its date says when a folder was used last."""
DAY = 86400.0
KEPT_DAYS = 30.0
"""Folders of other versions stay so long after their last use: another Blender may have use for them."""
NOT_COMPILED = (
    *("__init__", "cache_folder", "observation", "packing", "packing_forces", "packing_rows", "route", "seen_loops"),
    *("packing_ways", "tree"),
)
"""Modules here that no compiled function reads anything of."""
READ_OUTSIDE = (
    "forces/base",
    "forces/lines/muscle_curves",
    "forces/lines/path",
    "joints/euler_charts",
    "joints/rotation_vector",
)
"""Modules elsewhere in the engine whose constants are compiled in."""
OURS = re.compile(r"[0-9a-f]{16}")

_wished: list[Path] = []


def use(place: Path | None) -> None:
    """Keep machine code below `place` from now on, as Blender wants it; None for the system's place again.

    $REDMAX_CACHE_DIR goes before it.
    """
    _wished[:] = [place] if place is not None else []
    _chosen.cache_clear()


def base() -> Path:
    """The folder of all versions that is wished for, whether or not it can be written."""
    if named := os.environ.get(VARIABLE):
        return Path(named)
    if _wished:
        return _wished[0]
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
        return Path(home) / "redmax" / "kernels"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "redmax" / "kernels"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "redmax" / "kernels"


def folder() -> Path | None:
    """The folder for these sources on this machine, made if need be; None where nothing can be kept."""
    return _chosen()[0]


def note() -> str:
    """What the user should know of the folder; empty when all is well."""
    return _chosen()[1]


def is_ready(*names: str) -> bool:
    """Whether all machine code is there for each of these, so that nothing will be compiled. Cheap; needs numba."""
    chosen = folder()
    return chosen is not None and all((chosen / f"{name}{READY}").is_file() for name in names)


def mark_ready(name: str, *, seconds: float) -> None:
    """All machine code is there for this one. seconds: what it took, for those who look into the folder."""
    chosen = folder()
    if chosen is None:
        return
    try:
        _write(chosen / f"{name}{READY}", json.dumps({"seconds": round(seconds, 3)}))
    except OSError as error:
        log.info("'%s' cannot be written (%s)", chosen, error.strerror or error)


def size() -> int:
    """Bytes that machine code takes on disk, of all versions."""
    return sum(_bytes(path) for place in _places() for path in _versions(place))


def clear() -> None:
    """Delete the machine code of all versions; kernels in memory go on. Raises OSError where that is impossible."""
    for place in _places():
        for path in _versions(place):
            shutil.rmtree(path)
    _chosen.cache_clear()


# --- choosing --------------------------------------------------------------------------------


@cache
def _chosen() -> tuple[Path | None, str]:
    wanted = base()
    try:
        return _prepared(wanted / digest(), of_one_user=False), ""
    except OSError as error:
        problem = f"'{wanted}' cannot be written ({error.strerror or error})"
    try:
        chosen = _prepared(_temporary() / digest(), of_one_user=True)
    except OSError as error:
        return None, (
            f"{problem}, nor can the temporary folder ({error.strerror or error}): the fast solver is prepared "
            f"anew at every start. Name a folder in {VARIABLE}"
        )
    return chosen, f"{problem}: the fast solver is kept in '{chosen.parent}' until that is emptied"


def _prepared(path: Path, *, of_one_user: bool) -> Path:
    """The folder, made and seen to be writable; one with something in it need not be: render nodes may share it."""
    if any(path.glob(f"*{READY}")):
        _note_use(path)
        return path
    is_new = not path.is_dir()
    path.mkdir(parents=True, exist_ok=True, mode=0o700 if of_one_user else 0o777)
    _write(path / USED, "")
    if is_new:
        _discard_old(path)
    return path


def _temporary() -> Path:
    """A folder of this user alone: what lies in it is run, so nobody else may have put it there."""
    user = str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    place = Path(tempfile.gettempdir()) / f"redmax-kernels-{user}"
    place.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid"):
        facts = place.lstat()
        if not place.is_dir() or place.is_symlink() or facts.st_uid != os.getuid() or facts.st_mode & 0o022:
            raise PermissionError(0, f"'{place}' belongs to somebody else")
    return place


@cache
def digest() -> str:
    """16 hex digits that change with anything machine code depends on. Needs numba."""
    from llvmlite import binding  # noqa: PLC0415  (only where numba is)

    total = hashlib.sha256()
    here = Path(__file__).parent
    inside = [path for path in sorted(here.glob("*.py")) if path.stem not in NOT_COMPILED]
    for path in (*inside, *(here.parent / f"{name}.py" for name in READ_OUTSIDE)):
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
    ]
    total.update("\0".join(parts).encode())
    return total.hexdigest()[:16]


# --- files -----------------------------------------------------------------------------------


def _places() -> list[Path]:
    """Folders of all versions: the one wished for, and the temporary one if it is there."""
    try:
        return [base(), _temporary()]
    except OSError:
        return [base()]


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


def _note_use(path: Path) -> None:
    """Once a day is enough."""
    if time.time() - _last_use(path) > DAY:
        try:
            _write(path / USED, "")
        except OSError:  # shared, and read-only here
            return


def _write(path: Path, text: str) -> None:
    """Whole or not at all, also where two processes write."""
    handle, partial = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(partial).replace(path)
    except OSError:
        Path(partial).unlink(missing_ok=True)
        raise
