"""What a run gives back."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.errors import InputError
from genalpha.inputs import PathName, finite
from genalpha.solution.dense import State, interpolate
from genalpha.solution.rows import FRICTION, STATE, width_of_found
from genalpha.solution.statistics import Statistics
from genalpha.system import contact_log
from genalpha.system.block import TANGENTIAL, Block, stacked, within_kind
from genalpha.system.sliding import Sliding, tangential_impulses

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

    from genalpha.solution.ledger import Ledger
    from genalpha.solution.peaks import Peaks
    from genalpha.solution.tables import Table
    from genalpha.system.contract import MechanicalSystem
    from genalpha.system.friction import Friction
    from genalpha.view.server import View


class Impacts(NamedTuple):
    """The impacts of a run, theory (11), in the order of time; all arrays are (n,).

    A contact that is hit through others is listed too: a block on the floor, when something falls on it.

    Attributes
    ----------
    time : ndarray
        End of the step in which it happened.
    contact : ndarray of int
    approach, departure : ndarray
        Velocity of the gap before and after, as the law of impact took it: negative before if it closes; 0 for a
        contact at rest, or positive for one that opens, if it is hit through others.
    impulse : ndarray
        Never negative.
    tangential_impulse : ndarray
        Of friction, one for each row of slip: (n,) in a plane, (n, 2) in space, (n, 3) with drilling; 0 without.
    """

    time: NDArray[np.float64]
    contact: NDArray[np.int64]
    approach: NDArray[np.float64]
    departure: NDArray[np.float64]
    impulse: NDArray[np.float64]
    tangential_impulse: NDArray[np.float64]

    @property
    def dissipated(self) -> NDArray[np.float64]:
        """Energy lost along the normal in each impact, −½ (approach + departure) impulse; see `Ledger` for friction."""
        return -0.5 * (self.approach + self.departure) * self.impulse


def read_impacts(log: NDArray[np.float64], friction: Friction | None = None) -> Impacts:
    """The impacts among the contact events of a log."""
    hit = contact_log.of_kind(log, contact_log.IMPACT)
    return Impacts(
        time=hit[:, contact_log.LOG_TIME],
        contact=contact_log.contacts_of(hit),
        approach=hit[:, contact_log.LOG_BEFORE],
        departure=hit[:, contact_log.LOG_AFTER],
        impulse=hit[:, contact_log.LOG_IMPULSE],
        tangential_impulse=tangential_impulses(friction, hit[:, contact_log.LOG_TANGENT :]),
    )


@dataclass(frozen=True, eq=False)
class Solution:
    """A trajectory, time first; called with times it gives states between its rows.

    Columns of a solution that was written to a file (``out=``) are read when they are wanted.

    Attributes
    ----------
    t : ndarray (nt,)
    q, v, vdot, a : ndarray (nt, n)
        Configuration, velocity, acceleration, algorithmic acceleration (which belongs to t + (α_m − α_f) h).
    lam : ndarray (nt, ng)
    psi : ndarray (nt, nk)
        Multipliers of g and k.
    lam_n, gap, contact_force, impulse : ndarray (nt, nc)
        Of contacts: multiplier of the smooth motion; gap; mean force of the step that ends at t, without the impulses
        that ``impacts`` lists; impulse of both since the row before. Neither is negative, but for round-off. In
        the step in which a contact opens there is a mean force, though the gap at its end is open; ``lam_n`` is zero
        there.
    Lam : ndarray (nt, ng + nk + nc)
        Runs with contacts: relative impulses Λ of all rows, by which velocities were corrected in the step that ends at
        t. The reaction in g over this step is lam + Lam[:, :ng] / h.
    slip, friction_force, friction_impulse : ndarray (nt, nc), (nt, nc, 2) or (nt, nc, 3)
        Of contacts with friction, along their slip velocities: these; mean force of the step that ends at t, without
        the impulses of impacts; impulse of everything since the row before.
    sticks : ndarray of bool (nt, nc)
    friction_work, friction_margin : ndarray (nt, nc)
        Work of friction since the beginning, negative where it dissipates; how much more it could hold,
        mu contact_force − ``|friction_force|``, with mu_static where it sticks.
    dry_slip, dry_force, dry_sticks : ndarray (nt, nd)
        The same of dry friction with bounds of its own.
    lam_t : ndarray (nt, rows)
        Friction forces of the smooth motion at t, of the rows of all contacts, then of the dry ones.
    impacts : Impacts
        All impacts, whether their rows are saved or not.
    contact_intervals : tuple of list of (float, float)
        For each contact the intervals (from, to) in which it stayed closed.
    t_events : tuple of ndarray
        For each event function the times of its events.
    events : tuple of State
        For each event function the states at these times.
    success : bool
    status : str
        "done", "event" (a terminal one), "interrupted", "unfinished" (a file whose run was killed), or the name of the
        exception that ended the run.
    message : str
    stats : Statistics
    system, method : the arguments of `solve`; the system is None if the solution was loaded without it, and the file
        does not say how to make it again

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> ball = ga.System(M=np.eye(1), f=lambda t, q, v: np.array([-10.0]))
    >>> sol = ga.solve(ball, (0.0, 1.0), [5.0], [0.0], h=0.25)
    >>> sol(0.5).q, sol([0.1, 0.2]).v.ravel()
    (array([3.75]), array([-1., -2.]))
    """

    rows: Any = field(repr=False)
    log: NDArray[np.float64] = field(repr=False)
    found: NDArray[np.float64] = field(repr=False)
    first_end: float = field(repr=False)
    t_last: float = field(repr=False)
    success: bool
    status: str
    message: str
    stats: Statistics
    system: Any = field(repr=False)
    method: Any = field(repr=False)
    update: Any = field(repr=False)
    origin: Any = field(repr=False)
    checkpoint: Any = field(repr=False)
    no_system: str = field(default="it is not in the file: ga.load(path, system)", repr=False)  # why there is none

    @property
    def t(self) -> NDArray[np.float64]:
        return self.rows["t"]

    @property
    def q(self) -> NDArray[np.float64]:
        return self.rows["q"]

    @property
    def v(self) -> NDArray[np.float64]:
        return self.rows["v"]

    @property
    def vdot(self) -> NDArray[np.float64]:
        return self.rows["vdot"]

    @property
    def a(self) -> NDArray[np.float64]:
        return self.rows["a"]

    @property
    def lam(self) -> NDArray[np.float64]:
        return self.rows["lam"]

    @property
    def psi(self) -> NDArray[np.float64]:
        return self.rows["psi"]

    @property
    def lam_n(self) -> NDArray[np.float64]:
        return self.rows["lam_n"]

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of constraint rows of the system, with the names of their rows."""
        names = self.origin.system["names"]
        return tuple(block.of(names.get(block.name, ())) for block in stacked(self._system().blocks))

    def multiplier(self, name: str) -> NDArray[np.float64]:
        """The multipliers (nt, n) of one block of rows, by their name.

        ``lam``, ``psi`` and ``lam_n`` are those of g, k and gap; a system with several blocks of a kind has the
        multipliers of all of them in these columns, one block behind the other.
        """
        blocks = self.blocks
        for block in blocks:
            if block.multiplier == name and block.kind == TANGENTIAL:
                return self.dry_force if block.name == "dry" else self.lam_t[:, within_kind(blocks, block)]
            if block.multiplier == name:
                return self.rows[block.kind.multiplier][:, within_kind(blocks, block)]
        raise InputError(f"there is no multiplier {name!r}; there are {', '.join(b.multiplier for b in blocks)}")

    @property
    def Lam(self) -> NDArray[np.float64]:
        return self.rows["Lam"]

    @property
    def gap(self) -> NDArray[np.float64]:
        return self.rows["gap"]

    @property
    def contact_force(self) -> NDArray[np.float64]:
        return self.rows["contact_force"]

    @property
    def impulse(self) -> NDArray[np.float64]:
        return self.rows["impulse"]

    # friction

    @property
    def friction(self) -> NDArray[np.float64]:
        """The raw results of friction (nt, width), see `genalpha.system.friction.FrictionColumns`."""
        return self._sliding.raw

    @property
    def _sliding(self) -> Sliding:
        if self.origin.friction is None:
            raise InputError("this system has no friction: no slip with mu, and no dry friction")
        return Sliding(self.origin.friction, self.origin.columns.widths["gap"], self.rows[FRICTION])

    @property
    def slip(self) -> NDArray[np.float64]:
        return self._sliding.slip

    @property
    def friction_force(self) -> NDArray[np.float64]:
        return self._sliding.force

    @property
    def friction_impulse(self) -> NDArray[np.float64]:
        return self._sliding.impulse

    @property
    def sticks(self) -> NDArray[np.bool_]:
        return self._sliding.sticks

    @property
    def friction_work(self) -> NDArray[np.float64]:
        return self._sliding.work

    @property
    def friction_margin(self) -> NDArray[np.float64]:
        return self._sliding.margin(self.contact_force)

    @property
    def dry_slip(self) -> NDArray[np.float64]:
        return self._sliding.dry_slip

    @property
    def dry_force(self) -> NDArray[np.float64]:
        return self._sliding.dry_force

    @property
    def dry_sticks(self) -> NDArray[np.bool_]:
        return self._sliding.dry_sticks

    @property
    def lam_t(self) -> NDArray[np.float64]:
        return self._sliding.lam_t

    def _forces(self, raw: NDArray[np.float64]) -> NDArray[np.float64]:
        """lam_t of raw results; none without friction."""
        return Sliding(self.origin.friction, 0, raw).lam_t if self.origin.friction is not None else raw

    @functools.cached_property
    def _contacts(self) -> tuple[Impacts, tuple[list[tuple[float, float]], ...]]:
        nc, t0 = self.origin.columns.widths["gap"], self.origin.schedule.t0
        times = t0, self.first_end, self.t_last
        intervals = contact_log.closed_intervals(self.log, nc, *times, self.origin.closed_at_start)
        return read_impacts(self.log, self.origin.friction), intervals

    @property
    def impacts(self) -> Impacts:
        return self._contacts[0]

    @property
    def contact_intervals(self) -> tuple[list[tuple[float, float]], ...]:
        return self._contacts[1]

    @property
    def events(self) -> tuple[State, ...]:
        widths = self.origin.columns.widths
        ends = np.cumsum([1, *(widths[name] for name in ("q", "v", "lam", "psi", "lam_n"))])
        found = self.found.reshape(len(self.found), -1) if len(self.found) else np.zeros((0, width_of_found(widths)))
        states: list[State] = []
        for k in range(self.origin.n_events):
            t, *parts = np.split(found[found[:, 0] == k, 1:], ends, axis=1)
            states.append(State(t[:, 0], *parts[:-1], lam_t=self._forces(parts[-1])))
        return tuple(states)

    @property
    def t_events(self) -> tuple[NDArray[np.float64], ...]:
        return tuple(state.t for state in self.events)

    def __getstate__(self) -> dict[str, Any]:
        """For other processes: all but what is made again, and the system only if it can be sent."""
        from genalpha.solution.transport import packed

        state = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("system", "update")}
        try:
            return {**state, "_packed": packed(self.system)}
        except InputError as error:
            return {**state, "_packed": packed(None), "no_system": str(error)}

    def __getattr__(self, name: str) -> Any:
        """The system of a solution that comes from another process, and the update that needs it: made when wanted."""
        from genalpha.solution.transport import unpacked, update_of

        if name not in ("system", "update") or "_packed" not in vars(self):
            raise AttributeError(f"a {type(self).__name__} has no attribute {name!r}{_what_there_is(name)}")
        made: Any = unpacked(self._packed) if name == "system" else update_of(self.system, self.origin)
        vars(self)[name] = made
        return made

    def __len__(self) -> int:
        return self.rows.n

    def __repr__(self) -> str:
        n = self.origin.columns.widths["q"]
        span = f"t = {self.t[0]:.6g} .. {self.t[-1]:.6g}, " if len(self) else ""
        return f"Solution({self.status}: {span}{self.stats.steps} steps, {len(self)} rows, n = {n})"

    def _repr_html_(self) -> str:
        """The motion in a frame, in a notebook; a table where the system does not say how it looks."""
        from genalpha.solution.shown import as_html

        return as_html(self)

    def __call__(self, t: ArrayLike, side: Literal["left", "right"] = "right") -> State:
        """The state at any time of the run, second order between rows, and exact at rows.

        Parameters
        ----------
        t : float or array_like (nt,)
        side : {"right", "left"}
            At the time of an impact: after it, or before it.

        Notes
        -----
        An impact is known to the step in which it happens, and counts as happening at its end.
        """
        times = finite(t)
        if times is None:
            raise InputError(f"t = {t!r:.60} must be a number or a vector of numbers")
        if side not in ("left", "right"):
            raise InputError(f"side = {side!r} must be 'right' (after an impact) or 'left' (before it)")
        if not len(self):
            raise InputError("this solution has no rows")
        first, last = self.t[0], self.t[-1]
        slack = 1e-12 * max(abs(first), abs(last))
        if times.ndim > 1 or not np.all((times >= first - slack) & (times <= last + slack)):
            raise InputError(f"t must be a number or a vector within {first:.9g} .. {last:.9g}, where the solution is")
        if self.update is None and not self.origin.flat:
            raise InputError(f"between rows of rotations the system is needed; {self.no_system}")
        names = (*STATE, FRICTION) if self.origin.nt else STATE
        state = interpolate(self.rows, names, np.atleast_1d(times), self.impacts.time, self.update, side)
        state["lam_t"] = self._forces(state.pop(FRICTION, np.zeros((times.size, 0))))
        return State(**{name: column[0] if times.ndim == 0 else column for name, column in state.items()})

    def save(self, path: PathName, *keys: Any) -> None:
        """Write the solution to a file: HDF5 (``.h5``, ``.hdf5``), NumPy (``.npz``) or text (``.csv``).

        HDF5 keeps everything, and `genalpha.load` and `genalpha.resume` read it; the others keep the rows.

        Parameters
        ----------
        path : path
        *keys
            For ``.csv``: columns as those of `table`, with names and units, ``sol.save("x.csv", "pin.force")``. Without
            any, all rows as they are stored.
        """
        from genalpha.solution.export import save

        save(self, path, *keys)

    def table(self, *keys: Any) -> Table:
        """Results as a table: columns with names and units, time first.

        Parameters
        ----------
        *keys
            As for `plot`: "pin.force", "rod.position"; a part alone, "rod", stands for its main results. Without any:
            positions of bodies, coordinates and forces of joints, or all that a system of functions names.

        Returns
        -------
        Table
            It prints itself, shows itself in notebooks, and has ``to_csv(path)``.
        """
        from genalpha.solution.tables import table

        return table(self, *keys)

    def peaks(self, *keys: Any) -> Peaks:
        """The largest and the smallest value of results, of every component and of the size of vectors, and when.

        Parameters
        ----------
        *keys
            As for `table`.
        """
        from genalpha.solution.peaks import peaks

        return peaks(self, keys)

    def to_pandas(self, *keys: Any) -> Any:
        """`table` as a pandas.DataFrame, with the time as its index; needs the extra ``tables``."""
        from genalpha.solution.tables import to_pandas

        return to_pandas(self, *keys)

    def to_xarray(self, *keys: Any) -> Any:
        """`table` as an xarray.Dataset, a variable for each key, with units as attributes; the extra ``tables``."""
        from genalpha.solution.tables import to_xarray

        return to_xarray(self, *keys)

    def save_report(self, path: PathName, title: str = "") -> Path:
        """Write a report that one can hand in: model, figures, peaks of joint forces, constraints, energies, impacts.

        Parameters
        ----------
        path : path
            ``.html``: one file that needs nothing else; ``.pdf``.
        title : str
            By default the name of the model.

        Returns
        -------
        Path
            The file.
        """
        from genalpha.solution.report import save_report

        return save_report(self, path, title)

    def __getitem__(self, key: Any) -> Any:
        """Results by name or symbol; what keys there are is up to the system.

        Bodies, joints and springs of a model; coordinates, constraints (their multipliers) and contacts (their gaps) of
        a system that names them; for systems from SymPy expressions too, ``sol[x.diff(t)]``. Results of a part are one
        object however often they are asked for: what they have computed is not computed again.
        """
        kept: tuple[int, Any] = vars(self).get("_results", (-1, None))
        if kept[0] != len(self):  # of a run that goes on, rows are added
            # results refer to a copy: the rows go with the last of both, and do not wait for a collection of cycles
            kept = vars(self)["_results"] = len(self), self._system().results(replace(self))
        return kept[1](key)

    def _system(self) -> MechanicalSystem:
        if self.system is None:
            raise InputError(f"this needs the system; {self.no_system}")
        return self.system

    def plot(self, *keys: Any, title: str = "") -> Figure:
        """A figure of this solution.

        Parameters
        ----------
        *keys
            What to show, one panel each: whatever ``sol[key]`` takes, "part.attribute" for parts of a model, or an
            array over time; a part alone, "rod", stands for its main results. Without any: of a model positions,
            coordinates and forces of joints, of other systems configuration, velocity and multipliers; how far
            constraints are off, gaps with the intervals of contact, and the energy, as far as there are such.
        title : str

        Returns
        -------
        matplotlib.figure.Figure
            It belongs to no window: ``figure.savefig(path)``, or the last line of a notebook's cell, which shows it.
        """
        from genalpha.solution.plot import plot

        return plot(self, *keys, title=title)

    @property
    def energy(self) -> NDArray[np.float64]:
        """Kinetic and potential energy, (nt, 2), from the system's ``energy`` function."""
        return self._system().energies(self.t, self.q, self.v)

    @property
    def ledger(self) -> Ledger:
        """Kinetic and potential energy, and where the rest went; needs the system's ``energy``.

        Work between rows is integrated along the trajectory: see `genalpha.solution.ledger.Ledger`.
        """
        from genalpha.solution.ledger import ledger_of

        return ledger_of(self)

    def view(self, *others: Solution, **options: Any) -> View:
        """Show the motion in the browser, alone or beside other solutions; returns at once.

        Parameters
        ----------
        *others : Solution
            At most five, to compare with.
        **options
            ``drawing``, ``title``, ``labels``, ``layout``, ``frames``, ``plots``, ``trace``, ``browser``: see
            `genalpha.view.open_view`.

        Returns
        -------
        View
            ``view.url`` is the address; the server ends when the page is closed.
        """
        from genalpha.view import page, server

        browser = options.pop("browser", True)
        return server.show(page.page_of([self, *others], serve=True, **options), browser)

    def save_html(self, path: PathName, *others: Solution, **options: Any) -> Path:
        """Write the motion, alone or beside other solutions, as one HTML file that needs nothing else.

        Parameters
        ----------
        path : path
        *others : Solution
            At most five, to compare with.
        **options
            ``drawing``, ``title``, ``labels``, ``layout``, ``frames``, ``plots``, ``trace``: see
            `genalpha.view.save_html`.

        Returns
        -------
        Path
            The file.
        """
        from genalpha.view.page import page_of, write_page

        return write_page(path, page_of([self, *others], **options))

    def save_video(self, path: PathName, **options: Any) -> Path:
        """Write the motion as ``.gif``, or as ``.mp4``, ``.webm`` or ``.mov`` where ffmpeg is installed.

        Parameters
        ----------
        path : path
        **options
            ``drawing``, ``title``, ``fps``, ``speed``, ``size``, ``look_from``: see `genalpha.view.save_video`.

        Returns
        -------
        Path
            The file.
        """
        from genalpha.view.video import save_video

        return save_video(path, self, **options)


INSIDE = {"checkpoint", "first_end", "found", "log", "no_system", "origin", "rows", "t_last", "update"}
"""Attributes that serve the package; messages do not propose them."""


def _what_there_is(name: str) -> str:
    """Words on the attributes of a solution, for one that there is not."""
    if name.startswith("_"):  # Python asks for many of its own
        return ""
    known = {*dir(Solution), *(f.name for f in fields(Solution))}
    known = sorted(one for one in known - INSIDE if not one.startswith("_"))
    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}, and results by name, sol[...]"
