# SPDX-License-Identifier: GPL-3.0-or-later
"""Files written whole or not at all, whatever happens meanwhile: a full disk, a crash, another writer. And files read
up to a size, so that something endless or huge is refused with a sentence.

Errors are OSErrors whose `strerror` says what is wrong and what to do, as in "it is a folder, not a file".
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

MARK = r"\.redmax-[0-9a-f]{16}\.partial"
"""Ending of what is being written (a regular expression). Nobody else gives such names, and no two writers the same."""

GIVEN_UP = 3600.0
"""Seconds after which nobody writes such a file any more: writing one takes seconds, and keeps its date new."""

LONGEST = 200
"""Bytes of a name that are kept in front of that ending: names of more than 255 are refused by most disks."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Where to write what is to become `path`: a new empty file beside it. What fails leaves `path` as it was.

    A symbolic link stays one: what it points to is replaced. A file that is replaced hands on its permissions.
    Raises OSError for what may not be replaced, see `replaceable`. A process that is killed leaves its unfinished file
    behind; whoever writes `path` an hour later or more removes it.
    """
    target = replaceable(path)
    start = _start(target)
    sweep(target.parent, re.compile(re.escape(start) + MARK + "@?"))  # Blender appends an @ to what it writes
    partial = _new_partial(target, start)
    try:
        yield partial
        _hand_on_permissions(target, partial)
        partial.replace(target)
    except BaseException:
        with suppress(OSError):  # what went wrong before is what must be told
            partial.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """Write text in UTF-8, whole or not at all. Raises OSError."""
    with replacing(path) as partial:
        partial.write_text(text, encoding="utf-8")


def replaceable(path: Path) -> Path:
    """The file that `path` names, through symbolic links; it need not exist yet.

    Raises OSError for what is no file, such as a folder or a device, for a file that is write-protected, and for a link
    of another user's in a folder that everyone writes to.
    """
    _require_own_link(path)
    target = Path(os.path.realpath(path))
    try:
        mode = target.lstat().st_mode
    except FileNotFoundError:
        return target
    _require_file(mode, path)
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "it is write-protected", str(path))
    return target


def _require_own_link(path: Path) -> None:
    """Refuse a link that another user has put into a folder like /tmp, as Linux does where a link is opened there."""
    with suppress(FileNotFoundError):
        link, folder = path.lstat(), path.parent.stat()
        shared = folder.st_mode & stat.S_ISVTX and folder.st_mode & stat.S_IWOTH
        if stat.S_ISLNK(link.st_mode) and shared and link.st_uid not in (os.geteuid(), folder.st_uid):
            raise PermissionError(
                errno.EACCES, "it is another user's link in a folder that everyone writes to", str(path)
            )


def sweep(folder: Path, names: re.Pattern[str]) -> None:
    """Delete files of these names that nobody has written to for an hour; where that is impossible they stay."""
    try:
        left = [path for path in folder.iterdir() if names.fullmatch(path.name)]
    except OSError:
        return
    for path in left:
        with suppress(OSError):
            if time.time() - path.lstat().st_mtime > GIVEN_UP:
                path.unlink()


@contextmanager
def opened(path: Path, most: int) -> Iterator[BinaryIO]:
    """A file of at most `most` bytes, to read. Raises OSError for anything else: a device may never end."""
    _require_file(path.stat().st_mode, path)  # before, as opening a device may do something
    # Without O_NONBLOCK a pipe that took the file's place meanwhile would wait for a writer.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as stream:
        found = os.fstat(handle)
        _require_file(found.st_mode, path)
        if found.st_size > most:
            raise OSError(errno.EFBIG, f"it is larger than {size(most)}", str(path))
        yield stream


def read_text(path: Path, most: int, *, encoding: str = "utf-8") -> str:
    """The text of a file of at most `most` bytes. Raises OSError, and UnicodeDecodeError."""
    with opened(path, most) as stream:
        return stream.read(most).decode(encoding)


def size(count: int) -> str:
    """A number of bytes for people."""
    return f"{count / 1e6:g} MB" if count >= 1e6 else f"{count / 1e3:g} kB"


def _require_file(mode: int, path: Path) -> None:
    """Raises OSError for what is no regular file."""
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder, not a file", str(path))
    sorts = ((stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"), (stat.S_ISLNK, "a link to itself"))
    what = next((name for is_one, name in sorts if is_one(mode)), "a device")
    raise OSError(errno.EINVAL, f"it is {what}, not a file", str(path))


def _start(target: Path) -> str:
    """What the name of an unfinished file begins with."""
    return os.fsencode(target.name)[:LONGEST].decode("utf-8", "ignore")


def _new_partial(target: Path, start: str) -> Path:
    """A new empty file beside the target, readable by nobody who may not read that."""
    partial = target.with_name(f"{start}.redmax-{secrets.token_hex(8)}.partial")
    try:
        mode = target.stat().st_mode & 0o777 | stat.S_IWUSR
    except FileNotFoundError:
        mode = 0o666  # less what the user's umask takes away
    os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
    return partial


def _hand_on_permissions(target: Path, partial: Path) -> None:
    """Give the new file the owner and the permissions of the one it replaces, if there is one."""
    try:
        old = target.stat()
    except FileNotFoundError:
        return
    new = partial.stat()
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        with suppress(OSError):  # only root may give files away, and some disks know no owners
            os.chown(partial, old.st_uid, old.st_gid)
    if stat.S_IMODE(old.st_mode) != stat.S_IMODE(partial.stat().st_mode):
        partial.chmod(stat.S_IMODE(old.st_mode))
