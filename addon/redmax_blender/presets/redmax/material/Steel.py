# SPDX-License-Identifier: GPL-3.0-or-later
material = "STEEL"
density = 7850.0
