# SPDX-License-Identifier: GPL-3.0-or-later
material = "TITANIUM"
density = 4500.0
