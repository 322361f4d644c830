# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes and edits bodies, joints and what connects them."""
