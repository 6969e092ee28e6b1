"""Which pairs of bodies may touch soon: the broad phase.

Of a large group of spheres only near ones are watched: those that are less than a *skin* apart. As long as no body has
moved by more than half the skin since the pairs were found, no pair is missing; when one has, they are found anew. The
pairs that are watched lie in a fixed number of *slots* among the rows of the gaps. A pair keeps its slot while it is
near. What is in a slot is logged with the contact events, so that a solution knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import InputError
from genalpha.math.se3 import unpack
from genalpha.model.columns import CENTRE, MEMBER, NONE, PAIR
from genalpha.system.contact_log import assignments

if TYPE_CHECKING:
    from genalpha.model.places import Place

SKIN = 0.6
"""Over the radius of the largest sphere."""

SLOTS = 6
"""For each body; of more near pairs the nearest ones are watched, with a thinner skin."""

BITS = 8
"""Halvings of space along each axis, for the order of elimination."""


class Crowd:
    """The bodies and planes of one group, as the broad phase sees them.

    Parameters
    ----------
    name : str
    places : sequence of Place
    radii : ndarray (n,)
    planes : ndarray (np, 2, dim)
        Points and unit normals.
    plane_names : sequence of str
    each_other : bool
    first : int
        Its first row among the gaps.
    """

    def __init__(
        self,
        name: str,
        places: Sequence[Place],
        radii: NDArray[np.float64],
        planes: NDArray[np.float64],
        plane_names: Sequence[str],
        each_other: bool,
        first: int,
    ) -> None:
        self.name, self.radii, self.planes, self.each_other, self.first = name, radii, planes, each_other, first
        self.n, self.n_planes = len(places), len(planes)
        self.names: list[str] = [*(place.body.name for place in places), *plane_names]
        self.x = np.array([place.x for place in places])
        self.r = np.array([place.r if place.on_se3 else NONE for place in places])
        self.v = np.array([place.v for place in places])
        self.skin = SKIN * float(radii.max())
        self.count = int(min(SLOTS * self.n, self.n * self.n_planes + each_other * self.n * (self.n - 1) // 2))

    def key(self, one: Any, two: Any) -> Any:
        """A number for each pair; planes are counted behind the bodies."""
        return one * (self.n + self.n_planes) + two

    def pair(self, key: int) -> tuple[int, int]:
        """The inverse of `key`."""
        one, two = divmod(int(key), self.n + self.n_planes)
        return one, two

    def title(self, key: int) -> str:
        """The name of a pair."""
        one, two = self.pair(key)
        return f"{self.name}.{self.names[one]}-{self.names[two]}"

    def positions(self, q) -> NDArray[np.float64]:
        """Of all bodies, (n, dim)."""
        found = q[np.maximum(self.x, 0)[:, None] + np.arange(self.planes.shape[-1])]
        moving = self.r >= 0
        if np.any(moving):
            found[moving] = unpack(q[self.r[moving, None] + np.arange(8)])[0]
        return found

    def reach(self, way: float) -> float:
        """The skin, if bodies may go so far in a step. Points have no size to measure it by: any plane is near."""
        return max(self.skin, 4.0 * way) if self.skin > 0.0 else np.inf

    def near(self, position, skin):
        """(keys, gaps) of all pairs that are nearer than the skin."""
        keys, gaps = [], []
        if self.each_other:
            from scipy.spatial import cKDTree

            pairs = cKDTree(position).query_pairs(2.0 * self.radii.max() + skin, output_type="ndarray")
            one, two = pairs.min(axis=1), pairs.max(axis=1)
            gap = np.linalg.norm(position[one] - position[two], axis=1) - self.radii[one] - self.radii[two]
            keys.append(self.key(one, two))
            gaps.append(gap)
        every = np.arange(self.n)
        for k, (point, normal) in enumerate(self.planes):
            keys.append(self.key(every, self.n + k))
            gaps.append((position - point) @ normal - self.radii)
        keys, gaps = np.concatenate(keys), np.concatenate(gaps)
        kept = gaps < skin
        order = np.argsort(keys[kept])
        return keys[kept][order], gaps[kept][order]


class Candidates:
    """The slots of all groups of a model, and what is in them.

    Parameters
    ----------
    crowds : list of Crowd
    data : ndarray
        Of the contract; the tables PAIR and MEMBER in it are written.
    cols : ndarray
        Columns of the pattern of N; the last ones are written.
    names : list of str
        Of the gaps; the last ones are written.

    Attributes
    ----------
    count, width : int
        Slots of all groups, and entries of N of each.
    keys : ndarray of int (count,)
        The pair in each slot; −1: nothing.
    order : ndarray of int (count,)
        In which slots are eliminated.
    """

    def __init__(self, crowds: list[Crowd], data, cols, names):
        self.crowds, self.names = crowds, names
        self.count = sum(crowd.count for crowd in crowds)
        self.dimension = crowds[0].planes.shape[-1] if crowds else 3
        self.width = 2 * self.dimension
        self.first = crowds[0].first
        self.cols = cols[len(cols) - self.count * self.width :].reshape(self.count, self.width)
        self.pairs, self.bits = self._table(data, PAIR)
        self.members, _ = self._table(data, MEMBER)
        self.limits = self.members[:, MEMBER.reference :]  # where bodies were, and how far away they may be
        self.keys = np.full(self.count, -1, dtype=np.int64)
        self.order = np.arange(self.count)
        self.wider = 1.0

    @staticmethod
    def _table(data, section):
        """A section of the data as a matrix, of numbers and of indices."""
        bits = data.view(np.int64)
        begin, count = int(bits[section.begin]), int(bits[section.count])
        table = data[begin : begin + count * section.width].reshape(count, section.width)
        return table, table.view(np.int64)

    def columns(self, n_base: int) -> NDArray[np.int64]:
        """Columns of the entries of N, ``n_base`` of the sides that are missing."""
        found = self.cols.copy()
        half = self.dimension
        found[self.bits[:, PAIR.one + CENTRE.v] < 0] = n_base
        found[self.bits[:, PAIR.two + CENTRE.v] < 0, half:] = n_base
        return found

    def find(self, t: float, q, reach: float, busy=None) -> NDArray[np.float64]:
        """Find the pairs at q, and put them into slots; gives rows of the log.

        Parameters
        ----------
        reach : float
            How far bodies may go in one step; the skin is larger.
        busy : ndarray of bool (count,), optional
            Slots that must not be emptied.
        """
        changed, centres, first, body = [], [], 0, 0
        for crowd in self.crowds:
            part = slice(first, first + crowd.count)
            position, skin = crowd.positions(q), self.wider * crowd.reach(reach)
            held = np.zeros(crowd.count, dtype=bool) if busy is None else busy[part] & (self.keys[part] >= 0)
            keys, skin = self._nearest(crowd, *crowd.near(position, skin), skin, self.keys[part][held])
            changed.append(first + self._assign(self.keys[part], keys, held))
            member = self.members[body : body + crowd.n]
            member[:, MEMBER.reference : MEMBER.reference + self.dimension] = position
            member[:, MEMBER.limit] = (0.5 * skin) ** 2
            for slot in changed[-1]:
                self._fill(crowd, slot)
            one, two = np.divmod(np.maximum(self.keys[part], 0), crowd.n + crowd.n_planes)
            centres.append(position[np.stack([one, np.where(two < crowd.n, two, one)], axis=1)])
            first, body = first + crowd.count, body + crowd.n
        self._sort(np.concatenate(centres))
        return self.log(t, np.concatenate(changed))

    def log(self, t: float, slots) -> NDArray[np.float64]:
        """Rows of the log of contact events: what is in these slots from now on."""
        return assignments(t, self.first + slots, self.keys[slots])

    def masses(self, contract) -> NDArray[np.float64]:
        """Effective masses of the pairs; 1 of slots that hold nothing."""
        M, values = contract.patterns["M"], contract.constant_M
        compliance = np.zeros(contract.nv + 1)
        diagonal = M.rows == M.cols
        compliance[M.rows[diagonal]] = 1.0 / values[diagonal]
        total = compliance[self.bits[:, [PAIR.one + CENTRE.v, PAIR.two + CENTRE.v]]].sum(axis=1)
        return 1.0 / np.where(total > 0.0, total, 1.0)

    @property
    def translations(self) -> NDArray[np.int64]:
        """Places of the velocities of all bodies, without their rotations, (n, dim)."""
        return np.concatenate([crowd.v for crowd in self.crowds])[:, None] + np.arange(self.dimension)

    def largest(self, v) -> float:
        """The largest speed of a body."""
        return float(np.sqrt(np.max(np.sum(v[self.translations] ** 2, axis=1))))

    def _nearest(self, crowd, keys, gaps, skin, held):
        """As many pairs as there is room for, and the skin that they fill; those that are ``held`` stay."""
        stays = np.isin(keys, held)
        room = crowd.count - len(held) + int(np.sum(stays))
        if len(keys) <= room:
            return keys, skin
        order = np.lexsort((gaps, ~stays))
        skin = float(gaps[order[room]])
        if not skin > 1e-3 * crowd.skin:
            raise InputError(
                f"ContactGroup {crowd.name!r}: {int(np.sum(gaps <= 0.0))} pairs touch, and {len(keys)} are about to, "
                f"more than the {crowd.count} that are watched; split the group into smaller ones"
            )
        return np.sort(keys[order[:room]]), skin

    @staticmethod
    def _assign(slots, keys, held):
        """Pairs that are near no longer leave their slots, new ones get the first free ones; gives the changes."""
        before = slots.copy()
        slots[~np.isin(slots, keys) & ~held] = -1
        new = keys[~np.isin(keys, slots)]
        slots[np.nonzero(slots < 0)[0][: len(new)]] = new
        return np.nonzero(before != slots)[0]

    def _fill(self, crowd, slot):
        """The tables of a slot."""
        key, d = self.keys[slot], self.dimension
        one, two = crowd.pair(key) if key >= 0 else (-1, -1)
        row, bits = self.pairs[slot], self.bits[slot]
        bits[PAIR.one : PAIR.one + CENTRE.width] = bits[PAIR.two : PAIR.two + CENTRE.width] = NONE
        self.cols[slot] = 0
        self.names[self.first + slot] = crowd.title(key) if key >= 0 else f"{crowd.name}[{slot}]"
        if key < 0:
            return
        bits[PAIR.one : PAIR.one + CENTRE.width] = crowd.x[one], crowd.r[one], crowd.v[one]
        self.cols[slot, :d] = crowd.v[one] + np.arange(d)
        row[PAIR.distance] = crowd.radii[one]
        if two < crowd.n:
            bits[PAIR.two : PAIR.two + CENTRE.width] = crowd.x[two], crowd.r[two], crowd.v[two]
            self.cols[slot, d:] = crowd.v[two] + np.arange(d)
            row[PAIR.distance] += crowd.radii[two]
        else:
            point, normal = crowd.planes[two - crowd.n]
            row[PAIR.normal : PAIR.normal + d] = normal
            row[PAIR.distance] += point @ normal

    def _sort(self, position):
        """The order of elimination: space is halved again and again, and what crosses a cut comes after both sides.

        ``position`` (count, 2, dim): of the bodies of each slot, twice the same where it has one.
        """
        used = self.keys >= 0
        if not np.any(used):
            return
        low, high = position[used].min(axis=(0, 1)), position[used].max(axis=(0, 1))
        scale = (2**BITS - 1) / max(float(np.max(high - low)), 1e-300)
        cells = np.clip((position - low) * scale, 0, 2**BITS - 1).astype(np.int64)
        code = np.zeros(cells.shape[:2], dtype=np.int64)
        for bit in reversed(range(BITS)):
            for axis in np.argsort(low - high):
                code = 2 * code + ((cells[..., axis] >> bit) & 1)
        # ones from the first cut that goes between the two bodies on
        apart = code[:, 0] ^ code[:, 1]
        spread = np.frexp(apart.astype(float))[1]
        last = code[:, 0] | ((1 << spread) - 1)
        self.order = np.lexsort((spread, last, ~used))

    # the state of a run

    def vector(self) -> NDArray[np.float64]:
        """What a restart needs."""
        return np.concatenate([[self.wider], self.keys, self.order, self.limits.ravel()]).astype(float)

    @property
    def size(self) -> int:
        """Length of `vector`."""
        return 1 + 2 * self.count + self.limits.size

    def restore(self, vector):
        """The inverse of `vector`."""
        n = self.count
        self._require_pairs(vector[1 : 1 + n], vector[1 + n : 1 + 2 * n])
        self.wider = float(vector[0])
        self.keys[:], self.order = vector[1 : 1 + n].astype(np.int64), vector[1 + n : 1 + 2 * n].astype(np.int64)
        self.limits[:] = vector[1 + 2 * n :].reshape(self.limits.shape)
        first = 0
        for crowd in self.crowds:
            for slot in range(first, first + crowd.count):
                self._fill(crowd, slot)
            first += crowd.count

    def _require_pairs(self, keys, order):
        """Refuse pairs that there are not, and an order that is none: both are indices later on."""
        first, fits = 0, np.array_equal(np.sort(order), np.arange(self.count))
        for crowd in self.crowds:
            own = keys[first : first + crowd.count]
            one, two = np.divmod(own, crowd.n + crowd.n_planes)
            fits = fits and np.all((own == -1) | ((own == np.floor(own)) & (one >= 0) & (one < crowd.n) & (two > one)))
            first += crowd.count
        if not fits:
            raise ValueError("the pairs in contact that it names are not those of its groups")

    def is_fresh(self, q) -> bool:
        """Were the pairs found at q?"""
        found = self.members[:, MEMBER.reference : MEMBER.reference + self.dimension]
        return bool(np.array_equal(np.concatenate([crowd.positions(q) for crowd in self.crowds]), found))
