# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors planted in the vectorised route, each noticed by the comparison with the readable one.

A planted module is the engine's own source with one snippet replaced; a snippet that is no longer there fails the test.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.random_trees import random_model, random_state
from engine.vectorised import test_joints
from engine.vectorised.comparison import assert_routes_agree
from redmax import vectorised
from redmax.compile import compile as compile_scene
from redmax.joints import JOINTS, Prismatic, Revolute
from redmax.scene import Body, Inertia, Scene
from redmax.tables import Table
from redmax.vectorised.small_trees import small_tree

MOVED = {"animation": Table(x=(0.0, 1.0), y=((0.0,), (1.0,)), interpolation="linear")}
MODULES = ("blocks", "charted", "dynamics", "layout", "linearised", "mass_matrix", "motion", "plan", "pushing")
MODULES += ("rotations", "small_trees", "stages", "tree_sums", "vectors", "world")
Plant = Callable[[str, str, str], None]


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Plant:
    """Replaces a snippet that occurs once in a module, and everything of the module wherever it was imported to."""

    def planted(name: str, old: str, new: str) -> None:
        module = importlib.import_module(f"redmax.vectorised.{name}")
        source = Path(module.__file__).read_text(encoding="utf-8")
        assert source.count(old) == 1, f"{name}: '{old}' occurs {source.count(old)} times"
        path = tmp_path / f"{name}_planted.py"
        path.write_text(source.replace(old, new), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(f"{module.__name__}_planted", path)
        copy = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, copy.__name__, copy)
        spec.loader.exec_module(copy)
        users = [importlib.import_module(f"redmax.vectorised.{other}") for other in MODULES] + [vectorised]
        for key, value in vars(copy).items():
            if getattr(value, "__module__", None) != copy.__name__:
                continue
            original = getattr(module, key)
            for user in users:
                for used, held in list(vars(user).items()):
                    if held is original:
                        monkeypatch.setattr(user, used, value)

    return planted


def trees() -> None:
    """All joints, charts, loads and prescriptions, in trees and chains."""
    for seed, options in enumerate(
        ({"prescribed": 0.2}, {"chain": True}, {"roots": 0.4}, {"kinds": ["revolute"]}, {"kinds": ["screw"]})
    ):
        rng = np.random.default_rng(seed)
        model = random_model(rng, 14, **options)
        chart = np.array([rng.integers(joint.chart_count) for joint in model.joints])
        assert_routes_agree(rng, model, *random_state(rng, model), chart)


def small_trees() -> None:
    """Those of which one Jacobian is made."""
    kinds = ["revolute", "universal", "spherical", "spherical_euler", "fixed", "planar_rotation"]
    for seed, options in enumerate(({}, {"prescribed": 0.3}, {"chain": True}, {"roots": 0.4, "prescribed": 0.2})):
        rng = np.random.default_rng(seed)
        model = random_model(rng, 12, kinds=[kind for kind in kinds if kind in JOINTS.kinds], **options)
        assert small_tree(model) is not None
        chart = np.array([rng.integers(joint.chart_count) for joint in model.joints])
        assert_routes_agree(rng, model, *random_state(rng, model), chart)


def springs_alone() -> None:
    """No limits, tables or torques."""
    rng = np.random.default_rng(4)
    spring = Revolute(name="Spring", parent=None, child="Swing", axis=(0.0, 1.0, 0.0), stiffness=3.0, rest=0.4)
    body = Body(name="Swing", inertia=Inertia(mass=1.0, center=(0.3, 0.0, 0.0), tensor=np.eye(3)))
    model = compile_scene(Scene(bodies=[body], joints=[spring]))
    assert_routes_agree(rng, model, np.array([0.7]), np.array([0.2]))


def linear_loads() -> None:
    """Constant torques, springs and dampers alone, below a joint that is moved."""
    rng = np.random.default_rng(6)
    body = Inertia(mass=1.0, center=(0.3, 0.0, 0.0), tensor=np.eye(3))
    loads = {"stiffness": 3.0, "rest": 0.4, "damping": 0.7, "torque": 1.1}
    joints = [
        Revolute(name="Motor", parent=None, child="Arm", axis=(0.0, 1.0, 0.0), motion_type="animated", **MOVED),
        Revolute(name="Elbow", parent="Arm", child="Hand", axis=(0.0, 0.0, 1.0), **loads),
        Prismatic(name="Drawer", parent="Hand", child="Tool", axis=(1.0, 0.0, 0.0), **loads),
    ]
    for most in (2, 3):  # by one Jacobian, and with what slides by sums
        bodies = [Body(name=joint.child, inertia=body) for joint in joints[:most]]
        model = compile_scene(Scene(bodies=bodies, joints=joints[:most]))
        assert (small_tree(model) is not None) == (most == 2)
        assert_routes_agree(rng, model, *rng.uniform(0.2, 0.8, (2, most)))


def charts_of_two_parts() -> None:
    """A joint whose chart is two digits."""
    test_joints.test_sequences_in_every_chart("two Euler")


def far_turned_balls() -> None:
    """Rotation vectors that are not written as their springs mean them."""
    rng = np.random.default_rng(5)
    model = random_model(rng, 5, kinds=["spherical", "free"])
    q, qdot = random_state(rng, model)
    assert_routes_agree(rng, model, 3.3 * q, qdot)


MUTATIONS = {
    "screw without advance": ("stages", "self.advance * q if self.advances else None", "None", trees),
    "lever of earlier columns": (
        "stages",
        "S[3:] += vectors.cross(S[:3], arm)\n            Sdot",
        "S[3:] -= vectors.cross(S[:3], arm)\n            Sdot",
        trees,
    ),
    "rate of earlier columns": ("stages", "Sdot[:3] -= vectors", "Sdot[:3] += vectors", trees),
    "rate of earlier levers": ("stages", "Sdot[3:] -= vectors", "Sdot[3:] += vectors", trees),
    "chart of a later part": ("stages", "// self.divisor % CHART", "% CHART", charts_of_two_parts),
    "chart of another joint": ("stages", "given.chart[self.where] //", "given.chart[: len(self.rows)] //", trees),
    "Euler rate": ("stages", "b * rates[1] + c * rates[2]", "b * rates[1] - c * rates[2]", trees),
    "left for right Jacobian": ("rotations", "c3 * VV - c2 * V", "c3 * VV + c2 * V", trees),
    "rate of the Jacobian": ("rotations", "+ c3 * mixed", "- c3 * mixed", trees),
    "slope of c3": ("rotations", "3.0 * c5 - c4", "3.0 * c5 + c4", trees),
    "closed form forgotten": ("rotations", "far = square > x", "far = square < 0.0 * x", far_turned_balls),
    "frames at q = 0": ("world", "multiply(plan.R_pj0, R_pj)", "multiply(R_pj, plan.R_pj0)", trees),
    "slide along the world": ("world", "apply(plan.R_pj0, motion.p)", "motion.p", trees),
    "parent's rotation": ("world", "plan.tree.at_parents(own, X[0])", "X[0] = own", trees),
    "root's position": ("world", "plan.hangs) + p_pj.take", "plan.hangs) - p_pj.take", trees),
    "parent's centre of mass": ("plan", "(p_pj - self.tree.at_parents", "(p_pj + self.tree.at_parents", trees),
    "velocity of the centre": ("world", "self.swept[0] + self.swept[1]", "self.swept[0] - self.swept[1]", trees),
    "velocity of the joint": ("world", "v_center - world.swept[1]", "v_center + world.swept[1]", trees),
    "velocity of slides": ("world", "gained += plan", "gained -= plan", trees),
    "drift": ("dynamics", "self.drift = einsum", "self.drift = -einsum", trees),
    "drift of slides": ("dynamics", "self.drift += plan", "self.drift -= plan", trees),
    "slides turned with the body alone": ("dynamics", "world.omega[0] * plan.hangs", "world.omega[1]", trees),
    "slides of roots turned twice": ("dynamics", "world.omega[0] * plan.hangs", "world.omega[0]", trees),
    "rate of slides": ("dynamics", "changed[1] + cross", "-changed[1] + cross", trees),
    "eta": ("dynamics", "self.eta = apply", "self.eta = -apply", trees),
    "eta of S": ("dynamics", "self.eta += changed", "self.eta -= changed", trees),
    "gyroscopic": ("dynamics", "self.moment = own", "self.moment = -own", trees),
    "moments of loads": ("dynamics", "self.moment -= applied", "self.moment += applied", trees),
    "forces of loads": ("dynamics", "self.force = -applied", "self.force = applied", trees),
    "moment of the force": ("dynamics", "moment += levers", "moment -= levers", trees),
    "moment of what is carried": ("dynamics", "over_carried(moment, levers", "over_carried(moment, -levers", trees),
    "acceleration of slides": ("dynamics", "a += plan.over_joints(world", "a -= plan.over_joints(world", trees),
    "reported at the centre": ("dynamics", "a - cross(alpha", "a + cross(alpha", trees),
    "reported as of a point": ("dynamics", "- cross(omega, self", "+ cross(omega, self", trees),
    "tau of free coordinates": ("dynamics", "(model.prescribed, found.tau", "(~model.prescribed, found.tau", trees),
    "mass of a body": ("dynamics", "force = a * plan.mass", "force = 1.1 * a * plan.mass", trees),
    "what never changes of turns": ("layout", "= only.S", "= -only.S", trees),
    "loads overlooked": ("plan", "any(numbers.any() for numbers in acting)", "False", springs_alone),
    "half of the inertia": ("mass_matrix", "gained[1] += 0.5 * inertia", "gained[1] += inertia", trees),
    "prescribed ignored": (
        "motion",
        "plan.nothing if plan.all_free else np.where(self.model.prescribed, qddot_prescribed, 0.0)",
        "plan.nothing",
        trees,
    ),
    "power of animated joints": ("motion", "needed() - self.f_r", "needed() + self.f_r", trees),
    "power of body damping": ("motion", "found[1] += self", "found[1] -= self", trees),
    "power of body damping of spin": ("motion", "(omega * omega).sum(axis=0) + (v", "(v", trees),
    "inertia seen from the parent": ("mass_matrix", "np.array([0.5, -0.5])", "np.array([0.6, -0.5])", trees),
    "inertia seen from the joint": ("mass_matrix", "np.array([0.5, -0.5])", "np.array([0.5, -0.6])", trees),
    "first moment": ("mass_matrix", "weighted += first", "weighted -= first", trees),
    "force of turns": ("mass_matrix", "write_after(force, omega)", "write_after(force, -omega)", trees),
    "moment of slides": ("mass_matrix", "moment += about", "moment -= about", trees),
    "seen from the top": ("mass_matrix", "columns[1:3] += reach", "columns[1:3] -= reach", trees),
    "within a joint": ("mass_matrix", "F.take(batch.cols, 1)", "F.take(batch.rows, 1)", trees),
    "ball's Jacobian": (
        "small_trees",
        "weights[:, 0, 2] = 1.0, c2, c3",
        "weights[:, 0, 2] = 1.0, -c2, c3",
        small_trees,
    ),
    "rate of a ball's axes": ("small_trees", "changed += (c3", "changed -= (c3", small_trees),
    "slopes of a ball's Jacobian": ("small_trees", "-c2_slope * rate", "c2_slope * rate", small_trees),
    "rates of axes": ("small_trees", "alpha += tree.above @", "alpha -= tree.above @", small_trees),
    "arms that turn": ("small_trees", "sweep = spin @ spin", "sweep = -spin @ spin", small_trees),
    "weights": ("small_trees", "force -= tree.weight", "force += tree.weight", small_trees),
    "gyroscopic moment": ("small_trees", "+ effort[:, :, 1]", "- effort[:, :, 1]", small_trees),
    "spin of carriers": ("small_trees", "gained = (spin", "gained = -(spin", small_trees),
    "given accelerations": ("small_trees", "gained += axes * known", "gained -= axes * known", small_trees),
    "damping of a body's path": ("small_trees", "force += tree._per_mass", "force -= tree._per_mass", small_trees),
    "damping of a body's spin": ("small_trees", "moment += tree.damping", "moment -= tree.damping", small_trees),
    "what dampers take": ("small_trees", "+ tree.damping @ (w", "- tree.damping @ (w", small_trees),
    "what is carried": ("small_trees", "rows *= self._carries_thrice", "pass", small_trees),
    "body damping matrix": ("linearised", "D -= _assembled", "D += _assembled", trees),
    "linear force": ("linearised", "load.f_r - forces", "load.f_r + forces", trees),
    "gravity": ("plan", "model.gravity[:, None] * self.mass", "-model.gravity[:, None] * self.mass", trees),
    "body damping of spin": ("pushing", "applied[0] -= model", "applied[0] += model", trees),
    "joint damping": ("pushing", "- model.damping * qdot", "+ model.damping * qdot", trees),
    "soft limits": ("pushing", "f -= model.limit_stiffness * beyond +", "f -= model.limit_stiffness * beyond -", trees),
    "spring table": ("pushing", "K[columns.start + k] -=", "K[columns.start + k] +=", trees),
    "springs alone": ("pushing", "f -= model.stiffness * (q", "f += model.stiffness * (q", linear_loads),
    "torques alone": ("pushing", "f += model.torque", "f -= model.torque", linear_loads),
    "dampers alone": ("plan", "self.minus_damping = -model", "self.minus_damping = model", linear_loads),
    "power of torques alone": ("motion", "float(model.torque @ own)", "-float(model.torque @ own)", linear_loads),
    "power of dampers alone": ("motion", "-float((self.D_r", "float((self.D_r", linear_loads),
    "torque table": ("pushing", "f[columns] += table", "f[columns] -= table", trees),
    "forces of other coordinates": ("pushing", "B.T @ f[columns]", "B @ f[columns]", trees),
    "turned balls overlooked": ("charted", ">= 0.999 * np.pi", ">= 1.999 * np.pi", far_turned_balls),
    "other charts overlooked": ("charted", "given.chart[self.joints] != 0", "given.chart[self.joints] < 0", trees),
    "ancestors and carried exchanged": (
        "tree_sums",
        "np.ascontiguousarray(self._ancestors.T)",
        "self._ancestors.copy()",
        trees,
    ),
}


@pytest.mark.parametrize("oracle", [trees, small_trees, charts_of_two_parts, far_turned_balls])
def test_without_an_error_the_comparison_is_content(oracle):
    oracle()


@pytest.mark.parametrize("name", MUTATIONS)
def test_the_comparison_notices_the_planted_error(name, plant, handed_over):
    module, old, new, oracle = MUTATIONS[name]
    plant(module, old, new)
    with pytest.raises(AssertionError, match=r"error .* allowed|assert"):
        oracle()
