# SPDX-License-Identifier: GPL-3.0-or-later
"""Results as keys: planned, checked, written all or nothing."""
