"""From parts to tables: places of coordinates, rows and matrix entries, and the data vector of the evaluators."""

from __future__ import annotations

import numpy as np

from genalpha.inputs import Array
from genalpha.math import se3, so3
from genalpha.model.columns import TURN, Layout
from genalpha.model.parts.beams import Bar
from genalpha.model.parts.bodies import Ground, PointMass
from genalpha.model.parts.couplings import Constraint
from genalpha.model.parts.forces import Force
from genalpha.model.parts.joints import Spot
from genalpha.model.places import Place, place_of, place_of_ground, quaternion
from genalpha.model.tables.beams import add_flexible
from genalpha.model.tables.bodies import add_inertia, add_weights
from genalpha.model.tables.contacts import Touch, add_contacts
from genalpha.model.tables.coordinates import add_constraint
from genalpha.model.tables.forces import add_force, end_of
from genalpha.model.tables.friction import Slips, add_dry
from genalpha.model.tables.joints import add_joint
from genalpha.model.tables.pairs import Crowd
from genalpha.system.contract import EMPTY, Pattern


class Assembly:
    """All places and tables of a model.

    Attributes
    ----------
    places : dict of str to Place
        By the name of the body.
    layout : Layout
        The data of the evaluators.
    M, S, C, G, K, N, T : Entries
        The matrices of the contract; S and C are the stiffness and the damping.
    row_names, k_names, gap_names : list of str
        Of the rows of g, of k and of the gaps.
    mass : list of float
        The values of M; ``mass_places`` says where those of the body at v begin.
    touches : list of Touch
        Of the gaps.
    contact_rows : dict of str to slice
        Rows of the gaps by the name of the contact.
    crowds : list of Crowd
        Groups of contacts whose pairs come and go; their rows are the last ones and have no ``touches``.
    slips : Slips
        Rows of friction.
    counters : dict of str to int
        Places in q of joint angles that count turns, by the name of the joint.
    inertial_S, inertial_C : int
        How many entries of S and C come from the bodies alone.
    drives : list of (Constraint, int, int)
        Prescribed motions, their first rows of g and how many.
    nodes : list of int
        The node that every unknown belongs to; see `math.blocks`.
    """

    def __init__(self, model):
        self.model, self.planar = model, model.planar
        self.layout = Layout(so3.CAYLEY if model.map == "cayley" else so3.EXPONENTIAL)
        self.M, self.S, self.C, self.G, self.K, self.N, self.T = (Entries() for _ in range(7))
        self.mass: list[float] = []
        self.mass_places: dict[int, int] = {}
        self.nodes: list[int] = []
        self.row_names: list[str] = []
        self.k_names: list[str] = []
        self.gap_names: list[str] = []
        self.restitution: list[float] = []
        self.touches: list[Touch] = []
        self.contact_rows: dict[str, slice] = {}
        self.crowds: list[Crowd] = []
        self.slips = Slips()
        self.row_kinds: list[type] = []
        self.joint_rows: dict[str, slice] = {}
        self.k_rows: dict[str, slice] = {}
        self.nk = 0
        self.spots: dict[str, Spot] = {}
        self.lengths: dict[str, float] = {}
        self.states: dict[str, int] = {}
        self.motors: dict[str, int] = {}
        self.counters: dict[str, int] = {}
        self.drives: list[tuple[Constraint, int, int]] = []
        self.places: dict[str, Place] = {model.ground.name: place_of_ground(model.ground, self.planar)}
        self._add_bodies()
        for joint in model.joints:
            add_joint(self, joint)
        for constraint in model.constraints:
            add_constraint(self, constraint)
        for rows in self.k_rows.values():
            self.node(rows.stop - rows.start)
        for force in model.forces:
            add_force(self, force)
        bars = [part for part in model.flexibles if isinstance(part, Bar)]
        for part in bars:
            add_flexible(self, part)
        add_weights(self)
        if self.planar:
            self.layout.add(TURN, memory=np.full(self.nq, np.nan))
        add_contacts(self, model.contacts)  # their rows come last
        for part in model.frictions:
            add_dry(self, part)
        self.layout.shared_S = len(self.S.rows)
        for part in model.flexibles:
            if part not in bars:
                add_flexible(self, part)

    @property
    def scleronomic(self) -> bool:
        """Does no row depend on t?"""
        return not self.drives

    def _add_bodies(self):
        self.nq = self.nv = 0
        for body in self.model.bodies:
            place = place_of(body, self.nq, self.nv, self.planar)
            self.places[body.name] = place
            self.nq, self.nv = self.nq + place.nq, self.nv + place.nv
            self.mass_places[place.v] = len(self.mass)
            add_inertia(self, place)
        self.inertial_S, self.inertial_C = len(self.S.rows), len(self.C.rows)

    def node(self, n, together=False):
        """The next n unknowns form a node, or belong to the one before."""
        last = self.nodes[-1] if self.nodes else -1
        self.nodes += [last if together else last + 1] * n

    def end_of(self, force: Force, place: Place, at: str = "at", on: str = "on") -> Array:
        """The point of a body that a force acts on, seen from the body."""
        return end_of(self, force, place, at, on)

    def initial_state(self):
        """q0, v0 from the bodies."""
        q, v = np.zeros(self.nq), np.zeros(self.nv)
        n = 2 if self.planar else 3
        for place in self.places.values():
            body = place.body
            if isinstance(body, Ground):
                continue
            velocity = body.vector_or_zero("velocity", n)
            if isinstance(body, PointMass):
                q[place.q : place.q + n], v[place.v : place.v + n] = place.position, velocity
                continue
            spin = body.vector_or_zero("angular_velocity", 1 if self.planar else 3)
            if self.planar:
                q[place.q : place.q + 3] = *place.position, place.angle
                v[place.v : place.v + 3] = *velocity, spin[0]
                continue
            p, R = quaternion(body), place.rotation
            if place.on_se3:
                q[place.q : place.q + 8], velocity = se3.pack(place.position, p), R.T @ velocity
            else:
                q[place.q : place.q + 7] = *place.position, *p
            v[place.v : place.v + 6] = *velocity, *(R.T @ spin)
        return q, v


class Entries:
    """Values of a matrix under construction: their rows and columns."""

    def __init__(self):
        self.rows, self.cols, self.blocks, self.shared = [], [], {}, set()

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
        else:
            self.shared.add(key)
        return self.blocks[key]

    def coupled(self, first: int) -> set[int]:
        """Unknowns that have entries from the place ``first`` on, or in blocks that were asked for again."""
        found = {*self.rows[first:], *self.cols[first:]}
        for row, col, n_rows, n_cols in self.shared:
            found.update(range(row, row + n_rows), range(col, col + n_cols))
        return found

    def pattern(self) -> Pattern:
        if not self.rows:
            return EMPTY
        return Pattern(np.array(self.rows, dtype=np.int64), np.array(self.cols, dtype=np.int64))
