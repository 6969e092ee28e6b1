"""The tables of the data of a model: their columns by name, how wide their rows are, and `Layout`, which writes them.

The data is one vector that all evaluators read: models of any size and kind run through the same compiled code. It
begins with a header, for every section where it begins and how many rows it has. The rows follow, and all rows of a
section have the same columns. A section is a tuple of integers with names. Compiled code takes them for constants, so a
name costs nothing::

    i = bits[POINT.begin]  # the first row
    for _ in range(bits[POINT.count]):  # all rows
        sign = data[i + POINT.sign]  # a number
        r = bits[i + POINT.r]  # an index
        x, y, z = three(data, i + POINT.lever)  # a vector
        i += POINT.width  # the next row

`Layout.add` writes rows by the same names, and checks them.

Indices and numbers share the memory: an index is stored by its bits, and read through ``bits``, the integers at the
place of the numbers ``data``. A column holds the one or the other; `COORDINATE` has one that depends on the model.

Places. Columns with these names say where something is; `NONE`, any negative number, says that there is none:

=======  ===============================================================================================================
row      a row of g, of k, or of the gaps
q        first coordinate of a planar body (x, y, angle); NONE: the ground
x        position in q; NONE: the ground, or a body on SE(3), whose position is in the dual quaternion at r
r        quaternion in q, dual quaternion on SE(3); NONE: it does not turn, a point mass or the ground. In planar
         models, where a force or a coordinate acts on a body, its angle
v        first velocity; NONE: the ground
mu       multiplier of a gap
G, K, N  values of the gradients of g, k, the gaps, and (T) of slip; NONE: of what does not move or turn
S, C     values of the stiffness and of the damping; NONE: it has none
=======  ===============================================================================================================

Endings _a and _b tell the two bodies of a row apart; _move and _turn the values of translations and of rotations. A
*lever* s is a point, and an *axis* u a direction, both seen from their body: p = x + R s, d = R u.

Some rows stand for a *stretch* of alike parts whose places grow by equal steps: how many parts there are, the places of
the first, the steps, then the numbers of all. So what is read of a long beam does not grow with it. ``step`` leads from
the column of a place to that of its step, see `stretches.place`.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from genalpha.errors import ShapeError

NONE = -1
"""In the column of a place: there is none."""

SPATIAL, PLANAR = 3, 2
"""In the column ``dimension``."""

TURNED, SLID, LENGTH = range(3)
"""Kinds of joint coordinates: an angle, a way along an axis, a distance; see `coordinates`."""

FLAT, ROUND = range(2)
"""Surfaces that a body rubs on: a plane, or another sphere or disc."""

POINT_MASS, BODY, PLANAR_BODY, PLANAR_POINT_MASS = range(4)
"""Kinds of bodies that user forces act on; see `states`."""


class Column(NamedTuple):
    """What a column holds: how many entries, None for any number, and of which type; type None: of either."""

    size: int | None
    type: type | None


INDEX, NUMBER, EITHER = Column(1, int), Column(1, float), Column(1, None)
VECTOR, FLAT_VECTOR = Column(3, float), Column(2, float)


def numbers(n: int) -> Column:
    """A column of n numbers."""
    return Column(n, float)


def indices(n: int) -> Column:
    """A column of n indices."""
    return Column(n, int)


MANY = Column(None, float)
"""The only column of a section whose rows are as long as they are."""


def part(name: str, /, **columns: Column | Any) -> Any:
    """Columns that several sections have: a tuple of where they begin, by their names, and of their ``width``."""
    return _named(name, columns, {})


def section(name: str, /, **columns: Column | Any) -> Any:
    """A section, behind those made before: the same, with the places of its ``begin`` and ``count`` in the header."""
    _made.append(_named(name, columns, {"begin": 2 * len(_made), "count": 2 * len(_made) + 1}))
    return _made[-1]


def stretched(name: str, places: dict[str, Column], /, **columns: Column) -> Any:
    """A section of stretches: ``parts``, the places and their steps, then the columns that all parts share."""
    steps = indices(sum(column.size or 0 for column in places.values()))
    return section(name, parts=INDEX, **places, steps=steps, **columns)


def _named(name, columns, header) -> Any:
    """A tuple of a type of its own: compiled code knows the names of a tuple by its type."""
    begins, width = {}, 0
    for column, what in columns.items():
        begins[column] = width
        width += (what.size or 0) if isinstance(what, Column) else what.width
    fields = {**header, "width": width, **begins}
    if "steps" in columns:
        fields["step"] = columns["steps"].size
    return type(name, (namedtuple(name, fields),), {"columns": columns, "__slots__": ()})(**fields)


ARRAYS, INTEGERS = (np.ndarray, tuple, list), (int, np.integer)


def row_of(section, values: dict[str, Any]) -> list[int | float]:
    """The entries of a row of a section from its columns by their names; arrays are flattened.

    Raises
    ------
    ShapeError
        If a column is missing or unknown, or is given more, fewer or other entries than it holds.
    """
    columns, row = section.columns, []
    if values.keys() != columns.keys():
        wrong, names = ", ".join(sorted(values.keys() ^ columns.keys())), ", ".join(columns)
        raise ShapeError(f"a row of {type(section).__name__} must give each of {names}; missing or unknown: {wrong}")
    for name, column in columns.items():
        value = values[name]
        if column is INDEX and type(value) is int:  # most are
            row.append(value)
        elif isinstance(column, Column):
            entries = np.ravel(value).tolist() if isinstance(value, ARRAYS) else [value]
            _require(section, name, column, entries)
            row += [float(entry) for entry in entries] if column.type is float else entries
        else:
            row += row_of(column, value)
    return row


def _require(section, name, column, entries):
    """Refuse entries that a column does not hold."""
    size, title = len(entries), type(section).__name__
    if column.size is not None and size != column.size:
        raise ShapeError(f"column {title}.{name} is {column.size} wide, and {size} entries were given")
    if column.type is int and not all(isinstance(entry, INTEGERS) for entry in entries):
        raise ShapeError(f"column {title}.{name} holds indices, and {entries} were given")


_made: list[Any] = []

# bodies

PLAIN = section("PLAIN", q=INDEX, v=INDEX, n=INDEX)
"""n coordinates of a vector space."""

TURNING = stretched("TURNING", {"x": INDEX, "r": INDEX, "v": INDEX})
"""Bodies on R³ × SO(3)."""

MOVING = stretched("MOVING", {"r": INDEX, "v": INDEX})
"""Bodies on SE(3)."""

WEIGHT = section("WEIGHT", forces=MANY)
"""One row, of nv numbers: constant forces."""

GYROSCOPE = stretched(
    "GYROSCOPE", {"r": INDEX, "v": INDEX, "C_turn": INDEX, "C_move": INDEX, "S": INDEX},
    mass=NUMBER, inertia=numbers(6), gravity=VECTOR,
)  # fmt: skip
"""Forces of inertia: J11, J22, J33, J12, J13, J23; C_move and S: NONE on R³ × SO(3)."""

# joints

ANCHOR = section("ANCHOR", row=INDEX, point=VECTOR)
"""The constant part of the three rows of a point."""

POINT = section(
    "POINT", row=INDEX, x=INDEX, r=INDEX, v=INDEX, sign=NUMBER, lever=VECTOR, G_move=INDEX, G_turn=INDEX, S=INDEX
)  # fmt: skip
"""One end of the three rows p_b − p_a = 0; the sign is −1 of a, 1 of b."""

DOT = section(
    "DOT", row=INDEX, r_a=INDEX, v_a=INDEX, r_b=INDEX, v_b=INDEX, axis_a=VECTOR, axis_b=VECTOR, value=NUMBER,
    G_a=INDEX, G_b=INDEX, S_a=INDEX, S_b=INDEX,
)  # fmt: skip
"""d_a · d_b = value."""

_SLIDE = dict(
    row=INDEX, x_a=INDEX, r_a=INDEX, v_a=INDEX, x_b=INDEX, r_b=INDEX, v_b=INDEX, axis=VECTOR, lever_a=VECTOR,
    lever_b=VECTOR, value=NUMBER, move_a=INDEX, turn_a=INDEX, move_b=INDEX, turn_b=INDEX, S_a=INDEX, S_b=INDEX,
)  # fmt: skip

SLIDE = section("SLIDE", **_SLIDE)
"""d_a · (p_b − p_a) = value; move and turn: values of G."""

PIN = section("PIN", row=INDEX, q=INDEX, v=INDEX, sign=NUMBER, lever=FLAT_VECTOR, G=INDEX, S=INDEX)
"""One end of the two planar rows p_b − p_a = 0; the sign is −1 of a, which comes first, 1 of b. S: NONE of what does
not turn."""

ANGLE = section("ANGLE", row=INDEX, q_a=INDEX, q_b=INDEX, v_a=INDEX, v_b=INDEX, value=NUMBER, G=INDEX)
"""θ_b − θ_a = value."""

SLOT = section(
    "SLOT", row=INDEX, q_a=INDEX, v_a=INDEX, q_b=INDEX, v_b=INDEX, axis=FLAT_VECTOR, lever_a=FLAT_VECTOR,
    lever_b=FLAT_VECTOR, value=NUMBER, G=INDEX, S_a=INDEX, S_b=INDEX,
)  # fmt: skip
"""The row SLIDE in a plane. S_b: NONE where b does not turn."""

# forces

GRIP = part("GRIP", x=INDEX, r=INDEX, v=INDEX, lever=VECTOR)
"""A point of a body that a force acts at; r of planar bodies: place of the angle."""

SPRING = section(
    "SPRING", stiffness=NUMBER, damping=NUMBER, length=NUMBER, dimension=INDEX, a=GRIP, b=GRIP, S=INDEX, C=INDEX
)  # fmt: skip
"""Spring-dampers between two points; blocks (a, a), (a, b), (b, a), (b, b) of S and C, one after the other."""

LOAD = section("LOAD", grip=GRIP, force=VECTOR, follows=INDEX, dimension=INDEX)
"""Constant forces at points, in space or following the body."""

TORQUE = section("TORQUE", r=INDEX, v=INDEX, torque=VECTOR, follows=INDEX)
"""Constant torques in space, or following the body."""

STATE = section("STATE", x=INDEX, r=INDEX, v=INDEX, kind=INDEX, S=INDEX, C=INDEX, length=NUMBER, speed=NUMBER)
"""Bodies that user forces act on; see `states`, and `sizes` for the last two."""

TURN = section("TURN", memory=MANY)
"""One row, of nq numbers, in planar models: angles, their cosines and sines as last evaluated; see `angles`."""

# coordinates of joints, and what is made of them

END = part("END", x=INDEX, r=INDEX, v=INDEX, planar=INDEX)
"""A body as `screws` take it; r of planar bodies: place of the angle."""

COORDINATE = part(
    "COORDINATE", kind=INDEX, a=END, b=END, lever_a=VECTOR, lever_b=VECTOR, axis_a=VECTOR, side_a=VECTOR,
    axis_b=VECTOR, zero=EITHER,
)  # fmt: skip
"""A joint coordinate, see `coordinates`. In a plane ``zero`` is the angle at which it is zero, in space the place in q
of the counter of turns."""

COUNTER = section("COUNTER", coordinate=COORDINATE)
"""An angle in space that counts turns."""

TERM = section("TERM", row=INDEX, factor=NUMBER, G_a=INDEX, G_b=INDEX, coordinate=COORDINATE)
"""A term of a row of g: factor times a coordinate."""

LEVEL = section("LEVEL", row=INDEX, value=NUMBER)
"""The value of such a row: Σ factor · coordinate = value."""

COIL = section("COIL", stiffness=NUMBER, damping=NUMBER, rest=NUMBER, S=INDEX, C=INDEX, coordinate=COORDINATE)
"""Torsion springs; blocks of S and C as those of SPRING."""

MOTOR = section("MOTOR", S=INDEX, C=INDEX, size=NUMBER, speed=NUMBER, coordinate=COORDINATE)
"""Motors: how large their coordinates and rates are, see `sizes`; blocks of S and C as those of SPRING."""

BUSHING = section(
    "BUSHING", a=END, b=END, lever_a=VECTOR, lever_b=VECTOR, axes_a=numbers(9), axes_b=numbers(9),
    stiffness=numbers(36), damping=numbers(36), S=INDEX, C=INDEX,
)  # fmt: skip
"""Springs and dampers for six motions: three axes one after the other, matrices (6, 6) row by row; blocks of S and C as
those of SPRING."""

ROLL = section(
    "ROLL", row=INDEX, row_k=INDEX, rows_k=INDEX, a=END, b=END, lever_a=VECTOR, lever_b=VECTOR, normal=VECTOR,
    tangents=numbers(6), shape=numbers(6), G_a=INDEX, G_b=INDEX, K=indices(4),
)  # fmt: skip
"""Rolling of b on a plane of a: one row of g, rows_k rows of k from row_k on, one for each tangent. The shape is
xx, yy, zz, xy, xz, yz; K of a and b for the first tangent, then for the second."""

EDGE = section("EDGE", row=INDEX, a=END, b=END, lever=VECTOR, axis=VECTOR, K_a=INDEX, K_b=INDEX)
"""A blade: the point of b has no velocity along its axis against a; the row is one of k."""

# contacts: a is what is hit, b what hits it, since SLIDE measures along an axis of a; a `Contact` and its `Touch` name
# them the other way round

PLANE = section("PLANE", **_SLIDE, mu=INDEX)
"""gap = d_a · (p_b − p_a) − value: the columns of SLIDE, whose leaves read them, with values of N."""

BALLS = section("BALLS", **_SLIDE, mu=INDEX)
"""gap = ±(\\|p_b − p_a\\| − value): the same; the axis is ±1, 0, 0: + from outside, − from inside."""

SIDE = part("SIDE", q=INDEX, v=INDEX, turns=INDEX)
"""A body in a planar contact; turns = 0: the gap does not depend on its angle, of which there is no value."""

_LINE = dict(
    row=INDEX, mu=INDEX, a=SIDE, b=SIDE, axis=FLAT_VECTOR, lever_a=FLAT_VECTOR, lever_b=FLAT_VECTOR, value=NUMBER,
    N=INDEX, S_a=INDEX, S_b=INDEX,
)  # fmt: skip

LINE = section("LINE", **_LINE)
"""The gap PLANE in a plane."""

DISCS = section("DISCS", **_LINE)
"""The gap BALLS in a plane; the axis is ±1, 0."""

CENTRE = part("CENTRE", x=INDEX, r=INDEX, v=INDEX)
"""A sphere; v: NONE if there is none, r: NONE unless it is on SE(3)."""

PAIR = section(
    "PAIR", row=INDEX, one=CENTRE, two=CENTRE, distance=NUMBER, normal=VECTOR, N=INDEX, dimension=INDEX
)  # fmt: skip
"""A slot for two spheres, or for one and a plane; `tables.pairs` fills it."""

MEMBER = section("MEMBER", x=INDEX, r=INDEX, dimension=INDEX, reference=VECTOR, limit=NUMBER)
"""How far a sphere may be away (squared) from where it was when pairs were found; r: NONE unless it is on SE(3)."""

# friction

RUB = section(
    "RUB", row=INDEX, rows=INDEX, kind=INDEX, a=END, b=END, lever_a=VECTOR, lever_b=VECTOR, normal=VECTOR,
    tangents=numbers(6), radius=NUMBER, side=NUMBER, drilling=NUMBER, belt=FLAT_VECTOR, T=indices(6),
)  # fmt: skip
"""Slip of b on a: up to three rows from ``row`` on. A FLAT a has the normal and the tangents; otherwise they are those
in space from which tangents are carried along, and the side is + where b touches from outside, − from inside. The
radius is that of b, the belt how fast the surface of a runs along the tangents; T: of a and b for the first row, then
for the others."""

PLANAR_RUB = section(
    "PLANAR_RUB", row=INDEX, kind=INDEX, a=SIDE, b=SIDE, spin_a=INDEX, spin_b=INDEX, lever_a=FLAT_VECTOR,
    lever_b=FLAT_VECTOR, normal=FLAT_VECTOR, radius=NUMBER, side=NUMBER, belt=NUMBER, T=INDEX,
)  # fmt: skip
"""The same in a plane, one row; spin: the angular velocity in v, NONE of what does not turn. Of a SIDE turns = 0 where
the lever is zero, and a normal does not turn either. T: all of a, then all of b."""

BRAKE = section("BRAKE", row=INDEX, T_a=INDEX, T_b=INDEX, coordinate=COORDINATE)
"""A row of slip that is the rate of a joint coordinate."""

# beams; S and C: places of the blocks of a, of b, and between them

BEAM = stretched(
    "BEAM",
    {
        "x_a": INDEX, "r_a": INDEX, "v_a": INDEX, "x_b": INDEX, "r_b": INDEX, "v_b": INDEX,
        "S": indices(3), "C": indices(3),
    },
    over=NUMBER, length=NUMBER, C_N=VECTOR, C_M=VECTOR, gamma=VECTOR, kappa=VECTOR, tau=NUMBER, drag_same=NUMBER,
    drag_other=NUMBER, drag_turn=VECTOR,
)  # fmt: skip
"""Elements of spatial beams: 1/L, L, C_N, C_M, Γ₀, κ₀, τ, and α M of translations (same node, other node) and of
rotations."""

PLANAR_BEAM = section(
    "PLANAR_BEAM", q_a=INDEX, v_a=INDEX, q_b=INDEX, v_b=INDEX, section=INDEX, S=indices(3), C=indices(3),
    memory=numbers(3),
)  # fmt: skip
"""Elements of planar beams; where its row begins, seen from PLANAR_SECTION; and what `angles` remembers."""

PLANAR_SECTION = section(
    "PLANAR_SECTION", over=NUMBER, length=NUMBER, EA=NUMBER, GA=NUMBER, EI=NUMBER, gamma=FLAT_VECTOR, kappa=NUMBER,
    tau=NUMBER, drag_move=FLAT_VECTOR, drag_turn=FLAT_VECTOR,
)  # fmt: skip
"""What elements of planar beams share: 1/L, L, stiffness, Γ₀, κ₀, τ, and α M (same node, other node)."""

BAR = section(
    "BAR", x_a=INDEX, v_a=INDEX, x_b=INDEX, v_b=INDEX, dimension=INDEX, linear=INDEX, stiffness=NUMBER,
    damping=NUMBER, length=NUMBER, direction=VECTOR, drag_same=NUMBER, drag_other=NUMBER, S=indices(3), C=indices(3),
)  # fmt: skip
"""Bars; α M of the same and of the other node. A linear one keeps its direction."""

SECTIONS = tuple(_made)
"""All of them, in the order in which their rows follow one another."""

MAP, SHARED_S = 2 * len(SECTIONS), 2 * len(SECTIONS) + 1
"""In the header behind them: the kind of map, and how many values of the stiffness come before those of beams."""

HEADER = SHARED_S + 1
"""The length of the header."""


class Layout:
    """Collects rows, checks them, then packs them."""

    def __init__(self, kind_of_map: int):
        self._rows: dict[int, list[list[float | int]]] = {section.begin: [] for section in SECTIONS}
        self._shared: dict[int, dict[tuple, int]] = {}
        self._map, self.shared_S = kind_of_map, 0

    def add(self, section, /, **columns):
        """One row, by the names of its columns."""
        self._rows[section.begin].append(row_of(section, columns))

    def stretch(self, section, /, **columns):
        """The same for a part that may have alike ones before it: its places, and the numbers that it shares with them.

        Alike are parts with equal numbers that have no place for the same things.
        """
        k = section.step
        row, rows = row_of(section, {"parts": 1, "steps": [0] * k, **columns}), self._rows[section.begin]
        places, numbers = row[1 : 1 + k], row[1 + 2 * k :]
        if rows and rows[-1][1 + 2 * k :] == numbers:
            parts, first, steps = rows[-1][0], rows[-1][1 : 1 + k], rows[-1][1 + k : 1 + 2 * k]
            ahead = [there - here for there, here in zip(places, first, strict=True)]
            if parts == 1:
                steps = ahead
            alike = [place < 0 for place in places] == [place < 0 for place in first]
            if alike and ahead == [parts * step for step in steps]:
                rows[-1] = [parts + 1, *first, *steps, *numbers]
                return
        rows.append(row)

    def share(self, section, /, **columns) -> int:
        """One row for all that ask for equal ones; gives where it begins, seen from its section."""
        row, known = row_of(section, columns), self._shared.setdefault(section.begin, {})
        if tuple(row) not in known:
            known[tuple(row)] = sum(len(other) for other in self._rows[section.begin])
            self._rows[section.begin].append(row)
        return known[tuple(row)]

    def count(self, section) -> int:
        """Rows of a section so far."""
        return len(self._rows[section.begin])

    def pack(self) -> np.ndarray:
        """The data vector."""
        head, rows, end = [], [], HEADER
        for section in SECTIONS:
            own = self._rows[section.begin]
            head += [end, len(own)]
            rows += own
            end += sum(map(len, own))
        data = np.zeros(end)
        bits = data.view(np.int64)
        bits[:HEADER] = [*head, self._map, self.shared_S]
        entries = (entry for row in rows for entry in row)
        for place, entry in enumerate(entries, HEADER):
            (bits if isinstance(entry, INTEGERS) else data)[place] = entry
        return data
