# SPDX-License-Identifier: GPL-3.0-or-later
"""Origins and tangents of a sheet at many places at once, for what looks at the whole of it."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from .bases import powers
from .sheet_motion import BASIS, COLUMNS, CYCLIC, EXTENT, HEADER, STRIDE


def origins(data: Array, q: Array) -> tuple[Array, Array]:
    """Origins (k, 3) [m] and their derivatives (k, 3, 2) in u and v at places q (k, 2). data: of a sheet, see
    `sheet_motion`. Source: RM19 eq. 60."""
    B = np.asarray(data[BASIS:HEADER]).reshape(4, 4)
    stride, columns = int(data[STRIDE]), int(data[COLUMNS])
    values = np.asarray(data[HEADER:]).reshape(-1, columns, 6)[..., :3]
    patches, weights, slopes = [], [], []
    for which in range(2):
        count, x = data[EXTENT + which], q[:, which]
        if data[CYCLIC + which] != 0.0:
            x = x - count * np.floor(x / count)
        patch = np.clip(np.floor(x), 0.0, count - 1.0).astype(np.int64)
        t, dt = powers(x - patch)
        patches.append(stride * patch[:, None] + np.arange(4))
        weights.append(t @ B.T)
        slopes.append(dt @ B.T)
    around = values[patches[0][:, :, None], patches[1][:, None, :]]
    x = np.einsum("ki,kj,kijc->kc", weights[0], weights[1], around)
    along_u = np.einsum("ki,kj,kijc->kc", slopes[0], weights[1], around)
    along_v = np.einsum("ki,kj,kijc->kc", weights[0], slopes[1], around)
    return x, np.stack([along_u, along_v], -1)
