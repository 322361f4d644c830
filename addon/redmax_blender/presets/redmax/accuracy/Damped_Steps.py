# SPDX-License-Identifier: GPL-3.0-or-later
accuracy = "CUSTOM"
integrator = "linearly_implicit_euler"
linearly_implicit_euler__h = 0.002
