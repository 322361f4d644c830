# SPDX-License-Identifier: GPL-3.0-or-later
material = "RUBBER"
density = 1150.0
