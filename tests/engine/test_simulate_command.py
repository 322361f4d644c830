# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m redmax simulate` and `examples`: exit codes, what is said, what is saved."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import redmax.cli.examples as examples_command
from engine.integrators.pendulums import double_pendulum
from redmax import io as scene_io
from redmax.__main__ import main
from redmax.cli.progress import Progress
from redmax.cli.run import run
from redmax.compile import compile as compile_scene
from redmax.examples import EXAMPLES, Example
from redmax.integrators import INTEGRATORS, RungeKutta4
from redmax.integrators.energy_balance import exchanges_energy
from redmax.plot_svg import line_plot, ticks
from redmax.simulate import record, simulate
from redmax.trajectory import load

PENDULUM = next(example.path for example in EXAMPLES if example.name == "pendulum")


def test_simulate_saves_every_frame(tmp_path, capsys):
    out = tmp_path / "run.npz"
    arguments = ["--fps", "20", "--duration", "0.5", "--integrator", "rk4", "--h", "0.01", "--out", str(out)]
    assert main(["simulate", str(PENDULUM), *arguments]) == 0
    trajectory = load(out)
    assert len(trajectory) == 11
    assert trajectory.meta["h"] == 0.01
    said = capsys.readouterr()
    assert "Saved 11 frames up to t = 0.5 s" in said.out
    assert "\r" not in said.err  # no bar without a terminal


def test_the_scene_itself_is_never_replaced(tmp_path, capsys):
    scene = tmp_path / "scene.json"
    scene.write_bytes(PENDULUM.read_bytes())
    (tmp_path / "link.npz").symlink_to(scene)
    for out in (scene, tmp_path / "link.npz"):
        assert main(["simulate", str(scene), "--duration", "0.1", "--out", str(out)]) == 1
        assert "is the scene itself; give another --out" in capsys.readouterr().out
    assert scene.read_bytes() == PENDULUM.read_bytes()


@pytest.mark.parametrize("h", ["1e-30", "1e-12"])
@pytest.mark.parametrize("integrator", ["rk4", "linearly_implicit_euler"])
def test_steps_without_number_are_refused_at_once(tmp_path, capsys, integrator, h):
    arguments = ["--duration", "0.1", "--integrator", integrator, "--h", h, "--out", str(tmp_path / "run.npz")]
    assert main(["simulate", str(PENDULUM), *arguments]) == 1
    said = capsys.readouterr().out
    assert f"steps of {h} s are more than 10000000 from one frame to the next; use larger ones" in said


@pytest.mark.parametrize(("fps", "duration"), [("1e308", "1"), ("1e308", "1e308"), ("24", "99999999999")])
def test_frames_without_number_are_refused_at_once(tmp_path, capsys, fps, duration):
    out = tmp_path / "run.npz"
    assert main(["simulate", str(PENDULUM), "--duration", duration, "--fps", fps, "--out", str(out)]) == 1
    assert "more than 10000000 frames; use a shorter duration or fewer fps" in capsys.readouterr().out
    assert not out.exists()


def test_a_failed_run_exits_with_1_and_keeps_its_beginning(tmp_path, capsys):
    scene = scene_io.load(PENDULUM)
    stiff = type(scene.joints[0])(**(vars(scene.joints[0]) | {"stiffness": 1e6}))
    scene.joints[0] = stiff
    scene_io.save(scene, tmp_path / "stiff.json")
    out = tmp_path / "run.npz"
    options = ["--duration", "5", "--integrator", "semi_implicit_euler", "--h", "0.02", "--out", str(out)]
    assert main(["simulate", str(tmp_path / "stiff.json"), *options]) == 1
    said = capsys.readouterr().out
    assert "Stopped at frame" in said
    assert "Saved the" in said
    assert load(out).status == "failed"


@pytest.mark.parametrize(("integrator", "estimated"), [("dop853", False), ("rk4", True)])
def test_simulate_says_where_the_energy_went(integrator, estimated, tmp_path, capsys):
    """Change = work - loss + remainder; a pendulum with a torque and a damper has all of them."""
    scene = scene_io.load(PENDULUM)
    scene.joints[0] = type(scene.joints[0])(**(vars(scene.joints[0]) | {"torque": 2e-6, "damping": 1e-8}))
    scene_io.save(scene, tmp_path / "driven.json")
    out = tmp_path / "run.npz"
    options = ["--duration", "0.5", "--integrator", integrator, "--out", str(out)]
    assert main(["simulate", str(tmp_path / "driven.json"), *options]) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("Energy"))
    number = r"(-?[\d.]+(?:e[-+]\d+)?)"
    pattern = f"Energy changed by {number} J: work {number} J, loss {number} J, remainder {number} J(.*)"
    *numbers, note = re.fullmatch(pattern, line).groups()
    change, work, loss, remainder = map(float, numbers)
    channels = load(out).channels
    assert (work, loss) == pytest.approx((channels["work"][-1], channels["loss"][-1]), rel=1e-5)
    assert min(abs(work), loss) > 1e-8  # of 80 mg that swing on a centimetre
    # Six digits of the amounts are printed, two of what remains of them.
    assert remainder == pytest.approx(change - work + loss, rel=0.05, abs=1e-5 * abs(change))
    assert (note == " (work and loss are sums over frames)") == estimated
    if not estimated:
        assert abs(remainder) < 1e-6 * abs(change)


def test_a_scene_with_problems_exits_with_1(tmp_path, capsys):
    (tmp_path / "bad.json").write_text("{}", encoding="utf-8")
    assert main(["simulate", str(tmp_path / "bad.json"), "--duration", "1"]) == 1
    assert "problem" in capsys.readouterr().out


def test_an_output_that_cannot_be_written_exits_with_1(tmp_path, capsys):
    out = tmp_path / "missing" / "run.npz"
    assert main(["simulate", str(PENDULUM), "--duration", "0.1", "--integrator", "rk4", "--out", str(out)]) == 1
    assert "is not a folder; create it or give another --out" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--integrator", "dop853", "--h", "0.1"], "integrator 'dop853' has no option --h"),
        (["--integrator", "rk4", "--h", "-1"], "--h is -1"),
        (["--integrator", "rk5"], "invalid choice"),
        (["--fps", "0"], "not above 0"),
        (["--integrator", "rk4", "--dynamics", "magic"], "invalid choice"),
    ],
)
def test_wrong_usage_exits_with_2(arguments, what, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["simulate", str(PENDULUM), "--duration", "1", *arguments])
    assert stop.value.code == 2
    assert what in capsys.readouterr().err


def test_the_module_runs_as_a_program(tmp_path):
    command = [sys.executable, "-m", "redmax", "simulate", str(PENDULUM), "--duration", "0.1", "--integrator", "rk4"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "pendulum.npz").exists()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_a_bar_on_a_terminal_and_a_few_lines_elsewhere():
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        progress = Progress(stream, "Run", 100)
        for frame in range(101):
            progress.show(frame)
        progress.end()
    assert "100/100" in terminal.getvalue()
    assert "\n" not in terminal.getvalue()
    assert pipe.getvalue().count("\n") == 10
    assert "\r" not in pipe.getvalue()


def test_an_interrupt_keeps_what_was_computed(monkeypatch):
    model = double_pendulum()

    def interrupted(*arguments, **options):
        yield from list(simulate(*arguments, **options))[:3]
        raise KeyboardInterrupt

    monkeypatch.setattr("redmax.cli.run.simulate", interrupted)
    trajectory = run(model, integrator=RungeKutta4(), fps=24.0, duration=1.0, title="", stream=Terminal())
    assert (trajectory.status, len(trajectory)) == ("stopped", 3)


# --- examples -------------------------------------------------------------------------------------


def test_every_scene_file_is_an_example_and_the_other_way_round():
    folder = EXAMPLES[0].path.parent
    assert {path.stem for path in folder.glob("*.json")} == {example.name for example in EXAMPLES}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_examples_compile_and_run(example):
    """A few frames with the integrator the example asks for; `examples --run all` does the whole."""
    scene = scene_io.load(example.path)
    assert scene.notes
    assert "m, kg, s" in scene.notes or scene.forces or scene.strands  # the others come from the golden scenes
    model = compile_scene(scene)
    integrator = INTEGRATORS[example.integrator](**example.settings)
    samples = simulate(model, integrator=integrator, fps=60.0, duration=0.05)
    trajectory = record(model, samples, integrator=integrator, fps=60.0)
    assert trajectory.status == "complete"
    energy = trajectory.channels["energy"]
    changes = exchanges_energy(model)
    if not changes:
        # The default tolerance of 1e-8 on coordinates and velocities of order 10, over a few steps.
        scale = max(trajectory.channels["kinetic"].max(), 1e-9)
        np.testing.assert_allclose(energy, energy[0], atol=1e-5 * scale)


def test_examples_are_listed(capsys):
    assert main(["examples"]) == 0
    listed = capsys.readouterr().out
    for example in EXAMPLES:
        assert example.name in listed


def test_running_an_example_prints_a_row_and_draws_its_energy(tmp_path, capsys, monkeypatch):
    short = Example("pendulum", 0.2, "rk4")
    monkeypatch.setattr(examples_command, "EXAMPLES", (short,))
    assert main(["examples", "--run", "all", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert said.splitlines()[0].split() == [
        "name",
        "bodies",
        "dof",
        "integrator",
        "seconds",
        "energy",
        "drift",
        "status",
    ]
    row = next(line for line in said.splitlines() if line.startswith("pendulum")).split()
    assert row[1:5] == ["1", "1", "rk4", "0.2"]
    assert row[-1] == "complete"
    assert load(tmp_path / "pendulum.npz").status == "complete"
    root = ET.fromstring((tmp_path / "pendulum_energy.svg").read_text(encoding="utf-8"))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"kinetic", "potential", "total", "time [s]", "energy [J]"} <= set(texts)
    assert len(list(root.iter("{http://www.w3.org/2000/svg}polyline"))) == 3


def test_unknown_example_exits_with_1(capsys):
    assert main(["examples", "--run", "pendulums"]) == 1
    assert "no example 'pendulums'" in capsys.readouterr().out


# --- plots ----------------------------------------------------------------------------------------


def test_ticks_are_round_and_inside():
    assert ticks(0.0, 1.0, 5) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    rng = np.random.default_rng(4)
    for _ in range(200):
        low = float(rng.normal() * 10.0 ** rng.uniform(-9, 9))
        high = low + 10.0 ** float(rng.uniform(-3, 3)) * max(abs(low), 1e-9)
        values = ticks(low, high)
        assert 2 <= len(values) <= 10
        slack = 1e-6 * (high - low)
        assert low - slack <= values[0] <= values[-1] <= high + slack


@pytest.mark.parametrize("y", [[0.0, 0.0, 0.0], [5.0, 5.0, 5.0], [1.0, np.nan, 2.0], [np.nan] * 3, [1e-300, 0.0, 0.0]])
def test_any_numbers_can_be_drawn(y):
    text = line_plot("A < B & C", np.arange(3.0), {"y": np.array(y)}, x_label="x", y_label="y")
    root = ET.fromstring(text)
    assert "nan" not in text
    assert root.find("{http://www.w3.org/2000/svg}text").text == "A < B & C"
