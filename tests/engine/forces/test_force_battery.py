# SPDX-License-Identifier: GPL-3.0-or-later
"""The battery of `force_battery.py` on every registered force."""

from __future__ import annotations

import force_battery
import pytest

CASES = dict(force_battery.cases())


@pytest.mark.parametrize("check", force_battery.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", CASES)
def test_force(name, check):
    check(CASES[name])
