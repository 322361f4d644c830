# SPDX-License-Identifier: GPL-3.0-or-later
"""Imported by what runs in Blender here: every attempt to reach a network, or to start a process, fails. A script that
expects the fast solver to be compiled may allow that one process.

Attempts are remembered as well, because the one who made them may hide the failure.
"""

import sys

FORBIDDEN = ("socket.connect", "socket.getaddrinfo", "socket.sendto", "urllib.Request", "subprocess.Popen", "os.system")

attempts: list[str] = []
compilers: list[str] = []
"""Commands of processes that compile the fast solver, where a script allows them."""

allowed = {"compiler": False}


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event == "subprocess.Popen" and allowed["compiler"] and _compiles(arguments[1]):
        compilers.append(str(arguments[1]))
    elif event in FORBIDDEN:
        attempts.append(f"{event} {arguments!r}")
        raise PermissionError(f"an installed extension must not do this: {event} {arguments!r}")


def _compiles(command: object) -> bool:
    """Whether a command runs the engine's compiler in this Python, without a shell."""
    parts = command if isinstance(command, list) else []
    return len(parts) == 3 and parts[:2] == [sys.executable, "-I"] and parts[2].endswith("warm_up_child.py")


sys.addaudithook(_refuse)


def fail_if_attempted() -> None:
    if attempts:
        sys.exit("\n".join(["network or processes were asked for:", *attempts]))
