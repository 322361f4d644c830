# SPDX-License-Identifier: GPL-3.0-or-later
coordinates = "a: rad; b: rad; c: rad"
constants = ""
transform = "euler_xyz(a, b, c)"
from_pose = "atan2(-r23, r33); atan2(r13, sqrt(r11**2 + r12**2)); atan2(-r12, r11)"
charts = [("euler_zxz(a, b, c)", "atan2(r13, -r23); atan2(sqrt(r13**2 + r23**2), r33); atan2(r31, r32)", "")]
