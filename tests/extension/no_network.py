# SPDX-License-Identifier: GPL-3.0-or-later
"""Imported by what runs in Blender here: every attempt to reach a network, or to start a process, fails.

Attempts are remembered as well, because the one who made them may hide the failure.
"""

import sys

FORBIDDEN = ("socket.connect", "socket.getaddrinfo", "socket.sendto", "urllib.Request", "subprocess.Popen", "os.system")

attempts: list[str] = []


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event in FORBIDDEN:
        attempts.append(f"{event} {arguments!r}")
        raise PermissionError(f"an installed extension must not do this: {event} {arguments!r}")


sys.addaudithook(_refuse)


def fail_if_attempted() -> None:
    if attempts:
        sys.exit("\n".join(["network or processes were asked for:", *attempts]))
