# SPDX-License-Identifier: GPL-3.0-or-later
"""Machine code that users share: root fills a folder, others run from it without compiling and write nothing to it;
what anybody else could have put there is not run, by anybody."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

pytest.importorskip("numba", reason="machine code is kept only where numba is")

import redmax
from engine.kernels.toy_kernels import KERNELS
from redmax.errors import RedMaxError
from redmax.kernels.cache import cache_folder, trusted_folder

pytestmark = pytest.mark.skipif(
    not trusted_folder.POSIX or os.geteuid() != 0, reason="only root can become another user"
)
slow = pytest.mark.slow
ROOT, NOBODY, UNKNOWN = 0, 65534, 51234
BOTH = ["toy_kernels.twice", "toy_kernels.doubled_sum"]
PROGRAM = """
import grp, json, os, pwd, sys
import numba, numpy, toy_kernels
from redmax import warm_up
from redmax.__main__ import main
from redmax.kernels.cache import cache_folder, jit

user, arguments = int(sys.argv[1]), sys.argv[2:]
numba.njit(lambda x: x + 1.0)(1.0)  # imports the compiler, which the user may not be allowed to read
run = lambda: toy_kernels.doubled_sum(numpy.array([1.0, 2.0, 4.0]))
warm_up._run_everything = run
if user:
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
compiled = []
with jit.watched(lambda name, done: compiled.append(name) if done else None):
    code = main(arguments) if arguments else 0
    value = run()
print(json.dumps([code, value, compiled, cache_folder.note(), str(cache_folder.folder())]))
"""


class Place:
    """A folder that all users can reach, with the shared folder and a home for each user in it."""

    def __init__(self, root: Path) -> None:
        self.root, self.shared = root, root / "shared"
        root.chmod(0o755)
        (root / "toy_kernels.py").write_text(KERNELS)
        for user in (ROOT, NOBODY):
            home = self.home(user)
            home.mkdir(mode=0o700)
            os.chown(home, user, user)

    def home(self, user: int) -> Path:
        return self.root / f"home_{user}"

    def own(self, user: int) -> Path:
        """Where a user's kernels are, below the home."""
        return self.home(user) / ".cache" / "redmax" / "kernels"

    def start(self, user: int, *arguments: str, umask: int = 0o022, **variables: str) -> subprocess.Popen[str]:
        path = os.pathsep.join([str(self.root), str(Path(redmax.__file__).parents[1])])
        kept = {name: value for name, value in os.environ.items() if name not in ("XDG_CACHE_HOME", "HOME")}
        own = {"PYTHONPATH": path, "HOME": str(self.home(user)), cache_folder.VARIABLE: str(self.shared)}
        surroundings = {name: value for name, value in (kept | own | variables).items() if value}
        command = [sys.executable, "-c", PROGRAM, str(user), *arguments]
        piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, env=surroundings, umask=umask, **piped)

    def run(self, user: int, *arguments: str, **options) -> Ran:
        process = self.start(user, *arguments, **options)
        return Ran(process, *process.communicate(timeout=120))

    def contents(self) -> dict[str, tuple[int, int, int]]:
        """Mode, owner and date of everything in the shared folder."""
        every = [self.shared, *self.shared.rglob("*")]
        facts = {str(path): path.lstat() for path in every}
        return {path: (stat.S_IMODE(one.st_mode), one.st_uid, one.st_mtime_ns) for path, one in facts.items()}


class Ran:
    def __init__(self, process: subprocess.Popen[str], out: str, errors: str) -> None:
        assert process.returncode == 0, errors
        self.said = out + errors
        self.code, self.value, self.compiled, self.note, folder = json.loads(out.splitlines()[-1])
        self.folder = Path(folder)
        assert self.value == 14.0


@pytest.fixture(scope="module")
def filled():
    """A place whose shared folder root has filled, with a umask that lets nobody else read."""
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder))
        ran = place.run(ROOT, "warm-up", "--shared", umask=0o077)
        assert (ran.code, ran.compiled) == (0, BOTH)
        assert f"Kept in '{place.shared}', 0.0 MB" in ran.said
        yield place


@pytest.fixture
def place(filled):
    """The same for one test to change."""
    with tempfile.TemporaryDirectory() as folder:
        made = Place(Path(folder))
        shutil.copytree(filled.shared, made.shared)
        yield made


def test_what_root_fills_can_be_read_by_all_and_written_by_root_alone(filled):
    modes = {path: facts[:2] for path, facts in filled.contents().items()}
    version = filled.shared / cache_folder.digest()
    folders = {str(filled.shared), str(version)}
    assert {path for path, facts in modes.items() if facts == (0o755, ROOT)} == folders
    assert {facts for path, facts in modes.items() if path not in folders} == {(0o644, ROOT)}
    assert len(list(version.glob("*.kernel"))) == 2


def test_another_user_runs_it_without_compiling_and_writes_nothing(filled):
    before = filled.contents()
    for arguments in ((), ("warm-up",)):
        ran = filled.run(NOBODY, *arguments)
        assert (ran.code, ran.compiled, ran.note) == (0, [], "")
        assert ran.folder.parent == filled.shared
    assert filled.contents() == before
    assert list(filled.home(NOBODY).iterdir()) == []


@pytest.mark.parametrize("user", [NOBODY, pytest.param(ROOT, marks=slow)])
def test_what_it_lacks_goes_to_the_users_own_folder_which_is_said(place, user):
    """Also of root, who filled it: only `--shared` writes there."""
    version = place.shared / cache_folder.digest()
    (missing,) = version.glob("*doubled_sum*")
    missing.unlink()
    before = place.contents()
    ran = place.run(user)
    assert ran.compiled == BOTH[1:]
    own = place.own(user) / version.name
    assert f"'{version}' lacks a part of the fast solver, which is now kept in '{own}'" in ran.said
    assert [path.name for path in own.glob("*.kernel")] == [missing.name]
    assert place.contents() == before
    assert place.run(user).compiled == []


@slow
def test_one_of_another_version_is_as_good_as_none_which_is_said(place):
    (place.shared / cache_folder.digest()).rename(place.shared / ("0" * 16))
    before = place.contents()
    ran = place.run(NOBODY, "warm-up")
    assert (ran.code, ran.compiled) == (0, BOTH)
    assert ran.folder.parent == place.own(NOBODY)
    assert f"'{place.shared}' is shared and lacks the fast solver for this version and computer" in ran.said
    assert f"kept in '{place.own(NOBODY)}'" in ran.said
    assert place.contents() == before
    ran = place.run(NOBODY)
    assert ran.compiled == []


@pytest.mark.parametrize(
    "trap", ["folder", *(pytest.param(one, marks=slow) for one in ("version", "kernel", "all may write", "link"))]
)
def test_root_runs_nothing_that_another_user_can_have_put_there(place, trap):
    version = place.shared / cache_folder.digest()
    if trap == "kernel":
        for path in version.glob("*.kernel"):
            os.chown(path, NOBODY, NOBODY)
    elif trap == "all may write":
        place.shared.chmod(0o777)
    elif trap == "link":
        place.shared.rename(place.root / "aside")
        place.shared.symlink_to("aside")
    else:
        os.chown(place.shared if trap == "folder" else version, NOBODY, NOBODY)
    before = place.contents()
    ran = place.run(ROOT)
    assert ran.compiled == BOTH
    whose = {"all may write": "others may write to", "link": "is a link"}.get(trap, "belongs to user 'nobody'")
    assert whose in ran.said
    assert place.contents() == before
    assert list(place.own(ROOT).rglob("*.kernel"))


@slow
def test_a_user_other_than_root_fills_it_for_himself_and_is_told_so(place):
    shutil.rmtree(place.shared)
    place.shared.mkdir()
    os.chown(place.shared, NOBODY, NOBODY)
    ran = place.run(NOBODY, "warm-up", "--shared")
    assert (ran.code, ran.compiled, ran.folder.parent) == (0, BOTH, place.shared)
    assert f"'{place.shared}' belongs to user 'nobody'" in ran.said
    assert "`chown -R root`" in ran.said
    assert place.run(NOBODY).compiled == []
    for path in (place.shared, *place.shared.rglob("*")):
        os.chown(path, ROOT, ROOT)
    assert place.run(ROOT).compiled == []


@slow
def test_two_processes_fill_it_at_once(place):
    shutil.rmtree(place.shared)
    both = [place.start(ROOT, "warm-up", "--shared") for _ in range(2)]
    for process in both:
        assert Ran(process, *process.communicate(timeout=120)).code == 0
    version = place.shared / cache_folder.digest()
    assert sorted(path.suffix for path in version.iterdir()) == [".kernel", ".kernel", cache_folder.READY]
    assert place.run(NOBODY).compiled == []


@pytest.mark.parametrize("temporary", ["given", pytest.param("none", marks=slow)])
def test_a_user_whom_the_computer_does_not_know_and_who_has_no_home(place, temporary):
    """As in containers."""
    folder = place.root / "temporary"
    folder.mkdir()
    folder.chmod(0o1777)
    lacking = {"HOME": "", cache_folder.VARIABLE: ""}
    if temporary == "none":
        (folder / f"redmax-kernels-{UNKNOWN}").mkdir()  # of root: he may not write to it
    ran = place.run(UNKNOWN, "warm-up", TMPDIR=str(folder), **lacking)
    assert (ran.code, ran.compiled) == (0, BOTH)
    assert "no home folder is known" in ran.said
    if temporary == "none":
        assert "the fast solver is prepared anew at every start" in ran.said
    else:
        assert f"the fast solver is kept in '{folder / f'redmax-kernels-{UNKNOWN}'}' until that is emptied" in ran.said
        assert place.run(UNKNOWN, TMPDIR=str(folder), **lacking).compiled == []


def test_what_cannot_be_shared_is_refused_in_a_sentence(tmp_path, monkeypatch):
    monkeypatch.delenv(cache_folder.VARIABLE, raising=False)
    with pytest.raises(RedMaxError, match="No folder is named: set REDMAX_CACHE_DIR"):
        cache_folder.fill_shared()
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    monkeypatch.setenv(cache_folder.VARIABLE, str(tmp_path / "open"))
    with pytest.raises(RedMaxError, match=r"The fast solver cannot be shared: others may write to '.*open'"):
        cache_folder.fill_shared()
    (tmp_path / "open").chmod(0o700)
    (tmp_path / "open" / "diary").touch(mode=0o600)
    with pytest.raises(RedMaxError, match="holds other things too, such as 'diary'; name a folder for RedMax alone"):
        cache_folder.fill_shared()
    assert [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "open", tmp_path / "open" / "diary")] == [
        0o700,
        0o600,
    ]
    monkeypatch.setattr(trusted_folder, "POSIX", False)
    with pytest.raises(RedMaxError, match="On Windows"):
        cache_folder.fill_shared()
