# SPDX-License-Identifier: GPL-3.0-or-later
frequency = 3.0
decay = 0.5
