# SPDX-License-Identifier: GPL-3.0-or-later
"""Where machine code is kept: right by its name, never in the way of a run, and never of somebody else."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from pathlib import Path

import pytest

pytest.importorskip("numba", reason="machine code is kept only where numba is")

from redmax.kernels.cache import cache_folder, trusted_folder


@pytest.fixture(autouse=True)
def places(tmp_path, monkeypatch):
    """A wished-for, a usual and a temporary folder of this test alone."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(cache_folder, "_home", lambda: tmp_path / "home")
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(cache_folder.VARIABLE, str(tmp_path / "wished"))
    cache_folder.look_again()
    yield
    cache_folder.use(None)


@pytest.fixture
def wished(tmp_path):
    return tmp_path / "wished"


def unwritable(folder: Path) -> None:
    """A file where the folder should be: nobody can write into it, not even root."""
    folder.write_text("")


def version(place: Path, name: str, *, days: float, content: str = "12345") -> Path:
    """A folder of another version, used so many days ago."""
    folder = place / name
    folder.mkdir(parents=True)
    (folder / "a.kernel").write_text(content)
    (folder / cache_folder.USED).touch()
    then = time.time() - days * cache_folder.DAY
    for path in (folder / cache_folder.USED, folder):
        os.utime(path, (then, then))
    return folder


def test_the_variable_goes_before_what_blender_wants(wished, tmp_path, monkeypatch):
    cache_folder.use(tmp_path / "blender")
    assert cache_folder.folder().parent == wished
    monkeypatch.delenv(cache_folder.VARIABLE)
    cache_folder.look_again()
    assert cache_folder.folder().parent == tmp_path / "blender"
    cache_folder.use(None)
    assert cache_folder.folder().parent.is_relative_to(tmp_path / "home")


def test_the_folder_is_made_and_named_by_its_contents(wished):
    assert cache_folder.folder() == wished / cache_folder.digest()
    assert cache_folder.folder().is_dir()
    assert cache_folder.note() == ""
    assert cache_folder.OURS.fullmatch(cache_folder.digest())


def test_the_name_changes_with_what_machine_code_depends_on(monkeypatch):
    digests = {cache_folder.digest()}
    for name, value in (("NUMBA_OPT", "1"), ("NUMBA_CPU_NAME", "generic")):
        monkeypatch.setenv(name, value)
        cache_folder.digest.cache_clear()
        digests.add(cache_folder.digest())
    monkeypatch.setattr(cache_folder.route, "found", lambda package: f"9.9 of {package}")
    cache_folder.digest.cache_clear()
    digests.add(cache_folder.digest())
    assert len(digests) == 4
    monkeypatch.undo()
    cache_folder.digest.cache_clear()


def test_without_the_wished_folder_the_usual_one_serves_and_without_that_a_temporary_one(wished, tmp_path, caplog):
    unwritable(wished)
    usual = cache_folder.folder().parent
    assert usual.is_relative_to(tmp_path / "home")
    assert str(wished) in cache_folder.note()
    assert cache_folder.note().endswith(f"the fast solver is kept in '{usual}'")
    assert [record.message for record in caplog.records] == [cache_folder.note()]
    shutil.rmtree(tmp_path / "home")
    unwritable(tmp_path / "home")
    cache_folder.look_again()
    chosen = cache_folder.folder()
    assert chosen.parent.parent == tmp_path / "temporary"
    assert [stat.S_IMODE(path.stat().st_mode) for path in (chosen, chosen.parent)] == [0o700, 0o700]
    assert all(str(path) in cache_folder.note() for path in (wished, tmp_path / "home", chosen.parent))


@pytest.mark.parametrize("trap", ["others may write", "a link"])
def test_without_any_trusted_folder_nothing_is_kept(wished, tmp_path, trap):
    """What lies there is run."""
    place = tmp_path / "temporary" / f"redmax-kernels-{os.getuid()}"
    unwritable(wished)
    unwritable(tmp_path / "home")
    if trap == "a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        place.symlink_to(tmp_path / "elsewhere")
    else:
        place.mkdir()
        place.chmod(0o777)
    assert cache_folder.folder() is None
    assert "prepared anew at every start" in cache_folder.note()
    cache_folder.mark_ready("dop853", seconds=1.0)  # nowhere to write, and nothing to say
    assert not cache_folder.is_ready("dop853")


def test_ready_means_ready_for_all_that_is_asked():
    assert not cache_folder.is_ready("dop853")
    cache_folder.mark_ready("dop853", seconds=1.25)
    assert cache_folder.is_ready("dop853")
    assert not cache_folder.is_ready("dop853", "rk4")


def test_a_filled_folder_may_be_read_only(monkeypatch):
    """As on render nodes that mount one."""
    cache_folder.mark_ready(cache_folder.KERNELS, seconds=1.25)
    chosen = cache_folder.folder()
    then = time.time() - 2.0 * cache_folder.DAY
    os.utime(chosen / cache_folder.USED, (then, then))
    cache_folder.look_again()

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(trusted_folder.Folder, "write", refuse)
    assert cache_folder.folder() == chosen
    assert cache_folder.note() == ""


def test_old_versions_go_when_a_new_one_comes_but_not_those_in_use(wished):
    old, used = version(wished, "0" * 16, days=31.0), version(wished, "1" * 16, days=29.0)
    foreign = version(wished, "somebody's", days=400.0)
    assert cache_folder.folder().is_dir()
    assert [path.exists() for path in (old, used, foreign)] == [False, True, True]
    older = version(wished, "2" * 16, days=31.0)
    cache_folder.look_again()
    assert cache_folder.folder().is_dir()
    assert older.exists()  # nothing new came


def test_size_and_clear_know_our_folders_only(wished, tmp_path):
    foreign = version(wished, "somebody's", days=1.0)
    version(wished, "1" * 16, days=1.0, content="x" * 1000)
    unwritable(tmp_path / "other")
    assert cache_folder.size() == 1000
    cache_folder.clear()
    assert cache_folder.size() == 0
    assert [path.name for path in wished.iterdir()] == [foreign.name]
    assert cache_folder.folder().is_dir()  # made again when it is needed


def test_nothing_is_an_error_where_there_is_nothing(wished):
    unwritable(wished)
    assert cache_folder.size() == 0
    cache_folder.clear()
