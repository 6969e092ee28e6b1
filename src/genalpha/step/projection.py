"""Projection onto the constraints: the nearest q with g = 0, the nearest v with ġ = 0 and k = 0."""

from __future__ import annotations

import numpy as np

from genalpha.errors import ContradictoryConstraints
from genalpha.step.consistency import TOLERANCE, largest, solve_rows, violations
from genalpha.step.scales import scales, weights
from genalpha.system.block import BILATERAL, HOLONOMIC, UNILATERAL, VELOCITY


def project_position(contract, t, q0):
    """The nearest q with g = 0 and gap ≥ 0 in the metric of the mass matrix, M Δ = Gᵀν as in 002 (65d, e)."""
    contacts = np.zeros(0, dtype=np.int64)
    q = _onto(contract, t, q0, contacts)
    for _ in range(contract.nc):
        # contacts that penetrate become constraints, until none does
        gap = contract.evaluate("gap", t, q)
        limits = 1e-12 * _reach(contract, t, q, slice(None))[contract.ng :]
        penetrating = np.setdiff1d(np.nonzero(gap < -limits)[0], contacts)
        if not penetrating.size:
            break
        contacts = np.union1d(contacts, penetrating)
        q = _onto(contract, t, q0, contacts)
    return q


def _onto(contract, t, q0, contacts):
    """The nearest q with g = 0 and closed ``contacts``."""
    if not contract.ng + len(contacts):
        return q0
    q = None
    # far from q0 the nearest point may repel the iteration; then any near one will do
    for nearest in (True, False):
        q, rows = _newton_position(contract, t, q0, contacts, nearest)
        if np.all(np.abs(rows) <= TOLERANCE * _reach(contract, t, q, contacts)):
            return q
    g, gaps = np.abs(_positions(contract, t, q, contacts)), contract.row_names([UNILATERAL])
    names = contract.row_names([HOLONOMIC]) + [gaps[i] for i in contacts]
    raise ContradictoryConstraints(
        f"no position near q0 satisfies all constraints at t0 = {t:.9g}: |g| = {g.max():.3g} is left in "
        f"{names[int(np.argmax(g))]!r}; the constraints contradict one another, or q0 is too far away"
    )


def _newton_position(contract, t, q0, contacts, nearest, max_iter=50):
    """(q, g) after Newton's iteration for g = 0 and, if ``nearest``, M Δ = Gᵀν."""
    q, total, before, by = q0.copy(), np.zeros(contract.nv), np.inf, weights(contract, t, q0)
    for _ in range(max_iter):
        g = _positions(contract, t, q, contacts)
        f = -contract.times("M", total, t, q) if nearest else np.zeros(contract.nv)
        delta = solve_rows(contract, t, q, None, f, g, contacts).x
        total = total + delta
        q = np.empty_like(q0)
        contract.evaluators.update(q0, total, contract.data, q)
        size = by.speed(delta)
        if size <= 1e-15 * by.extent(q) or size > 10.0 * before:
            break
        before = size
    return q, _positions(contract, t, q, contacts)


def _positions(contract, t, q, contacts):
    """g, and the gaps of ``contacts``."""
    return np.concatenate([contract.evaluate("g", t, q), contract.evaluate("gap", t, q)[contacts]])


def _reach(contract, t, q, contacts):
    """What g and the gaps of ``contacts`` are relative to."""
    size = scales(contract, t, q, np.zeros(contract.nv))
    return np.concatenate(
        [size.of_rows(contract, "G", size.q, t, q), size.of_rows(contract, "N", size.q, t, q)[contacts]]
    )


def project_velocity(contract, t, q, v0, max_iter=20):
    """The nearest v with ġ = 0 and k = 0, in the metric of the mass matrix."""
    if not contract.nb:
        return v0
    v, rest = v0, np.zeros_like(v0)
    _, first = _velocity_rows(contract, t, q, v0)
    for _ in range(max_iter):
        rows, limits = _velocity_rows(contract, t, q, v)
        if np.all(np.abs(rows) <= 1e-6 * limits):
            return v
        if np.all(limits <= 1e-12 * first) and not np.any(_velocity_rows(contract, t, q, rest)[0]):
            return rest  # nothing can move: what is left is the round-off of v0
        f = contract.times("M", v0 - v, t, q)
        v = v + solve_rows(contract, t, q, v, f, rows).x
    if np.any(np.abs(rows) > limits):
        name = contract.row_names(BILATERAL)[int(np.argmax(np.abs(rows) - limits))]
        raise ContradictoryConstraints(
            f"no velocity near v0 satisfies all constraints at t0 = {t:.9g}: {largest(rows):.3g} is left in the "
            f"velocity of {name!r}; the constraints contradict one another there, or v0 is too far away"
        )
    return v


def _velocity_rows(contract, t, q, v):
    """ġ and k, and by how much they may be off."""
    levels = [off for off in violations(contract, t, q, v) if off.level == VELOCITY]
    return tuple(np.concatenate([getattr(off, name) for off in levels]) for name in ("values", "limits"))


def set_going(contract, t, q, v):
    """The nearest v that follows the constraints, if it leaves velocities alone that are not zero; else v."""
    found = violations(contract, t, q, v)
    wrong = {off.level for off in found if not np.all(np.abs(off.values) <= off.limits)}
    if wrong != {VELOCITY}:
        return v
    moved = project_velocity(contract, t, q, v)
    limits = TOLERANCE * scales(contract, t, q, moved).v
    return moved if np.all(np.abs(moved - v)[v != 0.0] <= limits[v != 0.0]) else v
