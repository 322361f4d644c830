# SPDX-License-Identifier: GPL-3.0-or-later
"""Mass, centre of mass and inertia of the solid that a closed mesh bounds."""

from __future__ import annotations

import numpy as np

from ..spatial.inertia import MassProperties
from .mesh import Mesh, MeshError
from .mesh_check import diagnose
from .mesh_report import MeshReport
from .volume_moments import VolumeMoments


class NotSolidError(MeshError):
    """A mesh that bounds no solid. `report` holds every finding."""

    def __init__(self, report: MeshReport) -> None:
        self.report = report
        super().__init__("the mesh is not a closed solid: " + ". ".join(str(problem) for problem in report.problems))


def mass_properties(
    mesh: Mesh,
    *,
    density: float | None = None,
    mass: float | None = None,
    fix_inverted: bool = False,
    allow_overlaps: bool = False,
    report: MeshReport | None = None,
) -> MassProperties:
    """Mass properties of a solid of constant density, in the frame of the vertices.

    Give `density` [kg/m^3] or `mass` [kg]. Inward-facing shells inside solid material are cavities and subtract.
    A mesh that is not a closed solid raises `NotSolidError`, which says what is wrong and where. Two findings can be
    accepted: `fix_inverted` takes a mesh whose faces all point inwards as if it were flipped, `allow_overlaps` counts
    shells that lie in, on or across each other as separate bodies. `report`: of the same mesh, when at hand.
    Source: RBDN section 1.7 (need); `volume_moments` (own derivation).
    """
    found = diagnose(mesh) if report is None else report
    accepted = set()
    if fix_inverted:
        accepted.add("inverted")
    if allow_overlaps:
        accepted |= {"doubled", "crossing"}
    if found.moments is None or any(problem.kind not in accepted for problem in found.problems):
        raise NotSolidError(found)
    moments = found.moments.negated() if found.is_inverted else found.moments
    return solid_properties(moments, density=density, mass=mass)


def solid_properties(
    moments: VolumeMoments, *, density: float | None = None, mass: float | None = None
) -> MassProperties:
    """Mass properties of a region of constant density [kg/m^3] or given mass [kg], from its volume moments.

    With c the centre relative to the reference, the second moment about it is S = M2 - V c c^T, and the inertia is
    rho (tr(S) 1 - S). Source: own derivation from the definition of the inertia tensor.
    """
    if (density is None) == (mass is None):
        raise MeshError("mass properties: give either a density [kg/m^3] or a mass [kg], not both and not neither")
    if density is not None and not (np.isfinite(density) and density > 0.0):
        raise MeshError(f"mass properties: density is {density}; give a positive number of kg/m^3")
    if mass is not None and not (np.isfinite(mass) and mass > 0.0):
        raise MeshError(f"mass properties: mass is {mass}; give a positive number of kg")
    if not moments.volume > 0.0:
        raise MeshError(f"mass properties: the volume is {moments.volume:g} m^3; only a positive one has a density")
    rho = density if density is not None else float(mass or 0.0) / moments.volume
    c = moments.first / moments.volume
    second = moments.second - moments.volume * np.outer(c, c)
    inertia = rho * (np.trace(second) * np.eye(3) - second)
    return MassProperties(rho * moments.volume if mass is None else mass, moments.reference + c, inertia)
