# SPDX-License-Identifier: GPL-3.0-or-later
coordinates = "around: rad; along: rad; spin: rad"
constants = "ring = 0.4; tube = 0.1; ball = 0.06"
transform = "Rz(around) * Tx(ring) * Ry(-along) * Tx(tube + ball) * Rx(spin)"
