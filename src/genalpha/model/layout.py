"""The data of a model: one vector of numbers and indices that all its evaluators read.

A model of any size and kind runs through the same compiled code; what differs is this vector. It starts with a header,
for every section where it begins and how many rows it has, and every row of a section has a fixed number of entries.
Indices are stored by their bits, so that compiled code reads them with an integer view of the same memory.

Some rows stand for a *stretch* of alike parts whose places grow by equal steps: how many there are, the places of the
first, the steps, then the numbers of all. So what is read of a long beam does not grow with it.

The columns of the sections (q: place in q, r: place of a quaternion in q, x: place of a position in q, or −1 if it is
that of the dual quaternion at r, v: place in the velocities, G, S, C: places among the values of G, of the stiffness
and of the damping; −1: none, the ground):

=============  ======================================================================================================
PLAIN          q, v, n: n coordinates of a vector space
TURNING        x, r, v: bodies on R³ × SO(3), stretches
MOVING         r, v: bodies on SE(3), stretches
WEIGHT         one row of nv numbers: constant force
GYROSCOPE      r, v, C, C', S, m, J11, J22, J33, J12, J13, J23, gx, gy, gz: stretches; C' and S: −1 on R³ × SO(3)
ANCHOR         row, p: constant part of the rows of a point
POINT          row, x, r, v, sign, s, G (translation), G (rotation), S: one end of a point row
DOT            row, ra, va, rb, vb, ua, ub, c, Ga, Gb, Sa, Sb: d_a · d_b = c
SLIDE          row, xa, ra, va, xb, rb, vb, u, sa, sb, c, G (4), Sa, Sb: d_a · (p_b − p_a) = c
PIN            row, q, v, sign, sx, sy, G, S: one end of a planar point row; S: −1 of what does not turn
ANGLE          row, qa, qb, va, vb, c, G: θ_b − θ_a = c
SLOT           row, qa, va, qb, vb, u, sa, sb, c, G, Sa, Sb: planar d_a · (p_b − p_a) = c
SPRING         k, c, length, dimension, for both ends (x, r, v, s), S, C
LOAD           x, r, v, s, f, follows, dimension: force at a point; r of planar bodies: place of the angle
TORQUE         r, v, torque, follows
STATE          x, r, v, kind, S, C, length, speed of bodies that user forces act on; see `states`
BEAM           xa, ra, va, xb, rb, vb, S, C, 1/L, L, C_N, C_M, Γ₀, κ₀, τ, α M (translation: same node, other node;
               rotation): elements of spatial beams, stretches; S, C: places of the blocks of a, of b, and between them
PLANAR_BEAM    qa, va, qb, vb, where its row begins in PLANAR_SECTION, S, C, and three numbers that `turns` remembers
PLANAR_SECTION 1/L, L, EA, GA, EI, Γ₀, κ₀, τ, α M (translation and angle: same node, other node), for all elements alike
BAR            xa, va, xb, vb, dimension, linear, k, c, L, direction, α M (same node, other node), S, C
PLANE          as SLIDE, of a gap, and the place of its multiplier
BALLS          the same with ±1, 0, 0 in the place of u: ±(|p_b − p_a| − c)
PAIR           row, x1, r1, v1, x2, r2, v2, c, n, N, dimension: a slot for two spheres, or one and a plane; r: on SE(3)
MEMBER         x, r, dimension, p, limit²: how far a sphere may be away from p, where it was when pairs were found
LINE, DISCS    row, mu, qa, va, turns, qb, vb, turns, u, sa, sb, c, N, Sa, Sb: the same in a plane
COUNTER        a coordinate, see `coordinates`: an angle in space that counts turns
TERM           row, factor, Ga, Gb, a coordinate: a term of a row of g; LEVEL: row, value of the row
COIL           k, c, rest, S, C, a coordinate: a torsion spring; MOTOR: see `joint_loads`
BUSHING        ends a and b (4 each), s_a, s_b, E_a, E_b (3 each), stiffness, damping (6, 6), S, C
ROLL           row of g, row of k, rows of k, ends a and b, s_a, s_b, normal, two tangents, shape (6), G (2), K (4)
EDGE           row of k, ends a and b, s_b, u_b, K (2): the point of b has no velocity along u_b
TURN           one row of nq numbers in planar models: angles, their cosines and sines as last evaluated, see `turns`
=============  ======================================================================================================
"""

from __future__ import annotations

import numpy as np

(
    PLAIN,
    TURNING,
    MOVING,
    WEIGHT,
    GYROSCOPE,
    ANCHOR,
    POINT,
    DOT,
    SLIDE,
    PIN,
    ANGLE,
    SLOT,
    SPRING,
    LOAD,
    TORQUE,
    STATE,
    TURN,
) = range(17)
COUNTER, TERM, LEVEL, COIL, MOTOR, BUSHING, ROLL, EDGE = range(17, 25)
PLANE, BALLS, LINE, DISCS, PAIR, MEMBER = range(25, 31)
BEAM, PLANAR_BEAM, PLANAR_SECTION, BAR = range(31, 35)
SECTIONS = 35
# behind them in the header: the kind of map, and how many values of the stiffness come before those of beams
MAP, SHARED_S = 2 * SECTIONS, 2 * SECTIONS + 1
HEADER = SHARED_S + 1


class Layout:
    """Collects rows, then packs them."""

    def __init__(self, kind_of_map: int):
        self._rows: dict[int, list[list[float | int]]] = {section: [] for section in range(SECTIONS)}
        self._shared: dict[int, dict[tuple, int]] = {}
        self._map, self.shared_S = kind_of_map, 0

    def add(self, section: int, *entries):
        """One row; integers stay integers, arrays are flattened."""
        row = []
        for entry in entries:
            row.extend(np.ravel(entry).tolist() if isinstance(entry, np.ndarray | tuple | list) else [entry])
        self._rows[section].append(row)

    def stretch(self, section: int, places: tuple[int, ...], *numbers):
        """The same for what may have alike ones before it: its places, and the numbers that it shares with them.

        Alike are parts with equal numbers that have no place (−1) for the same things.
        """
        rows, k, values = self._rows[section], len(places), [float(x) for x in numbers]
        if rows and rows[-1][1 + 2 * k :] == values:
            count, first, steps = rows[-1][0], rows[-1][1 : 1 + k], rows[-1][1 + k : 1 + 2 * k]
            ahead = [there - here for there, here in zip(places, first, strict=True)]
            if count == 1:
                steps = ahead
            alike = [place < 0 for place in places] == [place < 0 for place in first]
            if alike and ahead == [count * step for step in steps]:
                rows[-1] = [count + 1, *first, *steps, *values]
                return
        rows.append([1, *places, *([0] * k), *values])

    def share(self, section: int, *entries) -> int:
        """The same, once for all that ask for equal rows; gives where the row begins, seen from its section."""
        known = self._shared.setdefault(section, {})
        if entries not in known:
            known[entries] = sum(len(row) for row in self._rows[section])
            self.add(section, *entries)
        return known[entries]

    def count(self, section: int) -> int:
        """Rows of a section so far."""
        return len(self._rows[section])

    def pack(self) -> np.ndarray:
        """The data vector."""
        head, rows, end = [], [], HEADER
        for section in range(SECTIONS):
            count = len(self._rows[section])
            head += [end, count]
            for row in self._rows[section]:
                rows.append(row)
                end += len(row)
        data = np.zeros(end)
        bits = data.view(np.int64)
        bits[:HEADER] = [*head, self._map, self.shared_S]
        i = HEADER
        for row in rows:
            for entry in row:
                if isinstance(entry, int | np.integer):
                    bits[i] = entry
                else:
                    data[i] = entry
                i += 1
        return data
