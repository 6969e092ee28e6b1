"""Equilibrium: configurations in which nothing moves, by Newton's iteration under growing load, or by relaxation."""

# pyright: reportUnnecessaryIsInstance=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from genalpha.analysis.balance import Search
from genalpha.analysis.tangents import contract_of, length_of, turning
from genalpha.errors import ConvergenceError, InputError
from genalpha.inputs import Array, Values
from genalpha.model.model import Model, as_system
from genalpha.model.system import ModelSystem
from genalpha.system.block import NONHOLONOMIC, Block
from genalpha.system.contract import MechanicalSystem
from genalpha.system.functions import real_vector

SMALLEST = 2.0**-10
"""A load step is halved this often at most."""

EASY = 6
"""After so few iterations the next load step may be larger."""


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
    blocks: tuple[Block, ...]
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
    def nk(self) -> int:
        return sum(len(block) for block in self.blocks if block.kind == NONHOLONOMIC)

    @property
    def psi(self) -> Array:
        return np.zeros((len(self.load), self.nk))

    def __getitem__(self, key: Any) -> Any:
        return self.system.quantity(self, key)

    def __repr__(self) -> str:
        return f"Equilibrium({len(self.load) - 1} load steps, {self.iterations} iterations)"


def equilibrium(
    system: MechanicalSystem | Model,
    q0: Values | None = None,
    *,
    t: float = 0.0,
    load_steps: int = 1,
    tol: float = 1e-10,
    max_iter: int = 25,
) -> Equilibrium:
    """A configuration near q0 in which f + Gᵀλ + Nᵀλ_n = 0, g = 0 and gap ≥ 0, with v = 0.

    Loads grow in steps: what is out of balance at q0 is taken away, s times it is put on, s = 1/load_steps, ... 1. For
    a structure without stress at q0 this is its load, growing in proportion. Steps that do not converge are halved,
    and there is a row for each of the smaller ones. What is slack at q0, so that nothing resists some motion, or snaps
    through, moves to where it comes to rest under the full load, as if it were strongly damped. Friction does nothing
    here: `holds` says what it can hold.

    Parameters
    ----------
    system : System or Model
    q0 : array_like (nq,), optional
        Where to begin; by default the configuration of the bodies of a model.
    t : float
        The time at which loads are taken.
    load_steps : int
    tol : float
        An iteration has converged when it turns nothing by more than this, in rad, and moves nothing by more than this
        over the length of the system: of a model the largest distance of its bodies from one another or the origin.
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
    search = Search(contract, float(t), q, tol, max_iter, turning(system), length_of(system, q))
    rows = _load(search, 1.0 / load_steps)
    load, qs, lam, lam_n, gap = (np.array(column) for column in zip(*rows, strict=True))
    return Equilibrium(system, load, qs, lam, lam_n, gap, contract.nv, contract.blocks, search.iterations)


def _load(search: Search, largest: float) -> list[tuple[Any, ...]]:
    """Rows on the way to the full load: in steps of at most ``largest``, or where these fail by relaxation."""
    s, step, rows = 0.0, largest, [search.row(0.0)]
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
        if search.slack or step < SMALLEST * largest:
            if not search.relax():
                raise ConvergenceError(search.failure(s, target))
            return [*rows, search.row(1.0)]
    return rows


def at_rest(system: Any, q0: Any) -> tuple[MechanicalSystem, Array, Array]:
    """(system, q0, zero velocities); a model is assembled, and has a configuration of its own."""
    if isinstance(system, Model):
        system = system.assemble()
    if isinstance(system, ModelSystem):
        v0 = np.zeros(len(system.v0))
    elif not isinstance(system, MechanicalSystem):
        v0 = q0 = np.zeros(0)  # `as_system` says what is wrong
    elif q0 is None:
        raise InputError("a system of functions needs a configuration q0 to begin with")
    else:
        v0 = np.zeros(np.size(system.state("q0", q0)))
    system, q0, v0 = as_system(system, q0, v0)
    return system, real_vector("q0", q0).copy(), real_vector("v0", v0)
