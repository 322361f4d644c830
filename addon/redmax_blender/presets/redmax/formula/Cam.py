# SPDX-License-Identifier: GPL-3.0-or-later
coordinates = "angle: rad"
constants = "rise = 0.2"
transform = "Rz(angle) * Tz(rise * (1 - cos(angle)) / 2)"
