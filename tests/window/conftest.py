# SPDX-License-Identifier: GPL-3.0-or-later
"""`window`: a Blender with the slim zip, for all tests of a file. A failure leaves its picture and its log."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from . import ROOT, programs, session

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    if isinstance(missing := programs.found(), str):
        for item in items:
            if item.path.parent == HERE:
                item.add_marker(pytest.mark.skip(reason=f"no real Blender window: {missing}"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed and (window := getattr(item, "funcargs", {}).get("window")) is not None:
        kept = Path(os.environ.get("REDMAX_WINDOW_OUT", ROOT / "out" / "window"))
        kept.mkdir(parents=True, exist_ok=True)
        try:
            window.picture(kept / f"{item.name}.png")
        except session.WindowError as error:
            report.sections.append(("picture", str(error)))
        shutil.copy(window.folder / "blender.log", kept / f"{item.name}.log")
        report.sections.append(("the window", f"picture and log: {kept / item.name}.*"))
    return report


@pytest.fixture(scope="module")
def window(tmp_path_factory):
    (extension,) = (ROOT / "dist").glob("*-slim.zip")
    opened = session.begin(tmp_path_factory.mktemp("window") / "blender", extension=extension)
    yield opened
    opened.end()


@pytest.fixture
def no_errors(window):
    """Nothing that is done may leave a traceback in Blender's log."""
    yield
    assert window.errors() == []
