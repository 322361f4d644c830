# SPDX-License-Identifier: GPL-3.0-or-later
"""Files are replaced whole, only where they are files, under names that nobody else has; reading has an end."""

from __future__ import annotations

import os
import re
import socket
import stat
import sys
import time

import pytest

from redmax import files

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="pipes, permissions and links are those of POSIX")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_whole_at_the_end(tmp_path):
    path = tmp_path / "note.txt"
    with files.replacing(path) as partial:
        assert partial.parent == tmp_path
        assert partial.read_bytes() == b""
        assert re.fullmatch(re.escape("note.txt") + files.MARK, partial.name)
        partial.write_text("half")
        assert not path.exists()
    assert names(tmp_path) == ["note.txt"]
    assert path.read_text() == "half"


def test_what_fails_leaves_the_former_file_and_nothing_else(tmp_path):
    path = tmp_path / "note.txt"
    path.write_text("precious")

    def stopped():
        with files.replacing(path) as partial:
            partial.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert names(tmp_path) == ["note.txt"]
    assert path.read_text() == "precious"


def test_two_writers_of_one_process_do_not_meet(tmp_path):
    path = tmp_path / "note.txt"
    with files.replacing(path) as first, files.replacing(path) as second:
        assert first != second
        first.write_text("first")
        second.write_text("second")
    assert path.read_text() == "first", "the one that ends last"
    assert names(tmp_path) == ["note.txt"]


def test_no_file_of_the_users_is_taken_for_a_temporary_one(tmp_path):
    precious = [f"note.txt.{os.getpid()}.partial", "note.txt.partial", "note.partial.txt", "note.txt@"]
    for name in precious:
        (tmp_path / name).write_text("precious")
        os.utime(tmp_path / name, (0, 0))
    files.write_text(tmp_path / "note.txt", "new")
    assert names(tmp_path) == sorted([*precious, "note.txt"])
    assert {(tmp_path / name).read_text() for name in precious} == {"precious"}


def test_what_a_killed_process_left_goes_after_an_hour_with_the_next_write(tmp_path):
    mark = ".redmax-0123456789abcdef.partial"
    old = [tmp_path / f"note.txt{mark}", tmp_path / f"note.txt{mark}@"]
    kept = [tmp_path / f"note.txt{mark.replace('0', '1')}", tmp_path / f"other.txt{mark}"]
    for path in (*old, *kept):
        path.write_text("half")
    for path in (*old, kept[1]):
        long_ago = time.time() - 2.0 * files.GIVEN_UP
        os.utime(path, (long_ago, long_ago))
    files.write_text(tmp_path / "note.txt", "new")
    assert names(tmp_path) == sorted(["note.txt", *(path.name for path in kept)])


def test_a_name_as_long_as_the_disk_takes_can_be_written(tmp_path):
    path = tmp_path / ("ü" * 125 + ".txt")
    files.write_text(path, "new")
    assert path.read_text() == "new"


@needs_posix
def test_a_link_stays_a_link_and_what_it_points_to_is_replaced(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    link, target = tmp_path / "link.txt", tmp_path / "elsewhere" / "target.txt"
    target.write_text("old")
    link.symlink_to(target)
    files.write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    target.unlink()
    files.write_text(link, "newer")
    assert link.is_symlink()
    assert target.read_text() == "newer"
    assert names(tmp_path / "elsewhere") == ["target.txt"]


def make_folder(path):
    path.mkdir()


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)


def make_device(path):
    """A device of our own with the numbers of /dev/full; root alone may make one."""
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 7))
    except PermissionError:
        pytest.skip("only root makes devices")


NO_FILES = {
    "a folder": make_folder,
    "a pipe": os.mkfifo if hasattr(os, "mkfifo") else None,
    "a socket": make_socket,
    "a device": make_device,
    "a link to itself": lambda path: path.symlink_to(path),
}


@needs_posix
@pytest.mark.parametrize("through_link", [False, True])
@pytest.mark.parametrize("sort", NO_FILES)
def test_only_files_are_replaced(tmp_path, monkeypatch, sort, through_link):
    monkeypatch.chdir(tmp_path)  # names of sockets must be short
    made = tmp_path / "thing"
    NO_FILES[sort](made)
    before = made.lstat()
    path = tmp_path / "link" if through_link else made
    if through_link:
        path.symlink_to(made)
    present = names(tmp_path)
    with pytest.raises(OSError, match=f"it is {sort}, not a file"):
        files.write_text(path, "new")
    after = made.lstat()
    assert (after.st_ino, after.st_mode, after.st_rdev) == (before.st_ino, before.st_mode, before.st_rdev)
    assert names(tmp_path) == present


@needs_posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_a_file_that_is_replaced_hands_on_its_permissions(tmp_path, mode):
    path = tmp_path / "note.txt"
    path.write_text("old")
    path.chmod(mode)
    with files.replacing(path) as partial:
        assert stat.S_IMODE(partial.stat().st_mode) & 0o077 & ~mode == 0, "nobody reads it who may not read the former"
        partial.unlink()
        partial.write_text("new")  # as a program does that makes its file itself
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_text() == "new"


@needs_posix
def test_a_new_file_has_the_permissions_that_new_files_have(tmp_path):
    (tmp_path / "plain").write_text("x")
    files.write_text(tmp_path / "ours", "x")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_root_leaves_a_file_to_its_owner(tmp_path):
    path = tmp_path / "note.txt"
    path.write_text("old")
    os.chown(path, 12345, 12346)
    files.write_text(path, "new")
    found = path.stat()
    assert (found.st_uid, found.st_gid) == (12345, 12346)


def test_a_write_protected_file_stays(tmp_path, monkeypatch):
    path = tmp_path / "note.txt"
    path.write_text("precious")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everything
    with pytest.raises(PermissionError, match="it is write-protected"):
        files.write_text(path, "new")
    assert path.read_text() == "precious"


# --- reading ---------------------------------------------------------------------------------


def test_a_file_is_read_up_to_a_size(tmp_path):
    path = tmp_path / "note.txt"
    path.write_text("ü" * 10, encoding="utf-8")
    assert files.read_text(path, 20) == "ü" * 10
    with pytest.raises(OSError, match=r"it is larger than 0\.019 kB"):
        files.read_text(path, 19)
    with path.open("r+b") as huge:
        huge.truncate(10**10)  # takes no room on the disk
    with pytest.raises(OSError, match="it is larger than 100 MB"):
        files.read_text(path, 100_000_000)


@needs_posix
@pytest.mark.parametrize("sort", NO_FILES)
def test_only_files_are_read_and_no_pipe_is_waited_for(tmp_path, monkeypatch, sort):
    monkeypatch.chdir(tmp_path)
    NO_FILES[sort](tmp_path / "thing")
    with pytest.raises(OSError, match=f"it is {sort}, not a file|symbolic links"):
        files.read_text(tmp_path / "thing", 100)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can make another user's link")
def test_another_users_link_in_a_folder_for_everyone_is_not_followed(tmp_path):
    """As root somebody else's link at /tmp/report.json would lead to any file of the computer."""
    precious = tmp_path / "precious.txt"
    precious.write_text("precious")
    everyone = tmp_path / "everyone"
    everyone.mkdir()
    everyone.chmod(0o1777)
    link = everyone / "report.json"
    link.symlink_to(precious)
    files.write_text(link, "our own link is followed")
    assert precious.read_text() == "our own link is followed"
    os.lchown(link, 65534, 65534)
    with pytest.raises(PermissionError, match="another user's link"):
        files.write_text(link, "lost")
    assert precious.read_text() == "our own link is followed"
    assert names(everyone) == ["report.json"]
