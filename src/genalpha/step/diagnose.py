"""Words for a step that failed: the residual of every block at the last iterate."""

from __future__ import annotations

import numpy as np

from genalpha.math.coulomb_tables import SLIP, STICK
from genalpha.step.state import (
    BIG_LAM,
    BIG_LAM_T,
    DYNAMICS,
    EXACT,
    LAM_T1,
    MODE_B,
    MU1,
    MU_T,
    N_SETS,
    NU,
    OF_FRICTION,
    PLAIN_SLIP,
    Q1,
    REGULARISED,
    STEP_SIZE,
    V1,
    VDOT1,
    U,
    W,
)
from genalpha.system.block import BILATERAL, TANGENTIAL, UNILATERAL
from genalpha.system.contract import Contract

MODES = 6
"""So many contacts are told of."""


def residuals(contract: Contract, setup, t1: float, h: float) -> dict[str, tuple[float, str]]:
    """Largest residual of each block of equations, and the name of the row where it is."""
    arrays = setup.arrays
    q, v = arrays.Q[Q1], arrays.V[V1]
    rows = {}
    if setup.family:
        M, B = contract.matrix("M", t1, q), contract.gradient(t1, q, v)
        slide = _friction(contract, arrays, t1, q, v)
        force = B.T @ arrays.L[MU1] + slide(LAM_T1) + contract.evaluate("f", t1, q, v)
        rows["dynamics"] = (M @ arrays.V[VDOT1] - force, contract.velocity_names)
        if contract.ng and setup.scheme.correct_position:
            pull = B.T @ arrays.L[NU] + 0.5 * h * slide(BIG_LAM_T)
            rows["M U - Gᵀν"] = (M @ arrays.V[U] - pull, contract.velocity_names)
        if setup.scheme.correct_velocity:
            pull = B.T @ arrays.L[BIG_LAM] + slide(BIG_LAM_T)
            rows["M W - BᵀΛ"] = (M @ arrays.V[W] - pull, contract.velocity_names)
    for kind in BILATERAL:
        for level, values in contract.levels(kind, t1, q, v).items():
            rows |= {b.symbol(level): (values[i], b.names) for b, i in contract.of_kind(kind) if len(b)}
    return {block: _worst(value, labels) for block, (value, labels) in rows.items()}


def _friction(contract: Contract, arrays, t1, q, v):
    """Tᵀ times the friction in a row of F, as a function of the row."""
    if not contract.nt:
        return lambda row: 0.0
    T, F = contract.matrix("T", t1, q, v), arrays.F
    return lambda row: T.T @ (F[MU_T] * F[row])


def describe_modes(contract: Contract, setup) -> str:
    """What the contacts that are closed, and dry friction, did at the velocity level of the last iterate."""
    friction, arrays = contract.friction, setup.arrays
    if friction is None:
        return ""
    words, parts, dry = {STICK: "sticks", SLIP: "slides"}, [], list(contract.row_names([TANGENTIAL]))
    contacts = contract.row_names([UNILATERAL])
    for k, e in enumerate(arrays.places[OF_FRICTION, : friction.ne]):
        mode = words.get(int(arrays.K[MODE_B, e]))
        name = contacts[friction.contact[k]] if friction.contact[k] >= 0 else dry[friction.first[k]]
        if mode is not None:
            slip = np.linalg.norm(arrays.F[PLAIN_SLIP, friction.rows(k)])
            parts.append(f"{name!r} {mode} at {slip:.3g}" if mode == "slides" else f"{name!r} {mode}")
    more = f" and {len(parts) - MODES} more" if len(parts) > MODES else ""
    return "; friction: " + (", ".join(parts[:MODES]) + more if parts else "no contact is closed")


def describe_contact(contract: Contract, setup, t1: float) -> str:
    """The contact that is most likely at fault, its gap and velocity, and what is wrong with it if that can be seen."""
    arrays, nb, contacts = setup.arrays, contract.nb, contract.row_names([UNILATERAL])
    q, v = arrays.Q[Q1], arrays.V[V1]
    gap = contract.evaluate("gap", t1, q)
    rate = contract.rate(UNILATERAL, t1, q, v)
    if not (np.all(np.isfinite(gap)) and np.all(np.isfinite(rate))):
        return ""
    active = np.any(arrays.S[:N_SETS, nb:], axis=0)
    j = int(np.argmax(np.where(active, np.abs(gap) + np.abs(rate), -gap))) if np.any(active) else int(np.argmin(gap))
    text = f"contact {contacts[j]!r}: gap {gap[j]:.3g}, velocity {rate[j]:.3g}"
    N, near = contract.matrix("N", t1, q), contract.matrix("N", t1, q + 0.1 * (1.0 + np.abs(q)))
    if not np.linalg.norm(N[j]) > 1e-5 * np.linalg.norm(near[j]):
        return text + ", and its gradient gap_q vanishes: the contact force has no direction; write the gap another way"
    others = active & (np.arange(len(gap)) != j)
    B = np.vstack([contract.gradient(t1, q, v, BILATERAL), N[others]])
    names = [*contract.row_names(BILATERAL), *np.array(contacts, dtype=object)[others]]
    weights = np.linalg.lstsq(B.T, N[j], rcond=None)[0] if len(B) else np.zeros(0)
    if np.linalg.norm(N[j] - weights @ B) <= 1e-8 * np.linalg.norm(N[j]):
        share = np.abs(weights) * np.linalg.norm(B, axis=1)
        rows = ", ".join(repr(str(names[i])) for i in np.nonzero(share > 0.1 * share.max())[0][:5])
        return text + f", and because of {rows} it cannot move: they contradict it; remove one or correct the gap"
    return text


def nonfinite_rate(contract: Contract, setup, t1: float) -> str:
    """Words for a derivative of the gaps, given or computed, that is not finite at the last iterate."""
    if not contract.nc:
        return ""
    q, v = setup.arrays.Q[Q1], setup.arrays.V[V1]
    for name, arguments in (("gap_t", (q,)), ("gap_bias", (q, v))):
        bad = np.nonzero(~np.isfinite(contract.evaluate(name, t1, *arguments)))[0]
        if bad.size:
            return f"{name} of contact {contract.row_names([UNILATERAL])[int(bad[0])]!r} is NaN or inf at t = {t1:.9g}"
    return ""


def _worst(value, labels):
    size = np.where(np.isfinite(value), np.abs(value), np.inf)
    worst = int(np.argmax(size))
    return float(size[worst]), labels[worst]


def describe_failure(contract: Contract, setup, t1: float, h: float) -> str:
    """One sentence: residuals by block, and what else is known."""
    with np.errstate(all="ignore"):  # iterates that overflow are what is described
        found = residuals(contract, setup, t1, h)
    parts = [f"{block} {size:.2e} ({name!r})" for block, (size, name) in found.items()]
    text = "residuals " + ", ".join(parts)
    if contract.nc:
        text += "; " + describe_contact(contract, setup, t1)
    text += describe_modes(contract, setup)
    if setup.arrays.counts[REGULARISED]:
        text += "; constraints are regularised because rows depend on one another; where they contradict, no step helps"
    if setup.arrays.memory[STEP_SIZE] and h > 1.5 * setup.arrays.memory[STEP_SIZE]:
        text += f"; the step before was {setup.arrays.memory[STEP_SIZE]:.3g}"
    return text


def iteration_matrix(setup) -> np.ndarray:
    """The matrix of the dynamics of the last step, 004 (24), as a dense array (n + m, n + m).

    It is there if it was kept: ``counts[KEEP_EXACT]`` is 1.
    """
    arrays = setup.arrays
    size = arrays.X.shape[1]
    matrix = np.zeros((size, size))
    rows, cols, storage = arrays.E
    matrix[rows, cols] = arrays.A[EXACT + DYNAMICS, storage]
    return matrix
