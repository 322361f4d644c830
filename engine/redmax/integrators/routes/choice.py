# SPDX-License-Identifier: GPL-3.0-or-later
"""Which route a run takes: chosen here, once, by the formulation that was asked for and by what kernels know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import fast
from ...fields import choice
from ...model import Model
from .constrained import CompiledConstrained, Constrained
from .driven import CompiledDriven, Driven
from .formulation import FLOATING_BASE, PROJECTED, RECURSIVE, SI_GUENTER, VECTORISED, Formulation
from .route import Unconstrained
from .tree import CompiledTree, TreeRoute, VectorisedTree

if TYPE_CHECKING:
    from ..constrained import ConstrainedRun

FAST = "fast"
FORMULATIONS: dict[str, Formulation] = {
    "recursive": RECURSIVE,
    "projected": PROJECTED,
    "si_guenter": SI_GUENTER,
    FAST: VECTORISED,
    "floating_base": FLOATING_BASE,
}
"""Formulations of the dynamics that an integrator offers. FAST is compiled where kernels know the mechanism, the others
are readable. New ones go to the end: Blender files keep their places."""


def formulation_choice() -> Any:
    """The field by which an integrator offers the formulations."""
    doc = "Formulation of the forward dynamics: fast, or one of the readable ones it is checked against"
    return choice(FAST, doc=doc, choices=tuple(FORMULATIONS))


def begin(
    model: Model, formulation: str = FAST, constraints: ConstrainedRun | None = None
) -> Constrained | Unconstrained:
    """The route of a run. constraints: those of the run; None for motion as if there were none."""
    if constraints is None:
        return _unconstrained(model, formulation, compiled=formulation == FAST)
    free = _unconstrained(model, formulation, compiled=formulation == FAST and constraints.only_one_sided)
    if formulation == FAST and constraints.tree is not None:
        return CompiledConstrained(free, constraints, constraints.tree)
    return Constrained(free, constraints)


def _unconstrained(model: Model, formulation: str, *, compiled: bool) -> Unconstrained:
    """Without loops, constraints and limits. compiled: whether kernels may do it."""
    kernels = fast.bare_tree(model) if compiled else None
    tree = VectorisedTree(model) if formulation == FAST else TreeRoute(model, FORMULATIONS[formulation])
    if kernels is None:
        return tree if model.followers is None else Driven(tree, model.followers)
    quick = CompiledTree(model, kernels)
    return quick if model.followers is None else CompiledDriven(quick, model.followers)
