# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tables and numbers of the documents from the registries: python tools/docs_tables.py

A table stands between `<!-- table: NAME -->` and `<!-- end -->`, how many kinds there are of a sort between
`<!-- count: NAME -->` and `<!-- end -->`; a test fails while one is out of date.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from redmax.constraints import CONSTRAINTS, Constraint
from redmax.drives import Drive, DriveInput, Follower
from redmax.fields import REQUIRED, Element, Spec, defaults, specs
from redmax.forces import FORCES, Force
from redmax.forces.lines.points import PathPoint
from redmax.geometry.solids import SHAPES, Solid
from redmax.integrators import INTEGRATORS
from redmax.joints import JOINTS
from redmax.joints.base import Joint
from redmax.joints.friction import Friction
from redmax.joints.motor import Motor
from redmax.outcome import CODES
from redmax.simulate import CHANNELS
from redmax.strands import Strand
from redmax.surfaces import SURFACES, Piece, Surface, SurfacePair
from redmax.tracks import Sheet, Track

ROOT = Path(__file__).parents[1]
DOCUMENTS = (ROOT / "README.md", ROOT / "docs" / "scene-format.md", ROOT / "docs" / "simulating.md")
COUNTED = {"joints": JOINTS, "integrators": INTEGRATORS}
WORDS = {"per_dof": "per DOF", "record": "object", "elements": "list", "reference": "name", "polygons": "faces"}


def form(spec: Spec) -> str:
    """What a field holds, in a word or two."""
    if spec.sort == "array":
        return " x ".join("n" if length is None else str(length) for length in spec.shape) + " numbers"
    if spec.sort == "choice":
        return " / ".join(spec.choices)
    if spec.sort == "records" and spec.record is not None:
        return f"list of {spec.record.__name__}"
    if spec.sort == "record" and spec.record is not None:
        return spec.record.__name__
    return WORDS.get(spec.sort, spec.sort)


def field_rows(cls: type, without: Iterable[str] = ()) -> list[tuple[str, ...]]:
    rows = []
    for name, spec in specs(cls).items():
        if name not in without:
            default = defaults(cls)[name]
            shown = "required" if default is REQUIRED else "none" if default is None else _shown(default)
            rows.append((f"`{name}`", form(spec), spec.unit, shown, spec.doc))
    return rows


def _shown(default: Any) -> str:
    if hasattr(default, "position"):
        return "identity"
    if isinstance(default, tuple) and any(isinstance(item, Element) for item in default):
        return f"{len(default)} with its defaults"
    return str(list(default)) if isinstance(default, tuple) else str(default)


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in (head, tuple("---" for _ in head), *rows)]
    return "\n".join(lines)


def kinds_table(registry: Any, base: type) -> str:
    rows: list[tuple[str, ...]] = []
    for cls in registry:
        own = field_rows(cls, without=specs(base))
        about = (cls.__doc__ or "").strip().split("\n")[0]
        listed = "; ".join(
            f"{row[0]} ({', '.join(part for part in (*row[1:3], _default_words(row[3])) if part)}): {row[4]}"
            for row in own
        )
        rows.append((f"`{cls.kind}`", cls.label, about, listed or "-"))
    return table(("kind", "shown as", "what it is", "own fields"), rows)


def _default_words(default: str) -> str:
    return default if default == "required" else f"default {default}"


def integrators_table() -> str:
    rows: list[tuple[str, ...]] = []
    for cls in INTEGRATORS:
        about = (cls.__doc__ or "").strip().split("\n")[0]
        settings = ", ".join(f"`{row[0].strip('`')}` = {row[3]}" for row in field_rows(cls))
        rows.append((f"`{cls.kind}`", f"`{cls.__name__}`", about, settings))
    return table(("--integrator", "class", "what it is", "settings and defaults"), rows)


def tables() -> dict[str, str]:
    return {
        "integrators": integrators_table(),
        "channels": table(("channel", "per sample"), [(f"`{name}`", text) for name, text in CHANNELS.items()]),
        "outcomes": table(("code", "when"), [(f"`{code}`", text) for code, text in CODES.items()]),
        "shapes": kinds_table(SHAPES, Solid),
        "joint": table(("field", "form", "unit", "default", "meaning"), field_rows(Joint)),
        "motor": table(("field", "form", "unit", "default", "meaning"), field_rows(Motor)),
        "friction": table(("field", "form", "unit", "default", "meaning"), field_rows(Friction)),
        "joints": kinds_table(JOINTS, Joint),
        "forces": kinds_table(FORCES, Force),
        "strand": table(("field", "form", "unit", "default", "meaning"), field_rows(Strand)),
        "constraints": kinds_table(CONSTRAINTS, Constraint),
        "drive": table(("field", "form", "unit", "default", "meaning"), field_rows(Drive)),
        "drive input": table(("field", "form", "unit", "default", "meaning"), field_rows(DriveInput)),
        "follower": table(("field", "form", "unit", "default", "meaning"), field_rows(Follower)),
        "track": table(("field", "form", "unit", "default", "meaning"), field_rows(Track)),
        "sheet": table(("field", "form", "unit", "default", "meaning"), field_rows(Sheet)),
        "surface": table(("field", "form", "unit", "default", "meaning"), field_rows(Surface)),
        "surfaces": kinds_table(SURFACES, Surface),
        "piece": table(("field", "form", "unit", "default", "meaning"), field_rows(Piece)),
        "surface_pair": table(("field", "form", "unit", "default", "meaning"), field_rows(SurfacePair)),
        "path point": table(("field", "form", "unit", "default", "meaning"), field_rows(PathPoint)),
    }


def generated() -> dict[str, str]:
    """What begins each part of the documents that is written here, and its content."""
    counts = {f"<!-- count: {name} -->": str(len(registry.kinds)) for name, registry in COUNTED.items()}
    return {**{f"<!-- table: {name} -->": f"\n{content}\n" for name, content in tables().items()}, **counts}


def updated(text: str) -> str:
    """A document with its tables and numbers as the registries have them."""
    for begin, content in generated().items():
        pattern = re.compile(re.escape(begin) + r".*?<!-- end -->", re.DOTALL)
        text = pattern.sub(lambda _, begin=begin, content=content: f"{begin}{content}<!-- end -->", text)
    return text


if __name__ == "__main__":
    for document in DOCUMENTS:
        document.write_text(updated(document.read_text(encoding="utf-8")), encoding="utf-8")
