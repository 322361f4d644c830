# SPDX-License-Identifier: GPL-3.0-or-later
"""The vectorised route may hand a state it cannot solve to the readable one; tests must know when it does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from redmax.dynamics import recursive
from redmax.vectorised import dynamics, motion


@pytest.fixture
def handed_over(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the models that the readable route solved instead."""
    calls: list[str] = []

    def watched(model, kin, loads, qddot_prescribed):
        calls.append(model.name)
        return recursive.forward_dynamics(model, kin, loads, qddot_prescribed)

    for module in (dynamics, motion):
        monkeypatch.setattr(module, "by_recursion", watched)
    return calls


@pytest.fixture(autouse=True)
def _nothing_handed_over(request: pytest.FixtureRequest) -> Iterator[None]:
    """In every test that is not about handing over."""
    expected = "handed_over" in request.fixturenames
    calls = request.getfixturevalue("handed_over")
    yield
    assert expected or not calls, "the readable route answered instead of the vectorised one"
