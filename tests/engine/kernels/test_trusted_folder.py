# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be run is what nobody else can have written: every folder on the way, and every file."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from redmax.kernels.cache import trusted_folder
from redmax.kernels.cache.trusted_folder import UntrustedError, opened

needs_owners = pytest.mark.skipif(not trusted_folder.POSIX, reason="Windows has no owners and modes of this kind")
needs_root = pytest.mark.skipif(
    not trusted_folder.POSIX or os.geteuid() != 0, reason="only root can give a file to somebody else"
)
NOBODY = 65534


@pytest.fixture
def place(tmp_path):
    """A folder in a folder, and a file in it; all of them sound."""
    folder = tmp_path / "way" / "kernels"
    folder.mkdir(parents=True, mode=0o700)
    (folder / "a").write_bytes(b"machine code")
    return folder


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# --- folders ---------------------------------------------------------------------------------


def test_a_folder_of_the_user_is_read(place):
    assert opened(place).read("a") == b"machine code"
    assert opened(place).is_mine


@needs_owners
@pytest.mark.parametrize("bits", [0o770, 0o707, 0o1777], ids=oct)
def test_a_folder_that_others_may_write_to_is_refused(place, bits, monkeypatch):
    monkeypatch.setattr(trusted_folder, "_is_group_of_one", lambda _group: False)
    place.chmod(bits)
    with pytest.raises(UntrustedError, match=rf"others may write to '{place}' \(`chmod go-w` forbids it\)"):
        opened(place)


@needs_owners
def test_so_is_one_in_a_folder_that_others_may_write_to(place):
    """They could put another in its place."""
    place.parent.chmod(0o777)
    with pytest.raises(UntrustedError, match=f"others may write to '{place.parent}'"):
        opened(place)


@needs_owners
def test_but_not_where_they_can_replace_nothing(place):
    """As in /tmp."""
    place.parent.chmod(0o1777)
    assert opened(place).read("a") == b"machine code"


@needs_root
@pytest.mark.parametrize("whose", ["folder", "way"])
def test_a_folder_of_somebody_else_is_refused(place, whose):
    path = place if whose == "folder" else place.parent
    os.chown(path, NOBODY, -1)
    with pytest.raises(UntrustedError, match=f"'{path}' belongs to user 'nobody'"):
        opened(place)


@needs_root
def test_a_user_without_a_name_is_named_by_number(place):
    os.chown(place, 123456, -1)
    with pytest.raises(UntrustedError, match="belongs to user 123456"):
        opened(place)


@needs_owners
def test_a_folder_that_is_a_link_is_refused(place, tmp_path):
    (tmp_path / "link").symlink_to(place)
    with pytest.raises(UntrustedError, match=f"'{tmp_path / 'link'}' is a link or no folder"):
        opened(tmp_path / "link")


@needs_owners
@pytest.mark.parametrize("target", ["way", "{root}/way", "./other/../way"])
def test_a_link_of_the_user_may_lead_to_it(place, tmp_path, target):
    (tmp_path / "other").mkdir()
    (tmp_path / "link").symlink_to(target.format(root=tmp_path))
    assert opened(tmp_path / "link" / "kernels").read("a") == b"machine code"


@needs_root
def test_a_link_of_somebody_else_may_not(place, tmp_path):
    tmp_path.chmod(0o1777)
    (tmp_path / "link").symlink_to("way")
    os.chown(tmp_path / "link", NOBODY, -1, follow_symlinks=False)
    with pytest.raises(UntrustedError, match=f"'{tmp_path / 'link'}' belongs to user 'nobody'"):
        opened(tmp_path / "link" / "kernels")


@needs_owners
def test_links_in_a_circle_end(tmp_path):
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    with pytest.raises(UntrustedError, match="too many links lead to"):
        opened(tmp_path / "one" / "kernels")


@needs_owners
def test_what_leads_to_the_users_home_is_no_question(place, monkeypatch):
    """In containers and on networks it may belong to whom it likes; the home itself must be the user's."""
    place.parent.chmod(0o777)
    monkeypatch.setattr(trusted_folder, "_home", lambda: place)
    assert opened(place / "new", make=True).is_mine
    place.chmod(0o777)
    with pytest.raises(UntrustedError, match="others may write to"):
        opened(place / "new")


@needs_owners
def test_a_group_of_the_user_alone_is_the_user(place, monkeypatch):
    """Many Linuxes give each user one, and let it write what he makes."""
    place.chmod(0o770)
    monkeypatch.setattr(trusted_folder, "_is_group_of_one", lambda group: group == place.stat().st_gid)
    assert opened(place).is_mine
    (place / "a").chmod(0o660)
    with pytest.raises(UntrustedError):
        opened(place).read("a")


@needs_root
def test_the_group_of_root_is_not(place):
    assert not trusted_folder._is_group_of_one(0)


@needs_owners
def test_folders_are_made_for_the_user_or_for_all_whatever_the_umask(tmp_path):
    before = os.umask(0o077)
    try:
        shared = opened(tmp_path / "for" / "all", make=True, shared=True).inside("version", make=True)
        shared.write("a", b"")
        os.umask(0)
        private = opened(tmp_path / "for_me" / "alone", make=True).inside("version", make=True)
        private.write("a", b"")
    finally:
        os.umask(before)
    assert [mode(path) for path in (shared.path, *shared.path.parents[:2])] == 3 * [0o755]
    assert [mode(path) for path in (private.path, *private.path.parents[:2])] == 3 * [0o700]
    assert [mode(folder.path / "a") for folder in (shared, private)] == [0o644, 0o600]


@needs_owners
def test_what_was_private_can_be_shared(place):
    (place / "a").chmod(0o600)
    opened(place).share()
    assert (mode(place), mode(place / "a")) == (0o755, 0o644)


# --- files -----------------------------------------------------------------------------------


@needs_owners
@pytest.mark.parametrize("bits", [0o620, 0o602])
def test_a_file_that_others_may_write_to_is_refused(place, bits):
    (place / "a").chmod(bits)
    with pytest.raises(UntrustedError, match=f"others may write to '{place / 'a'}'"):
        opened(place).read("a")
    assert not opened(place).has("a")


@needs_root
def test_a_file_of_somebody_else_is_refused(place):
    os.chown(place / "a", NOBODY, -1)
    with pytest.raises(UntrustedError, match=f"'{place / 'a'}' belongs to user 'nobody'"):
        opened(place).read("a")


@needs_owners
@pytest.mark.parametrize(
    ("trap", "said"), [("link", "is a link"), ("pipe", "is no file"), ("folder", "is no file"), ("huge", "is no file")]
)
def test_what_is_no_file_of_ours_is_refused_and_nobody_waits_for_it(place, trap, said):
    path = place / "b"
    if trap == "link":
        path.symlink_to("a")
    elif trap == "pipe":
        os.mkfifo(path)
    elif trap == "folder":
        path.mkdir()
    else:
        with path.open("wb") as file:
            file.truncate(trusted_folder.LARGEST + 1)
    with pytest.raises(UntrustedError, match=f"'{path}' {said}"):
        opened(place).read("b")


@needs_owners
def test_the_folder_that_was_judged_is_the_one_that_is_used(place, tmp_path):
    """Also where another takes its place meanwhile."""
    folder = opened(place)
    place.rename(tmp_path / "aside")
    place.mkdir(mode=0o777)
    (place / "a").write_bytes(b"evil")
    assert folder.read("a") == b"machine code"
    folder.write("b", b"new")
    assert (tmp_path / "aside" / "b").read_bytes() == b"new"


def test_a_file_is_written_whole_or_not_at_all(place, monkeypatch):
    folder = opened(place)
    folder.write("a", b"other code")
    assert folder.read("a") == b"other code"

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        folder.write("a", b"third")
    assert folder.read("a") == b"other code"
    assert [path.name for path in place.iterdir()] == ["a"]


# --- Windows ---------------------------------------------------------------------------------


def test_windows_trusts_the_users_profile_and_nothing_else(place, tmp_path, monkeypatch):
    monkeypatch.setattr(trusted_folder, "POSIX", False)
    for name in trusted_folder.PROFILE:
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UntrustedError, match="is not in your profile"):
        opened(place)
    monkeypatch.setenv("LOCALAPPDATA", str(place))
    folder = opened(place / "redmax" / "kernels", make=True).inside("version", make=True)
    folder.write("a", b"machine code")
    assert folder.read("a") == b"machine code"
    assert folder.is_mine
    with pytest.raises(UntrustedError, match="is not in your profile"):
        opened(tmp_path, make=True)
    (place / "link").symlink_to(tmp_path)
    with pytest.raises(UntrustedError, match="is not in your profile"):
        opened(place / "link")
    with pytest.raises(FileNotFoundError):
        opened(place / "nothing")
