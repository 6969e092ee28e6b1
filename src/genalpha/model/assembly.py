"""From parts to tables: places of coordinates, rows and matrix entries, and the data vector of the evaluators."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from genalpha.contract import EMPTY, Pattern
from genalpha.errors import InputError
from genalpha.math import se3, so3
from genalpha.model import layout as sections
from genalpha.model.bodies import Body, Ground, PointMass, RigidBody
from genalpha.model.forces import PointForce, SpringDamper, Torque, UserForce
from genalpha.model.joints import AngleRow, Joint, PointRows, SlideRow, Spot
from genalpha.model.layout import Layout


@dataclass(frozen=True, eq=False)
class Place:
    """Where a body is among the coordinates, and its pose at t0.

    Attributes
    ----------
    body : Body
    q, v, nq, nv : int
        First coordinate, first velocity, and how many. The ground has v = −1.
    x, r : int
        Place of the position and of the quaternion in q; −1: none.
    position : ndarray (3,) or (2,)
    rotation : ndarray (3, 3) or (2, 2)
    angle : float
        Of planar bodies.
    """

    body: Body
    q: int
    v: int
    nq: int
    nv: int
    x: int
    r: int
    position: np.ndarray
    rotation: np.ndarray
    angle: float = 0.0

    @property
    def turns(self) -> bool:
        """Has it a rotation in space?"""
        return self.r >= 0

    @property
    def on_se3(self) -> bool:
        return self.r >= 0 and self.x < 0

    def seen(self, point) -> np.ndarray:
        """A point in space as seen from the body, at t0."""
        return self.rotation.T @ (point - self.position)


class Entries:
    """Values of a matrix under construction: their rows and columns."""

    def __init__(self):
        self.rows, self.cols, self.blocks = [], [], {}

    def add(self, rows, cols) -> int:
        """Entries, one by one; gives the place of the first."""
        place = len(self.rows)
        self.rows += rows
        self.cols += cols
        return place

    def block(self, row: int, col: int, n_rows: int, n_cols: int) -> int:
        """A full block, row by row; gives the place of its first value. The same block is made only once."""
        key = (row, col, n_rows, n_cols)
        if key not in self.blocks:
            rows = [row + i for i in range(n_rows) for _ in range(n_cols)]
            self.blocks[key] = self.add(rows, [col + j for _ in range(n_rows) for j in range(n_cols)])
        return self.blocks[key]

    def pattern(self) -> Pattern:
        if not self.rows:
            return EMPTY
        return Pattern(np.array(self.rows, dtype=np.int64), np.array(self.cols, dtype=np.int64))


class Assembly:
    """All places and tables of a model."""

    def __init__(self, model):
        self.model, self.planar = model, model.planar
        self.layout = Layout(so3.CAYLEY if model.map == "cayley" else so3.EXPONENTIAL)
        self.M, self.S, self.C, self.G = Entries(), Entries(), Entries(), Entries()
        self.mass: list[float] = []
        self.nodes: list[int] = []
        self.row_names: list[str] = []
        self.row_kinds: list[type] = []
        self.joint_rows: dict[str, slice] = {}
        self.spots: dict[str, Spot] = {}
        self.lengths: dict[str, float] = {}
        self.states: dict[str, int] = {}
        self.places: dict[str, Place] = {model.ground.name: self._ground()}
        self._bodies()
        for joint in model.joints:
            self._joint(joint)
        for force in model.forces:
            self._force(force)
        self._weights()

    # bodies

    def _ground(self) -> Place:
        n = 2 if self.planar else 3
        return Place(self.model.ground, -1, -1, 0, 0, -1, -1, np.zeros(n), np.eye(n))

    def _bodies(self):
        nq = nv = 0
        for body in self.model.bodies:
            place = self._place(body, nq, nv)
            self.places[body.name] = place
            nq, nv = nq + place.nq, nv + place.nv
            self._inertia(place)
        self.nq, self.nv = nq, nv

    def _place(self, body, q, v) -> Place:
        n = 2 if self.planar else 3
        # the default, three zeros, is right in a plane too
        position = np.zeros(n) if tuple(np.ravel(body.position)) == (0.0, 0.0, 0.0) else body.vector("position", n)
        if isinstance(body, PointMass):
            return Place(body, q, v, n, n, q, -1, position, np.eye(n))
        if self.planar:
            angle = _planar_angle(body)
            c, s = np.cos(angle), np.sin(angle)
            return Place(body, q, v, 3, 3, q, -1, position, np.array([[c, -s], [s, c]]), angle)
        rotation = so3.matrix(_quaternion(body))
        if body.group == "SE3":
            return Place(body, q, v, 8, 6, -1, q, position, rotation)
        return Place(body, q, v, 7, 6, q, q + 3, position, rotation)

    def _inertia(self, place):
        body, v, add, mass = place.body, place.v, self.layout.add, place.body.mass_used
        n = 2 if self.planar else 3
        self.M.add([*range(v, v + n)], [*range(v, v + n)])
        self.mass += [mass] * n
        self._node(n)
        if place.x >= 0 and not place.turns:
            add(sections.PLAIN, place.q, v, place.nq)
        if isinstance(body, PointMass):
            return
        J = body.inertia_used(self.planar)
        if self.planar:
            self.M.add([v + 2], [v + 2])
            self.mass.append(J[0, 0])
            self._node(1, together=True)
            return
        diagonal = not np.any(J - np.diag(np.diag(J)))
        if diagonal:
            self.M.add([v + 3, v + 4, v + 5], [v + 3, v + 4, v + 5])
            self.mass += np.diag(J).tolist()
        else:
            self.M.block(v + 3, v + 3, 3, 3)
            self.mass += J.ravel().tolist()
        self._node(3)
        numbers = (mass, J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2], *np.asarray(self.model.gravity, float))
        turning = self.C.block(v + 3, v + 3, 3, 3)
        if place.on_se3:
            add(sections.MOVING, place.r, v)
            moving = self.C.block(v, v, 3, 3)
            self.C.block(v, v + 3, 3, 3)
            add(sections.GYROSCOPE, place.r, v, turning, *numbers, moving, self.S.block(v, v + 3, 3, 3))
        else:
            add(sections.TURNING, place.x, place.r, v)
            add(sections.GYROSCOPE, place.r, v, turning, *numbers, -1, -1)

    def _node(self, n, together=False):
        """The next n unknowns form a node, or belong to the one before."""
        last = self.nodes[-1] if self.nodes else -1
        self.nodes += [last if together else last + 1] * n

    def _weights(self):
        """Constant forces: weights, except on SE(3), and planar torques."""
        force, gravity = np.zeros(self.nv), np.asarray(self.model.gravity, dtype=float)
        for place in self.places.values():
            if isinstance(place.body, Ground) or place.on_se3:
                continue
            n = 2 if self.planar else 3
            force[place.v : place.v + n] += place.body.mass_used * gravity[:n]
        for torque in self.model.forces:
            if self.planar and isinstance(torque, Torque) and not callable(torque.torque):
                force[self._loaded(torque).v + 2] += torque.vector("torque", 1)[0]
        self.layout.add(sections.WEIGHT, force)

    # joints

    def _joint(self, joint: Joint):
        a, b = (self.places[self.model.name_of(body)] for body in (joint.a, joint.b))
        labels = joint.planar_labels if self.planar else joint.labels
        if not labels:
            raise InputError(f"{joint.title} does not exist in {'planar' if self.planar else 'spatial'} models")
        spot = self._spot(joint, a, b)
        first, count = len(self.row_names), 0
        self.row_names += [f"{joint.name}.{label}" for label in labels]
        self.joint_rows[joint.name], self.spots[joint.name] = slice(first, first + len(labels)), spot
        for row in joint.rows(spot):
            self._check_turns(joint, row, a, b)
            n = self._row(row, first + count, spot, a, b)
            self.row_kinds += [type(row)] * n
            self._node(n, together=n == 1 and count > 0 and self._fits())
            count += n
        if count != len(labels):
            raise InputError(f"{joint.title} has {count} rows and {len(labels)} labels: {', '.join(labels)}")

    def _fits(self):
        """May one more unknown join the last node?"""
        last = self.nodes[-1]
        return len(self.nodes) > self.nv and self.nodes[-3:].count(last) < 3

    def _check_turns(self, joint, row, a, b):
        if not isinstance(row, PointRows):
            for place in (a,) if isinstance(row, SlideRow) else (a, b):
                if isinstance(place.body, PointMass):
                    raise InputError(f"{joint.title} holds the direction of {place.body.title}, which has none")

    def _spot(self, joint: Joint, a: Place, b: Place) -> Spot:
        n, angle = 2 if self.planar else 3, b.angle - a.angle
        if joint.at is not None:
            at = joint.vector("at", n)
            s_a, s_b = a.seen(at), b.seen(at)
        else:
            s_a, s_b = joint.vector("on_a", n), joint.vector("on_b", n)
        for place, s in ((a, s_a), (b, s_b)):
            if isinstance(place.body, PointMass) and np.linalg.norm(s) > 1e-9 * (1.0 + np.linalg.norm(place.position)):
                raise InputError(
                    f"{joint.title}: the point of {place.body.title} is {np.linalg.norm(s):.3g} away from it; a point "
                    f"mass can only be held at itself"
                )
        if joint.axis_a is not None:
            E_a = _triad(joint.direction("axis_a", self.planar))
            # of all axes around axis_b those that are next to those of a
            E_b = _triad(joint.direction("axis_b", self.planar), b.rotation.T @ a.rotation @ E_a[:, 0])
            angle = _nearest_turn(_angle(E_a) - _angle(E_b), angle) if self.planar else 0.0
        else:
            given = joint.axis is not None
            if joint.needs_axis and not given and not (self.planar and joint.planar_labels == ("x", "y")):
                raise InputError(f"{joint.title} needs an axis; pass axis=...")
            axis = joint.direction("axis", self.planar) if given else np.eye(n)[0 if self.planar else 2]
            E = _triad(axis)
            E_a, E_b = a.rotation.T @ E, b.rotation.T @ E
        return Spot(self.planar, s_a, s_b, E_a, E_b, angle)

    def _row(self, row, first: int, spot: Spot, a: Place, b: Place) -> int:
        """The tables of one kind of rows; gives their number."""
        if isinstance(row, PointRows):
            return self._pin(first, spot, a, b) if self.planar else self._point(first, spot, a, b)
        if isinstance(row, SlideRow):
            return self._slot(row, first, spot, a, b) if self.planar else self._slide(row, first, spot, a, b)
        return self._angle(row, first, a, b) if isinstance(row, AngleRow) else self._dot(row, first, a, b)

    def _point(self, first, spot, a, b):
        anchor = np.zeros(3)
        for place, s, sign in ((a, spot.s_a, -1.0), (b, spot.s_b, 1.0)):
            if place.v < 0:
                anchor += sign * s
                continue
            v, rows = place.v, [first, first + 1, first + 2]
            T = self.G.block(first, v, 3, 3) if place.on_se3 else self.G.add(rows, [v, v + 1, v + 2])
            R = self.G.block(first, v + 3, 3, 3) if place.turns else -1
            S = self.S.block(v + 3, v + 3, 3, 3) if place.turns else -1
            self.layout.add(sections.POINT, first, place.x, place.r, v, sign, s, T, R, S)
        self.layout.add(sections.ANCHOR, first, anchor)
        return 3

    def _turning(self, place):
        return self.S.block(place.v + 3, place.v + 3, 3, 3) if place.turns else -1

    def _dot(self, row, first, a, b):
        G = [self.G.block(first, place.v + 3, 1, 3) if place.turns else -1 for place in (a, b)]
        self.layout.add(
            sections.DOT, first, a.r, a.v, b.r, b.v, row.u_a, row.u_b, float(row.value), *G,
            self._turning(a), self._turning(b),
        )  # fmt: skip
        return 1

    def _slide(self, row, first, spot, a, b):
        G = []
        for place in (a, b):
            G.append(self.G.block(first, place.v, 1, 3) if place.v >= 0 else -1)
            G.append(self.G.block(first, place.v + 3, 1, 3) if place.turns else -1)
        self.layout.add(
            sections.SLIDE, first, a.x, a.r, a.v, b.x, b.r, b.v, row.u_a, spot.s_a, spot.s_b, float(row.value), *G,
            self._turning(a), self._turning(b),
        )  # fmt: skip
        return 1

    def _pin(self, first, spot, a, b):
        for place, s, sign in ((a, spot.s_a, -1.0), (b, spot.s_b, 1.0)):
            v, G, S = place.v, -1, -1
            if v >= 0:
                n = 4 if place.nv == 3 else 2
                G = self.G.add([first, first + 1, first, first + 1][:n], [v, v + 1, v + 2, v + 2][:n])
                S = self._planar_turning(place)
            self.layout.add(sections.PIN, first, place.q, v, sign, s, G, S)
        return 2

    def _planar_turning(self, place):
        return self.S.block(place.v + 2, place.v + 2, 1, 1) if place.nv == 3 else -1

    def _angle(self, row, first, a, b):
        columns = [place.v + 2 for place in (a, b) if place.v >= 0]
        G = self.G.add([first] * len(columns), columns)
        self.layout.add(sections.ANGLE, first, a.q, b.q, a.v, b.v, float(row.value), G)
        return 1

    def _slot(self, row, first, spot, a, b):
        columns = [place.v + i for place in (a, b) for i in range(place.nv)]
        G = self.G.add([first] * len(columns), columns)
        S = [self._planar_turning(place) for place in (a, b)]
        self.layout.add(
            sections.SLOT, first, a.q, a.v, b.q, b.v, row.u_a, spot.s_a, spot.s_b, float(row.value), G, *S
        )  # fmt: skip
        return 1

    # forces

    def _force(self, force):
        if isinstance(force, SpringDamper):
            self._spring(force)
        elif isinstance(force, PointForce) and not callable(force.force):
            place, n = self._loaded(force), 2 if self.planar else 3
            self.layout.add(
                sections.LOAD, *self._end(force, place, "at", "on"), _padded(force.vector("force", n)),
                int(force.follows), n,
            )  # fmt: skip
        elif isinstance(force, Torque) and not callable(force.torque):
            place = self._loaded(force)
            if not self.planar:  # planar torques are constant forces
                self.layout.add(sections.TORQUE, place.r, place.v, force.vector("torque", 3), int(force.follows))
        else:
            bodies = force.bodies if isinstance(force, UserForce) else [force.body]
            self.states[force.name] = self._user([self._loaded(force, body) for body in bodies])

    def _loaded(self, force, body=None) -> Place:
        """The body that a force acts on."""
        place = self.places[self.model.name_of(force.body if body is None else body)]
        if isinstance(place.body, Ground):
            raise InputError(f"{force.title} acts on the ground, which does not move; name a body")
        follows = isinstance(force, PointForce) and force.follows
        if (follows or isinstance(force, Torque)) and isinstance(place.body, PointMass):
            raise InputError(f"{force.title} acts on {place.body.title}, which does not turn; use a RigidBody")
        return place

    def _user(self, places):
        """The states that a function of the user's takes; gives the row of the first."""
        first = self.layout.count(sections.STATE)
        for place in places:
            kind = (
                int(isinstance(place.body, RigidBody))
                if not self.planar
                else 3 - int(isinstance(place.body, RigidBody))
            )
            self.layout.add(sections.STATE, place.x, place.r, place.v, kind)
        return first

    def _spring(self, force):
        a, b = (self.places[self.model.name_of(body)] for body in (force.a, force.b))
        ends = [self._end(force, a, "at_a", "on_a"), self._end(force, b, "at_b", "on_b")]
        n = 2 if self.planar else 3
        p_a, p_b = (place.position + place.rotation @ end[3][:n] for place, end in ((a, ends[0]), (b, ends[1])))
        distance = float(np.linalg.norm(p_b - p_a))
        length = distance if force.length is None else float(force.length)
        if not distance > 0.0:
            raise InputError(f"{force.title}: its ends coincide at t0, and it has no direction")
        self.lengths[force.name] = length
        S, C = (self._spring_blocks(entries, a, b) for entries in (self.S, self.C))
        self.layout.add(
            sections.SPRING, float(force.stiffness), float(force.damping), length, n, *ends[0], *ends[1], S, C
        )  # fmt: skip

    def _spring_blocks(self, entries, a, b):
        """Blocks (a, a), (a, b), (b, a), (b, b), one after the other."""
        ends = [(place.v, place.nv) for place in (a, b) if place.v >= 0]
        rows = [r + i for r, n in ends for _, m in ends for i in range(n) for _ in range(m)]
        cols = [c + j for _, n in ends for c, m in ends for _ in range(n) for j in range(m)]
        return entries.add(rows, cols)

    def _end(self, force, place, at, on):
        """x, r, v, s of an end; in planar models r is the place of the angle."""
        r = place.q + 2 if self.planar and place.nq == 3 else place.r
        return place.x, r, place.v, _padded(self.end_of(force, place, at, on))

    def end_of(self, force, place, at="at", on="on"):
        """The point of a body that a force acts on, seen from the body."""
        n = 2 if self.planar else 3
        if getattr(force, at) is not None and getattr(force, on) is not None:
            raise InputError(f"{force.title}: give {at} or {on}, not both")
        if getattr(force, at) is not None:
            s = place.seen(force.vector(at, n))
        else:
            s = force.vector(on, n) if getattr(force, on) is not None else np.zeros(n)
        if isinstance(place.body, PointMass) and np.any(np.abs(s) > 1e-12):
            raise InputError(f"{force.title}: its end is {np.linalg.norm(s):.3g} away from {place.body.title}")
        return s

    # results

    def initial_state(self):
        """q0, v0 from the bodies."""
        q, v = np.zeros(self.nq), np.zeros(self.nv)
        n = 2 if self.planar else 3
        for place in self.places.values():
            body = place.body
            if isinstance(body, Ground):
                continue
            velocity = body.vector("velocity", n) if np.any(body.velocity) else np.zeros(n)
            if isinstance(body, PointMass):
                q[place.q : place.q + n], v[place.v : place.v + n] = place.position, velocity
                continue
            spin = np.asarray(body.angular_velocity)
            spin = body.vector("angular_velocity", 1 if self.planar else 3) if np.any(spin) else np.zeros(3)
            if self.planar:
                q[place.q : place.q + 3] = *place.position, place.angle
                v[place.v : place.v + 3] = *velocity, spin[0]
                continue
            p, R = _quaternion(body), place.rotation
            if place.on_se3:
                q[place.q : place.q + 8], velocity = se3.pack(place.position, p), R.T @ velocity
            else:
                q[place.q : place.q + 7] = *place.position, *p
            v[place.v : place.v + 6] = *velocity, *(R.T @ spin)
        return q, v


def _padded(s):
    return np.concatenate([s, np.zeros(3 - len(s))])


def _quaternion(body: RigidBody) -> np.ndarray:
    p = body.vector("orientation", 4)
    length = float(np.linalg.norm(p))
    if not abs(length - 1.0) < 1e-6:
        raise InputError(f"{body.title}: orientation has the length {length:.6g}; a unit quaternion w, x, y, z has 1")
    return p / length


def _planar_angle(body: RigidBody) -> float:
    if np.ndim(body.orientation) == 0:
        return float(body.vector("orientation", 1)[0])
    if tuple(np.ravel(body.orientation)) == (1.0, 0.0, 0.0, 0.0):
        return 0.0
    raise InputError(f"{body.title}: orientation = {body.orientation!r} must be an angle in a planar model")


def _angle(E) -> float:
    """Of the first of planar axes."""
    return float(np.arctan2(E[1, 0], E[0, 0]))


def _nearest_turn(angle, to) -> float:
    """The angle, whole turns apart, that is nearest to another one."""
    return float(angle + 2.0 * np.pi * np.round((to - angle) / (2.0 * np.pi)))


def _triad(axis, first=None) -> np.ndarray:
    """Axes as columns: the last one in space, the first one in a plane, is ``axis``; the first one near ``first``."""
    if len(axis) == 2:
        return np.array([[axis[0], -axis[1]], [axis[1], axis[0]]])
    if first is not None:
        first = first - (first @ axis) * axis
    if first is None or not np.linalg.norm(first) > 1e-3:
        first = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(axis, first), axis])
