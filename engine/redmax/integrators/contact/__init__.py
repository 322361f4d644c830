# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact in runs: when steps end, what happens in them, and what is known of it afterwards."""

from .account import ContactSample
from .stepper import ContactStepper

__all__ = ["ContactSample", "ContactStepper"]
