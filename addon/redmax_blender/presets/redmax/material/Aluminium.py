# SPDX-License-Identifier: GPL-3.0-or-later
material = "ALUMINIUM"
density = 2700.0
