# SPDX-License-Identifier: GPL-3.0-or-later
"""Integrators on the command line: every declared setting of every registered integrator is an option."""

from __future__ import annotations

import argparse
import math
from typing import Any

from ..fields import Spec, field_problems, specs
from ..integrators import INTEGRATORS, Integrator
from ..simulate.run import AUTOMATIC

DEFAULT = AUTOMATIC.kind


def add_integrator_options(parser: argparse.ArgumentParser) -> None:
    """--integrator and one option per setting; settings of the same name share an option."""
    parser.add_argument(
        "--integrator", choices=INTEGRATORS.kinds, default=DEFAULT, help=f"how to step through time (default {DEFAULT})"
    )
    for name, (spec, kinds) in _settings().items():
        unit = f" [{spec.unit}]" if spec.unit else ""
        text = f"{spec.doc}{unit} ({', '.join(kinds)})".replace("%", "%%")
        if spec.sort == "choice":
            parser.add_argument(_option(name), dest=name, choices=spec.choices, help=text)
        else:
            parser.add_argument(_option(name), dest=name, type=number, help=text, metavar="X")


def chosen_integrator(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Integrator:
    """The integrator that the options describe; wrong ones end the program with the parser's usage message."""
    cls = INTEGRATORS[options.integrator]
    given: dict[str, Any] = {name: getattr(options, name) for name in _settings() if getattr(options, name) is not None}
    for name in given:
        if name not in specs(cls):
            parser.error(f"integrator '{cls.kind}' has no option {_option(name)}")
    integrator = cls(**given)
    for fault in field_problems(integrator):
        parser.error(f"--{fault.sentence}; {fault.hint}")
    return integrator


def number(text: str) -> float:
    """A finite number of the command line."""
    value = float(text)
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text} is not a finite number")
    return value


def positive(text: str) -> float:
    """A finite number above 0 of the command line."""
    value = number(text)
    if value <= 0.0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _settings() -> dict[str, tuple[Spec, list[str]]]:
    """Name of every setting: its declaration and the integrators that have it."""
    settings: dict[str, tuple[Spec, list[str]]] = {}
    for cls in INTEGRATORS:
        for name, spec in specs(cls).items():
            settings.setdefault(name, (spec, []))[1].append(cls.kind)
    return settings
