# SPDX-License-Identifier: GPL-3.0-or-later
accuracy = "CUSTOM"
integrator = "rk4"
rk4__h = 0.002
rk4__dynamics = "fast"
