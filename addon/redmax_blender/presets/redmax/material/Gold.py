# SPDX-License-Identifier: GPL-3.0-or-later
material = "GOLD"
density = 19300.0
