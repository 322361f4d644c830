# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled and vectorised dynamics behind one door: kernels where they know every joint of a model, else numpy.

Everything here agrees with the readable code in `dynamics` and `reference` to round-off.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from .dynamics.singular import ImmovableError, immovable_joint
from .kernels import route
from .model import Model
from .vectorised import (
    accelerations,
    forward_dynamics,
    inverse_dynamics,
    kinematics,
    linear_system,
    loads,
    mass_matrix,
)

if TYPE_CHECKING:
    from .kernels.compiled_tree import Tree

__all__ = [
    "accelerations",
    "bare_tree",
    "constrained_tree",
    "describe",
    "forward_dynamics",
    "inverse_dynamics",
    "kinematics",
    "linear_system",
    "loads",
    "mass_matrix",
    "new_tree",
    "python_force",
    "python_joint",
    "stuck_joint",
]


def new_tree(model: Model) -> Tree | None:
    """Kernels for a model without loops, constraints and drives, with work space of their own; None where numpy must
    do."""
    if route.name() != route.NUMBA or model.loops or model.constraints or model.followers is not None:
        return None
    from .kernels.layout.packing import pack  # noqa: PLC0415  (not needed without numba)

    return _tree_class()(model) if model.once(pack).whole and not python_force(model) else None


def constrained_tree(model: Model) -> Tree | None:
    """Kernels for a model with loops, constraints or drives, if they know all of them; None where numpy must do."""
    if route.name() != route.NUMBA or not (model.loops or model.constraints or model.followers is not None):
        return None
    if not model.treatment.projects:
        return None
    from .kernels.layout.packing import pack  # noqa: PLC0415  (not needed without numba)
    from .kernels.layout.packing_rows import known  # noqa: PLC0415  (not needed without numba)

    whole = model.once(known) and model.once(pack).whole and not model.once(python_force)
    if not whole or (model.followers is not None and not model.once(_eliminates_drives)):
        return None
    return _tree_class()(model)


def _eliminates_drives(model: Model) -> bool:
    """Whether kernels can solve for rows of drives: every coordinate has inertia, or is led by others that have."""
    from .kernels.layout.packing_drives import known_drives  # noqa: PLC0415  (not needed without numba)

    return known_drives(model) and _tree_class()(model).moves


@cache
def _tree_class() -> type[Tree]:
    """`Tree`, whose module loads all kernels."""
    with route.nothing_collected():
        from .kernels.compiled_tree import Tree  # noqa: PLC0415  (needs numba)

        return Tree


def bare_tree(model: Model) -> Tree | None:
    """Kernels for the tree of a model without its drives, loops and constraints, with work space of their own; None
    where numpy must do."""
    if model.followers is None and not (model.loops or model.constraints):
        return new_tree(model)
    return new_tree(model.once(_bare)) if route.name() == route.NUMBA else None


def _bare(model: Model) -> Model:
    return dataclasses.replace(model, loops=(), constraints=(), followers=None)


def python_joint(model: Model) -> str:
    """Name of a joint that kernels do not know, so that a run goes step by step in Python; empty if there is none.

    It has no function of its own, or none that the compiler takes.
    """
    from .kernels.layout.packing import pack  # noqa: PLC0415  (not needed without numba)

    unknown = model.once(pack).joints.python_joints if route.name() == route.NUMBA else ()
    return next((model.joint_names[j] for j in unknown), "")


def python_force(model: Model) -> str:
    """Name of a force that kernels do not know; empty if there is none."""
    return next((force.name for force in model.forces if force.packed() is None), "")


def describe(model: Model) -> str:
    """What computes a model, as results keep it: such as 'numba 0.62.1'."""
    if route.name() == route.NUMBA:
        for title, name in (("joint", python_joint(model)), ("force", python_force(model))):
            if name:
                return f"numpy {np.__version__} ({title} '{name}' is known only in Python)"
        if (model.loops or model.constraints) and constrained_tree(model) is None:
            return f"numpy {np.__version__}"
    return route.versions()


def stuck_joint(model: Model, body: int) -> ImmovableError:
    """The error for a body at whose joint kernels found that nothing resists."""
    return immovable_joint(model.joint_names[body])
