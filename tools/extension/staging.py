# SPDX-License-Identifier: GPL-3.0-or-later
"""Lays out the folder that Blender's builder turns into a zip: the add-on at its root, the engine inside it."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path

from .errors import BuildError
from .targets import Target

MANIFEST = "blender_manifest.toml"

# By-products of running and editing; everything else in the two packages is part of the extension.
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc", ".*", "*~", "redmax_cache")


GUIDES = (
    "first_hour.md",
    "interface.md",
    "authoring.md",
    "simulating.md",
    "baking.md",
    "results.md",
    "templates.md",
    "headless.md",
    "scene-format.md",
)
"""Documents that come with the extension; the others are for those who change it."""


def stage(folder: Path, *, root: Path, target: Target | None = None, wheels: tuple[Path, ...] = ()) -> None:
    """Fill `folder` from the repository at `root`; with a target, for its platform and with its wheels."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root / "addon" / "redmax_blender", folder, ignore=_LEFT_OUT)
    shutil.copytree(root / "engine" / "redmax", folder / "redmax", ignore=_LEFT_OUT)
    shutil.copy(root / "LICENSE", folder)
    stage_guides(folder / "docs", docs=root / "docs")
    manifest = (root / MANIFEST).read_text(encoding="utf-8")
    check_version(manifest, engine=root / "engine" / "redmax" / "__init__.py")
    if target is not None:
        (folder / "wheels").mkdir()
        for wheel in wheels:
            shutil.copy(wheel, folder / "wheels")
        manifest = full_manifest(manifest, target, tuple(wheel.name for wheel in wheels))
    (folder / MANIFEST).write_text(manifest, encoding="utf-8")


def stage_guides(folder: Path, *, docs: Path) -> None:
    """What an artist reads, with its pictures; Preferences opens this folder."""
    (folder / "images").mkdir(parents=True)
    for guide in GUIDES:
        shutil.copy(docs / guide, folder)
        for picture in re.findall(r"\(images/([\w.]+)\)", (docs / guide).read_text(encoding="utf-8")):
            shutil.copy(docs / "images" / picture, folder / "images")


def check_version(manifest: str, *, engine: Path) -> None:
    """The extension and the engine inside it carry one version."""
    declared = tomllib.loads(manifest)["version"]
    match = re.search(r'^__version__ = "([^"]+)"', engine.read_text(encoding="utf-8"), re.MULTILINE)
    if match is None or match[1] != declared:
        raise BuildError(f"{MANIFEST} says version {declared}, {engine} says {match and match[1]}; make them equal")


def full_manifest(manifest: str, target: Target, wheel_names: tuple[str, ...]) -> str:
    """The manifest of a full zip: its platform, its wheels, and only the Blenders that have its Python."""
    first, after = target.blender_versions
    lines = [f'blender_version_min = "{first}"']
    if after is not None:
        lines.append(f'blender_version_max = "{after}"')
    lines.append(f'platforms = ["{target.platform}"]')
    lines.append("wheels = [" + ", ".join(f'"./wheels/{name}"' for name in wheel_names) + "]")
    filled, count = re.subn(r'^blender_version_min = "[^"]*"$', "\n".join(lines), manifest, flags=re.MULTILINE)
    if count != 1:
        raise BuildError(f"{MANIFEST}: expected one line blender_version_min, found {count}")
    return filled
