"""Why a run cannot go on: what is wrong with the state that it has come to, and what to do about it."""

from __future__ import annotations

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.model.system import ModelSystem
from genalpha.step.schedule import Control
from genalpha.step.state import POSITION, Q0, Q1, Q_UNIT, V0, V1, V_UNIT, VDOT0
from genalpha.system.block import BILATERAL
from genalpha.system.contract import Contract

OVER = 140.0
"""Degrees from node to node at which an element of a spatial beam is about to turn too far, see `MOST_TURN`."""

LOST = 0.1
"""Constraints lose rank: the smallest singular value of their rows over the one at t0."""

NEGLIGIBLE = 1e-6
"""Singular values at t0 below this one belong to rows that repeat others by design."""

DRIFTED = 1e-4
"""Distance from a constraint over the extent of the motion which is more than the error of a sound run."""

DAMPED = 0.99
"""Spectral radius at infinity above which formulation P has next to no damping."""

LOOSE = 1e-8
"""Newton tolerances above this one may be why a step fails."""


def singularity(run) -> str:
    """Words for a state that no step leaves, however short; empty if the state is sound."""
    return _overturned(run) or _lost_rank(run)


def _overturned(run) -> str:
    """Words for an element of a spatial beam whose nodes are turned against each other too far."""
    from genalpha.model.parts.beams import Beam
    from genalpha.model.results.beams import MOST_TURN, turns

    if not isinstance(run.system, ModelSystem):
        return ""
    q = run.setup.arrays.Q[Q0][None]
    for part in run.system.model.parts.values():
        if not isinstance(part, Beam) or part.planar:
            continue
        angles = np.degrees(turns(run.system, part, q)[0])
        i = int(np.argmax(angles))
        if angles[i] >= OVER:
            return (
                f"element {i} of beam {part.name!r} turns by {angles[i]:.1f}° from {part.node_name(i)!r} to "
                f"{part.node_name(i + 1)!r} at t = {run.time:.9g}. It has strains up to "
                f"{np.degrees(MOST_TURN):.0f}°; they jump at 180°. Give the beam more elements, like "
                f"elements={4 * part.elements}"
            )
    return ""


def _lost_rank(run) -> str:
    """Words for constraint rows that depended on nothing at t0 and come to depend on one another."""
    contract, arrays, origin = run.contract, run.setup.arrays, run.origin
    if contract.nb < 2:
        return ""
    first, _ = independence(contract, origin.schedule.t0, origin.first_q, origin.first_v)
    now, vectors = independence(contract, run.time, arrays.Q[Q0], arrays.V[V0])
    place = int(np.sum(first > NEGLIGIBLE)) - 1
    if place < 0 or not now[place] <= LOST * first[place]:
        return ""
    share = np.abs(vectors[:, place])
    names = np.array(contract.row_names(BILATERAL), dtype=object)
    rows = ", ".join(repr(str(name)) for name in names[share > 0.3 * share.max()][:5])
    return (
        f"the constraints lose rank: at t = {run.time:.9g} {rows} all but depend on one another, and forces grow "
        f"without bound. The smallest singular value of the constraint rows has fallen from {first[place]:.2g} at t0 "
        f"to {now[place]:.2g}. {advice(run, 'let the run end before, or hold less there')}"
    )


def independence(contract: Contract, t, q, v):
    """Singular values (m,) of the rows of G and K, falling, and their left vectors as columns.

    Velocities are measured by masses, and every row has length one, so that units do not matter.
    """
    B = contract.gradient(t, q, v, BILATERAL)
    mass = np.diag(contract.matrix("M", t, q))
    B = B / np.sqrt(np.where(mass > 0.0, mass, 1.0))
    length = np.linalg.norm(B, axis=1, keepdims=True)
    vectors, values, _ = np.linalg.svd(B / np.where(length > 0.0, length, 1.0), full_matrices=False)
    return np.append(values, np.zeros(len(B) - values.size)), vectors


def is_regular(run) -> bool:
    """Does the state determine accelerations and forces: has M full rank, and do no rows depend on others?"""
    contract, arrays = run.contract, run.setup.arrays
    M = contract.matrix("M", run.time, arrays.Q[Q0])
    size = np.sqrt(np.abs(np.diag(M)))
    if not size.all() or np.linalg.cond(M / np.outer(size, size)) > 1e12:
        return False
    return contract.nb == 0 or independence(contract, run.time, arrays.Q[Q0], arrays.V[V0])[0][-1] > NEGLIGIBLE


def ran_away(run, h) -> bool:
    """Are the velocities or the positions of the last iterate far from all that the step could reach?"""
    Q, V = run.setup.arrays.Q, run.setup.arrays.V
    with np.errstate(all="ignore"):
        reach = max(_largest(run, V0), h * _largest(run, VDOT0))
        near = _largest(run, V1) <= 1e3 * reach or np.all(V[V1] == 0.0)
        return not (near and np.all(np.isfinite(Q[Q1])))


def _largest(run, row) -> float:
    """The largest entry of a row of V, in the units of the step."""
    V = run.setup.arrays.V
    return float(np.abs(V[row] * V[V_UNIT]).max(initial=0.0))


def haste(run, h) -> str:
    """Words for velocities that change by their own size within a step."""
    speed, acceleration = _largest(run, V0), _largest(run, VDOT0)
    time = speed / acceleration if acceleration > 0.0 else np.inf
    return f" At t = {run.time:.9g} velocities change by their own size within {time:.2g} s." if time < h else ""


def drift(run) -> str:
    """Words for positions that formulation V has let go."""
    contract, arrays = run.contract, run.setup.arrays
    if not (contract.ng and isinstance(run.method, GeneralizedAlpha) and run.method.formulation == "V"):
        return ""
    q = arrays.Q[Q0].copy()
    g = contract.evaluate("g", run.time, q)
    slopes = np.abs(contract.matrix("G", run.time, q) / arrays.V[V_UNIT]).max(axis=1)
    away = np.abs(g) / np.where(slopes > 0.0, slopes, np.inf)
    worst, extent = int(np.argmax(away)), np.abs(q * arrays.Q[Q_UNIT]).max()
    if not away[worst] > DRIFTED * extent:
        return ""
    return f" Formulation V holds velocities only, and {contract.names['g'][worst]!r} has drifted to {g[worst]:.2g}."


def undamped(run) -> str:
    """Words for formulation P without numerical damping, which is unstable with steps of any length.

    Where constraints are curved, what velocities miss them by changes sign in every step, and nothing keeps it from
    growing: known of Newmark's method since Cardona and Géradin (1989).
    """
    scheme = run.setup.scheme
    if not isinstance(run.method, GeneralizedAlpha) or scheme.level != POSITION or not run.contract.ng:
        return ""
    rho = run.method.coefficients_used.rho_inf
    if not rho > DAMPED:
        return ""
    return (
        f"Formulation P is unstable without numerical damping, and rho_inf = {rho:.3g} gives "
        f"{'none' if rho >= 1.0 else 'little'}: what velocities miss the constraints by grows from step to step, "
        f'however short they are; take formulation "PVA", or rho_inf = 0.9. '
    )


def advice(run, last: str) -> str:
    """What to do about a step that did not converge: shorter steps and, if they do not help, the last resort."""
    if isinstance(run.schedule, Control):
        return undamped(run) + last[0].upper() + last[1:]
    loose = " or a smaller tol" if run.setup.scheme.tol > LOOSE else ""
    return f"{undamped(run)}Take a smaller h{loose}; {_by_control(run)}if that does not help, {last}"


def _by_control(run) -> str:
    """The advice to leave the steps to error control, if there is one."""
    method, refused = run.method, run.integrator.refuses_control() is not None
    if getattr(method, "residuals", None) is not None:
        return ""
    other = ""
    if isinstance(method, GeneralizedAlpha) and (refused or method.formulation == "V" or undamped(run)):
        other = 'take formulation "PVA" and '
    elif refused:
        other = "take GeneralizedAlpha() and "
    return f"or {other}leave h out: error control makes steps as short as the motion needs them; "
