# SPDX-License-Identifier: GPL-3.0-or-later
material = "OAK"
density = 720.0
