# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joints of a model are evaluated together, in which stages, and which only by their own `motion`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby

from ..joints import Joint
from ..joints.primitives import Kind, Primitive
from ..joints.trusted import trusted_primitives
from ..model import Model
from .stages import Balls, Coordinates, Eulers, Motion, Placed, Slides, Stage, Turns


class JointLayout:
    """The stages of all joints, in order; `odd` lists the joints whose `motion` alone is known.

    It must not refer to the model: a plan lives as long as its model, and would keep it alive.
    slide: whether some coordinate moves its body's frame instead of only turning it. vary: whether some S depends on q.
    """

    def __init__(self, model: Model) -> None:
        self.size = model.body_count, model.dof_count
        self.odd: list[tuple[int, Joint, slice]] = []
        self.slide = self.vary = False
        groups: dict[tuple[int, int, int], list[Placed]] = defaultdict(list)
        for j, joint in enumerate(model.joints):
            listed = trusted_primitives(joint)
            if listed is None:
                self.odd.append((j, joint, model.columns(j)))
                self.slide = self.vary = True
                continue
            self.slide |= any(any(one.advance) for one in listed)
            self.vary |= len(listed) > 1 or any(one.kind != Kind.SCREW for one in listed)
            for position, placed in enumerate(_placed(j, int(model.dof[j]), listed)):
                slides = len(placed.primitives) if is_slide(placed.primitives[0]) else 0
                groups[(position, int(placed.primitives[0].kind), slides)].append(placed)
        self.stages: list[Stage] = []
        for (_, kind, slides), members in sorted(groups.items()):
            if kind == Kind.SCREW:
                self.stages.append(Slides(members) if slides else Turns(members))
            else:
                self.stages.append(Balls(members) if kind == Kind.BALL else Eulers(members))
        self._turns = self._only_turns()

    def _only_turns(self) -> tuple[Turns, Motion] | None:
        """The only stage if every joint is one turn, and what never changes: p without advances, S and Sdot."""
        if self.odd or len(self.stages) != 1:
            return None
        (only,) = self.stages
        if not isinstance(only, Turns) or len(only.joints) != self.size[0]:
            return None
        still = Motion.begun(*self.size)
        still.S[:, only.at] = only.S
        for constant in (still.p, still.S, still.Sdot):
            constant.setflags(write=False)
        return only, still

    def motion(self, given: Coordinates) -> Motion:
        """Q, S and Sdot of every joint."""
        if self._turns is not None:
            turns, still = self._turns
            R, p = turns.pose(given)
            return Motion(R, still.p if p is None else p, still.S, still.Sdot)
        motion = Motion.begun(*self.size)
        for stage in self.stages:
            stage.follow(motion, given)
        for j, joint, columns in self.odd:
            Q, S, Sdot = joint.motion(given.q[columns], given.qdot[columns], int(given.chart[j]))
            motion.R[:, :, j], motion.p[:, j] = Q[:3, :3], Q[:3, 3]
            motion.S[:, columns], motion.Sdot[:, columns] = S, Sdot
        return motion


def _placed(joint: int, start: int, listed: tuple[Primitive, ...]) -> Iterator[Placed]:
    """The primitives of a joint whose coordinates begin at `start`, sliders in a row as one."""
    column, divisor = start, 1
    for slides, run in groupby(listed, key=is_slide):
        primitives = tuple(run)
        for together in (primitives,) if slides else ((one,) for one in primitives):
            yield Placed(joint, start, column, together, divisor)
            column += sum(one.ndof for one in together)
            divisor *= together[0].chart_count


def is_slide(primitive: Primitive) -> bool:
    return primitive.kind == Kind.SCREW and not any(primitive.turn)
