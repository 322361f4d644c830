# SPDX-License-Identifier: GPL-3.0-or-later
"""Vectorised rotations beside scipy's."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from redmax.spatial import quaternion, so3

from .measure import Options, Row, interleaved


def run(options: Options) -> list[Row]:
    v = np.random.default_rng(0).normal(size=(100_000, 3))
    R = so3.exp(v)
    q = quaternion.exp(v)
    q_scipy = q[:, [1, 2, 3, 0]]
    cases = {
        "rotation vector to matrix": (lambda: so3.exp(v), lambda: Rotation.from_rotvec(v).as_matrix()),
        "matrix to rotation vector": (lambda: so3.log(R), lambda: Rotation.from_matrix(R).as_rotvec()),
        "matrix to quaternion": (lambda: quaternion.from_matrix(R), lambda: Rotation.from_matrix(R).as_quat()),
        "quaternion to matrix": (lambda: quaternion.to_matrix(q), lambda: Rotation.from_quat(q_scipy).as_matrix()),
    }
    rows = []
    for case, (ours, theirs) in cases.items():
        times = interleaved({"ours": ours, "scipy": theirs}, options.rounds)
        rows.append(Row("100 000 rotations", case, times["ours"][0], "s", "scipy", times["scipy"][0], times["ours"][1]))
    return rows
