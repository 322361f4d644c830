# SPDX-License-Identifier: GPL-3.0-or-later
"""Every test here runs for each Blender (`blender`) and each kind of zip (`kind`) it asks for."""

from __future__ import annotations

from collections.abc import Callable

import blenders
import pytest
from xdist.scheduler import LoadScopeScheduling


class ByProfile(LoadScopeScheduling):
    """Tests of one profile, `[4.5-slim]` in their names, go to one process, so that each zip is installed once.

    Those that compare profiles, `[4.5]`, go where the full zip is: compiling its kernels is what takes longest.
    """

    def _split_scope(self, nodeid: str) -> str:
        if not nodeid.endswith("]"):
            return nodeid
        profile = nodeid[nodeid.rfind("[") + 1 : -1]
        return f"{profile}-full" if profile in blenders.versions() else profile


def pytest_xdist_make_scheduler(config, log):
    return ByProfile(config, log)


def pytest_generate_tests(metafunc):
    # Both in one call, so that the names read `[4.5-slim]` in this order whatever a test writes first.
    versions, kinds = blenders.versions(), blenders.kinds()
    if not versions:
        pytest.exit("no Blender environment is there: run `make setup-blender`", returncode=1)
    if {"blender", "kind"} <= set(metafunc.fixturenames):
        metafunc.parametrize(("blender", "kind"), [(version, kind) for version in versions for kind in kinds])
    elif "blender" in metafunc.fixturenames:
        metafunc.parametrize("blender", versions)
    elif "kind" in metafunc.fixturenames:
        metafunc.parametrize("kind", kinds)


@pytest.fixture(scope="session")
def installed_blender(tmp_path_factory) -> Callable[[str, str], blenders.Profile]:
    """`installed_blender("4.5", "slim").run(script, *arguments)`: a driver script in the installed profile."""
    profiles: dict[tuple[str, str], blenders.Profile | AssertionError] = {}

    def installed(version: str, kind: str) -> blenders.Profile:
        if (version, kind) not in profiles:
            folder = tmp_path_factory.mktemp(f"blender-{version}-{kind}") / "profile"
            try:
                profiles[version, kind] = blenders.install(version, kind, folder)
            except AssertionError as error:  # remembered, so that a broken zip is not installed for every test
                profiles[version, kind] = error
        found = profiles[version, kind]
        if isinstance(found, AssertionError):
            raise found
        return found

    return installed
