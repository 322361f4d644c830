# SPDX-License-Identifier: GPL-3.0-or-later
"""Where every number of a packed model stands, and how a model is packed."""
