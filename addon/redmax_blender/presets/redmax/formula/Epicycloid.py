# SPDX-License-Identifier: GPL-3.0-or-later
coordinates = "angle: rad"
constants = "ring = 0.4; wheel = 0.1"
transform = "Rz(angle) * Tx(ring + wheel) * Rz(angle * ring / wheel)"
