# SPDX-License-Identifier: GPL-3.0-or-later
material = "PLASTIC"
density = 1050.0
