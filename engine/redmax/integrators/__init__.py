# SPDX-License-Identifier: GPL-3.0-or-later
"""Integrators. A new one is a file here and a line below; its number is never reused."""

from ..registry import Registry
from .automatic import Automatic
from .base import FixedStep, FixedStepper, IntegrationError, Integrator, Stepper
from .bdf import Bdf1, Bdf2
from .contact_euler import ContactEuler
from .dormand_prince import Dop853, Rk45
from .extrapolated_euler import ExtrapolatedEuler
from .linearly_implicit_euler import LinearlyImplicitEuler
from .linearly_implicit_euler_pcg import LinearlyImplicitEulerPcg
from .maximal_euler import MaximalEuler
from .radau import Radau
from .rk4 import RungeKutta4
from .semi_implicit_euler import SemiImplicitEuler

INTEGRATORS: Registry[Integrator] = Registry("integrator")
INTEGRATORS.add(1, LinearlyImplicitEuler)
INTEGRATORS.add(2, SemiImplicitEuler)
INTEGRATORS.add(3, RungeKutta4)
INTEGRATORS.add(4, Bdf1)
INTEGRATORS.add(5, Bdf2)
INTEGRATORS.add(6, Rk45)
INTEGRATORS.add(7, Dop853)
INTEGRATORS.add(8, Radau)
INTEGRATORS.add(9, MaximalEuler)
INTEGRATORS.add(10, LinearlyImplicitEulerPcg)
INTEGRATORS.add(11, ExtrapolatedEuler)
INTEGRATORS.add(12, Automatic)
INTEGRATORS.add(13, ContactEuler)

__all__ = [
    "INTEGRATORS",
    "Automatic",
    "Bdf1",
    "Bdf2",
    "ContactEuler",
    "Dop853",
    "ExtrapolatedEuler",
    "FixedStep",
    "FixedStepper",
    "IntegrationError",
    "Integrator",
    "LinearlyImplicitEuler",
    "LinearlyImplicitEulerPcg",
    "MaximalEuler",
    "Radau",
    "Rk45",
    "RungeKutta4",
    "SemiImplicitEuler",
    "Stepper",
]
