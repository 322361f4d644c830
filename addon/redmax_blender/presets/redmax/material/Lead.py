# SPDX-License-Identifier: GPL-3.0-or-later
material = "LEAD"
density = 11340.0
