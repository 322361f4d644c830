# SPDX-License-Identifier: GPL-3.0-or-later
"""`make demo`: install the built extension, rig a crane and a pump with its operators, simulate, bake, take pictures;
then a roller coaster, and Newton's cradle.

Runs in a Blender environment (4.5 or newer). Leaves in the folder given: demo.blend, coaster.blend and cradle.blend
with their redmax_cache, demo.png, coaster.png and cradle.png (contact sheets), demo.mp4, energy.png, and
blender.log with what Blender itself had to say.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for what is made")
    parser.add_argument("--zip", type=Path, help="extension to install; the newest slim zip in dist/ if not given")
    options = parser.parse_args()
    package = options.zip or newest_zip()
    if package is None or not package.exists():
        print(f"There is no {package or 'dist/*slim*.zip'}: run `make extension` first", file=sys.stderr)
        return 1
    options.out.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory(prefix="redmax-demo-") as profile:
        # Your own Blender settings and extensions stay out of it. Blender reads this while it is imported, so the
        # parts of the demo, which import it, come after.
        os.environ["BLENDER_USER_RESOURCES"] = profile
        from tools.crane_demo.run import Demo  # noqa: PLC0415

        Demo(options.out.resolve()).run(package.resolve())
    return 0


def newest_zip() -> Path | None:
    found = sorted((ROOT / "dist").glob("*slim*.zip"), key=lambda path: path.stat().st_mtime)
    return found[-1] if found else None


if __name__ == "__main__":
    sys.exit(main())
