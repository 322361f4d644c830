# SPDX-License-Identifier: GPL-3.0-or-later
"""The form of a file that holds a compiled function: plain facts, then machine code and bitcode as they are.

    16 bytes   MAGIC, with the number of this form
    32 bytes   SHA-256 of all that follows, which finds damage; who wrote the file is not its question
     4 bytes   length of the facts, little-endian
     ...       facts: a JSON object in ASCII; "lengths" are those of the parts
     ...       the parts, one after the other, up to the end of the file

Nothing in it is run by reading it.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

MAGIC = b"RedMax kernel 1\n"
FACTS = len(MAGIC) + 32
"""Where the length of the facts stands."""
LENGTHS = "lengths"


class MalformedError(ValueError):
    """The bytes are no such file, or a damaged one."""


def packed(facts: dict[str, Any], parts: tuple[bytes, ...]) -> bytes:
    """The bytes of a file. Raises TypeError for facts that JSON does not know."""
    text = json.dumps(facts | {LENGTHS: [len(part) for part in parts]}, separators=(",", ":")).encode("ascii")
    rest = b"".join((len(text).to_bytes(4, "little"), text, *parts))
    return MAGIC + hashlib.sha256(rest).digest() + rest


def unpacked(content: bytes) -> tuple[dict[str, Any], tuple[bytes, ...]]:
    """The facts and the parts. Raises MalformedError."""
    view = memoryview(content)
    if content[: len(MAGIC)] != MAGIC:
        raise MalformedError("no kernel")
    if hashlib.sha256(view[FACTS:]).digest() != content[len(MAGIC) : FACTS]:
        raise MalformedError("damaged")
    end = FACTS + 4 + int.from_bytes(view[FACTS : FACTS + 4], "little")
    try:
        facts = json.loads(bytes(view[FACTS + 4 : end]).decode("ascii"))
        lengths = facts.pop(LENGTHS)
        whole = all(type(length) is int and length >= 0 for length in lengths) and end + sum(lengths) == len(content)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise MalformedError(f"wrong facts ({type(error).__name__})") from None
    if not whole:
        raise MalformedError("wrong lengths")
    parts = []
    for length in lengths:
        parts.append(bytes(view[end : end + length]))
        end += length
    return facts, tuple(parts)
