# SPDX-License-Identifier: GPL-3.0-or-later
frequency = 1.5
decay = 0.2
