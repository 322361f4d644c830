# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders whose files may be run, because nobody but this user or root can have written them.

Machine code is run as it is found, so all that protects is who could have put it there. A folder is trusted where it,
and every folder on the way to it, belongs to the user or to root and nobody else may write to it; a file, where the
same holds for it. Folders are entered and files opened one by one, links are not followed, and owner and mode are
those of what was opened: nothing can be put in its place between the look and the use.

Windows keeps neither owner nor mode in this way. There, folders inside the user's profile are trusted, which Windows
closes to other users, and no others.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import weakref
from contextlib import suppress
from pathlib import Path

POSIX = hasattr(os, "geteuid")
ROOT = 0
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
SHARED_FOLDER, SHARED_FILE = 0o755, 0o644
MOST_LINKS = 40
LARGEST = 1 << 26
"""Bytes. A compiled function takes a thousandth of it."""
PROFILE = ("LOCALAPPDATA", "APPDATA", "USERPROFILE")
"""Variables in which Windows names folders of the user alone."""

_HERE = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_ENTER = os.O_RDONLY | _HERE | getattr(os, "O_DIRECTORY", 0)
_PASS = _ENTER | getattr(os, "O_PATH", 0)  # a folder on the way need not be readable
_READ = os.O_RDONLY | _HERE | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _HERE | getattr(os, "O_BINARY", 0)


class UntrustedError(OSError):
    """Somebody else could have written this. The text says what and why, as part of a sentence."""


class Folder:
    """A trusted folder, held open. shared: what is made in it can be read by all users, whatever the umask."""

    def __init__(self, path: Path, handle: int | None = None, *, shared: bool = False) -> None:
        self.path, self.shared = path, shared
        self._handle = handle
        if handle is not None:
            weakref.finalize(self, os.close, handle)

    @property
    def is_mine(self) -> bool:
        """Whether it belongs to this user, not to root for another."""
        return self._handle is None or os.fstat(self._handle).st_uid == os.geteuid()

    def inside(self, name: str, *, make: bool = False, passing: bool = False) -> Folder:
        """A folder in this one. passing: it only leads on, so others may write to it if they can replace nothing there
        (as in /tmp). Raises OSError; UntrustedError where somebody else could have filled it."""
        path = self.path / name
        if self._handle is None:
            if make:
                path.mkdir(exist_ok=True)
            elif not path.is_dir():
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
            return Folder(path, shared=self.shared)
        made = False
        try:
            handle = self._entered(name, passing=passing)
        except FileNotFoundError:
            if not make:
                raise
            made = self._made(name)
            handle = self._entered(name, passing=False)
        facts = os.fstat(handle)
        found = Folder(path, handle, shared=self.shared)
        _judge(path, facts, may_be_sticky=passing)
        if made:
            os.fchmod(handle, SHARED_FOLDER if self.shared else PRIVATE_FOLDER)
        return found

    def link(self, name: str) -> Path | None:
        """Where a link in this folder leads; None if it is none. Raises OSError, also if it is of somebody else."""
        try:
            facts = os.stat(name, dir_fd=self._handle, follow_symlinks=False)
        except FileNotFoundError:
            return None
        if not stat.S_ISLNK(facts.st_mode):
            return None
        _judge_owner(self.path / name, facts)
        return Path(os.readlink(name, dir_fd=self._handle))

    def read(self, name: str) -> bytes:
        """All of a file. Raises OSError; UntrustedError where somebody else could have written it."""
        try:
            handle = os.open(self._at(name), _READ, dir_fd=self._handle)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise UntrustedError(f"'{self.path / name}' is a link") from None
            raise
        try:
            facts = os.fstat(handle)
            if not stat.S_ISREG(facts.st_mode) or facts.st_size > LARGEST:
                raise UntrustedError(f"'{self.path / name}' is no file of RedMax")
            if POSIX:
                _judge(self.path / name, facts)
        except OSError:
            os.close(handle)
            raise
        with os.fdopen(handle, "rb") as file:
            return file.read(LARGEST)

    def has(self, name: str) -> bool:
        """Whether there is such a file, and it is trusted."""
        try:
            self.read(name)
        except OSError:
            return False
        return True

    def write(self, name: str, content: bytes) -> None:
        """A file, whole or not at all, also where two processes write it. Raises OSError."""
        partial = f"{name}.{secrets.token_hex(8)}"
        handle = os.open(self._at(partial), _WRITE, PRIVATE_FILE, dir_fd=self._handle)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                if POSIX:
                    os.fchmod(handle, SHARED_FILE if self.shared else PRIVATE_FILE)
            os.replace(self._at(partial), self._at(name), src_dir_fd=self._handle, dst_dir_fd=self._handle)
        except BaseException:
            with suppress(OSError):  # what went wrong before is what must be told
                os.unlink(self._at(partial), dir_fd=self._handle)
            raise

    def names(self) -> list[str]:
        """What is in it. Raises OSError."""
        return os.listdir(self.path if self._handle is None else self._handle)

    def share(self) -> None:
        """Let all users read the folder and the files that are in it. Raises OSError."""
        assert self._handle is not None
        os.fchmod(self._handle, SHARED_FOLDER)
        for name in self.names():
            handle = os.open(name, _READ, dir_fd=self._handle)
            try:
                facts = os.fstat(handle)
                if stat.S_ISREG(facts.st_mode):
                    _judge(self.path / name, facts)
                    os.fchmod(handle, SHARED_FILE)
            finally:
                os.close(handle)

    def _at(self, name: str) -> str:
        return name if self._handle is not None else str(self.path / name)

    def _entered(self, name: str, *, passing: bool) -> int:
        try:
            return os.open(name, _PASS if passing else _ENTER, dir_fd=self._handle)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise UntrustedError(f"'{self.path / name}' is a link or no folder") from None
            raise

    def _made(self, name: str) -> bool:
        try:
            os.mkdir(name, PRIVATE_FOLDER, dir_fd=self._handle)
        except FileExistsError:  # another process was quicker
            return False
        return True


def opened(path: Path, *, make: bool = False, shared: bool = False) -> Folder:
    """The folder if it is trusted. make: with all that lead to it, if need be. shared: as of `Folder`.

    Raises OSError; UntrustedError where somebody else could have put something there. The folder itself must be no
    link; links on the way to it must belong to the user or root.
    """
    path = Path(os.path.abspath(path))
    if not POSIX:
        return _in_profile(path, make=make)
    here, names = _beginning(path, shared=shared)
    links = 0
    while names:
        name, *names = names
        target = here.link(name) if names else None
        if target is None:
            here = here.inside(name, make=make, passing=bool(names))
            continue
        links += 1
        if links > MOST_LINKS:
            raise UntrustedError(f"too many links lead to '{path}'")
        if target.is_absolute():
            here = _top(shared=shared)
        names = [*target.parts[target.is_absolute() :], *names]
    return here


def _beginning(path: Path, *, shared: bool) -> tuple[Folder, list[str]]:
    """Where to begin to look, and the names that lead on. Who owns what leads to the user's home is no question."""
    home = _home()
    if home is None or not path.is_relative_to(home):
        return _top(shared=shared), list(path.parts[1:])
    handle = os.open(home, _PASS & ~os.O_NOFOLLOW)
    found = Folder(home, handle, shared=shared)
    _judge(home, os.fstat(handle))
    return found, list(path.relative_to(home).parts)


def _top(*, shared: bool) -> Folder:
    handle = os.open("/", _PASS)
    found = Folder(Path("/"), handle, shared=shared)
    _judge(found.path, os.fstat(handle))
    return found


def _in_profile(path: Path, *, make: bool) -> Folder:
    real = Path(os.path.realpath(path))
    profile = [os.path.realpath(named) for name in PROFILE if (named := os.environ.get(name))]
    if not any(real.is_relative_to(place) for place in profile):
        raise UntrustedError(f"'{path}' is not in your profile, and others may be able to write to it")
    if make:
        path.mkdir(parents=True, exist_ok=True)
    elif not path.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    return Folder(path)


# --- owners ----------------------------------------------------------------------------------


def _judge(path: Path, facts: os.stat_result, *, may_be_sticky: bool = False) -> None:
    """Raises UntrustedError unless it belongs to the user or root and nobody else may write to it."""
    _judge_owner(path, facts)
    others = facts.st_mode & OTHERS_WRITE
    if others == stat.S_IWGRP and stat.S_ISDIR(facts.st_mode) and _is_group_of_one(facts.st_gid):
        return
    if others and not (may_be_sticky and facts.st_mode & stat.S_ISVTX):
        raise UntrustedError(f"others may write to '{path}' (`chmod go-w` forbids it)")


def _judge_owner(path: Path, facts: os.stat_result) -> None:
    if facts.st_uid not in (ROOT, os.geteuid()):
        raise UntrustedError(f"'{path}' belongs to user {user_name(facts.st_uid)}")


def user_name(number: int) -> str:
    """The name in quotation marks; the number where it has none."""
    import pwd  # noqa: PLC0415  (not on Windows)

    try:
        return f"'{pwd.getpwuid(number).pw_name}'"
    except KeyError:
        return str(number)


def _home() -> Path | None:
    """The user's home as the computer knows it, whatever HOME says; None for a user it does not know."""
    import pwd  # noqa: PLC0415

    try:
        home = Path(pwd.getpwuid(os.geteuid()).pw_dir)
    except KeyError:
        return None
    return home if home.is_absolute() else None


def _is_group_of_one(group: int) -> bool:
    """Whether the group is the user's own, as many Linuxes give one to each: what it may write, only the user may.

    Never root's: who is in it is for others to decide.
    """
    import grp  # noqa: PLC0415
    import pwd  # noqa: PLC0415

    try:
        me, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    others = [one for one in pwd.getpwall() if one.pw_gid == group and one.pw_uid != me.pw_uid]
    mine = me.pw_gid == group and found.gr_name == me.pw_name
    return me.pw_uid != ROOT and mine and set(found.gr_mem) <= {me.pw_name} and not others
