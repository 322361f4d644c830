# SPDX-License-Identifier: GPL-3.0-or-later
"""`curve.redmax`: what a bake wrote to a curve that shows a strand."""

import bpy

from . import from_specs
from .element import REDMAX_PG_baked
from .from_specs import OVERRIDABLE

REDMAX_PG_curve = from_specs.make_group(
    "REDMAX_PG_curve",
    {"baked": bpy.props.PointerProperty(type=REDMAX_PG_baked, override=OVERRIDABLE)},
    "RedMax settings of a curve.",
)

CLASSES = (REDMAX_PG_curve,)
