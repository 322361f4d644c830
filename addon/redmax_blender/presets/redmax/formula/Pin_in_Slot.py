# SPDX-License-Identifier: GPL-3.0-or-later
coordinates = "slide: m; angle: rad"
constants = ""
transform = "Tx(slide) * Rz(angle)"
