# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong, or worth knowing, about a mechanism in a Blender scene."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ..._engine import errors

RedMaxError = errors.RedMaxError


@dataclass(frozen=True)
class Finding:
    """element: name of the object it is about, empty for the scene. text: what. hint: what to do.

    fixes: names of `properties.fixes` that help, the one to try first in front. of_result: about the last simulation,
    not about the scene. code: which finding it is; those of one code say the same of different objects.
    """

    element: str
    text: str
    hint: str = ""
    severity: Literal["ERROR", "WARNING", "INFO"] = "ERROR"
    fixes: tuple[str, ...] = ()
    of_result: bool = False
    code: str = ""

    def __str__(self) -> str:
        return f"{self.text}; {self.hint}" if self.hint else self.text


class BridgeError(RedMaxError):
    """What Blender's scene does not allow, with every finding; operators report it."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(str(finding) for finding in self.findings))


def refuse(element: str, text: str, hint: str = "") -> BridgeError:
    """The error of a single finding, to be raised."""
    return BridgeError([Finding(element, text, hint)])
