# SPDX-License-Identifier: GPL-3.0-or-later
coordinates = "bend: rad"
constants = (
    "a = 0.028; b = 0.02; c = 0.03; d = 0.022; tilt = 0.75; straight = acos((a**2 + sqrt(a**2 + d**2 - 2 "
    "* a * d * cos(0 + tilt))**2 - d**2) / (2 * a * sqrt(a**2 + d**2 - 2 * a * d * cos(0 + tilt)))) - "
    "acos((b**2 + sqrt(a**2 + d**2 - 2 * a * d * cos(0 + tilt))**2 - c**2) / (2 * b * sqrt(a**2 + d**2 - "
    "2 * a * d * cos(0 + tilt))))"
)
transform = (
    "Ry(bend) * Tz(-a) * Ry(acos((a**2 + sqrt(a**2 + d**2 - 2 * a * d * cos(bend + tilt))**2 - d**2) / (2 "
    "* a * sqrt(a**2 + d**2 - 2 * a * d * cos(bend + tilt)))) - acos((b**2 + sqrt(a**2 + d**2 - 2 * a * d "
    "* cos(bend + tilt))**2 - c**2) / (2 * b * sqrt(a**2 + d**2 - 2 * a * d * cos(bend + tilt)))) - "
    "straight)"
)
