# SPDX-License-Identifier: GPL-3.0-or-later
"""`spatial.scalar` compiled: rotations, cross products and small linear systems in plain scalars."""

from __future__ import annotations

from ..spatial import scalar
from .cache.same_text import compiled_text

applied = compiled_text(scalar.applied)
axis_rotation = compiled_text(scalar.axis_rotation)
ball = compiled_text(scalar.ball)
ball_bias = compiled_text(scalar.ball_bias)
ball_motion = compiled_text(scalar.ball_motion)
centripetal = compiled_text(scalar.centripetal)
cross = compiled_text(scalar.cross)
product = compiled_text(scalar.product)
sine_cosine = compiled_text(scalar.sine_cosine)
solved3 = compiled_text(scalar.solved3)
solved_transposed = compiled_text(scalar.solved_transposed)
turned_back = compiled_text(scalar.turned_back)
turned_into = compiled_text(scalar.turned_into)
