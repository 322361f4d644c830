# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of contact share."""

from __future__ import annotations

import pytest

from redmax.integrators.contact import compiled_stepper
from redmax.kernels import route

needs_kernels = pytest.mark.skipif(route.usual() != route.NUMBA, reason="needs numba")


@pytest.fixture(params=[pytest.param("kernels", marks=needs_kernels), "readable"])
def by_route(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Frames by kernels, then by the readable steps."""
    if request.param == "readable":
        monkeypatch.setattr(compiled_stepper, "has_compiled_frames", lambda _model, _tree: False)
    return str(request.param)
