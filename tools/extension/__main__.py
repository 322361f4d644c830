# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m tools.extension build [--all]` and `python -m tools.extension lock`, from the top of the repository."""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path

from . import builder, staging, targets, wheelhouse
from .errors import BuildError

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "wheels.lock"
STAGING = ROOT / "build" / "extension"
WHEELS = ROOT / "build" / "wheels"


def zip_path(dist: Path, target: targets.Target | None) -> Path:
    manifest = tomllib.loads((ROOT / staging.MANIFEST).read_text(encoding="utf-8"))
    kind = "slim" if target is None else f"full-{target.name}"
    return dist / f"{manifest['id']}-{manifest['version']}-{kind}.zip"


def build(dist: Path, *, all_platforms: bool) -> None:
    # The slim zip comes first: it needs no network.
    built = {_build_one(dist, None, ())}
    chosen = targets.TARGETS if all_platforms else targets.of_this_machine()
    if not chosen:
        print(f"No full zip for this platform ({sys.platform}); the slim zip runs everywhere.")
    for target in chosen:
        built.add(_build_one(dist, target, wheelhouse.wheels_for(target, lock=LOCK, cache=WHEELS)))
    # A zip of another platform or version would hold other sources than these, under a name that looks as new.
    for old in set(dist.glob("redmax_blender-*.zip")) - built:
        old.unlink()
        print(f"removed {old.name}, which is older than these")


def _build_one(dist: Path, target: targets.Target | None, wheels: tuple[Path, ...]) -> Path:
    path = zip_path(dist, target)
    folder = STAGING / path.stem
    staging.stage(folder, root=ROOT, target=target, wheels=wheels)
    builder.build(folder, path)
    print(f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}  {path.stat().st_size / 1e6:.1f} MB, valid")
    return path


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.extension", description="Build the Blender extension.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("build", help="build the slim zip and the full zips")
    command.add_argument("--all", action="store_true", help="full zips for every platform, not only for this machine")
    command.add_argument("--dist", type=Path, default=ROOT / "dist", help="folder of the zips (default: dist)")
    commands.add_parser("lock", help=f"renew the hashes in {LOCK.name}")
    arguments = parser.parse_args()
    try:
        if arguments.command == "build":
            build(arguments.dist, all_platforms=arguments.all)
        else:
            for package in wheelhouse.renew_lock(lock=LOCK):
                print(
                    f"{package.name} {package.version}: {len(package.hashes)} wheels for {len(targets.TARGETS)} targets"
                )
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
