# SPDX-License-Identifier: GPL-3.0-or-later
material = "WATER"
density = 1000.0
