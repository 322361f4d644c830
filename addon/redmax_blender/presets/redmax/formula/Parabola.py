# SPDX-License-Identifier: GPL-3.0-or-later
coordinates = "x: m"
constants = "focus = 0.25"
transform = "T(x, 0, x**2 / (4 * focus)) * Ry(-atan(x / (2 * focus)))"
