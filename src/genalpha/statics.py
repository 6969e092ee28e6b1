"""Equilibrium: configurations in which nothing moves, by Newton's iteration under growing load."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genalpha.contract import Contract, MechanicalSystem
from genalpha.driver import as_system
from genalpha.errors import ConvergenceError, InputError, NonFiniteError
from genalpha.functions import real_vector
from genalpha.math.saddle import Saddle, solve_saddle
from genalpha.model.model import Model
from genalpha.model.system import ModelSystem
from genalpha.step.scales import scales
from genalpha.tangents import Residual, contract_of, exact_matrices, turning

Array = NDArray[np.float64]

SPARSE_FROM = 150
SMALLEST = 2.0**-10
"""A load step is halved this often at most."""

EASY, HARD = 6, 7
"""After so few iterations the next load step may be larger; one that has not calmed down by then is halved."""


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """Where a system stays at rest, and the way there: one row for every load step, the last one is the equilibrium.

    Attributes
    ----------
    load : ndarray (n,)
        Shares of the load, from 0 to 1; ``t`` is the same, for views.
    q : ndarray (n, nq)
    v, vdot, psi : ndarray (n, nv) and (n, nk)
        Zeros.
    lam : ndarray (n, ng)
        Constraint forces, in the sign of M v̇ = f + Gᵀ lam.
    lam_n, gap : ndarray (n, nc)
        Contact forces and gaps.
    iterations : int
        Newton's iterations in all load steps.

    Results of parts of models are found by name: ``equilibrium["arm"].tip[-1]``.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> spring = ga.System(M=np.eye(1), f=lambda t, q, v: 10.0 - 4.0 * q)
    >>> rest = ga.equilibrium(spring, [0.0])
    >>> rest.q[-1]
    array([2.5])
    """

    system: Any
    load: Array
    q: Array
    lam: Array
    lam_n: Array
    gap: Array
    nv: int
    nk: int
    iterations: int

    @property
    def t(self) -> Array:
        return self.load

    @property
    def v(self) -> Array:
        return np.zeros((len(self.load), self.nv))

    @property
    def vdot(self) -> Array:
        return self.v

    @property
    def psi(self) -> Array:
        return np.zeros((len(self.load), self.nk))

    def __getitem__(self, key):
        return self.system.quantity(self, key)

    def __repr__(self) -> str:
        return f"Equilibrium({len(self.load) - 1} load steps, {self.iterations} iterations)"


def equilibrium(
    system: MechanicalSystem | Model,
    q0=None,
    *,
    t: float = 0.0,
    load_steps: int = 1,
    tol: float = 1e-10,
    max_iter: int = 25,
) -> Equilibrium:
    """A configuration near q0 in which f + Gᵀλ + Nᵀλ_n = 0, g = 0 and gap ≥ 0, with v = 0.

    Loads grow in steps: what is out of balance at q0 is taken away, s times it is put on, s = 1/load_steps, ... 1. For
    a structure without stress at q0 this is its load, growing in proportion. Steps that do not converge are halved,
    and there is a row for each of the smaller ones.

    Parameters
    ----------
    system : System or Model
    q0 : array_like (nq,), optional
        Where to begin; by default the configuration of the bodies of a model.
    t : float
        The time at which loads are taken.
    load_steps : int
    tol : float
        An iteration has converged when it moves nothing by more than this, relative to the extent.
    max_iter : int
        Iterations in one load step.

    Returns
    -------
    Equilibrium
        Contacts end up closed, with a force that pushes, or open; those that are closed at q0 begin so.

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("spring", gravity=(0.0, -10.0), planar=True)
    >>> ball = model.add(ga.PointMass("ball", mass=1.0, position=(0.0, -1.0)))
    >>> _ = model.add(ga.SpringDamper("spring", model.ground, ball, stiffness=100.0))
    >>> ga.equilibrium(model)["ball"].position[-1].round(9).tolist()
    [0.0, -1.1, 0.0]
    """
    if not (isinstance(load_steps, int | np.integer) and load_steps >= 1):
        raise InputError(f"load_steps = {load_steps!r} must be a positive integer")
    system, q, v = at_rest(system, q0)
    contract = contract_of(system, float(t), q, v)
    if contract.multipliers_in_f:
        raise InputError("equilibrium: forces that contain the multipliers are not supported")
    search = _Search(contract, float(t), q, tol, max_iter, turning(system))
    s, step, largest, rows = 0.0, 1.0 / load_steps, 1.0 / load_steps, [search.row(0.0)]
    while s < 1.0:
        target = s + step if s + step < 1.0 - 1e-9 else 1.0
        before = search.iterations
        if search.advance(target):
            s = target
            rows.append(search.row(s))
            if search.iterations - before <= EASY:
                step = min(2.0 * step, largest)
            continue
        step *= 0.5
        if step < SMALLEST * largest:
            raise ConvergenceError(search.failure(s, target))
    load, qs, lam, lam_n, gap = (np.array(column) for column in zip(*rows, strict=True))
    return Equilibrium(system, load, qs, lam, lam_n, gap, contract.nv, contract.nk, search.iterations)


def at_rest(system, q0) -> tuple[MechanicalSystem, Array, Array]:
    """(system, q0, zero velocities); a model is assembled, and has a configuration of its own."""
    if isinstance(system, Model):
        system = system.assemble()
    if isinstance(system, ModelSystem):
        v0 = np.zeros(len(system.v0))
    elif q0 is None:
        raise InputError("a system of functions needs a configuration q0 to begin with")
    else:
        v0 = np.zeros(np.size(system.state("q0", q0)))
    system, q0, v0 = as_system(system, q0, v0)
    return system, real_vector("q0", q0).copy(), real_vector("v0", v0)


class _Search:
    """The state of the search, and Newton's iteration."""

    def __init__(self, contract: Contract, t, q, tol, max_iter, angles=None):
        self.contract, self.t, self.q, self.tol, self.max_iter = contract, t, q, tol, max_iter
        self.angles = angles
        self.mu, self.rest = np.zeros(contract.m), np.zeros(contract.nv)
        self.first, self.first_g = self._force(q), contract.evaluate("g", t, q)
        size = scales(contract, t, q, self.rest)
        self.closed = contract.evaluate("gap", t, q) <= 1e-9 * size.of_rows(contract, "N", size.q, t, q)
        self.largest = 0.0
        self.iterations, self.last, self.exact = 0, np.inf, False
        self.idle: Array | None = None

    def row(self, load):
        c = self.contract
        nb = c.ng + c.nk
        return load, self.q.copy(), self.mu[: c.ng].copy(), self.mu[nb:].copy(), c.evaluate("gap", self.t, self.q)

    def _force(self, q):
        f = self.contract.evaluate("f", self.t, q, self.rest)
        if not np.all(np.isfinite(f)):
            bad = self.contract.velocity_names[int(np.argmax(~np.isfinite(f)))]
            raise NonFiniteError(f"equilibrium: the force is not finite in the row of {bad}")
        return f

    def _extent(self) -> float:
        """The largest coordinate so far; 1 while all are zero."""
        self.largest = max(self.largest, float(np.max(np.abs(self.q), initial=0.0)))
        return self.largest or 1.0

    def advance(self, load) -> bool:
        """Go to a share of the load; if that fails, everything is as before."""
        before = self.q.copy(), self.mu.copy(), self.closed.copy()
        if self._iterate(load):
            return True
        self.q, self.mu, self.closed = before
        return False

    def _iterate(self, load) -> bool:
        size_before, first = np.inf, None
        for iteration in range(self.max_iter):
            self.iterations += 1
            found, rows = self._newton(load)
            size = float(np.max(np.abs(found.x), initial=0.0))
            if found.idle is not None or not np.isfinite(size):
                return False
            extent = self._extent()
            self._take(found, rows)
            changed, self.last = self._switch_contacts(extent), size
            first = size if first is None else first
            if size > 1e3 * max(first, extent) or (iteration >= HARD and size > 0.1 * first and size > 1e-6 * extent):
                return False
            if not changed and (size <= self.tol * extent or (size <= 1e-6 * extent and size > 0.3 * size_before)):
                return True
            # converging, but slowly: the stiffness of the contract is not enough
            self.exact |= iteration > 2 and 0.1 * size_before < size < 0.1 * first
            size_before = size
        return False

    def _newton(self, load) -> tuple[Saddle, Array]:
        """(increment and multipliers of K x − Bᵀμ = f, B x + b = 0; contacts that are closed)."""
        c, t, q, v = self.contract, self.t, self.q, self.rest
        sparse = c.nv + c.m > SPARSE_FROM
        if self.exact:
            K = exact_matrices(c, t, q, v, v, self.mu, self.angles).K
            K = K if sparse else K.toarray()
        else:
            K = c.matrix("stiffness", t, q, v, v, self.mu, sparse=sparse)
        rows = np.nonzero(self.closed)[0]
        blocks = [c.matrix("G", t, q, sparse=sparse), c.matrix("N", t, q, sparse=sparse)[rows]]
        if sparse:
            from scipy.sparse import vstack

            B: Any = vstack(blocks).tocsc()
        else:
            B = np.vstack(blocks)
        f = self._force(q) - (1.0 - load) * self.first
        b = np.concatenate([c.evaluate("g", t, q) - (1.0 - load) * self.first_g, c.evaluate("gap", t, q)[rows]])
        if not np.all(np.isfinite(K.data if sparse else K)):
            raise NonFiniteError("equilibrium: the stiffness is not finite")
        found = solve_saddle(K, B, f, b)
        self.idle = found.idle
        if found.idle is not None:
            found = solve_saddle(self._held(K, f, sparse), B, f, b)
        return found, rows

    def _held(self, K, f, sparse):
        """K with springs that hold what nothing resists: pendulums and ropes get their stiffness from the load."""
        spring = (float(np.max(np.abs(f), initial=0.0)) or 1.0) / self._extent()
        if not sparse:
            return K + spring * np.eye(len(f))
        from scipy.sparse import eye_array

        return (K + spring * eye_array(len(f))).tocsc()

    def _take(self, found: Saddle, rows):
        c = self.contract
        self.q = Residual(c, self.t, self.q, self.rest, self.rest, self.mu).moved(found.x)
        self.mu = np.zeros(c.m)
        self.mu[: c.ng], self.mu[c.ng + c.nk + rows] = found.mu[: c.ng], found.mu[c.ng :]

    def _switch_contacts(self, extent) -> bool:
        """Contacts that pull open, gaps that are negative close; gives whether anything changed."""
        c = self.contract
        if not c.nc:
            return False
        before, force = self.closed.copy(), self.mu[c.ng + c.nk :]
        self.closed = (before & (force >= 0.0)) | (c.evaluate("gap", self.t, self.q) < -1e-10 * extent)
        return bool(np.any(before != self.closed))

    def failure(self, reached, target) -> str:
        """Why there is no equilibrium."""
        where = f"equilibrium: no convergence from {reached:.4g} to {target:.6g} of the load"
        if self.idle is not None:
            name = self.contract.velocity_names[int(np.argmax(np.abs(self.idle)))]
            return (
                f"{where}: nothing resists a motion of {name}, the stiffness is singular on what the constraints "
                f"allow; hold it by a joint or a spring"
            )
        return (
            f"{where}; the last iteration moved {self.last:.3g}. Take more load_steps, or a q0 nearer to the solution; "
            f"beyond a limit load there is none"
        )
