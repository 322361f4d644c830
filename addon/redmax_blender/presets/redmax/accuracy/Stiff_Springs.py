# SPDX-License-Identifier: GPL-3.0-or-later
accuracy = "CUSTOM"
integrator = "radau"
radau__rtol = 1e-07
radau__atol = 1e-07
radau__dynamics = "fast"
