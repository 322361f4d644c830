# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories: exact round trip, damaged files, no pickle, continuous quaternions, whole or nothing on disk."""

from __future__ import annotations

import gc
import json
import os
from pathlib import Path

import numpy as np
import pytest

from redmax import files
from redmax.trajectory import Trajectory, TrajectoryError, continuous_quaternions, load


def trajectory(**changes) -> Trajectory:
    rng = np.random.default_rng(1)
    rotation = rng.normal(size=(5, 2, 4))
    rotation /= np.linalg.norm(rotation, axis=-1, keepdims=True)
    values = {
        "body_names": ("Körper", "b"),
        "joint_names": ("j", "k"),
        "t": np.arange(5) / 24.0,
        "q": rng.normal(size=(5, 3)),
        "qdot": rng.normal(size=(5, 3)),
        "position": rng.normal(size=(5, 2, 3)),
        "rotation": rotation,
        "channels": {
            "energy": rng.normal(size=5),
            "reaction": rng.normal(size=(5, 2, 6)),
            "nothing": np.full(5, np.nan),
        },
        "status": "failed",
        "message": "Stopped at frame 5: 'b' is too fast",
        "meta": {"fps": 24.0, "integrator": "rk4", "list": [1, 2]},
    }
    return Trajectory(**(values | changes))


def test_saving_and_loading_gives_back_every_bit(tmp_path):
    saved = trajectory()
    saved.save(tmp_path / "run.npz")
    loaded = load(tmp_path / "run.npz")
    for name in ("t", "q", "qdot", "position", "rotation"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(saved, name))
    assert set(loaded.channels) == set(saved.channels)
    for name, values in saved.channels.items():
        np.testing.assert_array_equal(loaded.channels[name], values)
    for name in ("body_names", "joint_names", "status", "message"):
        assert getattr(loaded, name) == getattr(saved, name)
    assert dict(loaded.meta) == dict(saved.meta)


def test_an_empty_trajectory_survives_too(tmp_path):
    empty = trajectory(
        t=np.zeros(0),
        q=np.zeros((0, 3)),
        qdot=np.zeros((0, 3)),
        position=np.zeros((0, 2, 3)),
        rotation=np.zeros((0, 2, 4)),
        channels={},
        status="stopped",
    )
    empty.save(tmp_path / "run.npz")
    assert len(load(tmp_path / "run.npz")) == 0


def test_arrays_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        trajectory().q[0, 0] = 1.0


def test_every_truncation_is_refused_by_name(tmp_path):
    path = tmp_path / "run.npz"
    trajectory().save(path)
    whole = path.read_bytes()
    for length in range(0, len(whole), max(1, len(whole) // 40)):
        path.write_bytes(whole[:length])
        with pytest.raises(TrajectoryError, match=r"run\.npz"):
            load(path)


def test_flipped_bytes_are_refused_or_change_nothing_silently(tmp_path):
    """Zip checks the sums of its members; the directory may be damaged in other ways. Nothing else may escape."""
    path = tmp_path / "run.npz"
    trajectory().save(path)
    whole = bytearray(path.read_bytes())
    rng = np.random.default_rng(2)
    for position in rng.integers(len(whole), size=60):
        damaged = bytearray(whole)
        damaged[position] ^= 0xFF
        path.write_bytes(damaged)
        try:
            load(path)
        except TrajectoryError:
            continue


@pytest.mark.parametrize("content", [b"", b"not a zip", b"\x93NUMPY" + bytes(200)])
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "other.npz"
    path.write_bytes(content)
    with pytest.raises(TrajectoryError, match=r"other\.npz"):
        load(path)


def test_missing_file_and_foreign_archives_are_refused(tmp_path):
    with pytest.raises(TrajectoryError, match="cannot be read"):
        load(tmp_path / "none.npz")
    np.savez(tmp_path / "foreign.npz", header=np.array(json.dumps({"format": "something", "version": 9})))
    with pytest.raises(TrajectoryError, match="'something' version 9"):
        load(tmp_path / "foreign.npz")
    np.savez(tmp_path / "headless.npz", t=np.zeros(3))
    with pytest.raises(TrajectoryError, match="not a trajectory"):
        load(tmp_path / "headless.npz")


class Trap:
    """Unpickling this makes a folder."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


def test_pickled_content_is_never_run(tmp_path):
    path, trap = tmp_path / "trap.npz", tmp_path / "sprung"
    header = {"format": "redmax-trajectory", "version": 1, "body_names": [], "joint_names": [], "status": "complete"}
    header |= {"message": "", "meta": {}}
    bad = np.array([Trap(str(trap))], dtype=object)
    np.savez(path, header=np.array(json.dumps(header)), t=bad, q=bad, qdot=bad, position=bad, rotation=bad)
    with pytest.raises(TrajectoryError):
        load(path)
    assert not trap.exists()


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "run.npz"
    trajectory().save(path)
    old = path.read_bytes()

    save, fails_at = np.save, [0]

    def full_disk(stream, values, **options):
        fails_at[0] -= 1
        if fails_at[0] == 0:
            stream.write(b"half an array")
            raise OSError(28, "No space left on device")
        save(stream, values, **options)

    monkeypatch.setattr(np, "save", full_disk)
    for number in range(1, 1 + len(np.load(path).files)):
        fails_at[0] = number
        with pytest.raises(OSError, match="No space left"):
            trajectory(message="newer").save(path)
        assert path.read_bytes() == old
        assert [entry.name for entry in tmp_path.iterdir()] == ["run.npz"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("compressed", [True, False])
def test_a_really_full_disk_is_said_and_leaves_no_litter(tmp_path, compressed):
    """The device takes nothing, not even the end of the archive; nothing is left to fail later, unseen."""
    (tmp_path / f"run.npz.{os.getpid()}.partial").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        trajectory().save(tmp_path / "run.npz", compressed=compressed)
    assert list(tmp_path.iterdir()) == []
    gc.collect()  # an archive that was not closed would complain here, which pytest turns into a failure


def test_the_file_is_what_numpy_reads_and_writes(tmp_path):
    mine, path = trajectory(), tmp_path / "run.npz"
    for compressed in (True, False):
        mine.save(path, compressed=compressed)
        with np.load(path, allow_pickle=False) as data:
            again = {name: data[name] for name in data.files}
        (np.savez_compressed if compressed else np.savez)(tmp_path / "numpy.npz", **again)
        assert load(tmp_path / "numpy.npz").message == load(path).message
        assert (tmp_path / "numpy.npz").stat().st_size == path.stat().st_size


def test_two_processes_may_write_the_same_file(tmp_path, monkeypatch):
    """Each writes a file of its own until it is whole: the one that ends last wins, and neither spoils the other's."""
    path = tmp_path / "run.npz"
    with files.replacing(path) as ours:
        ours.write_bytes(b"half of o")
        monkeypatch.setattr(os, "getpid", lambda: 7)
        trajectory().save(path)
        assert len(load(path)) == len(trajectory())
        ours.write_bytes(b"ours, whole")
    assert path.read_bytes() == b"ours, whole"
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.npz"]


def test_quaternions_never_flip_sign_and_stay_the_same_rotation():
    angle = np.linspace(0.0, 20.0, 200)
    q = np.stack([np.cos(angle / 2.0), np.sin(angle / 2.0), 0.0 * angle, 0.0 * angle], axis=1)
    canonical = np.where(q[:, :1] < 0.0, -q, q)  # jumps at every half turn
    continuous = continuous_quaternions(canonical)
    assert ((continuous[1:] * continuous[:-1]).sum(axis=1) > 0.0).all()
    np.testing.assert_array_equal(np.abs(continuous), np.abs(canonical))
    np.testing.assert_allclose(continuous, q, atol=1e-15)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"q": np.zeros((4, 3))}, "q"),
        ({"position": np.zeros((5, 3, 3))}, "position"),
        ({"rotation": np.zeros((5, 2, 3))}, "rotation"),
        ({"channels": {"energy": np.zeros(4)}}, "energy"),
        ({"status": "fine"}, "fine"),
    ],
)
def test_parts_that_do_not_fit_are_refused(changes, what):
    with pytest.raises(TrajectoryError, match=what):
        trajectory(**changes)


def test_bodies_are_found_by_name():
    assert trajectory().body("b") == 1
    with pytest.raises(TrajectoryError, match="no body 'c'"):
        trajectory().body("c")


def test_other_facts_about_the_same_samples():
    before = trajectory()
    after = before.with_facts(status="complete", message="", meta={"fps": 25.0})
    assert (after.status, after.message, dict(after.meta)) == ("complete", "", {"fps": 25.0})
    assert after.q is before.q
    assert after.channels is before.channels
    assert (before.status, before.message, before.meta["fps"]) == (trajectory().status, trajectory().message, 24.0)
    assert before.with_facts(message="Other").status == before.status
    with pytest.raises(TypeError):
        after.meta["fps"] = 1.0
    with pytest.raises(TrajectoryError, match="status is 'good'"):
        before.with_facts(status="good")
