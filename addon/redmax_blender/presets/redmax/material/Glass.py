# SPDX-License-Identifier: GPL-3.0-or-later
material = "GLASS"
density = 2500.0
