"""Where the energy of a run went: work of drives, motors, dampers and other forces, and what the method has taken.

Work is power integrated along the trajectory, between rows as `dense` interpolates it, by Gauss' rule with two points:
of fourth order, so that what is left over is the error of the method, of second order. Points inside of steps need not
know on which side of an impact they are.

The power of constraints that move is −λᵀ g_t and ψᵀ K v. For systems of functions the power of f that has no potential
is vᵀf + ½ vᵀṀ v + V̇.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from genalpha.inputs import Array
from genalpha.model.system import ModelSystem
from genalpha.solution.dense import interpolate
from genalpha.solution.rows import FRICTION
from genalpha.system.block import HOLONOMIC, TANGENTIAL
from genalpha.system.friction import FrictionColumns
from genalpha.system.system import System

if TYPE_CHECKING:
    from genalpha.solution.solution import Solution
    from genalpha.system.contract import Contract

POINTS = np.array([0.5 - np.sqrt(1.0 / 12.0), 0.5 + np.sqrt(1.0 / 12.0)])
"""Of Gauss' rule on [0, 1]; both have the weight one half."""

WORKS = ("drives", "motors", "dampers", "forces")


class Ledger(NamedTuple):
    """Where the energy is, all arrays (nt,); their sum is the energy at the beginning.

    Attributes
    ----------
    kinetic, potential : ndarray
    drives, motors, dampers, forces : ndarray
        What has gone to them so far, minus the work that they have done: of prescribed motions, of motors, of dampers,
        and of all other forces that have no potential, such as loads and forces of the user's. What a system of
        functions does not tell apart is among the forces.
    impacts : ndarray
        Lost in impacts so far, along the normal.
    friction : ndarray
        Lost in friction so far, in that of impacts too. The work of surfaces that move, belts, is among the drives.
        Not known (NaN) if it was not saved.
    numerical : ndarray
        The rest: what the method has taken, or given if it is negative. Not known (NaN) if there are such forces, but
        not every step was saved, or the energy is not that of M.
    """

    kinetic: Array
    potential: Array
    drives: Array
    motors: Array
    dampers: Array
    forces: Array
    impacts: Array
    friction: Array
    numerical: Array


@dataclass(frozen=True)
class Samples:
    """States between the rows of a solution, under the same names; ``weights`` are those of a sum over time."""

    system: Any
    t: Array
    q: Array
    v: Array
    lam: Array
    psi: Array
    weights: Array

    def __getitem__(self, key: Any) -> Any:
        """Results by name, at these times."""
        return self.system.quantity(self, key)


def ledger_of(solution: Solution) -> Ledger:
    """The ledger of a solution; needs the energy of its system."""
    kinetic, potential = solution.energy.T
    impacts = lost_in_impacts(solution, solution.t)
    taken = {name: np.zeros(len(solution.t)) for name in WORKS}
    known = True
    if len(solution.t) > 1:
        system = solution.system
        found = _of_model if isinstance(system, ModelSystem) else _of_functions
        works, known = found(solution)
        for name, work in works.items():
            taken[name][1:] -= np.cumsum(work)
        whole = solution.origin.save_every == 1 and solution.origin.t_eval is None
        belts = _work_of_surfaces(solution)
        taken["drives"][1:] -= np.cumsum(belts)
        known = known and (whole or not (works or np.any(belts)))
    friction = lost_in_friction(solution)
    numerical = kinetic[0] + potential[0] - kinetic - potential - impacts - friction - sum(taken.values())
    numerical = numerical if known else np.nan * numerical
    return Ledger(kinetic, potential, **taken, impacts=impacts, friction=friction, numerical=numerical)


def lost_in_impacts(solution: Solution, times: ArrayLike) -> Array:
    """What impacts have taken up to these times."""
    lost = np.concatenate([[0.0], np.cumsum(solution.impacts.dissipated)])
    return lost[np.searchsorted(solution.impacts.time, times, side="right")]


def lost_in_friction(solution: Solution) -> Array:
    """What friction has taken up to each row; NaN if it was not saved."""
    friction = solution.origin.friction
    if friction is None:
        return np.zeros(len(solution.t))
    if FRICTION not in solution.origin.columns.chosen:
        return np.full(len(solution.t), np.nan)
    return -solution.friction[:, FrictionColumns(friction.nt, friction.ne).work].sum(axis=1)


def _work_of_surfaces(solution: Solution) -> Array:
    """What belts and other moving surfaces have done in each interval: −∫ λtᵀ b, with the slip s = T v + b."""
    friction, none = solution.origin.friction, np.zeros(len(solution.t) - 1)
    if friction is None or FRICTION not in solution.origin.columns.chosen:
        return none
    contract = interpreted(solution.system, float(solution.t[0]), solution.q[0], solution.v[0])
    states = zip(solution.t.tolist(), solution.q, 0.0 * solution.v, strict=True)
    drift = np.array([contract.evaluate(TANGENTIAL.value, *state) for state in states])
    impulses = solution.friction[1:, FrictionColumns(friction.nt, friction.ne).impulse]
    return -0.5 * np.sum(impulses * (drift[1:] + drift[:-1]), axis=1)


def interpreted(system: Any, t: float, q: Array, v: Array) -> Contract:
    """The contract of a system for some evaluations, without waiting for a compiler."""
    if isinstance(system, ModelSystem):
        return system.contract(t, q, v, compiled=False)
    return (replace(system, compile=False) if isinstance(system, System) else system).contract(t, q, v)


def samples_of(solution: Solution) -> Samples:
    """Two states in each step."""
    t = np.asarray(solution.t)
    steps = np.diff(t)
    times = (t[:-1, None] + steps[:, None] * POINTS).ravel()
    names = ("q", "v", *(name for name in ("lam", "psi") if name in solution.origin.columns.chosen))
    update = None if solution.origin.flat else solution.update
    found = {"lam": np.zeros((len(times), 0)), "psi": np.zeros((len(times), 0))}
    found |= interpolate(solution.rows, names, times, solution.impacts.time, update)
    return Samples(solution.system, times, **found, weights=np.repeat(0.5 * steps, 2))


def _integrate(samples: Samples, power: Array) -> Array:
    """The work in each step."""
    return np.add.reduceat(samples.weights * power, np.arange(0, len(samples.t), 2))


def _of_model(solution: Solution) -> tuple[dict[str, Array], bool]:
    from genalpha.model.results.works import has_work, powers

    if not has_work(solution.system):
        return {}, True
    samples = samples_of(solution)
    return {name: _integrate(samples, power) for name, power in powers(solution.system, samples).items()}, True


def _of_functions(solution: Solution) -> tuple[dict[str, Array], bool]:
    """Work of f without a potential, and of constraints that move; and whether the energy is that of M and f."""
    samples, system = samples_of(solution), solution.system
    contract = system.contract(float(solution.t[0]), solution.q[0], solution.v[0])
    if not _is_kinetic(contract, solution):
        return {"forces": np.zeros(len(solution.t) - 1)}, False
    forces, drives = _rate_of_energy(samples), np.zeros(len(samples.t))
    in_f = contract.multipliers_in_f
    known = in_f or (samples.lam.shape[1] == contract.ng and samples.psi.shape[1] == contract.nk)
    for i, (t, q, v) in enumerate(zip(samples.t, samples.q, samples.v, strict=True)):
        if in_f:
            forces[i] += v @ contract.evaluate("force", t, q, v, np.concatenate([samples.lam[i], samples.psi[i]]))
        else:
            forces[i] += v @ contract.evaluate("f", t, q, v)
        if known and contract.ng and not in_f and not contract.scleronomic:
            drives[i] -= samples.lam[i] @ contract.drift(HOLONOMIC, t, q, v)
        if known and contract.nk and not in_f:
            drives[i] += samples.psi[i] @ contract.times("K", v, t, q, v)
    return {"forces": _integrate(samples, forces), "drives": _integrate(samples, drives)}, known


def _rate_of_energy(samples: Samples) -> Array:
    """½ vᵀṀ v + V̇ along the motion at constant velocity, from differences over a small part of a step."""
    d = 1e-3 * samples.weights
    ahead, behind = (
        samples.system.energies(samples.t + side * d, samples.q + (side * d)[:, None] * samples.v, samples.v)
        for side in (1.0, -1.0)
    )
    return np.sum(ahead - behind, axis=1) / (2.0 * d)


def _is_kinetic(contract: Contract, solution: Solution) -> bool:
    """Is the kinetic energy ½ vᵀM v? It is not where equations were multiplied by something."""
    rows = np.linspace(0, len(solution.t) - 1, 5).astype(int)
    kinetic = solution.system.energies(solution.t[rows], solution.q[rows], solution.v[rows])[:, 0]
    pairs = zip(solution.t[rows], solution.q[rows], solution.v[rows], strict=True)
    expected = [0.5 * v @ contract.times("M", v, float(t), q) for t, q, v in pairs]
    return bool(np.allclose(kinetic, expected, rtol=1e-9, atol=1e-9 * np.abs(kinetic).max()))
