# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds every problem of a scene at once, each with the element's name and a hint."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from .constraints import Constraint
from .drives import Drive
from .drives.pairing import pairing_problems
from .errors import ElementName, Problem
from .fields import Element, Unreadable, field_problems, specs
from .forces import Force
from .joints import Joint
from .joints.base import SIMULATED
from .registry import suggestion
from .scene import Body, Scene
from .strands import Strand
from .surfaces import HeightfieldSurface, MeshSurface, Surface, SurfacePair
from .surfaces.pairs import said_twice
from .topology import WORLD, Topology, find_cycle, spanning_forest
from .tracks import Sheet, Track

DEEPEST = 8
"""Elements inside each other that a scene may have: composites of composites, and the tables of their parts."""


SCENE = ElementName("scene")

LISTS: tuple[tuple[str, str, type[Element]], ...] = (
    ("tracks", "track", Track),
    ("sheets", "sheet", Sheet),
    ("bodies", "body", Body),
    ("joints", "joint", Joint),
    ("forces", "force", Force),
    ("constraints", "constraint", Constraint),
    ("strands", "strand", Strand),
    ("drives", "drive", Drive),
    ("surfaces", "surface", Surface),
    ("surface_pairs", "surface_pair", SurfacePair),
)
"""Lists of a scene, with what is in them; first what joints cannot be judged without."""


def find_problems(scene: Scene, incomplete: Iterable[Element] = ()) -> list[Problem]:
    """Every problem of a scene, in the order of its lists; an empty list means it compiles.

    incomplete: elements that lost values when they were read, so that nothing is concluded from
    what they do not say.
    """
    checker = _Checker(scene, {id(element) for element in incomplete})
    try:
        checker.run()
    except RecursionError:
        return [*checker.problems, Problem(SCENE, "is nested too deeply", "give a plain scene")]
    return checker.problems


@dataclass
class Links:
    """Names resolved to indices: both sides of every joint that has two sound sides."""

    joints: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    children: list[int] = field(default_factory=list)


def body_indices(scene: Scene) -> dict[str, int]:
    """Index of each body by name; the first of a repeated name."""
    indices: dict[str, int] = {}
    for index, body in enumerate(scene.bodies):
        if isinstance(body, Body) and isinstance(body.name, str):
            indices.setdefault(body.name, index)
    return indices


def resolve(scene: Scene) -> Links:
    """The joints whose parent and child exist."""
    indices = body_indices(scene)
    links = Links()
    for index, joint in enumerate(scene.joints):
        if not isinstance(joint, Joint) or not isinstance(joint.parent, (str, type(None))):
            continue
        parent = WORLD if joint.parent is None else indices.get(joint.parent)
        child = indices.get(joint.child) if isinstance(joint.child, str) else None
        if parent is not None and child is not None and parent != child:
            links.joints.append(index)
            links.parents.append(parent)
            links.children.append(child)
    return links


def has_mass(body: Body) -> bool:
    """True if the body's description gives it mass."""
    return bool(body.shapes) or (body.inertia is not None and body.inertia.mass > 0.0)


class _Checker:
    def __init__(self, scene: Scene, incomplete: set[int]) -> None:
        self.scene = scene
        self.incomplete = incomplete
        self.lost: set[str] = set()  # titles of lists with elements that could not be read
        self.misfit: set[int] = set()  # elements of which a field does not fit its declaration
        self.sound: set[int] = set()  # elements of which nothing is wrong, nor of what is inside them
        self.problems: list[Problem] = []

    def say(self, element: ElementName, what: str, hint: str, code: str = "unsound", field: str = "") -> None:
        self.problems.append(Problem(element, what, hint, code, field))

    def run(self) -> None:
        for fault in field_problems(self.scene):
            self.say(SCENE, *fault)
        if not all(isinstance(getattr(self.scene, name), (list, tuple)) for name, _, _ in LISTS):
            names = ", ".join(name for name, _, _ in LISTS)
            self.say(SCENE, f"one of {names} is not a list", "give lists, empty ones for none")
            return
        for name, title, base in LISTS:
            if title == "joint":
                self.resolve_joints()
            self.each(title, base, getattr(self.scene, name))
        lists = [(title, base, getattr(self.scene, name)) for name, title, base in LISTS]
        if not self.scene.bodies and not self.scene.strands:
            self.say(SCENE, "has no bodies", "add at least one body and a joint that carries it")
        self.references(lists)
        self.pairs()
        self.tree()

    def resolve_joints(self) -> None:
        """Let joints know the sound tracks and sheets that they refer to; nothing is concluded of a joint without."""
        known: dict[tuple[str, str], Element] = {}
        for title, elements in (("track", self.scene.tracks), ("sheet", self.scene.sheets)):
            known |= {(title, one.name): one for one in elements if id(one) in self.sound}
        joints = list(self.scene.joints)
        for k, joint in enumerate(joints):
            found = joint.resolved(lambda sort, name: known.get((sort, name))) if isinstance(joint, Joint) else joint
            if found is None or (found is not joint and id(joint) in self.incomplete):
                self.incomplete.add(id(found or joint))
            joints[k] = found or joint
        self.scene = replace(self.scene, joints=joints)

    def each(self, title: str, base: type[Element], elements: Sequence[Element]) -> None:
        """All elements of one sort, each for itself."""
        for index, element in enumerate(elements):
            if isinstance(element, base):
                before = len(self.problems)
                self.element(element, _label(title, element, index))
                if len(self.problems) == before and id(element) not in self.incomplete:
                    self.sound.add(id(element))
            elif isinstance(element, Unreadable):
                self.lost.add(title)
            else:
                self.say(ElementName(title, index=index), f"is {type(element).__name__}", f"give a {base.__name__}")
        self.unique_names(title, [e for e in elements if isinstance(e, base)])

    def element(self, element: Element, label: ElementName, ndof: int | None = None, depth: int = 0) -> None:
        """Fields first; what only the whole element can tell, and what is inside it, after."""
        if depth > DEEPEST:
            self.say(label, f"is nested more than {DEEPEST} deep", "list the innermost parts in the outermost element")
            return
        if isinstance(element, Joint):
            ndof = element.ndof
        before = len(self.problems)
        for fault in field_problems(element, ndof):
            self.say(label, *fault)
            self.misfit.add(id(element))
        for place, inner in element.children():
            self.element(inner, label.part(place.field, place.index), ndof, depth + 1)
        if len(self.problems) == before and id(element) not in self.incomplete:
            for found in element.problems():
                self.say(label, *found)

    def unique_names(self, title: str, elements: Sequence[Element]) -> None:
        names = [getattr(element, "name", None) for element in elements]
        for index, name in enumerate(names):
            if name == "":
                self.say(ElementName(title, index=index), "has an empty name", "give it a name")
        for name, count in Counter(name for name in names if isinstance(name, str) and name).items():
            if count > 1:
                what = f"is the name of {count} elements"
                self.say(ElementName(title, name), what, "give each its own name", "same_name")

    def references(self, lists: Sequence[tuple[str, type[Element], Sequence[Element]]]) -> None:
        known: dict[str, dict[str, None]] = {}  # in scene order
        for title, base, elements in lists:
            names = [getattr(element, "name", None) for element in elements if isinstance(element, base)]
            known[title] = {name: None for name in names if isinstance(name, str)}
        for title, base, elements in lists:
            for index, element in enumerate(elements):
                if not isinstance(element, base):
                    continue
                self.referred(element, _label(title, element, index), known)

    def referred(
        self, element: Element, label: ElementName, known: dict[str, dict[str, None]], shared: Sequence[str] = ()
    ) -> None:
        """Names that an element, and whatever is inside it, refers to; a part has none in the fields of the whole."""
        for name, spec in specs(type(element)).items():
            target = getattr(element, name)
            if name in shared or spec.sort != "reference" or not isinstance(target, str) or spec.refers_to in self.lost:
                continue
            if target not in known[spec.refers_to]:
                hint = suggestion(target, tuple(known[spec.refers_to])[:10], f"{spec.refers_to} names")
                code = "no_such_name"
                meant = target.lower() in ("world", "ground", "null", "none", "")
                if meant and spec.nullable and spec.refers_to == "body":
                    hint, code = "for the world write null, without quotes", "world_as_name"
                what = f"is '{target}', but there is no {spec.refers_to} of that name"
                self.say(label, what, hint, code, name)
        for name, spec in specs(type(element)).items():
            inside = getattr(element, name) if spec.sort in ("records", "elements") else ()
            for index, inner in enumerate(inside if isinstance(inside, (tuple, list)) else ()):
                if isinstance(inner, Element):
                    self.referred(inner, label.part(name, index), known, spec.shared)

    def pairs(self) -> None:
        """Two pairs about the same surfaces would contradict each other."""
        groups = {each.name: each.group for each in self.scene.surfaces if id(each) in self.sound}
        sound = [(k, pair) for k, pair in enumerate(self.scene.surface_pairs) if id(pair) in self.sound]
        for later, earlier in said_twice([pair for _, pair in sound], groups):
            (index, pair), other = sound[later], sound[earlier][1]
            groups_or = "groups" if pair.whole_groups else "surfaces"
            what = f"is about the same {groups_or} as '{other.name}'"
            self.say(_label("surface_pair", pair, index), what, "keep one of them", "same_pair")

    def tree(self) -> None:
        """Every body must hang from the world, and whatever can move must have mass."""
        bodies = self.scene.bodies
        links = resolve(self.scene)
        topology = spanning_forest(len(bodies), links.parents, links.children)
        sound_joints = len(links.joints) == len(self.scene.joints) and "joint" not in self.lost
        names_differ = len(body_indices(self.scene)) == len(bodies)
        if topology.unreached and sound_joints and names_differ and "body" not in self.lost:
            self.unreached(topology, links)
        self.massless(topology, links)
        if sound_joints and names_differ and "body" not in self.lost and not topology.unreached:
            self.closing(topology, links)
            self.meshes(topology, links)

    def meshes(self, topology: Topology, links: Links) -> None:
        """Meshes with dents can only be what no force moves."""
        moved = {WORLD: False}
        for link in topology.tree:
            joint = self.scene.joints[links.joints[link]]
            free = joint.motion_type == SIMULATED and joint.ndof > 0
            moved[links.children[link]] = moved[links.parents[link]] or free
        indices = body_indices(self.scene)
        for index, surface in enumerate(self.scene.surfaces):
            only_scenery = isinstance(surface, (MeshSurface, HeightfieldSurface))
            if only_scenery and moved.get(indices.get(surface.body or "", WORLD), False):
                called = "mesh" if isinstance(surface, MeshSurface) else "heightfield"
                plural = "meshes with dents" if isinstance(surface, MeshSurface) else "heightfields"
                self.say(
                    _label("surface", surface, index),
                    f"is a {called} on body '{surface.body}', which moves; {plural} can only be scenery",
                    "use a convex hull, convex pieces, or several surfaces of simple shapes on one body",
                    "moving_mesh",
                )

    def closing(self, topology: Topology, links: Links) -> None:
        """What acts on coordinates of joints that close loops; constraints need joints of the tree."""
        loops = {links.joints[link] for link in topology.loops}
        bodies = {body.name: body for body in self.scene.bodies if isinstance(body, Body)}
        for index in sorted(loops):
            joint = self.scene.joints[index]
            if id(joint) in self.incomplete or id(joint) in self.misfit:
                continue
            label = _label("joint", joint, index)
            if np.asarray(joint.qdot).any():
                self.say(
                    label,
                    "closes a loop, so that its start velocity follows from those of the others",
                    "give it to another joint of the loop, or list this one first so that another closes it",
                    "closes_a_loop",
                )
            child = bodies.get(joint.child)
            acted_on = joint.motion_type == SIMULATED and (joint.has_loads or bool(joint.hard_limits()))
            if acted_on and child is not None and not (self.unsure(child) or has_mass(child)):
                self.say(label, *too_light(joint.child))
        named = {k: j for k, j in enumerate(self.scene.joints) if isinstance(j, Joint) and isinstance(j.name, str)}
        joints = {joint.name: joint for joint in named.values()}
        closing = {named[index].name for index in loops if index in named}
        for index, constraint in enumerate(self.scene.constraints):
            if not isinstance(constraint, Constraint) or id(constraint) in self.incomplete | self.misfit:
                continue
            label = _label("constraint", constraint, index)
            fields = [name for name, spec in specs(type(constraint)).items() if spec.refers_to == "joint"]
            names = [getattr(constraint, name) for name in fields]
            unsure = self.incomplete | self.misfit
            if any(not isinstance(name, str) or id(joints.get(name)) in {id(None), *unsure} for name in names):
                continue
            for name in sorted(set(names) & closing):
                self.say(label, *_closes_a_loop(name))
            if names and all(joints[name].motion_type != SIMULATED for name in names):
                self.say(
                    label,
                    "refers to joints that are animated or locked, so that it cannot move them",
                    "make one of them simulated",
                )
            for what, hint in constraint.joint_problems(joints):
                self.say(label, what, hint)
        self.driven(joints, closing)

    def driven(self, joints: dict[str, Joint], closing: set[str]) -> None:
        """Drives need joints of the tree; all of them together say where these start."""
        labels: dict[int, ElementName] = {}
        sound: list[Drive] = []
        for index, drive in enumerate(self.scene.drives):
            names = drive.joint_names() if id(drive) in self.sound else ()
            if not names or any(id(joints.get(name)) not in self.sound for name in names):
                continue
            labels[id(drive)] = _label("drive", drive, index)
            for name in sorted(set(names) & closing):
                self.say(labels[id(drive)], *_closes_a_loop(name))
            if not set(names) & closing:
                sound.append(drive)
        for drive, what, hint in pairing_problems(sound, joints):
            self.say(labels[id(drive)], what, hint)

    def unreached(self, topology: Topology, links: Links) -> None:
        parent_of: list[int | None] = [None] * len(self.scene.bodies)
        for parent, child in zip(reversed(links.parents), reversed(links.children), strict=True):
            parent_of[child] = parent
        seen: set[int] = set()
        for body in topology.unreached:
            if parent_of[body] is None:
                self.say(
                    self.body_label(body),
                    "is not carried by any joint",
                    "add a joint with this body as its child, from another body or from the world (parent null)",
                    "not_carried",
                )
            if body in seen:
                continue
            cycle = find_cycle(body, parent_of)
            if cycle and seen.isdisjoint(cycle):
                names = [self.body_name(index) for index in reversed(cycle)]
                shown = names if len(names) <= 8 else [*names[:7], "..."]
                path = " -> ".join([*shown, names[0]])
                self.say(
                    self.body_label(cycle[-1]),
                    f"is part of a cycle that nothing holds: {path}",
                    "attach one of these bodies to the world with a joint; the cycle's last joint then closes a loop",
                    "held_by_nothing",
                )
            step: int | None = body
            while step is not None and step != WORLD and step not in seen:
                seen.add(step)
                step = parent_of[step]

    def massless(self, topology: Topology, links: Links) -> None:
        bodies = self.scene.bodies
        heavy = [not isinstance(body, Body) or self.unsure(body) or has_mass(body) for body in bodies]
        blamed = [False] * len(bodies)  # a moving part without mass is reported once, at its end
        for link in reversed(topology.tree):
            parent, child = links.parents[link], links.children[link]
            joint = self.scene.joints[links.joints[link]]
            if not heavy[child] and not blamed[child] and joint.ndof > 0:
                blamed[child] = True
                self.say(
                    self.body_label(child),
                    f"can move (joint '{joint.name}') but neither it nor anything it carries has mass",
                    "give it a shape with a density, or an inertia",
                )
            if parent != WORLD:
                heavy[parent] |= heavy[child]
                blamed[parent] |= blamed[child]

    def unsure(self, body: Body) -> bool:
        """True where the mass is already reported as unreadable."""
        return id(body) in self.incomplete or id(body) in self.misfit or id(body.inertia) in self.misfit

    def body_name(self, index: int) -> str:
        return str(getattr(self.scene.bodies[index], "name", index))

    def body_label(self, index: int) -> ElementName:
        return _label("body", self.scene.bodies[index], index)


def too_light(child: str) -> tuple[str, str]:
    """What is wrong with a joint that closes a loop and has something acting on it, and what helps."""
    return (
        f"closes a loop, and body '{child}' has too little mass for torques, springs, dampers and limits to act on it",
        "give the body mass and inertia, or list this joint first so that another closes the loop",
    )


def _closes_a_loop(joint: str) -> tuple[str, str]:
    return (
        f"refers to joint '{joint}', which closes a loop, so that nothing else can refer to its coordinates",
        "list that joint before the others of its loop, so that another one closes it",
    )


def _label(title: str, element: Element, index: int) -> ElementName:
    name = getattr(element, "name", None)
    return ElementName(title, name) if isinstance(name, str) and name else ElementName(title, index=index)
