# SPDX-License-Identifier: GPL-3.0-or-later
material = "CONCRETE"
density = 2400.0
