# SPDX-License-Identifier: GPL-3.0-or-later
"""Where numba is, kernels compute the frames of whatever a scene holds, but for what is listed here with its reason."""

from __future__ import annotations

from pathlib import Path

import pytest

import redmax
from engine.constraints.test_halves import Wound, closing
from engine.drives.driven import CAM, chain, with_drives
from engine.kernels.test_compiled_constraints import branching
from engine.mechanisms import MECHANISMS, four_bar
from redmax import fast, io
from redmax.compile import compile as compile_scene
from redmax.constraints import JointMotion
from redmax.drives import Drive, DriveInput, Follower
from redmax.integrators import INTEGRATORS, Automatic
from redmax.kernels import route
from redmax.tables import Table

pytestmark = pytest.mark.skipif(route.name() != route.NUMBA, reason="numpy steps in Python")

ARCHIVE = Path(__file__).parents[1] / "archive"
FILES = {
    path.stem: path
    for path in (
        *sorted((Path(redmax.__file__).parent / "examples").glob("*.json")),
        *sorted(ARCHIVE.glob("*/scenes/*.json")),
    )
}
TABLE = Table(x=(0.0, 1.0), y=((0.1,), (0.3,)))


def frames_of(scene):
    """Who computes the frames of a run with the default settings: 'kernels' or 'Python'."""
    model = compile_scene(scene)
    stepper = Automatic().begin(model, model.initial_state())
    return "kernels" if stepper.tree is not None and fast.describe(model) == route.versions() else "Python"


@pytest.mark.parametrize("name", FILES)
def test_scenes_of_the_suite_run_in_kernels(name):
    assert frames_of(io.load(FILES[name])) == "kernels"


@pytest.mark.parametrize("name", MECHANISMS)
def test_linkages_run_in_kernels(name):
    assert frames_of(MECHANISMS[name][0]()) == "kernels"


# --- what does not, and why -----------------------------------------------------------------------


def of_a_kind_known_by_its_motion():
    """A joint without a function of its own, or with one that the compiler refuses."""
    return closing(Wound, 12, "bare")


def contradicting():
    """Two tables for one joint: rows that depend on each other everywhere, and readable code says which are at odds."""
    b = branching()
    b.scene.constraints.extend(JointMotion(name=name, joint="j1", table=TABLE) for name in "cd")
    return b.scene


def bent_without_inertia():
    """Inputs of drives without inertia that tables alone lead: elimination has nothing to put them into."""
    followers = tuple(Follower(joint=f"h{k}", table=CAM) for k in range(2))
    own = DriveInput(q=0.2, qdot=0.4, damping=3.0)
    return with_drives(chain(2), Drive(name="cam", inputs=(own,), followers=followers))


def limited_by_three():
    """Hard limits of inputs without inertia that three joints lead: rows on three coordinates."""
    inputs = (DriveInput(q=0.2, upper=1.0), DriveInput(), DriveInput(qdot=0.3))
    ratios = ((0.5, 0.4, 0.3), (0.3, -0.5, 0.2), (-0.1, 0.3, 0.8))
    followers = tuple(Follower(joint=f"h{k}", ratio=ratio) for k, ratio in enumerate(ratios))
    return with_drives(chain(3), Drive(name="three", inputs=inputs, followers=followers))


IN_PYTHON = {
    each.__name__: each
    for each in (of_a_kind_known_by_its_motion, contradicting, bent_without_inertia, limited_by_three)
}
"""With Automatic, rk45 and dop853. docs/simulating.md names them, and the methods that step in Python."""


@pytest.mark.parametrize("name", IN_PYTHON)
def test_what_steps_in_python_is_listed(name):
    """Where one of these comes to be compiled it leaves the list."""
    assert frames_of(IN_PYTHON[name]()) == "Python"


BY_STEPS = {"bdf1", "bdf2", "radau", "maximal_euler", "linearly_implicit_euler", "linearly_implicit_euler_pcg", "rk4",
            "semi_implicit_euler", "contact_euler"}  # fmt: skip
"""Methods that take the steps of mechanisms with loops or constraints one by one. `extrapolated_euler`, and Automatic
where something is stiff, do so where hard limits are kept."""


def test_methods_that_step_one_by_one_where_there_are_loops_are_listed():
    model = compile_scene(four_bar())
    found = {
        kind
        for kind in INTEGRATORS.kinds
        if getattr(INTEGRATORS[kind]().begin(model, model.initial_state()), "tree", None) is None
    }
    assert found == BY_STEPS
