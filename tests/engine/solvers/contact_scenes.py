# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact problems of one time step from small rigid-body scenes, written without the engine's dynamics.

Bodies have six coordinates, angular velocity and velocity of the centre in the world's axes; trees of hinges are
bodies with J^T M J. A step without impulses gives v + h g; contacts ask for G v >= -gap / h.
"""

from __future__ import annotations

import numpy as np

from redmax.solvers.contact import layout as at
from redmax.solvers.contact.problem import Problem

UP = np.array([0.0, 0.0, 1.0])
GRAVITY = 9.81


def box_mass(mass, half):
    x, y, z = np.square(np.asarray(half, float)) / 3.0
    return np.diag([mass * (y + z), mass * (x + z), mass * (x + y), mass, mass, mass])


def frame_of(normal):
    """Normal and two tangents, as rows."""
    normal = np.asarray(normal, float) / np.linalg.norm(normal)
    other = np.eye(3)[np.argmin(np.abs(normal))]
    first = np.cross(normal, other)
    first /= np.linalg.norm(first)
    return np.array([normal, first, np.cross(normal, first)])


def point_rows(centre, point, axes, *, spins=0):
    """Velocity of a body's point along axes, on its six coordinates; then angular velocity about the first `spins`
    axes."""
    arm = np.asarray(point, float) - centre
    rows = [np.concatenate((np.cross(arm, axis), axis)) for axis in axes]
    return np.array(rows + [np.concatenate((axis, np.zeros(3))) for axis in axes[:spins]])


class Scene:
    """Trees with a map J from their coordinates to the twists of their bodies; single bodies are trees of one."""

    def __init__(self, h=1e-2, gravity=GRAVITY):
        self.h, self.gravity = h, gravity
        self.bodies, self.masses, self.v, self.contacts = [], [], [], []

    def body(self, mass, half, centre, velocity=(0.0,) * 6):
        return self.tree([box_mass(mass, half)], [centre], np.eye(6), velocity)[0]

    def tree(self, masses, centres, J, velocity=None):
        """J: (6 bodies, n). Returns numbers of the bodies."""
        tree, n = len(self.masses), J.shape[1]
        total = np.zeros((6 * len(masses), 6 * len(masses)))
        for k, mass in enumerate(masses):
            total[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = mass
        M = J.T @ total @ J
        v = np.zeros(n) if velocity is None else np.array(velocity, float)
        weight = np.zeros(6 * len(masses))
        weight[5::6] = [-self.gravity * mass[5, 5] for mass in masses]
        self.masses.append(M)
        self.v.append(v + self.h * np.linalg.solve(M, J.T @ weight))
        first = len(self.bodies)
        self.bodies += [(tree, np.array(c, float), J[6 * k : 6 * k + 6]) for k, c in enumerate(centres)]
        return list(range(first, len(self.bodies)))

    def rows(self, a, b, point, axes, *, spins=0):
        """Parts of rows by which a moves at `point` relative to b (None: the world) along axes."""
        parts = {}
        for body, sign in ((a, 1.0), (b, -1.0)):
            if body is not None:
                tree, centre, J = self.bodies[body]
                parts[tree] = parts.get(tree, 0.0) + sign * point_rows(centre, point, axes, spins=spins) @ J
        return sorted(parts.items())

    def contact(
        self, a, b, point, normal=UP, *, mu=0.5, gap=0.0, torsional=None, rolling=None, restitution=0.0, speed=None
    ):
        """normal: from b to a."""
        axes = frame_of(normal)
        parts = self.rows(a, b, point, axes, spins=3)
        keep = [0, 1, 2] + ([3] if torsional is not None else []) + ([4, 5] if rolling is not None else [])
        bias = np.zeros(len(keep))
        bias[0] = -gap / self.h if speed is None else speed
        friction = (mu, torsional or 0.0, rolling or 0.0)
        self.contacts.append(
            (at.CONTACT, [(t, v[keep]) for t, v in parts], bias, {"friction": friction, "restitution": restitution})
        )

    def add(self, kind, parts, bias=0.0, **given):
        self.contacts.append((kind, parts, bias, given))

    def problem(self):
        problem = Problem(self.masses, np.concatenate(self.v))
        for kind, parts, bias, given in self.contacts:
            problem.add(kind, parts, bias, **given)
        return problem


def corners(centre, half, z):
    return [np.array([centre[0] + sx * half[0], centre[1] + sy * half[1], z]) for sx in (-1, 1) for sy in (-1, 1)]


def slope_block(angle, mu, h=1e-2, speed=0.0, size=0.1):
    """A flat block on a slope; axes of the slope, so that gravity is tilted. Coordinates: w, v with x down the
    slope."""
    scene = Scene(h, 0.0)
    half = size * np.array([1.0, 1.0, 0.25])
    body = scene.body(1.0, half, [0, 0, half[2]], [0, 0, 0, speed, 0, 0])
    scene.v[0] = scene.v[0] + h * GRAVITY * np.array([0, 0, 0, np.sin(angle), 0, -np.cos(angle)])
    for point in corners([0, 0], half, 0.0):
        scene.contact(body, None, point, mu=mu)
    return scene


def stack(n, mass=lambda k: 1.0, half=(0.5, 0.5, 0.5), h=1e-2, mu=0.5, gravity=GRAVITY):
    scene = Scene(h, gravity)
    below = None
    for k in range(n):
        body = scene.body(mass(k), half, [0, 0, (2 * k + 1) * half[2]])
        for point in corners([0, 0], half, 2 * k * half[2]):
            scene.contact(body, below, point, mu=mu)
        below = body
    return scene


def pyramid(rows, h=1e-2, mu=0.5):
    """rows (rows + 1) / 2 boxes, each on two."""
    scene, half = Scene(h), np.array([0.5, 0.5, 0.5])
    under = []
    for r in range(rows):
        layer = []
        for k in range(rows - r):
            centre = np.array([k * 1.1 + r * 0.55, 0.0, 0.5 + r])
            body = scene.body(1.0, half, centre)
            if r == 0:
                for point in corners(centre, half, 0.0):
                    scene.contact(body, None, point, mu=mu)
            for below in under[k : k + 2] if r else []:
                other = scene.bodies[below][1]
                left, right = max(centre[0], other[0]) - 0.5, min(centre[0], other[0]) + 0.5
                for x in (left, right):
                    for y in (-0.5, 0.5):
                        scene.contact(body, below, [x, y, float(r)], mu=mu)
            layer.append(body)
        under = layer
    return scene


def chain_jacobian(centres, joints, axes, parents):
    """Six coordinates of the first body, then a hinge for each other body; (6 bodies, 5 + bodies)."""
    n = len(centres)
    J = np.zeros((6 * n, 5 + n))
    for k in range(n):
        J[6 * k : 6 * k + 3, :3] = np.eye(3)
        J[6 * k + 3 : 6 * k + 6, 3:6] = np.eye(3)
        arm = centres[k] - centres[0]
        J[6 * k + 3 : 6 * k + 6, :3] = -np.array([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]])
        link = k
        while link > 0:
            axis = axes[link]
            J[6 * k : 6 * k + 3, 5 + link] = axis
            J[6 * k + 3 : 6 * k + 6, 5 + link] = np.cross(axis, centres[k] - joints[link])
            link = parents[link]
    return J


def chain_on_ground(n=20, h=1e-2, mu=0.5, axis=(0.0, 1.0, 0.0), velocity=None):
    """n links of a chain that lies straight on the ground, four corners of each touching."""
    half = np.array([0.25, 0.05, 0.05])
    centres = [np.array([0.5 * k, 0.0, 0.05]) for k in range(n)]
    joints = [c - np.array([0.25, 0.0, 0.0]) for c in centres]
    J = chain_jacobian(centres, joints, [np.array(axis)] * n, [k - 1 for k in range(n)])
    scene = Scene(h)
    bodies = scene.tree([box_mass(1.0, half)] * n, centres, J, velocity)
    for body, centre in zip(bodies, centres, strict=True):
        for point in corners(centre, half, 0.0):
            scene.contact(body, None, point, mu=mu)
    return scene


def four_bar_on_ground(h=1e-2, mu=0.5):
    """A frame of four bars with hinges about y, standing on the ground bar; its loop is closed by five rows of which
    three are redundant, and slightly wrong."""
    centres = [np.array(c, float) for c in ([0, 0, 0.05], [-0.5, 0, 0.5], [0, 0, 0.95], [0.5, 0, 0.5])]
    joints = [None, np.array([-0.5, 0, 0.05]), np.array([-0.5, 0, 0.95]), np.array([0.5, 0, 0.95])]
    axis = np.array([0.0, 1.0, 0.0])
    J = chain_jacobian(centres, joints, [axis] * 4, [-1, 0, 1, 2])
    scene = Scene(h)
    halves = [(0.5, 0.1, 0.05), (0.05, 0.1, 0.45), (0.5, 0.1, 0.05), (0.05, 0.1, 0.45)]
    bodies = scene.tree([box_mass(1.0, half) for half in halves], centres, J)
    for point in corners([0, 0], halves[0], 0.0):
        scene.contact(bodies[0], None, point, mu=mu)
    pin = np.array([0.5, 0, 0.05])
    points = scene.rows(bodies[3], bodies[0], pin, np.eye(3), spins=3)
    tree, rows = points[0]
    rows = rows[[0, 1, 2, 3, 5]]
    scene.add(at.EQUATION, [(tree, rows)], 1e-9 * np.array([1.0, -2.0, 0.5, 1.0, -1.0]))
    return scene


def random_trees(seed, trees=10, bodies=8, contacts=4, h=1e-2, mu=0.6):
    """Trees of random hinges in a heap; each body touches the ground or a body of another tree in random points."""
    rng = np.random.default_rng(seed)
    scene, links = Scene(h), []
    for _ in range(trees):
        n = int(rng.integers(2, bodies + 1))
        parents = [-1] + [int(rng.integers(0, k)) for k in range(1, n)]
        centres = [rng.uniform(-1, 1, 3) * [1, 1, 0.3] + [0, 0, rng.uniform(0, 2)]]
        joints = [None]
        for k in range(1, n):
            centres.append(centres[parents[k]] + rng.uniform(-0.4, 0.4, 3))
            joints.append(0.5 * (centres[k] + centres[parents[k]]))
        axes = [frame_of(rng.standard_normal(3))[0] for _ in range(n)]
        J = chain_jacobian(np.array(centres), joints, axes, parents)
        masses = [box_mass(10.0 ** rng.uniform(-1, 1), rng.uniform(0.05, 0.2, 3)) for _ in range(n)]
        links.append(scene.tree(masses, centres, J, rng.standard_normal(5 + n)))
    for t, group in enumerate(links):
        for _ in range(contacts):
            body = int(rng.choice(group))
            other = None if t == 0 or rng.random() < 0.3 else int(rng.choice(links[int(rng.integers(0, t))]))
            for _ in range(int(rng.integers(1, 5))):
                point = scene.bodies[body][1] + rng.uniform(-0.2, 0.2, 3)
                normal = UP + rng.uniform(-0.7, 0.7, 3)
                scene.contact(
                    body, other, point, normal, mu=mu * rng.random() * 2, gap=max(rng.uniform(-0.01, 0.02), 0.0)
                )
    return scene
