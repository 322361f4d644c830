# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands: ropes, hairs, springs that bend, made of masses and springs."""

from .strand import Attachment, BoundStrand, Strand

__all__ = ["Attachment", "BoundStrand", "Strand"]
