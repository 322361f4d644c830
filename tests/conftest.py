# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings that must hold before numpy is imported."""

import os

# Matrices here are small: OpenBLAS's threads only wait for each other, 100 times longer than they compute
# when the cores are busy with other test processes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
