"""What a run gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Statistics:
    """Counts and extremes of a run; the extremes are over every step, saved or not.

    Attributes
    ----------
    steps, newton, most_newton, jacobians, factorisations : int
        Steps made, Newton iterations in all and at most in one step, evaluations of stiffness and damping, factorised
        matrices.
    rescues : int
        Steps that SuperLU had to take over.
    stagnated : int
        Steps accepted at round-off before the tolerance was reached.
    max_g, max_gdot, max_gddot, max_k : float
        Largest |g|, |ġ|, |g̈| and |k|.
    penetration : float
        Depth of the deepest penetration of a contact, 0 if there was none.
    complementarity : float
        Largest |gap| times impulse of a contact that counts as closed.
    coupled, cycles, retries : int
        Iterations of the coupled kind, active sets that came back and were resolved, steps that had to be divided.
    seconds : float
        Wall-clock time of the integration, without compilation.
    """

    steps: int = 0
    newton: int = 0
    most_newton: int = 0
    jacobians: int = 0
    factorisations: int = 0
    rescues: int = 0
    stagnated: int = 0
    max_g: float = 0.0
    max_gdot: float = 0.0
    max_gddot: float = 0.0
    max_k: float = 0.0
    penetration: float = 0.0
    complementarity: float = 0.0
    coupled: int = 0
    cycles: int = 0
    retries: int = 0
    seconds: float = 0.0


class Impacts(NamedTuple):
    """The impacts of a run, in the order of time; all arrays are (n,).

    Attributes
    ----------
    time : ndarray
        End of the step in which it happened.
    contact : ndarray of int
    approach, departure : ndarray
        Velocity of the gap before (negative) and after.
    impulse : ndarray
    """

    time: NDArray[np.float64]
    contact: NDArray[np.int64]
    approach: NDArray[np.float64]
    departure: NDArray[np.float64]
    impulse: NDArray[np.float64]

    @property
    def dissipated(self) -> NDArray[np.float64]:
        """Energy lost in each impact, −½ (approach + departure) impulse."""
        return -0.5 * (self.approach + self.departure) * self.impulse


class Ledger(NamedTuple):
    """Where the energy is, all arrays (nt,): kinetic, potential, lost in impacts so far, and the rest that is missing.

    The rest is what numerical damping has taken and, with the opposite sign, the work of forces that have no potential.
    """

    kinetic: NDArray[np.float64]
    potential: NDArray[np.float64]
    impacts: NDArray[np.float64]
    numerical: NDArray[np.float64]


def read_events(log, nc: int, t0: float, first: float, t1: float, closed_at_start) -> tuple[Impacts, tuple]:
    """Impacts, and the intervals in which contacts stayed closed, from the log of contact events.

    ``log`` has rows (time, contact, kind, approach, departure, impulse), the kinds are 0 opened, 1 closed, 2 impact.
    ``first`` is the end of the first step. A contact that is closed for one step only has bounced: that is an impact
    and no interval.
    """
    hit = log[log[:, 2] == 2]
    impacts = Impacts(hit[:, 0], hit[:, 1].astype(np.int64), hit[:, 3], hit[:, 4], hit[:, 5])
    intervals = []
    for contact in range(nc):
        own = log[(log[:, 1] == contact) & (log[:, 2] < 2)]
        begins, ends = own[own[:, 2] == 1, 0].tolist(), own[own[:, 2] == 0, 0].tolist()
        if begins and begins[0] == first and closed_at_start[contact]:  # it did not open and come back
            begins[0] = t0
        ends += [t1] * (len(begins) - len(ends))
        intervals.append([(float(a), float(b)) for a, b in zip(begins, ends, strict=True) if b > a])
    return impacts, tuple(intervals)


@dataclass(frozen=True, eq=False)
class Solution:
    """A trajectory, time first.

    Attributes
    ----------
    t : ndarray (nt,)
    q, v, vdot, a : ndarray (nt, n)
        Configuration, velocity, acceleration, algorithmic acceleration (which belongs to t + (α_m − α_f) h).
    lam : ndarray (nt, ng)
    psi : ndarray (nt, nk)
        Multipliers of g and k.
    lam_n, gap, contact_force, impulse : ndarray (nt, nc)
        Of contacts: multiplier of the smooth motion; gap; force Λ*/h of the step that ends at t, impacts included;
        impulse since the row before.
    Lam : ndarray (nt, ng + nk + nc)
        Runs with contacts: relative impulses Λ of all rows, by which velocities were corrected in the step that ends at
        t. The reaction in g over this step is lam + Lam[:, :ng] / h.
    impacts : Impacts
        All impacts, whether their rows are saved or not.
    contact_intervals : tuple of list of (float, float)
        For each contact the intervals (from, to) in which it stayed closed.
    success : bool
    status : str
        "done", or the name of the exception that ended the run.
    message : str
    stats : Statistics
    system, method : the arguments of `solve`
    """

    t: NDArray[np.float64]
    q: NDArray[np.float64]
    v: NDArray[np.float64]
    vdot: NDArray[np.float64]
    a: NDArray[np.float64]
    lam: NDArray[np.float64]
    psi: NDArray[np.float64]
    lam_n: NDArray[np.float64]
    Lam: NDArray[np.float64]
    gap: NDArray[np.float64]
    contact_force: NDArray[np.float64]
    impulse: NDArray[np.float64]
    impacts: Impacts
    contact_intervals: tuple[list[tuple[float, float]], ...]
    success: bool
    status: str
    message: str
    stats: Statistics
    system: Any = field(repr=False)
    method: Any = field(repr=False)

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        span = f"t = {self.t[0]:.6g} .. {self.t[-1]:.6g}, " if len(self.t) else ""
        return f"Solution({self.status}: {span}{self.stats.steps} steps, {len(self.t)} rows, n = {self.q.shape[1]})"

    def __getitem__(self, key) -> Any:
        """Results by name or symbol; what keys there are is up to the system.

        Bodies, joints and springs of a model; coordinates, constraints (their multipliers) and contacts (their gaps) of
        a system that names them; for systems from SymPy expressions too, ``sol[x.diff(t)]``.
        """
        return self.system.quantity(self, key)

    def plot(self, *keys, title: str = ""):
        """A figure of this solution.

        Parameters
        ----------
        *keys
            What to show, one panel each: whatever ``sol[key]`` takes, "part.attribute" for parts of a model, or an
            array over time. Without any: configuration, velocity, multipliers, how far constraints are off, gaps with
            the intervals of contact, and the energy, as far as there are such.
        title : str

        Returns
        -------
        matplotlib.figure.Figure
            It belongs to no window: ``figure.savefig(path)``, or the last line of a notebook's cell.
        """
        from genalpha.plot import plot

        return plot(self, *keys, title=title)

    @property
    def energy(self) -> NDArray[np.float64]:
        """Kinetic and potential energy, (nt, 2), from the system's ``energy`` function."""
        return self.system.energies(self.t, self.q, self.v)

    @property
    def ledger(self) -> Ledger:
        """Kinetic and potential energy, what impacts have taken, and what is missing; needs the system's ``energy``."""
        kinetic, potential = self.energy.T
        lost = np.concatenate([[0.0], np.cumsum(self.impacts.dissipated)])
        impacts = lost[np.searchsorted(self.impacts.time, self.t, side="right")]
        numerical = kinetic[0] + potential[0] - kinetic - potential - impacts
        return Ledger(kinetic, potential, impacts, numerical)
