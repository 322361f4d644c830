# SPDX-License-Identifier: GPL-3.0-or-later
"""How kernels are compiled and kept on disk."""
