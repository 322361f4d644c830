# SPDX-License-Identifier: GPL-3.0-or-later
"""The wheels of the full zips: read from the lock, downloaded once, checked by hash.

The lock is a requirements file of pip in its hash-checking mode, so pip itself refuses anything else.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .errors import BuildError
from .targets import TARGETS, Target

_PACKAGE = re.compile(r"^([A-Za-z0-9][\w.-]*)==([^\s\\]+)", re.MULTILINE)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")

LOCK_HEADER = """\
# Wheels of the full extension zips, unmodified from the package index, for every target of tools/extension.
# To add or update one: write `name==version` on a line of its own, then run `make wheels-lock`.
"""


@dataclass(frozen=True)
class Package:
    """One line of the lock; hashes of its wheels for all targets."""

    name: str
    version: str
    hashes: frozenset[str]


def read_lock(lock: Path) -> tuple[Package, ...]:
    text = lock.read_text(encoding="utf-8")
    starts = list(_PACKAGE.finditer(text))
    ends = [match.start() for match in starts[1:]] + [len(text)]
    return tuple(
        Package(match[1], match[2], frozenset(_HASH.findall(text, match.start(), end)))
        for match, end in zip(starts, ends, strict=True)
    )


def lock_text(packages: tuple[Package, ...]) -> str:
    blocks = [
        " \\\n    ".join(
            [f"{package.name}=={package.version}", *(f"--hash=sha256:{h}" for h in sorted(package.hashes))]
        )
        for package in packages
    ]
    return LOCK_HEADER + "".join(block + "\n" for block in blocks)


def wheels_for(target: Target, *, lock: Path, cache: Path) -> tuple[Path, ...]:
    """The wheels of the target, downloaded unless the cache holds them with the right hashes."""
    packages = read_lock(lock)
    unlocked = [package.name for package in packages if not package.hashes]
    if unlocked:
        raise BuildError(f"{lock.name}: no hashes for {', '.join(unlocked)}; run `make wheels-lock`")
    folder = cache / target.name
    if (cached := _cached(packages, folder)) is not None:
        return cached
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    _download(target, ["--require-hashes", "--requirement", str(lock)], folder)
    if (cached := _cached(packages, folder)) is None:
        shutil.rmtree(folder)
        raise BuildError(f"{target.name}: pip gave other wheels than {lock.name} lists; run `make wheels-lock`")
    return cached


def renew_lock(*, lock: Path) -> tuple[Package, ...]:
    """Write the hashes of the versions that the lock names, for every target."""
    renewed = []
    for package in read_lock(lock):
        hashes = set()
        for target in TARGETS:
            with tempfile.TemporaryDirectory() as folder:
                _download(target, [f"{package.name}=={package.version}"], Path(folder))
                hashes |= {sha256(wheel) for wheel in Path(folder).glob("*.whl")}
        renewed.append(Package(package.name, package.version, frozenset(hashes)))
    lock.write_text(lock_text(tuple(renewed)), encoding="utf-8")
    return tuple(renewed)


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _cached(packages: tuple[Package, ...], folder: Path) -> tuple[Path, ...] | None:
    """One wheel for each package and nothing else, or None."""
    wheels = {sha256(path): path for path in sorted(folder.glob("*.whl"))}
    chosen = [[path for digest, path in wheels.items() if digest in package.hashes] for package in packages]
    if len(wheels) != len(packages) or any(len(paths) != 1 for paths in chosen):
        return None
    return tuple(path for paths in chosen for path in paths)


def _download(target: Target, what: list[str], folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary=:all:", "--implementation", "cp", "--python-version", target.python_version]
    command += [argument for name in target.wheel_platforms for argument in ("--platform", name)]
    command += ["--dest", str(folder), *what]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = [line for line in done.stderr.strip().splitlines() if not line.startswith("WARNING")]
        raise BuildError(
            f"{target.name}: the wheels could not be downloaded. This step needs the package index (a network) once; "
            f"the slim zip does not. pip said:\n  " + "\n  ".join(said[-6:])
        )
