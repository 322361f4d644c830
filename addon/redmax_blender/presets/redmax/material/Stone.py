# SPDX-License-Identifier: GPL-3.0-or-later
material = "STONE"
density = 2650.0
