# SPDX-License-Identifier: GPL-3.0-or-later
"""Many places of a sheet at once: the same as one by one."""

from __future__ import annotations

import numpy as np
import pytest

from redmax.tracks import Sheet, sheet_looks


@pytest.mark.parametrize("basis", ["b_spline", "catmull_rom", "bezier"])
@pytest.mark.parametrize("cyclic", [(False, False), (True, False)])
def test_origins_and_tangents_are_those_of_the_motion(basis, cyclic):
    rng = np.random.default_rng(4)
    x, y = np.meshgrid(np.arange(6.0 if cyclic[0] else 7.0), np.arange(7.0), indexing="ij")
    positions = np.stack([x, y, 0.3 * x * y], -1) + 0.1 * rng.normal(size=(*x.shape, 3))
    sheet = Sheet(name="s", positions=positions, basis=basis, cyclic_u=cyclic[0], orientation="normal")
    q = rng.uniform(-1.5, 1.5, (40, 2)) + np.array(sheet.extent) * rng.uniform(0.0, 1.0, (40, 2))
    origins, tangents = sheet_looks.origins(sheet.data, q)
    for k, place in enumerate(q):
        Q, S = sheet.motion(place)
        np.testing.assert_allclose(origins[k], Q[:3, 3], atol=1e-9)
        np.testing.assert_allclose(tangents[k], Q[:3, :3] @ S[3:], atol=1e-9)
