# SPDX-License-Identifier: GPL-3.0-or-later
"""Real Blenders (environments with the bpy wheel) and the built zips, installed into clean profiles."""

from __future__ import annotations

import os
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tools.extension import targets

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
MODULE = "bl_ext.user_default.redmax_blender"
PYTHONS = {"4.5": (3, 11), "5.2": (3, 13)}
MANIFEST = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))


def versions() -> list[str]:
    """Blenders to test: those `make` names in REDMAX_BLENDERS, or every environment that is there."""
    named = os.environ.get("REDMAX_BLENDERS", "").split()
    return named or [version for version in PYTHONS if python_of(version).exists()]


def kinds() -> list[str]:
    """slim; and full where this machine has a full zip."""
    return ["slim", "full"] if targets.of_this_machine() else ["slim"]


def python_of(version: str) -> Path:
    return ROOT / f".venv-blender-{version}" / "bin" / "python"


def built_zip(kind: str) -> Path:
    path = ROOT / "dist" / f"{MANIFEST['id']}-{MANIFEST['version']}-{kind}.zip"
    assert path.exists(), f"{path.name} is not built: run `make extension`"
    return path


def zip_for(version: str, kind: str) -> Path:
    """The zip of that kind which a user of this machine would install into that Blender."""
    if kind == "slim":
        return built_zip("slim")
    (target,) = (target for target in targets.of_this_machine() if target.python == PYTHONS[version])
    return built_zip(f"full-{target.name}")


@dataclass(frozen=True)
class Profile:
    """A Blender with user resources of its own."""

    version: str
    folder: Path

    def python(self, *arguments: object, timeout: float = 300.0) -> str:
        """Run Blender's Python in this profile; what it printed. Fails with everything it said."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "BLENDER"))}
        environment |= {
            "BLENDER_USER_RESOURCES": str(self.folder),
            "OPENBLAS_NUM_THREADS": "1",
        }
        command = [str(python_of(self.version)), *map(str, arguments)]
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False, timeout=timeout
        )
        said = f"Blender {self.version}: {' '.join(command[1:])}\n{done.stdout}\n{done.stderr}"
        assert done.returncode == 0, f"exit code {done.returncode}, {said}"
        return done.stdout

    def run(self, script: Path | str, *arguments: object, timeout: float = 300.0) -> str:
        """Run a script in a Blender with the installed extension enabled, and no network.

        The repository is not on its path: what it imports comes from the zip.
        """
        return self.python(HERE / "start.py", MODULE, script, *arguments, timeout=timeout)


def new_profile(version: str, folder: Path) -> Profile:
    assert python_of(version).exists(), f"{python_of(version)} is missing: run `make setup-blender`"
    folder.mkdir(parents=True)
    return Profile(version, folder)


def install(version: str, kind: str, folder: Path) -> Profile:
    """A clean profile with the built zip installed the way a user does it, enabled and saved in the preferences."""
    profile = new_profile(version, folder)
    profile.python(HERE / "install.py", zip_for(version, kind), MODULE)
    return profile
