# SPDX-License-Identifier: GPL-3.0-or-later
"""Mass properties: change of frame, composition, principal axes, physical validity."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redmax.spatial import adjoint, pose, so3
from redmax.spatial.inertia import (
    PRINCIPAL_TOLERANCE,
    MassProperties,
    combine,
    principal_frames,
    spatial_inertia,
    steiner,
    transform_inertia,
)

RELATIVE = 1e-13  # sums of some twenty products, each rounded to 1e-16, with mild cancellation

seeds = st.integers(0, 2**32 - 1)
quick = settings(max_examples=40, deadline=None)


def cloud(rng: np.random.Generator, n: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Masses and positions of n point masses: any such set is a physical body."""
    return rng.uniform(0.1, 2.0, n), rng.standard_normal((n, 3))


def body_of(masses: np.ndarray, points: np.ndarray) -> MassProperties:
    """Mass properties of point masses, written out without the code under test."""
    center = np.average(points, axis=0, weights=masses)
    d = points - center
    second = np.einsum("n,ni,nj->ij", masses, d, d)
    return MassProperties(masses.sum(), center, np.trace(second) * np.eye(3) - second)


def tensor(R: np.ndarray, moments: np.ndarray) -> np.ndarray:
    return R @ np.diag(moments) @ R.T


def assert_same_body(a: MassProperties, b: MassProperties, rtol: float = RELATIVE) -> None:
    assert a.mass == pytest.approx(b.mass, rel=rtol)
    np.testing.assert_allclose(a.center, b.center, atol=rtol * max(1.0, np.abs(b.center).max()))
    np.testing.assert_allclose(a.inertia, b.inertia, atol=rtol * max(1.0, np.abs(b.inertia).max()))


def assert_principal(E_bi: np.ndarray, diagonal: np.ndarray, body: MassProperties, rtol: float = RELATIVE) -> None:
    """A right-handed frame at the centre in which the body's spatial inertia is that diagonal."""
    assert pose.is_pose(E_bi, 1e-13)
    M_b = transform_inertia(E_bi, np.diag(diagonal))
    size = np.abs(body.spatial()).max()
    np.testing.assert_allclose(M_b, body.spatial(), atol=rtol * size)


@given(seeds)
@quick
def test_spatial_inertia_gives_the_kinetic_energy_of_the_particles(seed):
    rng = np.random.default_rng(seed)
    masses, points = cloud(rng)
    phi = rng.standard_normal(6)
    velocities = adjoint.Gamma(points) @ phi
    energy = 0.5 * np.sum(masses * np.sum(velocities**2, axis=1))
    M = body_of(masses, points).spatial()
    assert 0.5 * phi @ M @ phi == pytest.approx(energy, rel=RELATIVE)
    np.testing.assert_allclose(M, M.T, atol=RELATIVE)


def test_spatial_inertia_has_the_blocks_of_si_guenter():
    m, c, I = 2.0, np.array([0.1, 0.2, 0.3]), np.diag([1.0, 2.0, 2.5])
    r = so3.hat(c)
    np.testing.assert_allclose(
        spatial_inertia(m, c, I), np.block([[I - m * r @ r, m * r], [-m * r, m * np.eye(3)]]), atol=1e-15
    )


def test_spatial_inertia_broadcasts():
    rng = np.random.default_rng(0)
    m, c = rng.uniform(1, 2, 4), rng.standard_normal((3, 1, 3))
    M = spatial_inertia(m, c, np.eye(3))
    assert M.shape == (3, 4, 6, 6)
    np.testing.assert_allclose(M[2, 1], spatial_inertia(m[1], c[2, 0], np.eye(3)), atol=1e-15)


@given(seeds)
@quick
def test_change_of_frame_moves_the_particles(seed):
    rng = np.random.default_rng(seed)
    masses, points_b = cloud(rng)
    E_ab = pose.random(rng)
    body_b = body_of(masses, points_b)
    body_a = body_of(masses, pose.transform_points(E_ab, points_b))
    assert_same_body(body_b.transformed(E_ab), body_a)
    scale = np.abs(body_a.spatial()).max()
    np.testing.assert_allclose(transform_inertia(E_ab, body_b.spatial()), body_a.spatial(), atol=RELATIVE * scale)


@given(seeds)
@quick
def test_change_of_frame_keeps_the_kinetic_energy(seed):
    rng = np.random.default_rng(seed)
    M_b, E_ab, phi_b = body_of(*cloud(rng)).spatial(), pose.random(rng), rng.standard_normal(6)
    phi_a = adjoint.transform_twist(E_ab, phi_b)
    assert phi_a @ transform_inertia(E_ab, M_b) @ phi_a == pytest.approx(phi_b @ M_b @ phi_b, rel=1e-12)


def test_with_mass_scales_the_density():
    body = body_of(*cloud(np.random.default_rng(1)))
    heavy = body.with_mass(3.0 * body.mass)
    assert heavy.mass == 3.0 * body.mass
    np.testing.assert_array_equal(heavy.center, body.center)
    np.testing.assert_allclose(heavy.inertia, 3.0 * body.inertia, rtol=1e-15)
    with pytest.raises(ValueError, match="massless"):
        MassProperties(0.0, np.zeros(3), np.zeros((3, 3))).with_mass(1.0)


@given(seeds)
@quick
def test_combining_parts_gives_the_whole(seed):
    rng = np.random.default_rng(seed)
    masses, points = cloud(rng)
    whole = body_of(masses, points)
    parts = [body_of(masses[k : k + 3], points[k : k + 3]) for k in range(0, 12, 3)]
    assert_same_body(combine(parts), whole)
    assert_same_body(combine(reversed(parts)), whole)
    assert_same_body(combine([combine(parts[:2]), combine(parts[2:])]), whole)
    points_only = [MassProperties(m, x, np.zeros((3, 3))) for m, x in zip(masses, points, strict=True)]
    assert_same_body(combine(points_only), whole)


@given(seeds)
@quick
def test_combining_is_the_sum_of_spatial_inertias(seed):
    rng = np.random.default_rng(seed)
    parts = [body_of(*cloud(rng)).transformed(pose.random(rng)) for _ in range(3)]
    total = sum(part.spatial() for part in parts)
    np.testing.assert_allclose(combine(parts).spatial(), total, atol=RELATIVE * np.abs(total).max())
    # RBDN eq. 1.26: each part brought to the axis-aligned frame at the common centre.
    E_bc = pose.make(np.eye(3), combine(parts).center)
    M_c = sum(transform_inertia(pose.inverse(E_bc), part.spatial()) for part in parts)
    np.testing.assert_allclose(M_c[:3, :3], combine(parts).inertia, atol=RELATIVE * np.abs(total).max())
    np.testing.assert_allclose(M_c[:3, 3:], 0.0, atol=RELATIVE * np.abs(total).max())


def test_combining_far_from_the_origin_keeps_the_digits():
    masses, points = cloud(np.random.default_rng(2))
    near = combine(MassProperties(m, x, np.zeros((3, 3))) for m, x in zip(masses, points, strict=True))
    far = combine(MassProperties(m, x + 1e6, np.zeros((3, 3))) for m, x in zip(masses, points, strict=True))
    # Positions of 1e6 are rounded to 1e-10; going through the origin would leave an error of 1e12 * 1e-16 = 1e-4.
    np.testing.assert_allclose(far.inertia, near.inertia, atol=1e-8)


def test_combining_nothing_is_nothing():
    nothing = combine([])
    assert nothing == MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))
    body = body_of(*cloud(np.random.default_rng(3)))
    assert_same_body(combine([body, nothing]), body)
    massless = [MassProperties(0.0, [x, 0.0, 0.0], np.zeros((3, 3))) for x in (1.0, 3.0)]
    np.testing.assert_array_equal(combine(massless).center, [2.0, 0.0, 0.0])


def test_steiner_is_minus_m_hat_squared():
    rng = np.random.default_rng(4)
    m, d = rng.uniform(1, 2, 5), rng.standard_normal((5, 3))
    np.testing.assert_allclose(steiner(m, d), -m[:, None, None] * so3.hat(d) @ so3.hat(d), atol=1e-14)


@given(seeds)
@quick
def test_principal_frame_diagonalises_the_inertia(seed):
    rng = np.random.default_rng(seed)
    body = body_of(*cloud(rng)).transformed(pose.random(rng))
    E_bi, diagonal = body.principal()
    assert_principal(E_bi, diagonal, body)
    np.testing.assert_array_equal(pose.position(E_bi), body.center)
    np.testing.assert_array_equal(diagonal[3:], body.mass)
    np.testing.assert_allclose(np.sort(diagonal[:3]), np.linalg.eigvalsh(body.inertia), rtol=1e-12)


@pytest.mark.parametrize(
    "moments",
    [(1, 1, 1), (1, 1, 1.5), (1, 2, 2), (1, 1, 2), (0, 1, 1), (0, 0, 0), (1, 1 + 1e-13, 1.7), (1, 1 + 1e-9, 1.7)],
)
def test_principal_frame_of_symmetric_bodies(moments):
    rng = np.random.default_rng(5)
    for _ in range(20):
        for order in ([0, 1, 2], [1, 2, 0], [2, 0, 1]):
            I = tensor(so3.random(rng), np.array(moments, float)[order])
            body = MassProperties(2.0, rng.standard_normal(3), I)
            # Moments closer than the tolerance count as equal, and what couples them is dropped.
            assert_principal(*body.principal(), body, rtol=PRINCIPAL_TOLERANCE)


@pytest.mark.parametrize(
    "moments", [(3.0, 1.0, 2.5), (1.0, 1.0, 1.5), (2.0, 2.0, 2.0), (1.0, 0.0, 1.0), (0.0, 0.0, 0.0)]
)
def test_a_diagonal_tensor_keeps_its_axes(moments):
    body = MassProperties(1.0, [1.0, 2.0, 3.0], np.diag(moments))
    E_bi, diagonal = body.principal()
    np.testing.assert_array_equal(E_bi, pose.make(np.eye(3), [1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(diagonal, [*moments, 1.0, 1.0, 1.0])


def test_round_off_beside_the_diagonal_keeps_the_axes():
    I = np.diag([3.0, 1.0, 2.5])
    I[0, 1] = I[1, 0] = 1e-15
    E_bi, _ = MassProperties(1.0, np.zeros(3), I).principal()
    np.testing.assert_array_equal(E_bi, np.eye(4))


@given(seeds, st.floats(-11, -1))
@quick
def test_a_little_tilt_gives_a_frame_tilted_a_little(seed, exponent):
    rng = np.random.default_rng(seed)
    tilt = 10**exponent * rng.uniform(-1, 1, 3)
    body = MassProperties(1.0, np.zeros(3), tensor(so3.exp(tilt), [3.0, 1.0, 2.5]))
    E_bi, diagonal = body.principal()
    # Axes are determined to round-off over the gap of the moments: 1e-15 / 0.5.
    np.testing.assert_allclose(pose.rotation(E_bi), so3.exp(tilt), atol=1e-11 if exponent < -10 else 3e-14)
    np.testing.assert_allclose(diagonal[:3], [3.0, 1.0, 2.5], rtol=1e-13)


@given(seeds, st.permutations([1.0, 1.0, 1.6]))
@quick
def test_a_tilted_round_body_does_not_spin_about_its_axis(seed, moments):
    rng = np.random.default_rng(seed)
    k = moments.index(1.6)
    axis = rng.standard_normal(3)
    axis[k] = 0.0  # a tilt of the body's axis, no turn about it
    tilt = so3.exp(rng.uniform(0, 0.5) * axis / np.linalg.norm(axis))
    E_bi, diagonal = MassProperties(1.0, np.zeros(3), tensor(tilt, moments)).principal()
    np.testing.assert_allclose(pose.rotation(E_bi), tilt, atol=1e-14)
    np.testing.assert_allclose(diagonal[:3], moments, rtol=1e-14)


def test_principal_frame_never_turns_further_than_it_must():
    rng = np.random.default_rng(6)
    n = 2000
    R = so3.random(rng, (n,))
    I = R @ (np.array([1.0, 1.5, 2.0])[:, None] * np.swapaxes(R, 1, 2))
    E_bi, _ = principal_frames(np.ones(n), np.zeros((n, 3)), I)
    assert pose.is_pose(E_bi).all()
    angles = np.linalg.norm(so3.log(pose.rotation(E_bi)), axis=1)
    # Farthest a rotation can be from all 24 namings of its axes (misorientation limit of the cube).
    assert np.degrees(angles.max()) <= 62.8
    # Every one of the 24 right-handed namings is at least as far.
    group = []
    for p in np.ndindex(3, 3, 3):
        if len(set(p)) == 3:
            for s in np.ndindex(2, 2, 2):
                G = np.eye(3)[:, list(p)] * (1.0 - 2.0 * np.array(s))
                if np.linalg.det(G) > 0:
                    group.append(G)
    assert len(group) == 24
    traces = np.einsum("nij,gji->ng", pose.rotation(E_bi), np.array(group))
    np.testing.assert_array_less(traces.max(axis=1), np.einsum("nii->n", pose.rotation(E_bi)) + 2e-9)


def test_ties_do_not_depend_on_round_off():
    rng = np.random.default_rng(7)
    I = tensor(so3.rot_z(np.pi / 4), np.array([1.0, 1.5, 2.0]))
    noisy = I + 1e-15 * np.array([A + A.T for A in rng.uniform(-1, 1, (50, 3, 3))])
    E_bi, _ = principal_frames(np.ones(50), np.zeros((50, 3)), noisy)
    np.testing.assert_allclose(E_bi, np.broadcast_to(E_bi[0], E_bi.shape), atol=1e-13)


def test_principal_frames_of_many_bodies_are_those_of_each():
    rng = np.random.default_rng(8)
    bodies = [body_of(*cloud(rng)) for _ in range(5)]
    bodies += [
        MassProperties(1.0, np.ones(3), np.diag([2.0, 1.0, 1.5])),
        MassProperties(0.0, np.zeros(3), np.zeros((3, 3))),
    ]
    bodies += [MassProperties(1.0, np.ones(3), tensor(so3.random(rng), [1.0, 1.0, 1.5]))]
    E, D = principal_frames(
        np.array([b.mass for b in bodies]), np.array([b.center for b in bodies]), np.array([b.inertia for b in bodies])
    )
    for k, body in enumerate(bodies):
        E_k, D_k = body.principal()
        np.testing.assert_allclose(E[k], E_k, atol=1e-14)
        np.testing.assert_allclose(D[k], D_k, atol=1e-14)
    assert principal_frames(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 3)))[0].shape == (0, 4, 4)


@given(seeds)
@quick
def test_every_cloud_of_particles_is_physical(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))  # one point, a line and a flat triangle sit on the limits
    assert body_of(*cloud(rng, n)).transformed(pose.random(rng)).problems() == []


@pytest.mark.parametrize(
    ("mass", "center", "inertia", "words"),
    [
        (-1.0, np.zeros(3), np.eye(3), ["cannot be negative"]),
        (np.nan, np.zeros(3), np.eye(3), ["mass is nan"]),
        (np.inf, np.zeros(3), np.eye(3), ["mass is inf"]),
        (1.0, [np.nan, 0, 0], np.eye(3), ["centre of mass"]),
        (1.0, np.zeros(3), np.full((3, 3), np.inf), ["inertia is not finite"]),
        (1.0, np.zeros(3), [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]], ["not symmetric"]),
        (1.0, np.zeros(3), np.diag([1.0, 1.0, 2.1]), ["exceeds the sum"]),
        (1.0, np.zeros(3), np.diag([-0.1, 1.0, 1.0]), ["smallest principal moment"]),
        (0.0, np.zeros(3), np.eye(3), ["although the mass is"]),
        (-1.0, [np.nan, 0, 0], np.diag([1.0, 1.0, 2.1]), ["cannot be negative", "centre of mass", "exceeds the sum"]),
    ],
)
def test_impossible_bodies_are_named(mass, center, inertia, words):
    found = MassProperties(mass, center, inertia).problems()
    assert len(found) == len(words)
    for message, word in zip(found, words, strict=True):
        assert word in message


def test_limits_of_validity():
    plate = MassProperties(1.0, np.zeros(3), np.diag([1.0, 1.0, 2.0]))
    rod = MassProperties(1.0, np.zeros(3), np.diag([0.0, 1.0, 1.0]))
    point = MassProperties(1.0, np.zeros(3), np.zeros((3, 3)))
    single_precision = MassProperties(1.0, np.zeros(3), np.diag(np.float32([0.1, 0.2, 0.3])))
    for body in (plate, rod, point, single_precision):
        assert body.problems() == []


def test_mass_properties_cannot_be_changed():
    given_inertia = np.eye(3)
    body = MassProperties(1, [0, 0, 0], given_inertia)
    given_inertia[0, 0] = 5.0
    assert body.inertia[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        body.center[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        body.inertia[0, 0] = 1.0
    with pytest.raises(AttributeError):
        body.mass = 2.0


def test_wrong_shapes_are_refused():
    with pytest.raises(ValueError, match="three numbers"):
        MassProperties(1.0, [0.0, 0.0], np.eye(3))
    with pytest.raises(ValueError, match="3 x 3"):
        MassProperties(1.0, np.zeros(3), [1.0, 2.0, 3.0])


def test_equal_numbers_are_equal_bodies():
    a = MassProperties(1.0, [0.0, 0.0, 0.0], np.eye(3))
    b = MassProperties(1.0, [-0.0, 0.0, 0.0], np.eye(3))
    assert a == b
    assert hash(a) == hash(b)
    assert a != MassProperties(1.0, [0.0, 0.0, 1e-300], np.eye(3))
    assert a != 1.0
