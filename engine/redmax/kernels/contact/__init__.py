# SPDX-License-Identifier: GPL-3.0-or-later
"""Collision detection: where the surfaces of a model are close. Plain text, which Python runs and kernels compile."""
