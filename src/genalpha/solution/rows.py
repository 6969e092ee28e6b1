"""The rows of a solution: their columns, where they go (memory or a file), what is saved of them, and events.

`Output` takes all rows of a run, thins them out or samples between them, and looks for events: zeros of functions of
(t, q, v, lam).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import InputError, NonFiniteError
from genalpha.solution.dense import interpolate, updater
from genalpha.step.state import Record
from genalpha.system.block import KINDS
from genalpha.system.contract import Contract
from genalpha.system.friction import FrictionColumns
from genalpha.system.functions import returned

Block = dict[str, NDArray[np.float64]]

MULTIPLIERS = tuple(kind.multiplier for kind in KINDS)
CONTACT = ("gap", "contact_force", "impulse")
NAMES = ("t", "q", "v", "vdot", "a", *MULTIPLIERS, "Lam", *CONTACT)
FRICTION = "friction"
"""The column that systems with friction have besides, see `genalpha.system.friction.FrictionColumns`."""
EVERY = (*NAMES, FRICTION)


@dataclass(frozen=True)
class Columns:
    """What a row of a system consists of, and what of it is saved.

    Attributes
    ----------
    widths : mapping
        Numbers in a row by name; t has the width 1 and is a vector.
    chosen : tuple of str
        The columns that are saved.
    """

    widths: Mapping[str, int]
    chosen: tuple[str, ...]

    def record(self, n_rows: int, names: tuple[str, ...] | None = None):
        """Space for rows as the compiled loop writes them; ``names`` are all that are wanted."""
        names = tuple(self.widths) if names is None else names
        sizes = [self.widths[name] if name in names else 0 for name in ("q", "v", "vdot", "a")]
        sizes.append(sum(self.widths[name] for name in MULTIPLIERS) if set(MULTIPLIERS) & set(names) else 0)
        sizes.append(self.widths["Lam"] if "Lam" in names else 0)
        sizes.append(3 * self.widths["gap"] if set(CONTACT) & set(names) else 0)
        sizes.append(self.widths.get(FRICTION, 0) if FRICTION in names else 0)
        return Record(np.empty(n_rows), *(np.empty((n_rows, size)) for size in sizes))

    def block(self, record, n: int) -> Block:
        """The first n rows of a record by name, as views; columns that were not recorded are left out."""
        block = {"t": record.t[:n]}
        for name in ("q", "v", "vdot", "a", "Lam", FRICTION):
            column = getattr(record, name)
            if column.shape[1] == self.widths.get(name):
                block[name] = column[:n]
        for names, source in ((MULTIPLIERS, record.mu), (CONTACT, record.contact)):
            ends = np.cumsum([self.widths[name] for name in names])
            if source.shape[1] == ends[-1]:
                block.update(zip(names, np.split(source[:n], ends[:-1], axis=1), strict=True))
        return block

    @property
    def row_bytes(self) -> int:
        """Size of a row that holds everything."""
        return 8 * sum(self.widths.values())


def columns_of(contract: Contract, has_sets: bool, save=None) -> Columns:
    """The columns of a system; ``save`` names those that are wanted, None all."""
    n, nc = contract.nv, contract.nc
    sizes = (1, contract.nq, n, n, n, *map(contract.size, KINDS), contract.m * has_sets, nc, nc, nc)
    widths = dict(zip(NAMES, sizes, strict=True))
    if contract.friction is not None:
        widths[FRICTION] = FrictionColumns(contract.friction.nt, contract.friction.ne).width
    if save is None:
        return Columns(widths, tuple(widths))
    if not isinstance(save, Iterable) or isinstance(save, Mapping):
        raise InputError(f"save = {save!r:.40} must name columns, such as ('q', 'v')")
    save = (save,) if isinstance(save, str) else tuple(save)
    wrong = [name for name in save if name not in widths]
    if wrong:
        raise InputError(f"save = {save!r}: there is no {wrong[0]!r}; choose among {', '.join(widths)}")
    return Columns(widths, tuple(name for name in widths if name == "t" or name in save))


class Rows:
    """Rows in memory that grow.

    Parameters
    ----------
    columns : Columns
    expected : int
        Space to begin with; untouched memory costs nothing.
    """

    on_disk = False

    def __init__(self, columns: Columns, expected: int = 1024):
        self.columns, self.n = columns, 0
        self._arrays = self._allocate(max(expected, 1))

    def _allocate(self, size) -> Block:
        widths, chosen = self.columns.widths, self.columns.chosen
        try:
            return {name: np.empty(size if name == "t" else (size, widths[name])) for name in chosen}
        except MemoryError:
            room = 8e-9 * size * sum(widths[name] for name in chosen)
            raise InputError(
                f"the solution would take {room:.1f} GB; save less of it (save_every=10 or more, t_eval, save), "
                f'or write it to a file with out="run.h5"'
            ) from None

    def append(self, block: Block):
        """Add rows; columns that are not saved are dropped."""
        last = self.n + len(block["t"])
        if last > len(self._arrays["t"]):
            grown = self._allocate(max(last, 2 * len(self._arrays["t"])))
            for name, column in self._arrays.items():
                grown[name][: self.n] = column[: self.n]
            self._arrays = grown
        for name, column in self._arrays.items():
            column[self.n : last] = block[name]
        self.n = last

    @property
    def last_time(self) -> float:
        """The time of the last row, nan if there is none."""
        return float(self._arrays["t"][self.n - 1]) if self.n else np.nan

    def open(self, origin):
        """Memory needs no preparation."""

    def finish(self, solution):
        """Give space back that was not used after all; the rows are those of ``solution``."""
        if self.n < len(self._arrays["t"]) // 2:
            self._arrays = {name: column[: self.n].copy() for name, column in self._arrays.items()}
        return solution

    def __getstate__(self):
        """Without space that was not used."""
        arrays = {name: column[: self.n] for name, column in self._arrays.items()}
        return {"columns": self.columns, "n": self.n, "_arrays": arrays}

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        if name not in self._arrays:
            raise not_saved(name, self.columns.chosen)
        return self._arrays[name][: self.n]

    def take(self, name: str, rows) -> NDArray[np.float64]:
        """Some rows of a column, by their increasing indices."""
        return self[name][rows]


def not_saved(name: str, chosen) -> InputError:
    """The exception for a column that is not there."""
    return InputError(f"{name} was not saved, only {', '.join(chosen)} were; add it to save=... of solve")


class Flows:
    """Impulses in rows, which are sums since the row before: of contacts (nc), and of the rows of slip (nt)."""

    def __init__(self, contract: Contract):
        self.nc, friction = contract.nc, contract.friction
        self.tangential = None if friction is None else FrictionColumns(friction.nt, friction.ne).impulse

    def of(self, block: Block) -> NDArray[np.float64]:
        """All impulses of rows."""
        if self.tangential is None:
            return block["impulse"]
        return np.hstack([block["impulse"], block[FRICTION][:, self.tangential]])

    def put(self, block: Block, impulses: NDArray[np.float64]) -> Block:
        """Rows with other impulses."""
        if self.tangential is None:
            return {**block, "impulse": impulses}
        friction = block[FRICTION].copy()
        friction[:, self.tangential] = impulses[:, self.nc :]
        return {**block, "impulse": impulses[:, : self.nc], FRICTION: friction}


class Output:
    """Takes rows block by block.

    Parameters
    ----------
    columns : Columns
    store : Rows or RunFile
        Takes the rows that are saved.
    save_every : int
        Save every so many steps.
    t_eval : ndarray, optional
        Save at these times instead.
    events : sequence of Event
    contract : Contract
    """

    def __init__(self, columns: Columns, store, save_every: int, t_eval, events: tuple[Event, ...], contract):
        self.columns, self.store, self.t_eval, self.save_every = columns, store, t_eval, save_every
        self.update = updater(contract)
        self.watch = Watch(events, self.update)
        # whoever looks between rows needs all of them
        self.looks = bool(events) or t_eval is not None
        self.loop_every = 1 if self.looks else save_every
        self.loop_names = tuple(columns.widths) if self.looks else columns.chosen
        self.last: Block = {}
        self.flows = Flows(contract)
        self.sampled, self.owed = 0, np.zeros(contract.nc + contract.nt)

    def start(self, row: Block):
        """The first row."""
        self.last = row
        if self.t_eval is None:
            self.store.append(row)
        elif len(self.t_eval) and self.t_eval[0] == row["t"][0]:
            self.store.append(row)
            self.sampled = 1

    def restart(self, row: Block, sampled: int, found, owed):
        """Go on behind a row that was the last one when a run was stored."""
        self.last, self.sampled, self.watch.found = row, sampled, list(found)
        self.owed = owed

    def owing(self, row: Block) -> Block:
        """A row of the present state, with the impulses that no saved row has."""
        return self.flows.put(row, self.flows.of(row) + self.owed)

    def take(self, block: Block, first_step: int, jumps) -> float | None:
        """Rows of the steps from ``first_step`` on, with the times of impacts; gives the time of a terminal event."""
        if not self.looks:
            if len(block["t"]):
                self.store.append(block)
            return None
        rows = {name: np.concatenate([self.last[name], column]) for name, column in block.items()}
        stop = self.watch.look(rows, jumps) if self.watch.events else None
        if stop is not None:
            rows = self._cut(rows, stop, jumps)
        self._save(rows, first_step, stop is not None, jumps)
        self.last = {name: column[-1:].copy() for name, column in rows.items()}
        return stop

    def _cut(self, rows, stop, jumps):
        """Rows up to an event, its own state the last one."""
        n = int(np.searchsorted(rows["t"], stop, side="left"))
        final = interpolate(rows, tuple(rows), np.array([stop]), jumps, self.update)
        return {name: np.concatenate([column[:n], final[name]]) for name, column in rows.items()}

    def _save(self, rows, first_step, ended, jumps):
        """Thin the rows out, or sample between them; the first one is saved already."""
        total = self.owed + np.cumsum(self.flows.of(rows)[1:], axis=0)
        total = np.concatenate([np.zeros((1, total.shape[1])) + self.owed, total])
        if self.t_eval is None:
            steps = np.arange(first_step, first_step + len(rows["t"]) - 1)
            keep = (
                1 + np.nonzero((steps % self.save_every == 0) | (ended & (np.arange(len(steps)) == len(steps) - 1)))[0]
            )
            saved = {name: rows[name][keep] for name in rows}
        else:
            behind = self.sampled + int(np.searchsorted(self.t_eval[self.sampled :], rows["t"][-1], side="right"))
            times = self.t_eval[self.sampled : behind]
            self.sampled = behind
            saved = interpolate(rows, tuple(rows), times, jumps, self.update)
            keep = np.searchsorted(rows["t"], times, side="right") - 1
        # impulses are sums since the row before
        if len(keep):
            self.owed = total[-1] - total[keep[-1]]
            impulses = np.diff(total[keep], axis=0, prepend=np.zeros((1, total.shape[1])))
            self.store.append(self.flows.put(saved, impulses))
        else:
            self.owed = total[-1]


def read_t_eval(t_eval, t0: float, t1: float):
    """The argument ``t_eval`` of `solve`: increasing times within the span."""
    if t_eval is None:
        return None
    try:
        times = np.array(t_eval, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"t_eval = {t_eval!r:.60} must be a vector of times") from None
    if times.ndim != 1 or not np.all(np.isfinite(times)):
        raise InputError(f"t_eval must be a vector of finite times, not an array of shape {times.shape}")
    if np.any(np.diff(times) <= 0.0):
        i = int(np.argmax(np.diff(times) <= 0.0))
        raise InputError(
            f"t_eval must increase, but t_eval[{i}] = {times[i]:.9g}, t_eval[{i + 1}] = {times[i + 1]:.9g}"
        )
    if len(times) and (times[0] < t0 or times[-1] > t1):
        wrong = times[0] if times[0] < t0 else times[-1]
        raise InputError(f"t_eval has t = {wrong:.9g}, outside of t_span = ({t0:.9g}, {t1:.9g})")
    return times


STATE = ("t", "q", "v", "lam", "psi", "lam_n")
"""What is kept of the state at an event, and behind it the column of friction where there is any."""


def width_of_found(widths: Mapping[str, int]) -> int:
    """Numbers in a row of the states at events: which event, then the state."""
    return 1 + sum(widths.get(name, 0) for name in (*STATE, FRICTION))


class Event(NamedTuple):
    """An event function with the attributes that SciPy's have."""

    name: str
    function: Callable[..., float]
    direction: float
    stops_after: int  # 0: it never stops the run

    def __call__(self, t, q, v, lam) -> float:
        value = float(returned(self.name, self.function(t, q, v, lam), (1,), t)[0])
        if value != value:
            raise NonFiniteError(
                f"{self.name} gave NaN at t = {t:.9g}, which has no sign; let it be a number everywhere"
            )
        return value


def read_events(events) -> tuple[Event, ...]:
    """The argument ``events`` of `solve`: a function or several, with the attributes ``terminal`` and ``direction``."""
    if events is None:
        return ()
    if not callable(events) and not isinstance(events, Sequence):
        raise InputError(f"events must be a function of (t, q, v, lam), or a list of them, not {events!r:.40}")
    found = []
    for i, function in enumerate((events,) if callable(events) else events):
        if not callable(function):
            raise InputError(f"events[{i}] must be a function of (t, q, v, lam), not a {type(function).__name__}")
        terminal, direction = getattr(function, "terminal", False), getattr(function, "direction", 0)
        if not isinstance(terminal, int | np.integer) or terminal < 0:
            raise InputError(f"events[{i}].terminal = {terminal!r} must be True, False, or after how many to stop")
        if not np.isscalar(direction) or not np.isreal(direction):
            raise InputError(f"events[{i}].direction = {direction!r} must be a number: its sign counts, 0 is both")
        found.append(Event(f"events[{i}]", function, float(direction), int(terminal)))  # pyright: ignore
    return tuple(found)


class Watch:
    """Looks for the zeros of events in rows that come block by block.

    Parameters
    ----------
    events : sequence of Event
    update : callable or None
        See `dense.interpolate`.
    """

    def __init__(self, events: Sequence[Event], update):
        self.events, self.update = events, update
        self.found: list[NDArray[np.float64]] = []  # rows: which event, then a state
        self.values: NDArray[np.float64] | None = None  # of the events, at the last row

    def look(self, rows: Block, jumps) -> float | None:
        """Find events in rows whose first was seen before; gives the time at which a terminal one ends the run."""
        values = np.array([[event(*state) for event in self.events] for state in _states(rows)])
        hits = []
        for k, event in enumerate(self.events):
            before, after = np.sign(values[:-1, k]), np.sign(values[1:, k])
            # a zero belongs to the step that ends with it
            up, down = (before < 0) & (after >= 0), (before > 0) & (after <= 0)
            wanted = (up & (event.direction >= 0)) | (down & (event.direction <= 0))
            hits += [(self._locate(rows, jumps, k, i), k) for i in np.nonzero(wanted)[0]]
        for t, k in sorted(hits):
            names = (*STATE, FRICTION) if FRICTION in rows else STATE
            state = interpolate(rows, names, np.array([t]), jumps, self.update)
            self.found.append(np.concatenate([[k], *(state[name].ravel() for name in names)]))
            stops_after = self.events[k].stops_after
            if stops_after and sum(row[0] == k for row in self.found) >= stops_after:
                return t
        return None

    def _locate(self, rows, jumps, k, i):
        """The zero of an event in a step, to round-off: of its values before an impact if there is one."""
        from scipy.optimize import brentq

        t0, t1 = float(rows["t"][i]), float(rows["t"][i + 1])
        pair = {name: column[i : i + 2] for name, column in rows.items()}

        def value(t):
            state = interpolate(pair, STATE[1:4], np.array([t]), jumps, self.update, "left" if t == t1 else "right")
            return self.events[k](t, *(state[name][0] for name in STATE[1:4]))

        left, right = value(t0), value(t1)
        if left * right > 0.0:  # only the jump at the end of the step crosses zero
            return t1
        return float(brentq(value, t0, t1, xtol=4.0 * np.spacing(max(abs(t0), abs(t1)))))


def _states(rows):
    return zip(rows["t"].tolist(), rows["q"], rows["v"], rows["lam"], strict=True)
