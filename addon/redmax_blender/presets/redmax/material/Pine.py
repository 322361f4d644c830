# SPDX-License-Identifier: GPL-3.0-or-later
material = "PINE"
density = 500.0
