# SPDX-License-Identifier: GPL-3.0-or-later
material = "ICE"
density = 917.0
