# SPDX-License-Identifier: GPL-3.0-or-later
material = "FLESH"
density = 1050.0
