# SPDX-License-Identifier: GPL-3.0-or-later
"""Every case in tests/attack/scenes is judged: each was a failure once.

A file is a case as the attack writes it. `verdicts` says what may come of it ("ok", "refused" and "said so" if it is
left out); `waits_for` names what is not mended yet, and is removed with the mending.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .judge import OK, REFUSED, SAID, Judge

SCENES = sorted((Path(__file__).parent / "scenes").glob("*.json"))


@pytest.fixture(scope="module")
def judge():
    judge = Judge()
    yield judge
    judge.close()


@pytest.mark.slow
@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_what_failed_once_fails_no_more(path, judge, request):
    case = json.loads(path.read_text(encoding="utf-8"))
    if "waits_for" in case:
        request.applymarker(pytest.mark.xfail(reason=case["waits_for"], strict=False))
    verdict = judge.judge(case)
    assert verdict.name in case.get("verdicts", (OK, REFUSED, SAID)), verdict.detail
