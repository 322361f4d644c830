# SPDX-License-Identifier: GPL-3.0-or-later
"""The vectorised route may hand a state it cannot solve to the readable one; tests must know when it does."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from redmax.vectorised import dynamics


@pytest.fixture
def handed_over(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the models that the readable route solved instead."""
    calls: list[str] = []
    readable = dynamics.recursive.forward_dynamics

    def watched(model, kin, loads, qddot_prescribed=None):
        calls.append(model.name)
        return readable(model, kin, loads, qddot_prescribed)

    monkeypatch.setattr(dynamics, "recursive", SimpleNamespace(forward_dynamics=watched))
    return calls


@pytest.fixture(autouse=True)
def _nothing_handed_over(request: pytest.FixtureRequest) -> Iterator[None]:
    """In every test that is not about handing over."""
    expected = "handed_over" in request.fixturenames
    calls = request.getfixturevalue("handed_over")
    yield
    assert expected or not calls, "the readable route answered instead of the vectorised one"
