# SPDX-License-Identifier: GPL-3.0-or-later
frequency = 4.0
decay = 3.0
