# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints in compiled code: poses, motions, charts and what acts along coordinates."""
