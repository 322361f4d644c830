# SPDX-License-Identifier: GPL-3.0-or-later
"""What an extraction finds wrong, or worth knowing, about mechanisms."""
