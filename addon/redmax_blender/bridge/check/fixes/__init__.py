# SPDX-License-Identifier: GPL-3.0-or-later
"""What Check does about findings: one function a fix, each says what it did."""
