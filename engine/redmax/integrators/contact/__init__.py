# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact in runs: when steps end (`stepper`), what happens in them (`velocity_step`, `recovery`), and what is known of
it afterwards (`account`)."""
