# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories: exact round trip, damaged files, no pickle, continuous quaternions, whole or nothing on disk."""

from __future__ import annotations

import gc
import json
import os
import tracemalloc
import warnings
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from numpy.lib import format as npy

from redmax import files
from redmax.simulate import CHANNELS
from redmax.trajectory import SHAPES, Trajectory, TrajectoryError, continuous_quaternions, load


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
def test_a_really_full_disk_is_said_and_leaves_no_litter(tmp_path, monkeypatch, compressed):
    """The device takes nothing, not even the end of the archive; nothing is left to fail later, unseen."""

    def on_full_disk(target, start):
        partial = target.with_name(f"{start}.full")
        partial.symlink_to("/dev/full")
        return partial

    monkeypatch.setattr(files, "_new_partial", on_full_disk)
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


def test_two_may_write_the_same_file(tmp_path):
    """Each writes a file of its own until it is whole: the one that ends last wins, and neither spoils the other's."""
    path = tmp_path / "run.npz"
    with files.replacing(path) as ours:
        ours.write_bytes(b"half of o")
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


# --- files that somebody else has written ----------------------------------------------------


def contents(**header):
    """What a file of `trajectory` holds, by name; entries of the header may be changed, or removed by None."""
    saved = trajectory()
    text = {
        "format": "redmax-trajectory",
        "version": 1,
        "body_names": saved.body_names,
        "joint_names": saved.joint_names,
        "status": saved.status,
        "message": saved.message,
        "meta": dict(saved.meta),
    }
    changed = {name: value for name, value in (text | header).items() if value is not None}
    arrays = {name: getattr(saved, name) for name in ("t", "q", "qdot", "position", "rotation")}
    channels = {f"channel:{name}": values for name, values in saved.channels.items()}
    return {"header": np.array(json.dumps(changed)), **arrays, **channels}


def with_number(name, value):
    values = contents()[name].copy()
    values.flat[3] = value
    return {name: values}


FOREIGN = {
    "header of a list": {"header": np.array("[1, 2]")},
    "header of numbers": {"header": np.zeros(3)},
    "header that is not JSON": {"header": np.array('{"format": ')},
    "header nested too deeply": {"header": np.array("[" * 100_000)},
    "format that is a list": contents(format=["redmax-trajectory"]),
    "meta of a list": contents(meta=[1]),
    "meta of a text": contents(meta="fps"),
    "no names": contents(body_names=None),
    "names of numbers": contents(body_names=[1, 2]),
    "names that are a text": contents(body_names="ab"),
    "same names": contents(body_names=["a", "a"]),
    "same names of joints": contents(joint_names=["a", "a"]),
    "status that is a list": contents(status=["complete"]),
    "message that is a number": contents(message=3),
    "text for numbers": {"q": np.array([["1"] * 3] * 5)},
    "complex numbers": {"q": np.zeros((5, 3), complex)},
    "true and false": {"q": np.zeros((5, 3), bool)},
    "records": {"q": np.zeros((5, 3), [("a", float)])},
    "times of two dimensions": {"t": np.zeros((5, 1))},
    "a single time": {"t": np.array(0.0)},
    "a single rotation": {"rotation": np.array(1.0)},
    "times that repeat": {"t": np.array([0.0, 1.0, 1.0, 2.0, 3.0])},
    "times that go back": {"t": np.arange(5)[::-1]},
    "unsigned times that go back": {"t": np.arange(5, dtype=np.uint8)[::-1]},
    "quaternions that are too long": {"rotation": contents()["rotation"] * 1.001},
    "quaternions of zeros": {"rotation": np.zeros((5, 2, 4))},
    "too few samples": {"q": np.zeros((4, 3)), "qdot": np.zeros((4, 3))},
    "another number of bodies": {"position": np.zeros((5, 1, 3))},
    "a channel without samples": {"channel:energy": np.array(1.0)},
    "a channel of another shape": {"channel:energy": np.zeros((5, 2))},
    "twists of another number of bodies": {"channel:twist": np.zeros((5, 1, 6))},
    "loops that differ": {"channel:gap": np.zeros((5, 1, 2)), "channel:loop_reaction": np.zeros((5, 2, 6))},
    "a chart that is no number": {"channel:chart": np.full((5, 2), np.nan)},
    **{
        f"{name} of {value}": with_number(name, value)
        for name in ("t", "q", "qdot", "position", "rotation")
        for value in (np.nan, np.inf, -1e300)
    },
}


@pytest.mark.parametrize("how", FOREIGN)
def test_a_file_that_no_simulation_wrote_is_refused_by_name_and_left_alone(tmp_path, how):
    path = tmp_path / "run.npz"
    np.savez(path, **(contents() | FOREIGN[how]))
    before = path.read_bytes()
    with pytest.raises(TrajectoryError, match=r"run\.npz.* (is damaged: |is not a trajectory|is \['redmax)"):
        load(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["header", "t", "q", "qdot", "position", "rotation"])
def test_a_file_without_one_of_its_arrays_is_refused(tmp_path, name):
    np.savez(tmp_path / "run.npz", **{key: values for key, values in contents().items() if key != name})
    with pytest.raises(TrajectoryError, match="is not a trajectory" if name == "header" else f"{name} is missing"):
        load(tmp_path / "run.npz")


def test_other_sorts_of_numbers_and_orders_are_read(tmp_path):
    arrays = contents() | {"q": np.arange(15, dtype=np.int32).reshape(5, 3)}
    arrays["position"] = np.asfortranarray(arrays["position"])
    arrays["qdot"] = arrays["qdot"].astype(">f8")
    np.savez(tmp_path / "run.npz", **arrays)
    found = load(tmp_path / "run.npz")
    np.testing.assert_array_equal(found.q, arrays["q"])
    np.testing.assert_array_equal(found.position, arrays["position"])
    np.testing.assert_array_equal(found.qdot, arrays["qdot"])
    assert found.qdot.dtype == np.float64


def write_archive(path, entries):
    """A zip file of entries (name, bytes), some perhaps twice."""
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # that a name is there twice
        for name, content in entries:
            archive.writestr(name, content)


def as_npy(values, shape=None):
    """An array as .npy; its header may claim another shape."""
    stream = BytesIO()
    np.save(stream, values)
    content = stream.getvalue()
    if shape is None:
        return content
    header = BytesIO()
    npy.write_array_header_1_0(header, {"descr": values.dtype.str, "fortran_order": False, "shape": shape})
    return header.getvalue() + content[len(content) - values.nbytes :]


@pytest.mark.parametrize("shape", [(10**15,), (10**6, 10**6, 10**6), (2**62, 4), (-1, -5), (4,), (6,), (0,)])
def test_an_array_that_claims_another_size_takes_no_memory(tmp_path, shape):
    entries = {name: as_npy(values) for name, values in contents().items()}
    entries["t"] = as_npy(contents()["t"], shape)
    write_archive(tmp_path / "run.npz", [(f"{name}.npy", content) for name, content in entries.items()])
    tracemalloc.start()
    with pytest.raises(TrajectoryError, match="damaged"):
        load(tmp_path / "run.npz")
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_two_arrays_of_one_name_are_refused(tmp_path):
    entries = [(f"{name}.npy", as_npy(values)) for name, values in contents().items()]
    write_archive(tmp_path / "run.npz", [*entries, entries[1]])
    with pytest.raises(TrajectoryError, match="two arrays of the same name"):
        load(tmp_path / "run.npz")


def test_a_small_file_that_unpacks_to_a_huge_one_is_refused_before(tmp_path, monkeypatch):
    monkeypatch.setattr("redmax.trajectory.MOST_BYTES", 1_000_000)
    np.savez_compressed(tmp_path / "run.npz", **(contents() | {"channel:zeros": np.zeros((5, 10**5))}))
    assert (tmp_path / "run.npz").stat().st_size < 20_000
    with pytest.raises(TrajectoryError, match="unpacks to more than 1 MB"):
        load(tmp_path / "run.npz")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are those of POSIX")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "run.npz")
    with pytest.raises(TrajectoryError, match="cannot be read: it is a pipe, not a file"):
        load(tmp_path / "run.npz")


def test_the_shapes_of_all_channels_are_known():
    """`CHANNELS` says them to people, `SHAPES` to the loader."""
    for name, text in CHANNELS.items():
        inside = text[1 : text.index(")")].rstrip(",")
        said = tuple(inside.split(", ")) if inside else ()
        assert len(said) == len(SHAPES[name]), name
        for word, size in zip(said, SHAPES[name], strict=True):
            assert word == str(size) or (word.isalpha() and word not in ("n", "nr") and isinstance(size, str)), name
    assert set(SHAPES) == set(CHANNELS)
