# SPDX-License-Identifier: GPL-3.0-or-later
accuracy = "CUSTOM"
integrator = "bdf2"
bdf2__h = 0.002
bdf2__tolerance = 1e-09
bdf2__residual_tolerance = 0.0
