# SPDX-License-Identifier: GPL-3.0-or-later
material = "FOAM"
density = 30.0
