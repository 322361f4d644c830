# SPDX-License-Identifier: GPL-3.0-or-later
"""The memory layout of a packed model: one array of integers and one of numbers, each a row of sections.

A call from Python pays for every array it hands over, and the numbers of a body are read together: so there are two
arrays, with one line for each body, joint part, coordinate and so on. This is the only place that says what stands
where. Kernels read fields as constants (`Body.R0`) and sections by name (`views.rows_of(ints, floats).bodies`);
`arrays.assembled` puts a new model together, `arrays.Sections` shows one to numpy.

A new section is a line in `INTS` or `FLOATS`, with a record of its own if its lines have fields and a count in `Head`
if its length depends on nothing that is there already. `packing` gives what stands in it at first; else it is zero.
"""

from __future__ import annotations

from .records import Record, Section

# --- integers ----------------------------------------------------------------------------------

Head = Record(
    "Head",
    BODIES=1, PARTS=1, JOINT_DATA=1, TABLES=1, POOL=1, PRESCRIBED=1, SLOTS=1,
    HAS_LOADS=1, HAS_BODY_DAMPING=1,
    INTS=1, FLOATS=1,
    DOFS=1, ROWS=1, FORCES=1, FORCE_POINTS=1, ALL_ROWS=1, PATHS=1,
    IS_PLANAR=1, EQUATIONS=1, STOPS=1, MOTORS=1, OWN_EQUATIONS=1, DRIVEN=1, FOLLOWERS=1, FOLLOWED=1, LED=1,
    ROWS_FUNCTION=1, BEARINGS=1, BEARINGS_FUNCTION=1,
)  # fmt: skip
"""Counts, and what is known of the whole model. PARTS: of joints. JOINT_DATA: numbers that joints' functions read.
POOL: numbers in the pool. PRESCRIBED: coordinates of animated and locked joints. SLOTS: charts of joints that have
several. HAS_LOADS: something acts on coordinates. INTS, FLOATS: lengths of the two arrays. ROWS: rows that can be
solved for at once. ALL_ROWS: those, redundant ones and directions; see `RowBodies`. PATHS: integers of their paths, at
most. IS_PLANAR: `planar` computes its accelerations. EQUATIONS: rows that always hold. STOPS: one-sided
rows. MOTORS: joints with a motor. OWN_EQUATIONS: EQUATIONS if each is about one coordinate, which no other is about,
and no joint is prescribed or driven; else 0. DRIVEN: rows of drives, the first of all. FOLLOWERS: coordinates that
drives move. FOLLOWED: coordinates that they and rows of drives depend on, each as often as it is named.
LED: see `Led`. ROWS_FUNCTION: address of `rows.compute_rows`, which a tree puts there; 0 without rows. BEARINGS:
those that rub. BEARINGS_FUNCTION: address of `bearings.compute_bearings`; 0 without any."""

Link = Record(
    "Link", PARENT=1, DOF=1, NDOF=1, FIRST=1, LAST=1, PRESCRIBED=1, MODE=1, ROLE=1, SINGULAR=1, TWIST=1
)  # fmt: skip
"""Of a body: its parent body or -1; the first coordinate of its joint and how many there are; parts FIRST : LAST of its
joint; whether its joint is animated or locked; `codes` of how the joint is computed and of the body's place in the
tree; whether its coordinates have singularities; where in the joints' data its `Twist` begins, or -1."""

Part = Record(
    "Part", EVALUATE=1, RECENTRE=1, REWRITE=1, COORDINATE=1, NDOF=1, SLOT=1, DATA=1, COUNT=1, REWRITTEN=1
)  # fmt: skip
"""Of a joint: addresses of its functions (`joints.functions`), 0 for those that are not needed; its first coordinate
and how many it has; which of the charts is its own, or -1; where in the joints' data its numbers begin, and how many
there are; whether loads are meant in coordinates that may be written otherwise."""

Table = Record("Table", KIND=1, DOF=1, COLUMNS=1, POINTS=1, START=1)
"""Kind (`codes`); first coordinate it is about; columns; points; where in the pool its points begin, and after them the
polynomials of its pieces."""

RowBodies = Record(
    "RowBodies",
    KIND=1, BODY_A=1, BODY_B=1, OWNER=1, COORDINATE_A=1, COORDINATE_B=1, TARGET=1, TABLE=1, COLUMN=1,
    METRES=1, NUMBER=1, FUNCTION=1, DATA=1, COUNT=1, FOLLOWED=1, POSED=1,
)  # fmt: skip
"""Of a row: kind (`codes`); the bodies it acts on, -1 for the world; its owner, see `constraint_rows.element_names`.
COORDINATE_A, COORDINATE_B: of a COORDINATE row, -1 for none; BODY_A and BODY_B are what these coordinates carry.
TARGET: what a table prescribes (`codes`), with the row of the table and its column, or -1. METRES: whether its error
is a distance. NUMBER: its place among all rows of the model's constraints, -1 for a row of a loop. FUNCTION, DATA,
COUNT: of a FUNCTION row, address of its function, where in the pool its numbers begin and how many there are; one that
is told the coordinates of a joint has the first of them in COORDINATE_A, their number in COORDINATE_B, and in FOLLOWED
one more than the place of its chart, 0 without any.
FOLLOWED, COUNT, DATA, TABLE: of a FOLLOWER row, as in `Follower`; COORDINATE_A is the one that follows. POSED: whether
a COORDINATE row is on a coordinate that is not free, because a drive moves it.

The first `Head.EQUATIONS` always hold. Then come one-sided rows, up to `Head.ROWS`. Then come redundant rows, which
follow from the equations at any pose and are evaluated where a run begins and in samples. Last, as AXIS rows, come axes
that must not point in opposite directions: their error is near 1."""

Follower = Record("Follower", COORDINATE=1, FOLLOWED=1, COUNT=1, TABLE=1, DATA=1)
"""A coordinate that a drive moves; where in the section `followed` the coordinates begin that it depends on, and how
many there are; row of its table, or -1; where in the pool its `FollowerNumbers` begin."""

Led = Record("Led", INPUT=1, BODY=1, COORDINATE=1)
"""An input of a drive that has no inertia, the body that its joint carries, and a coordinate that it is computed from;
see `LedNumbers`."""

Active = Record("Active", ROWS=1, PATHS_KNOWN=1, LOCKS=1)
"""How many rows are solved for at present: the first of the section `order`. Whether `paths` are theirs. How many
coordinates stops hold by themselves, see `steps.stops`. All change during a run."""

StopInts = Record("StopInts", STATE=1, ORDER=1, KIND=1, HELD=1)
"""Integers of every row for `steps.stops`: work space of `solvers.box_rows` and `solvers.impacts`, by place; and
whether a one-sided row holds, by row."""

Path = Record("Path", FIRST_RANGE=1, JOINING=1, PASSING=1)
"""Of a body: its first range of wrenches, as pairs (first, count) after the records of all bodies; how many ranges are
of rows whose two paths to the root join here, and after them how many of paths that pass. Path i of m rows is that of
row i from body A, and from both bodies once they have joined; path m + i is that from body B. The world has no path."""

Force = Record("Force", FORMULA=1, POINTS=1, FIRST_POINT=1, START=1, TABLE=1)
"""Formula (`forces.base.Formula`); how many points it has and which is the first; where in the pool its numbers begin:
a `ForceWork`, then three of each point in the body's joint frame, then its constants; row of its table or -1."""

Bearing = Record("Bearing", KIND=1, BODY=1, FIRST=1)
"""Of a bearing that rubs: `joints.friction.BearingKind`, the body that its joint carries, and the first coordinate that
moves it."""

BearingInts = Record("BearingInts", STATE=1, ORDER=1, STANDING=1)
"""Integers of bearings for `bearings.sharing`: work space of `solvers.box_rows`, and which bearings stand."""

MOST_SECTIONS = 72
"""Room for the starts of all sections."""

INTS = (
    Section("head", (Head,)),
    Section("starts", (MOST_SECTIONS,)),
    Section("links", ("BODIES", Link), as_array=True),
    Section("parts", ("PARTS", Part)),
    Section("tables", ("TABLES", Table), as_array=True),
    Section("prescribed", ("PRESCRIBED",), as_array=True),
    Section("row_bodies", ("ALL_ROWS", RowBodies)),
    Section("paths", ("PATHS",)),
    Section("forces", ("FORCES", Force)),
    Section("force_points", ("FORCE_POINTS",)),
    Section("followers", ("FOLLOWERS", Follower)),
    Section("followed", ("FOLLOWED",)),
    Section("led", ("LED", Led)),
    Section("bearings", ("BEARINGS", Bearing)),
    Section("charts", ("SLOTS",), as_array=True),
    Section("active", (Active,), as_array=True),
    Section("path_work", (2, "BODIES"), only_with="ROWS"),
    Section("order", ("ALL_ROWS",), as_array=True),
    Section("stop_ints", (StopInts, "ROWS"), only_with="STOPS", as_array=True),
    Section("bearing_ints", (BearingInts, "BEARINGS"), as_array=True),
)
"""starts: where each section begins, those of `INTS` first. prescribed: indices of prescribed coordinates. paths: a
`Path` per body, then their ranges; empty without rows. force_points: the body of each point. path_work: for
`path_ranges`. order: which row stands at each place; only the places of one-sided rows change. Results of rows
(`row_work`) stand by place, all else of them by row."""

# --- numbers that stay as they are -------------------------------------------------------------

Body = Record(
    "Body", R0=9, P0=3, MASS=1, MOMENT=3, INERTIA=6, CENTER=3, DAMPING=1, R_JB=9, P_JB=3, TILT=9, UNUSED=1
)  # fmt: skip
"""Joint frame at q = 0 in the parent's joint frame; mass, mass times centre, and inertia xx xy xz yy yz zz about the
joint frame's origin, in the joint frame; centre of mass; damping; described frame in the joint frame. TILT: rotation of
the joint frame that kernels use in the model's, which brings a hinge's axis to z."""

FollowerNumbers = Record("FollowerNumbers", OFFSET=1, START=1)
"""Of q = OFFSET + f(x), x = START + sum of ratios times coordinates, with f a table or x itself. After these come the
ratios, and of a FOLLOWER row the derivatives of its error by the coordinates. They stand in the pool."""

LedNumbers = Record("LedNumbers", FACTOR=1, OFFSET=1)
"""An input of a drive that has no inertia is the sum of FACTOR (q - OFFSET) over the coordinates of its `Led`s, which
elimination can do without: what acts along it acts along these coordinates, and rows are on them."""

Twist = Record("Twist", K0=9, K1=9, K2=9, TURN=3, ADVANCE=3, STEP=3)
"""Of a joint with one coordinate and a constant twist (TURN, ADVANCE): R = K0 + cos(q) K1 + sin(q) K2 in the parent's
joint frame, and p grows by STEP per unit of q. It stands among the joints' data."""

Dof = Record(
    "Dof",
    TORQUE=1, STIFFNESS=1, REST=1, DAMPING=1, LOWER=1, UPPER=1, LIMIT_STIFFNESS=1, LIMIT_DAMPING=1,
    TARGET=1, TARGET_RATE=1, POSITION_GAIN=1, SPEED_GAIN=1, MAXIMUM=1,
)  # fmt: skip
"""What acts along a coordinate: constant torque or force, spring with its rest, damper, soft limits; a motor, as
`joints.motor.MotorNumbers` has it."""

RowVectors = Record("RowVectors", NORMAL=3, POINT_A=3, POINT_B=3, RESTITUTION=1)
RowVectors.or_else(AXIS_A=3, AXIS_B=3)
RowVectors.or_else(FACTOR_A=1, FACTOR_B=1, OFFSET=1)
RowVectors.or_else(DIRECTION=3, PLACE=3, IS_TURN=1)
RowVectors.or_else(FRAME_A=9, _RESTITUTION=1, FRAME_B=9, SHAPE=3, LIMIT=1)
"""Of a POINT, AXIS, COORDINATE, COMPONENT or TURN_LIMIT row (`codes`), in the joint frames of its bodies. RESTITUTION:
of all rows, the part of the speed that an impact on a one-sided row gives back. SHAPE, LIMIT: `spatial.swing_twist`."""

BearingNumbers = Record("BearingNumbers", COEFFICIENT=1, RADIUS=1, HEIGHT=1, SIDES=3, LITTLE=1)
"""Of a bearing: as `joints.friction.Friction` has them; LITTLE: a load that counts for nothing [N]."""

# --- work space --------------------------------------------------------------------------------

World = Record(
    "World",
    GRAVITY=3, POWER_IN=1, POWER_OUT=1, TURN_RATE=1, RANK=1, FORCES_IN=1, FORCES_OUT=1, FORCES_ENERGY=1,
    LEAST_STRENGTH=1, WEAKEST_ROW=1, MOST_STRENGTH=1, IMPACT_LOSS=1, IMPACT_WORK=1, EXTENT=1, RATTLES=1,
    CLOSENESS=1, LEAST_CLOSENESS=1, FASTEST=1, HAS_TANGENT=1, HELD_LINES=1, CHOICE=1,
    PUSH_SIZE=1, BLOCKED_ROW=1, ONE_ROW=1, JAMMED=1, RUBBING_POWER=1, FRICTION_PART=1, FRICTION_RATIO=1,
)  # fmt: skip
"""Gravity [m/s^2]; what `core.compute` leaves: powers of motors and dampers [W], the fastest turn [rad/s], the number
of independent rows, powers [W] and energy [J] of forces. The strength of a row is the part of it that no other row has,
squared, relative to its `RowWork.BOUND`; each factorisation has a weakest row, of whose strengths the least and the
largest since they were read last are here, and the row of the least. IMPACT_LOSS, IMPACT_WORK: energy [J] lost and put
in by motors in the impacts of the last call of `steps.stops`. EXTENT: size of the mechanism then [m]. RATTLES: more
than 0 where impacts must not bounce, see `impacts.SETTLING`. CLOSENESS: the least pivot of any row, as part of its
reference (`row_references`); LEAST_CLOSENESS: the same over all factorisations since it was set to infinity. In
singular poses, FASTEST: the largest rate of any body so far [1/s]; HAS_TANGENT: whether `NearVector.TANGENT` is known;
HELD_LINES: what `tasks.TANGENT_BASIS` found; CHOICE: what had to be chosen, see `codes`. PUSH_SIZE: what the forces on
rows that touched then were like, each as the acceleration it gives over the root of its row's diagonal entry in G M^-1
G^T.
BLOCKED_ROW: one that something moves on against in the last impact, where there was such a row. ONE_ROW: a place, see
`tasks`. JAMMED: one more than the place of a bearing whose friction has no value, 0 without any;
RUBBING_POWER: what friction in bearings takes out [W]; FRICTION_PART: it is found to this part of itself;
FRICTION_RATIO: what is left of an error of friction after one more round, as seen of late."""

Work = Record("Work", R=9, P=3, V=6, C=6, G=3, BIAS=6, IA=21, PA=6, ACC=6, F=6)
"""Of a body: pose in its parent; twist; velocity products (C in the body's axes, G in the parent's); wrench that its
motion needs; what its children give: articulated inertia (6 angular, 9 mixed, 6 linear) and bias wrench; acceleration
less gravity; wrench of its joint. The world's acceleration is minus gravity."""

Column = Record("Column", S=6, U=6, D=1, TAU=3)
Column.or_else(_BEFORE=14, PUSH=1, PUSH_SIZE=1)
"""Of a coordinate: column of S, its articulated column U = IA S, one over its inertia, force less bias. A ball keeps
all three forces in its first column. PUSH: the force that holds a coordinate of infinite armature, which is a sum of
terms of about PUSH_SIZE."""

Vector = Record(
    "Vector",
    OWN_Q=1, OWN_QDOT=1, LOAD=1, LOAD_K=1, LOAD_D=1, ARMATURE=1, FORCE=1, START=1, RIGHT_SIDE=1,
    TARGET=1, TARGET_RATE=1, MOTOR=1, DRIVE=1, RUBBING=1, UNRUBBED=1, KEPT_LOAD=1, KEPT_DRIVE=1,
    FRICTION=1, APPLIED=1, PUSH=1, SHARE=1,
)  # fmt: skip
"""Vectors over all coordinates: those in which loads are meant, and their velocities; loads and their derivatives; what
is added to a coordinate's inertia; the whole force along it; where it starts; right side of an implicit solve; targets
of motors now with their rates, and what motors push with; what drives push with, where whole forces are known.
RUBBING: friction in bearings, and what holds those that stick; UNRUBBED: the whole force without it. KEPT_LOAD,
KEPT_DRIVE: as loads left them, see `bearings.compute_bearings`; FRICTION: forces of bearings that do not hold their
coordinate; APPLIED: what acts along coordinates besides bearings; PUSH, SHARE: see `bearings.corrections`."""

EVALUATED = 16 + 2 * 6 * 6
"""Numbers of Q (4, 4), S and Sdot (6, n) of a joint, at most."""

JointWork = Record("JointWork", RESULT=EVALUATED, PRESENT=EVALUATED, LIKE=6, B=36)
"""Of one joint at a time: what its function gives, Q (4, 4), S and Sdot (6, n); the same in other coordinates; rest of
its coordinates; derivative of one set of coordinates by the other."""

Pose = Record("Pose", R=9, P=3)
"""Rotation and position in the world."""

RowWork = Record(
    "RowWork", ON_A=6, ON_B=6, ERROR=1, BOUND=1, VELOCITY_PRODUCT=1, RIGHT_SIDE=1, MULTIPLIER=1, PIVOT=1, RATE=1
)  # fmt: skip
"""Of a row: wrenches on its bodies per unit multiplier; error [m, rad, 1 or a cosine]; upper bound of its diagonal
entry in G M^-1 G^T; Gdot qdot less the acceleration that is prescribed; right side; multiplier; the row that is
eliminated at this place; the rate that is prescribed, G qdot = RATE."""

NearVector = Record("NearVector", LINE=1, PLACE=1, TANGENT=1, CHANGE=1, HELD=1, EXTRA=1)
"""Vectors over all coordinates near singular poses: a line of the basis in the making, or a change; where rows are
evaluated; the direction in which the mechanism came, at unit rate; a guess and what rows leave of an acceleration;
forces along the coordinates by which weak rows push."""

NearRow = Record("NearRow", ROW=1, BEND=1, RIGHT_SIDE=1, SHARE=1, MULTIPLIER=1, JERK=1)
"""Of a line of the basis near singular poses: its row; the weak row whose second-order form it is; what it is given;
its part in the change; its multiplier. JERK: u^T Gddot(t, t) t of the weak row at this place."""

Axis = Record("Axis", S=6, U=6)
"""A coordinate in the world's axes: its column of S, and what it takes of a wrench per unit of S^T times the wrench."""

Wrench = Record("Wrench", TORQUE=3, FORCE=3)

InverseInertia = Record("InverseInertia", ANGULAR=1, LINEAR=1)
"""Sum of one over the inertia of all turns, and of all slides, from the root to a body."""

ForceWork = Record("ForceWork", TENSION=1, TENSION_SLOPE=1, TENSION_RATE=1, LENGTH=1, LENGTH_RATE=1)
"""Of a path through points, as `forces.apply_forces` leaves it: tension, its derivatives by length and by rate; length
and its rate. It stands in the pool."""

RowFunction = Record("RowFunction", E_A=16, V_A=6, E_B=16, V_B=6, RESULT=14)
"""What the function of a FUNCTION row reads and writes, see `constraints.packed_rows.FunctionRow`."""

StopWork = Record("StopWork", SOLVER=5, SPEEDS=4, X=1, SPEED=1, RESTITUTION=1, SLOW=1, TINY=1)
"""Vectors over all rows for `steps.stops`: work space of `solvers.box_rows` and `solvers.impacts`; multipliers, speeds,
restitutions, and the speeds that do not bounce and do not count."""

BearingWork = Record(
    "BearingWork",
    MODE=1,
    SIDE=1,
    DIRECTION=3,
    BOUND=1,
    LOAD=1,
    EXCESS=1,
    SPEED=1,
    SPEEDING=1,
    FORCE=3,
    CHANGE=1,
    BEFORE=1,
)
"""Of a bearing: whether it is IDLE, SLIDES or STICKS (`bearings.modes`); of one coordinate the side to which it slides,
else the direction in which it began to; the largest friction, as a force along one coordinate or as the torque of a
socket or the force of a plate; the load [N]; by how much more than that what sticks would have to hold, as part of
both; speed and its rate, of sockets and plates; forces along its coordinates; how the bound changes in a round of
`compute_bearings`, and in the one before."""

BearingVector = Record("BearingVector", SOLVER=5, X=1, LOWER=1, UPPER=1, RIGHT_SIDE=1, BEFORE=1, BOUND=1)
"""Vectors over bearings for `bearings.sharing`: work space of `solvers.box_rows`, friction as part of its bound, bounds
of that, right side, friction in the round before, and bounds of friction."""

FLOATS = (
    Section("bodies", ("BODIES", Body), as_array=True),
    Section("joint_data", ("JOINT_DATA",)),
    Section("dofs", ("DOFS", Dof), as_array=True),
    Section("led_numbers", ("LED", LedNumbers)),
    Section("pool", ("POOL",), as_array=True),
    Section("world", (World,), as_array=True),
    Section("vectors", (Vector, "DOFS"), as_array=True),
    Section("body_work", ("BODIES", Work), world_first=True, as_array=True),
    Section("columns", ("DOFS", Column), as_array=True),
    Section("joint_work", (JointWork,)),
    Section("poses", ("BODIES", Pose), world_first=True),
    Section("row_vectors", ("ALL_ROWS", RowVectors)),
    Section("row_work", ("ALL_ROWS", RowWork)),
    Section("reach", ("DOFS", "ROWS")),
    Section("delassus", ("ROWS", "ROWS")),
    Section("path_wrenches", (2, "ROWS", Wrench)),
    Section("axes", ("DOFS", Axis), only_with="ROWS"),
    Section("follower_wrenches", ("BODIES", Wrench), only_with="DRIVEN"),
    Section("inverse_inertias", ("BODIES", InverseInertia), only_with="ROWS"),
    Section("multipliers", ("ROWS",)),
    Section("row_references", ("ROWS",)),
    Section("near_mass", ("DOFS", "DOFS"), only_with="ROWS"),
    Section("near_basis", ("ROWS", "DOFS")),
    Section("near_factors", ("ROWS", "ROWS")),
    Section("near_weights", ("ROWS", "ROWS")),
    Section("near_bends", ("ROWS", "DOFS")),
    Section("near_vectors", (NearVector, "DOFS"), only_with="ROWS"),
    Section("near_rows", ("ROWS", NearRow)),
    Section("row_function", (RowFunction,)),
    Section("stop_matrices", (2, "ROWS", "ROWS"), only_with="STOPS", as_array=True),
    Section("stop_work", (StopWork, "ROWS"), only_with="STOPS", as_array=True),
    Section("bearing_numbers", ("BEARINGS", BearingNumbers)),
    Section("bearing_work", ("BEARINGS", BearingWork), as_array=True),
    Section("kept_bias", ("BODIES", Wrench), only_with="BEARINGS"),
    Section("joint_wrenches", ("BODIES", Wrench), only_with="BEARINGS"),
    Section("kept_multipliers", ("ROWS",), only_with="BEARINGS"),
    Section("bearing_matrices", (3, "BEARINGS", "BEARINGS"), as_array=True),
    Section("bearing_vectors", (BearingVector, "BEARINGS"), as_array=True),
)
"""pool: numbers of tables and forces. reach: W = L^-1 G^T. delassus: G M^-1 G^T = W^T D W, then its factors.
path_wrenches: what is left of each row's wrenches on their paths to the root; follower_wrenches: the same of one
FOLLOWER row at every body. row_references: one over the largest pivot of each row in the run so far; 0 where none is
known. The others are used near singular poses alone (`rows.weak_rows`): factor of the mass matrix, orthonormal rows
and the factors that make them, combinations of weak rows, and u^T Gdot(t) of each."""
