"""Results of contacts by name: gaps, forces, impulses, impacts, intervals of contact."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import InputError
from genalpha.model.places import in_space, point_velocities, points, rotations
from genalpha.model.results.part import Array, PartResult
from genalpha.model.results.slips import SlipRows
from genalpha.system.contact_log import ASSIGNED, LOG_CONTACT, LOG_KEY, LOG_TIME, of_kind

if TYPE_CHECKING:
    from genalpha.model.system import ModelSystem
    from genalpha.model.tables.contacts import Touch
    from genalpha.model.tables.pairs import Crowd
    from genalpha.solution.solution import Impacts


def lines(touch: Touch, q: Array, planar: bool) -> tuple[Array, Array, Array]:
    """Centres of the surfaces of a and of b, or a point of the plane, and the direction of the push on a, (nt, 3)."""
    a, b = points(touch.a, q, touch.on_a, planar), points(touch.b, q, touch.on_b, planar)
    if touch.normal is not None:
        return a, b, rotations(touch.b, q, planar) @ in_space(touch.normal)
    line = a - b
    length = np.linalg.norm(line, axis=1, keepdims=True)
    direction = line / np.where(length > 0.0, length, 1.0)
    return a, b, -direction if touch.inside else direction


def gap_velocity(touch: Touch, q: Array, v: Array, planar: bool) -> Array:
    """How fast a gap opens (nt,)."""
    a, b, direction = lines(touch, q, planar)
    rate_a = point_velocities(touch.a, q, v, a, planar)
    rate_b = point_velocities(touch.b, q, v, b if touch.normal is None else a, planar)
    return np.einsum("ti,ti->t", direction, rate_a - rate_b)


@dataclass(frozen=True)
class ContactResult(PartResult):
    """A contact; where it has one point, vectors (nt,), else a column for each (nt, n).

    Attributes
    ----------
    names : list of str
        Of its points.
    gap, gap_velocity : ndarray
        How far, and how fast it opens.
    force : ndarray
        How hard it pushes body a along ``direction``, the mean over the step that ends here; never negative. Impacts
        are not in it.
    push : ndarray (nt, 3)
        The same as a vector, in space; (nt, n, 3) for n points.
    impulse : ndarray
        Since the row before, of force and impacts.
    impacts : Impacts
        Its impacts; ``contact`` counts its points.
    intervals : list of (float, float)
        In which it stayed closed; a list of such lists where it has several points.
    position, direction : ndarray (nt, 3)
        Where the surface of body a touches, and the direction of the push, in space; (nt, n, 3) for n points.
    friction_force, slip : ndarray (nt, 3)
        With friction: the force on body a along the surface, the mean over the step that ends here without impacts,
        and how fast a slips over b, in space; (nt, n, 3) for n points.
    friction_impulse : ndarray (nt, 3)
        On a, since the row before, of force and impacts.
    sticks : ndarray of bool
        Does it stick?
    friction_margin : ndarray
        μ times ``force`` minus the friction force: how much more it could hold; with that of static friction where it
        sticks.
    friction_work : ndarray
        Of friction, since t0; negative where it takes energy.
    drilling_torque : ndarray (nt, 3)
        On body a, about the normal, with a drilling_radius.
    """

    @property
    def _rows(self) -> slice:
        return self.system.assembly.contact_rows[self.name]

    @cached_property
    def _touches(self) -> list[Touch]:
        return self.system.assembly.touches[self._rows]

    @property
    def names(self) -> list[str]:
        return [touch.name for touch in self._touches]

    def _columns(self, columns: Array) -> Array:
        """Columns of all points, a vector of one."""
        columns = columns[:, self._rows]
        return columns[:, 0] if columns.shape[1] == 1 else columns

    def _stacked(self, columns: list[Array]) -> Array:
        return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)

    @property
    def gap(self) -> Array:
        return self._columns(self.solution.gap)

    @property
    def gap_velocity(self) -> Array:
        q, v, planar = self.solution.q, self.solution.v, self.planar
        return self._stacked([gap_velocity(touch, q, v, planar) for touch in self._touches])

    @property
    def force(self) -> Array:
        return self._columns(self.solution.contact_force)

    @property
    def push(self) -> Array:
        return self.force[..., None] * self.direction

    @property
    def impulse(self) -> Array:
        return self._columns(self.solution.impulse)

    @cached_property
    def _slips(self) -> SlipRows:
        return SlipRows(self.system, self.solution)

    @cached_property
    def _rubbing(self) -> list[tuple[int, Touch]]:
        """Rows of the gaps, and their points, if there is friction at all."""
        found = list(enumerate(self._touches, self._rows.start))
        return found if any(self._slips.rub(gap) is not None for gap, _ in found) else []

    def _vectors(self, quantity: str, rows: str) -> Array:
        self._require(bool(self._rubbing), quantity)
        lines = zip(self._rubbing, self._lines(), strict=True)
        return self._stacked([
            self._slips.vectors(rows, gap, touch, direction) for (gap, touch), (_, _, direction) in lines
        ])  # fmt: skip

    def _of_elements(self, quantity: str, name: str) -> Array:
        self._require(bool(self._rubbing), quantity)
        nothing = np.zeros(len(self.solution.t))
        return self._stacked([
            nothing if self._slips.rub(gap) is None else self._slips.element(name, gap) for gap, _ in self._rubbing
        ])  # fmt: skip

    def _require(self, there: bool, quantity: str) -> None:
        if not there:
            raise self.no_result(quantity)

    @property
    def friction_force(self) -> Array:
        return self._vectors("friction_force", "mean")

    @property
    def slip(self) -> Array:
        return self._vectors("slip", "slip")

    @property
    def friction_impulse(self) -> Array:
        return self._vectors("friction_impulse", "impulse")

    @property
    def sticks(self) -> NDArray[np.bool_]:
        return self._of_elements("sticks", "sticks") > 0.0

    @property
    def friction_work(self) -> Array:
        return self._of_elements("friction_work", "work")

    @property
    def friction_margin(self) -> Array:
        self._require(bool(self._rubbing), "friction_margin")
        found: list[Array] = []
        for gap, _ in self._rubbing:
            rub = self._slips.rub(gap)
            if rub is None:
                found.append(np.zeros(len(self.solution.t)))
                continue
            most = np.where(self._slips.element("sticks", gap) > 0.0, rub.static, 1.0) * rub.mu
            force = np.linalg.norm(self._slips.rows("mean", gap), axis=1)
            found.append(most * self.solution.contact_force[:, gap] - force)
        return self._stacked(found)

    @property
    def drilling_torque(self) -> Array:
        self._require(self._drills, "drilling_torque")
        found: list[Array] = []
        for (gap, _), (_, _, direction) in zip(self._rubbing, self._lines(), strict=True):
            rub = self._slips.rub(gap)
            torque = np.zeros(len(direction)) if rub is None else rub.drilling * self._slips.rows("mean", gap)[:, 2]
            found.append(torque[:, None] * direction)
        return self._stacked(found)

    @property
    def _drills(self) -> bool:
        return getattr(self.part, "drilling_radius", None) is not None

    def _absent(self) -> tuple[str, ...]:
        if not self._rubbing:
            return (*OF_FRICTION, "drilling_torque")
        return () if self._drills else ("drilling_torque",)

    def main(self) -> tuple[str, ...]:
        return ("gap", "force", "sticks") if self._rubbing else ("gap", "force")

    def items(self, quantity: str) -> list[str]:
        return self.names if len(self._touches) > 1 and quantity != "names" else []

    @property
    def impacts(self) -> Impacts:
        found, rows = self.solution.impacts, self._rows
        own = (found.contact >= rows.start) & (found.contact < rows.stop)
        kept = [column[own] for column in found]
        return type(found)(kept[0], kept[1] - rows.start, *kept[2:])

    @property
    def intervals(self) -> Any:
        found = list(self.solution.contact_intervals[self._rows])
        return found[0] if len(found) == 1 else found

    def _lines(self) -> list[tuple[Array, Array, Array]]:
        return [lines(touch, self.solution.q, self.planar) for touch in self._touches]

    @property
    def direction(self) -> Array:
        return self._stacked([direction for _, _, direction in self._lines()])

    @property
    def position(self) -> Array:
        return self._stacked([
            a - touch.radius * direction
            for touch, (a, _, direction) in zip(self._touches, self._lines(), strict=True)
        ])  # fmt: skip


OF_FRICTION = (
    "friction_force", "slip", "friction_impulse", "sticks", "friction_margin", "friction_work",
)  # fmt: skip
"""Results that contacts without friction have not."""


@dataclass(frozen=True)
class CrowdResult(PartResult):
    """A group whose pairs come and go.

    Attributes
    ----------
    pairs : list of (str, str)
        All pairs that were ever near, by the names of the bodies and planes.
    impacts : Impacts
        All impacts of the group; ``contact`` counts ``pairs``.
    closed : ndarray of int (nt,)
        How many contacts have pushed since the row before.

    ``result["ball1", "ball2"]`` has the results of one pair, a `PairResult`.
    """

    @property
    def _rows(self) -> slice:
        return self.system.assembly.contact_rows[self.name]

    @cached_property
    def _crowd(self) -> Crowd:
        return next(crowd for crowd in self.system.assembly.crowds if crowd.name == self.name)

    @cached_property
    def _stays(self) -> dict[int, list[tuple[int, float, float]]]:
        """When a pair was in which column: (column, after, until) by its key."""
        log, rows = self.solution.log, self._rows
        log = of_kind(log[(log[:, LOG_CONTACT] >= rows.start) & (log[:, LOG_CONTACT] < rows.stop)], ASSIGNED)
        stays: dict[int, list[tuple[int, float, float]]] = {}
        held: dict[float, tuple[int, float]] = {}
        for t, column, key in log[:, [LOG_TIME, LOG_CONTACT, LOG_KEY]].tolist():
            if column in held:
                old, since = held.pop(column)
                stays.setdefault(old, []).append((int(column), since, t))
            if key >= 0:
                # what is in a slot at t0 is there from the first row on
                held[column] = int(key), t if t > self.solution.origin.schedule.t0 else -np.inf
        for column, (key, since) in held.items():
            stays.setdefault(key, []).append((int(column), since, np.inf))
        return dict(sorted(stays.items()))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        names = self._crowd.names
        return [(names[i], names[j]) for i, j in map(self._crowd.pair, self._stays)]

    @property
    def impacts(self) -> Impacts:
        found = self.solution.impacts
        contact = np.full(len(found.time), -1)
        for k, stays in enumerate(self._stays.values()):
            for column, since, until in stays:
                contact[(found.contact == column) & (found.time > since) & (found.time <= until)] = k
        own = contact >= 0
        return type(found)(found.time[own], contact[own], *(column[own] for column in found[2:]))

    def main(self) -> tuple[str, ...]:
        return ("closed",)

    @property
    def closed(self) -> NDArray[np.int64]:
        return np.sum(self.solution.impulse[:, self._rows] > 0.0, axis=1)

    def __getitem__(self, pair: Any) -> PairResult:
        """Results of a pair, by two names in any order."""
        crowd = self._crowd
        try:
            one, two = (crowd.names.index(getattr(side, "name", side)) for side in pair)
        except (TypeError, ValueError):
            raise InputError(
                f"ContactGroup {self.name!r} has no pair {pair!r}; give two of its bodies and planes"
            ) from None
        key = crowd.key(min(one, two), max(one, two))
        return PairResult(self.system, self.solution, crowd.title(key), tuple(self._stays.get(int(key), ())))


@dataclass(frozen=True)
class PairResult(PartResult):
    """A pair of a group: ``gap`` (nan where it was not near), ``force``, ``impulse`` (nt,), and ``intervals``."""

    stays: tuple[tuple[int, float, float], ...] = field(repr=False)

    def _column(self, columns: Array, otherwise: float) -> Array:
        t = self.solution.t
        found = np.full(len(t), otherwise)
        for column, since, until in self.stays:
            rows = (t > since) & (t <= until)
            found[rows] = columns[rows, column]
        return found

    @property
    def gap(self) -> Array:
        return self._column(self.solution.gap, np.nan)

    @property
    def force(self) -> Array:
        return self._column(self.solution.contact_force, 0.0)

    @property
    def impulse(self) -> Array:
        return self._column(self.solution.impulse, 0.0)

    @property
    def intervals(self) -> list[tuple[float, float]]:
        found = self.solution.contact_intervals
        return sorted(
            (begin, end)
            for column, since, until in self.stays
            for begin, end in found[column]
            if since < begin <= until or begin == self.solution.origin.schedule.t0
        )


def contact_result(system: ModelSystem, solution: Any, name: str) -> ContactResult | CrowdResult:
    """The results of a contact or of a group."""
    if any(crowd.name == name for crowd in system.assembly.crowds):
        return CrowdResult(system, solution, name)
    return ContactResult(system, solution, name)
