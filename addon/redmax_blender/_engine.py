# SPDX-License-Identifier: GPL-3.0-or-later
"""The one door to the engine: the vendored copy of a built extension, or the installed package during development.

`from .._engine import joints` gives the engine's module `joints`, wherever the engine lies.
"""

import importlib
import importlib.util
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import redmax as package  # noqa: F401
    from redmax import (  # noqa: F401
        arrays,
        batch,
        check,
        compile,
        constraints,
        errors,
        examples,
        fields,
        files,
        forces,
        integrators,
        io,
        joints,
        model,
        outcome,
        scene,
        simulate,
        state,
        surfaces,
        tables,
        topology,
        tracks,
        trajectory,
        warm_up,
        warm_up_process,
    )
    from redmax.cli import console, progress  # noqa: F401
    from redmax.cli import warm_up as preparing  # noqa: F401
    from redmax.dynamics import animation as motion_at  # noqa: F401
    from redmax.dynamics import assembly, composite_body, constraint_rows, freedoms, halves, kinematics  # noqa: F401
    from redmax.examples import general_joints  # noqa: F401
    from redmax.geometry import convex_pieces, hull, mass_properties, mesh, mesh_check, solids  # noqa: F401
    from redmax.integrators import base as integrator_base  # noqa: F401
    from redmax.integrators import constrained as constrained_run  # noqa: F401
    from redmax.joints import friction as frictions  # noqa: F401
    from redmax.joints import motor as motors  # noqa: F401
    from redmax.joints import touching, traits  # noqa: F401
    from redmax.kernels import route  # noqa: F401
    from redmax.kernels.cache import cache_folder  # noqa: F401
    from redmax.kernels.contact import detection  # noqa: F401
    from redmax.spatial import adjoint, angle_axis, euler, inertia, pose, quaternion, rates, so3  # noqa: F401
    from redmax.surfaces import materials as surface_materials  # noqa: F401

_VENDORED = f"{__package__}.redmax"
ROOT = _VENDORED if importlib.util.find_spec(_VENDORED) is not None else "redmax"
"""Name under which the engine is imported here."""

_PLACES = {
    "package": "",
    "console": ".cli.console",
    "progress": ".cli.progress",
    "preparing": ".cli.warm_up",
    "cache_folder": ".kernels.cache.cache_folder",
    "route": ".kernels.route",
    "detection": ".kernels.contact.detection",
    "integrator_base": ".integrators.base",
    "constrained_run": ".integrators.constrained",
    "motion_at": ".dynamics.animation",
    "general_joints": ".examples.general_joints",
    "touching": ".joints.touching",
    "traits": ".joints.traits",
    "frictions": ".joints.friction",
    "motors": ".joints.motor",
    "surface_materials": ".surfaces.materials",
    **dict.fromkeys(("convex_pieces", "hull", "mass_properties", "mesh", "mesh_check", "solids"), ".geometry"),
    **dict.fromkeys(("assembly", "composite_body", "constraint_rows", "freedoms", "halves", "kinematics"), ".dynamics"),
    **dict.fromkeys(("adjoint", "angle_axis", "euler", "inertia", "pose", "quaternion", "rates", "so3"), ".spatial"),
}


def __getattr__(name: str) -> ModuleType:
    if name.startswith("__"):
        raise AttributeError(name)
    place = _PLACES.get(name, "")
    if place in ("", ".dynamics", ".geometry", ".spatial") and name != "package":
        place = f"{place}.{name}"
    try:
        return importlib.import_module(f"{ROOT}{place}")
    except ModuleNotFoundError as error:
        if error.name == f"{ROOT}{place}":
            raise AttributeError(f"the engine has no module '{name}'") from None
        raise
