# SPDX-License-Identifier: GPL-3.0-or-later
frequency = 0.0
decay = 0.3
