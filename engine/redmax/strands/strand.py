# SPDX-License-Identifier: GPL-3.0-or-later
"""A strand as a scene describes it, and where its nodes are in a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array, IntArray
from ..fields import Element, Vector, array, flag, integer, number, records, reference, text


@dataclass(frozen=True, kw_only=True)
class Attachment(Element):
    """A node that is fixed to a body, or to the world, where it stands at the start."""

    node: int = integer(doc="Which node, counted from 0", minimum=0)
    body: str | None = reference(
        doc="Body the node is fixed to, or null for the world",
        plain="Body the node is fixed to; empty for the world",
        refers_to="body",
        nullable=True,
    )


@dataclass(frozen=True, kw_only=True)
class Strand(Element):
    """Masses at nodes with springs from node to node; some nodes are fixed to bodies. Source: RBDN section 2.7."""

    label: ClassVar[str] = "Strand"
    summary: ClassVar[str] = "A rope or thread of masses and springs; some of its points are fixed to bodies"
    icon: ClassVar[str] = "CURVE_DATA"

    name: str = text(doc="Name of the strand, unique among strands")
    nodes: Vector = array(
        doc="Nodes in order, where they are in the world at the start", shape=(None, 3), unit="m", frame="world"
    )
    mass: float = number(
        0.0, doc="Mass of the whole strand, spread over the nodes by rest length", unit="kg", minimum=0.0
    )
    node_masses: Vector = array(
        None, doc="Mass of each node instead", shape=(None,), unit="kg", nullable=True, positive=True
    )
    stiffness: float = number(
        doc="Tension per strain, whatever the number of nodes: Young's modulus times cross section",
        unit="N",
        minimum=0.0,
    )
    damping: float = number(0.0, doc="Tension per rate of strain", unit="N s", minimum=0.0)
    rest_lengths: Vector = array(
        None,
        doc="Length of each segment without tension; null for those at the start",
        plain="Length of each segment without tension; without them those at the start",
        shape=(None,),
        unit="m",
        positive=True,
        nullable=True,
    )
    pulls_only: bool = flag(False, doc="Segments pull but do not push, like a rope")
    drag: float = number(0.0, doc="Viscous damping of every node's velocity", unit="N s/m", minimum=0.0)
    velocities: Vector = array(
        None,
        doc="Velocities of the nodes at the start; null for rest",
        plain="Velocities of the nodes at the start",
        shape=(None, 3),
        unit="m/s",
        nullable=True,
    )
    attachments: tuple[Attachment, ...] = records(Attachment, (), doc="Nodes that are fixed to bodies or to the world")

    def problems(self) -> Iterator[tuple[str, str]]:
        count = len(self.nodes)
        if count < 2:
            yield f"has {count} node", "give at least two nodes"
            return
        for name, wanted in (("node_masses", count), ("rest_lengths", count - 1), ("velocities", count)):
            values = getattr(self, name)
            if values is not None and len(values) != wanted:
                yield f"has {len(values)} {name} for {count} nodes", f"give {wanted}"
        if self.rest_lengths is None:
            gaps = np.linalg.norm(np.diff(np.asarray(self.nodes, np.float64), axis=0), axis=1)
            for k in np.flatnonzero(gaps <= 1e-12).tolist():
                yield f"nodes {k} and {k + 1} coincide, so that their segment has no length", "move them apart"
        if (self.mass > 0.0) == (self.node_masses is not None):
            yield "has no mass" if self.node_masses is None else "has both mass and node_masses", "give one of them"
        taken: set[int] = set()
        for attachment in self.attachments:
            if attachment.node >= count:
                yield f"attaches node {attachment.node}", f"its nodes are 0 to {count - 1}"
            elif attachment.node in taken:
                yield f"attaches node {attachment.node} twice", "attach a node to one body"
            taken.add(attachment.node)

    def lengths(self) -> Array:
        """(n - 1,) rest lengths [m]."""
        if self.rest_lengths is not None:
            return np.asarray(self.rest_lengths, np.float64)
        return np.asarray(np.linalg.norm(np.diff(np.asarray(self.nodes, np.float64), axis=0), axis=1))

    def masses(self) -> Array:
        """(n,) of the nodes [kg]: half of either neighbouring segment's, or as given."""
        if self.node_masses is not None:
            return np.asarray(self.node_masses, np.float64)
        lengths = self.lengths()
        masses = np.zeros(len(lengths) + 1)
        masses[:-1] += lengths
        masses[1:] += lengths
        return np.asarray(0.5 * float(self.mass) / lengths.sum() * masses)


@dataclass(frozen=True, eq=False)
class BoundStrand:
    """A strand of a model. owners: (n,) body of each node, -1 for the world; x: (n, 3) nodes in described frames."""

    name: str
    owners: IntArray
    x: Array

    def positions(self, E_wb: Array) -> Array:
        """(n, 3) in the world, from the poses (.., 4, 4) of all described frames."""
        E = np.concatenate([E_wb, np.eye(4)[None]])[self.owners]
        return np.asarray((E[:, :3, :3] @ self.x[:, :, None])[:, :, 0] + E[:, :3, 3])
