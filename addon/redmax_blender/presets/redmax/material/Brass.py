# SPDX-License-Identifier: GPL-3.0-or-later
material = "BRASS"
density = 8500.0
