# SPDX-License-Identifier: GPL-3.0-or-later
frequency = 0.5
decay = 0.32
