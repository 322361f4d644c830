# SPDX-License-Identifier: GPL-3.0-or-later
"""The error of a rotation parametrisation asked for something that does not exist where it is singular."""

from __future__ import annotations

from ..errors import RedMaxError


class SingularParametrisationError(RedMaxError):
    """No rates of the parametrisation give the angular velocity asked for (gimbal lock, axis of a zero angle)."""
