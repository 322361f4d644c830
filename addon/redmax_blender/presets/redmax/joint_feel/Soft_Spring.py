# SPDX-License-Identifier: GPL-3.0-or-later
frequency = 1.0
decay = 1.5
