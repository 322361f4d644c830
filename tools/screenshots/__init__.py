# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the interface for the documentation."""
