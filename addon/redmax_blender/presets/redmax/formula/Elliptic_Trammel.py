# SPDX-License-Identifier: GPL-3.0-or-later
coordinates = "angle: rad"
constants = "long = 0.4; short = 0.2"
transform = "T(long * cos(angle), short * sin(angle), 0) * Rz(-angle)"
