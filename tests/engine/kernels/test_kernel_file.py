# SPDX-License-Identifier: GPL-3.0-or-later
"""The form of kernels on disk: what was written is read, and nothing else."""

from __future__ import annotations

import hashlib
import json
import random

import pytest

from redmax.kernels.cache.kernel_file import FACTS, MAGIC, MalformedError, packed, unpacked

SOUND = packed({"name": "core.run", "values": [1, None, True]}, (b"machine code", b"", b"\0bitcode"))


def signed(rest: bytes) -> bytes:
    """A file whose hash is right, whatever it holds."""
    return MAGIC + hashlib.sha256(rest).digest() + rest


def test_what_was_written_is_read():
    assert unpacked(SOUND) == ({"name": "core.run", "values": [1, None, True]}, (b"machine code", b"", b"\0bitcode"))


def test_every_shortened_file_is_refused():
    for length in range(len(SOUND)):
        with pytest.raises(MalformedError):
            unpacked(SOUND[:length])


def test_every_flipped_bit_is_noticed():
    for place in range(len(SOUND)):
        for bit in range(8):
            with pytest.raises(MalformedError):
                unpacked(SOUND[:place] + bytes([SOUND[place] ^ 1 << bit]) + SOUND[place + 1 :])


@pytest.mark.parametrize(
    "rest",
    [
        SOUND[FACTS:] + b"x",
        b"",
        b"\xff\xff\xff\xff",
        b"\2\0\0\0{}",
        b"\2\0\0\0[]",
        b"\4\0\0\0null",
        b"\5\0\0\0\xff\xff\xff\xff\xff",
        b"\x0e\0\0\0" + b'{"lengths": 3}',
        b"\x10\0\0\0" + b'{"lengths":[-3]}',
        b"\x11\0\0\0" + b'{"lengths":[2.5]}',
        b"\x11\0\0\0" + b'{"lengths":[1e9]}' + b"x",
        (200_000).to_bytes(4, "little") + b"[" * 200_000,
        (200_000).to_bytes(4, "little") + b"9" * 200_000,
    ],
    ids=lambda rest: repr(rest[:20]),
)
def test_a_right_hash_makes_nothing_else_right(rest):
    with pytest.raises(MalformedError):
        unpacked(signed(rest))


def test_random_facts_are_read_or_refused():
    rng = random.Random(7)
    for _ in range(500):
        text = bytes(rng.choice(b'{}[]":,0123e-lengths nul\\') for _ in range(rng.randrange(60)))
        text = (
            text if rng.random() < 0.5 else json.dumps({"lengths": [rng.randrange(-2, 9), rng.randrange(3)]}).encode()
        )
        try:
            _, parts = unpacked(signed(len(text).to_bytes(4, "little") + text + bytes(rng.randrange(9))))
        except MalformedError:
            continue
        assert all(isinstance(part, bytes) for part in parts)
