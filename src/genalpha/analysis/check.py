"""Look at a system before a run: sizes, constraints, initial state, and every derivative that was given."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportConstantRedefinition=false, reportArgumentType=false

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from genalpha.analysis.report import Derivative, Report, Violation
from genalpha.errors import DerivativeWarning, GenalphaError, InconsistentInitialState
from genalpha.inputs import Array, Values, number
from genalpha.system.block import BILATERAL, TANGENTIAL
from genalpha.system.contract import MechanicalSystem
from genalpha.system.functions import FORCES, real_vector
from genalpha.system.system import System

if TYPE_CHECKING:
    from genalpha.model.model import Model
    from genalpha.system.bind import Binding
    from genalpha.system.contract import Contract
    from genalpha.system.pieces import Pieces

FREQUENCY_LIMIT = 300
"""Up to this many velocities the fastest frequency is computed."""

FULL_LIMIT = 300
"""Up to this many coordinates derivatives are compared entry by entry, above along three directions."""

IN_TIME = ("t", "bias")
"""Derivatives that take a complex t: ∂/∂t, and the second one along the motion."""


def check(
    system: MechanicalSystem | Model, t0: float = 0.0, q0: Values | None = None, v0: Values | None = None
) -> Report:
    """Check a system or a model and its initial state; nothing is integrated, and functions are not compiled.

    Reports what a run would refuse (an inconsistent state, a singular mass matrix, constraints that contradict one
    another) instead of raising it. Only functions that cannot be called as they must be raise an exception.

    Parameters
    ----------
    system : System or Model
        The parts of a model are checked one by one by `check_contribution`.
    t0 : float
    q0, v0 : array_like (n,) or mapping
        By default those of the bodies of a model.

    Returns
    -------
    Report
        ``print(report)`` reads well; ``report.ok`` says whether there are problems.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> pendulum = ga.System(
    ...     M=np.eye(2),
    ...     f=lambda t, q, v: np.array([0.0, -9.81]),
    ...     g=lambda t, q: q @ q - 1.0,
    ...     g_q=lambda t, q: q,  # a factor 2 is missing
    ... )
    >>> print(ga.check(pendulum, 0.0, [0.0, -1.0], [1.0, 0.0]).problems[0])
    g_q: relative error 5.0e-01 against complex step; worst in ('g[0]', 'q[1]'): given -1, computed -2
    """
    from genalpha.analysis.pace import beat, pace
    from genalpha.analysis.tangents import contract_of
    from genalpha.model.model import as_system, units_in
    from genalpha.step.consistency import violations
    from genalpha.system.bind import Binding
    from genalpha.system.pieces import Pieces

    system, q0, v0 = as_system(system, q0, v0)
    derivatives, t0 = (), number("t0", t0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DerivativeWarning)
        plain = replace(system, compile=False) if isinstance(system, System) else system
        contract = contract_of(plain, t0, q0, v0)
        if isinstance(plain, System):
            derivatives = tuple(_derivatives(Binding(Pieces(plain, t0, q0, v0)), contract))
        notes = list(contract.notes)
    t, q, v = t0, real_vector("q0", q0), real_vector("v0", v0)
    rows = tuple(
        Violation(off.symbol, name, float(value), float(limit))
        for off in violations(contract, t, q, v)
        for name, value, limit in zip(off.block.names, off.values, off.limits, strict=True)
    )
    problems = [str(derivative) for derivative in derivatives if not derivative.ok]
    problems += [
        f"constraint {row.name!r}: |{row.level}| = {abs(row.value):.3g} exceeds {row.limit:.1g}"
        for row in rows
        if not row.ok and contract.describe is None
    ]
    if contract.describe is not None:
        for off in violations(contract, t, q, v):
            if np.any(np.abs(off.values) > off.limits):
                worst = int(np.argmax(np.abs(off.values) - off.limits))
                words = contract.describe(off.symbol, off.values, float(off.limits[worst]), t)
                problems.append(str(InconsistentInitialState(*words)))
    notes += sliding_in_words(contract, t, q, v)
    redundant, condition = _mechanics(contract, t, q, v, notes, problems)
    return Report(
        t=t, nq=contract.nq, n=contract.nv, ng=contract.ng, nk=contract.nk, nc=contract.nc, nt=contract.nt,
        compiled=system.compiled, why=_why(system),
        frequency=_frequency(system, contract, t, q, v), pace=pace(contract, t, q, v), beat=beat(contract, t, q, v),
        rank=contract.nb - len(redundant), redundant=redundant, condition=condition,
        violations=rows, derivatives=derivatives, notes=tuple(notes), problems=tuple(problems),
        units=units_in(system),
    )  # fmt: skip


def _frequency(system: MechanicalSystem, contract: Contract, t: float, q: Array, v: Array) -> float | None:
    """Fastest frequency in Hz, or rate of decay over 2π: the largest |s|/2π of  s² M + s C + K  on the constraints.

    None if it is not known: large systems, and states without accelerations.
    """
    from genalpha.analysis.pace import pace
    from genalpha.analysis.tangents import exact_matrices, turning
    from genalpha.step.consistency import any_accelerations, mass_and_rows

    if contract.nv > FREQUENCY_LIMIT:
        return None
    try:
        vdot, mu, _ = any_accelerations(contract, t, q, v)
        M, B = mass_and_rows(contract, t, q, v)
        M, B = (x if isinstance(x, np.ndarray) else x.toarray() for x in (M, B))
        K, C = (x.toarray() for x in exact_matrices(contract, t, q, v, vdot, mu, turning(system))[:2])
        _, sizes, rows = np.linalg.svd(B) if len(B) else (None, np.zeros(0), np.eye(contract.nv))
        free = rows[np.sum(sizes > 1e-10 * np.max(sizes, initial=0.0)) :].T
        M, C, K = (free.T @ matrix @ free for matrix in (M, C, K))
        zero, one = np.zeros_like(M), np.eye(len(M))
        rates = np.linalg.eigvals(np.block([[zero, one], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]]))
    except (GenalphaError, np.linalg.LinAlgError):
        return None
    fastest = float(np.max(np.abs(rates), initial=0.0)) / (2.0 * np.pi)
    change = pace(contract, t, q, v)
    # differences leave about so much of nothing
    return fastest if change is None or fastest > 3e-4 / change else 0.0


def _why(system: MechanicalSystem) -> str:
    if not isinstance(system, System):
        return "compiled, as all models do"
    if system.compile is not None:
        return f"{'compiled' if system.compile else 'interpreted'}, by compile={system.compile}"
    if system.compiled:
        return "compiled, because all functions are marked"
    return f"interpreted, because not marked with @ga.evaluator: {', '.join(system.unmarked()) or 'any function'}"


def sliding_in_words(contract: Contract, t: float, q: Array, v: Array) -> list[str]:
    """Rows of slip that can hardly be meant: that do not depend on v, or say what the gap of their contact says."""
    if contract.friction is None:
        return []
    T, N, found = contract.matrix("T", t, q, v), contract.matrix("N", t, q), []
    names, friction = contract.row_names([TANGENTIAL]), contract.friction
    for e, contact in enumerate(friction.contact.tolist()):
        for i in range(*friction.rows(e).indices(friction.nt)):
            if not friction.mu[i]:
                continue
            if not np.any(T[i]):
                found.append(f"the slip of {names[i]!r} does not depend on v: no friction force can change it")
            elif contact >= 0 and contract.nv > 1 and _is_multiple(T[i], N[contact]):
                found.append(
                    f"the slip of {names[i]!r} is a multiple of the velocity of its gap; it is to be the velocity of "
                    f"the contact point along the surface"
                )
    return found


def _is_multiple(a: Array, b: Array) -> bool:
    return bool(abs(a @ b) >= (1.0 - 1e-12) * np.linalg.norm(a) * np.linalg.norm(b) > 0.0)


def _mechanics(
    contract: Contract, t: float, q: Array, v: Array, notes: list[str], problems: list[str]
) -> tuple[tuple[str, ...], float]:
    """(names of redundant rows, condition of M); what else is found goes to notes and problems."""
    from genalpha.math.saddle import condition_number, dependence_in_words, solve_saddle
    from genalpha.step.consistency import any_accelerations, mass_and_rows

    M, B = mass_and_rows(contract, t, q, v)
    try:
        any_accelerations(contract, t, q, v)
    except GenalphaError as error:
        problems.append(str(error))
    if abs(M - M.T).max() > 1e-12 * abs(M).max():
        notes.append("M is not symmetric")
    if M.diagonal().min() < 0.0:
        name = contract.velocity_names[int(np.argmin(M.diagonal()))]
        problems.append(f"the mass of {name!r} is negative: {M.diagonal().min():.3g}")
    names, m = contract.row_names(BILATERAL), contract.nb
    saddle = solve_saddle(M, B, np.zeros(contract.nv), np.zeros(m))
    redundant = tuple(names[i] for i in saddle.redundant)
    if redundant:
        sentences = dependence_in_words(names, saddle.redundant, saddle.on, 5)
        notes.append(f"{len(redundant)} of {m} constraint rows depend on the others: {'; '.join(sentences)}")
    return redundant, condition_number(M)


# the given derivatives


def _derivatives(binding: Binding, contract: Contract) -> Iterator[Derivative]:
    """Every given derivative against the computed one, at three states."""
    pieces = binding.pieces
    of_rows = [(block.name, name, variable) for block in binding.blocks for name, variable in block.derivatives.items()]
    for of, name, variable in [*of_rows, *(("f", name, name.removeprefix("f_")) for name in FORCES[1:])]:
        if name in pieces:
            safe = pieces.is_safe(of, variable in IN_TIME)
            step = binding.second_step(of) if variable == "bias" and safe else None
            states = [(pieces.q0, pieces.v0), *pieces.nearby()]
            given = Given(pieces, name, of, variable, safe, step)
            yield max((_compare(given, contract, q, v) for q, v in states), key=_size)


class Given(NamedTuple):
    """A derivative that was given: of which piece, with respect to what, and how it is computed."""

    pieces: Pieces
    name: str
    of: str
    variable: str
    safe: bool
    step: float | None


def _size(derivative: Derivative) -> float:
    return derivative.error if np.isfinite(derivative.error) else -1.0


def _compare(derivative: Given, contract: Contract, q: Array, v: Array) -> Derivative:
    """At one state; an error of NaN if the functions cannot be evaluated there."""
    pieces, name, of, variable, safe, _ = derivative
    tolerance = {True: 1e-9, False: 1e-5}[safe] * (100.0 if variable == "bias" else 1.0)
    how = "complex step" if safe else "differences"
    with np.errstate(all="ignore"):
        try:
            directions = _directions(pieces, variable)
            computed = np.stack([_along(derivative, q, v, d) for d in directions], axis=1)
            given = _times(pieces, name, q, v, directions)
            floor = 1e-3 * np.max(np.abs(_value(pieces, of, q, v)), initial=0.0)
            if variable == "bias":
                rate = _along(derivative._replace(variable="t"), q, v, v)
                floor = max(floor, 1e-2 * np.max(np.abs(rate), initial=0.0))
        except Exception:  # the state is outside of the functions' domain
            return Derivative(name, np.nan, tolerance, how, "", np.nan, np.nan)
    difference = np.abs(given - computed)
    scale = max(np.max(np.abs(given), initial=floor), np.max(np.abs(computed), initial=0.0), 1e-300)
    i, j = map(int, np.unravel_index(np.argmax(difference), difference.shape)) if difference.size else (0, 0)
    entry = repr(contract.names["q" if of == "f" else of][i]) if difference.size else ""
    if variable not in IN_TIME and len(directions) == _width(pieces, variable):
        kinds = [kind for kind in BILATERAL if kind.multiplier == variable]
        columns = contract.row_names(kinds) if kinds else contract.coordinates["q"]
        entry = f"({entry}, {columns[j]!r})"
    values = (float(given[i, j]), float(computed[i, j])) if difference.size else (0.0, 0.0)
    return Derivative(name, float(np.max(difference, initial=0.0) / scale), tolerance, how, entry, *values)


def _width(pieces: Pieces, variable: str) -> int:
    """Number of columns of a derivative."""
    return {"lam": pieces.ng, "psi": pieces.nk}.get(variable, pieces.n)


def _directions(pieces: Pieces, variable: str) -> Array:
    """Unit vectors, or a few generic directions for large systems; one of no importance for derivatives in time."""
    n = _width(pieces, variable)
    if variable in IN_TIME:
        return np.zeros((1, n))
    if n <= FULL_LIMIT:
        return np.eye(n)
    return np.random.default_rng(20070610).uniform(-1.0, 1.0, (3, n))


def _value(pieces: Pieces, name: str, q: Array, v: Array) -> Array:
    out = np.zeros(pieces[name].size)
    pieces[name].call(pieces.t0, q, pieces.second(name, v), pieces.p, out)
    return out


def _times(pieces: Pieces, name: str, q: Array, v: Array, directions: Array) -> Array:
    """The given derivative times the directions, (rows, directions)."""
    piece, values = pieces[name], _value(pieces, name, q, v)
    if piece.pattern is None:
        return values[:, None]
    return np.stack([piece.pattern.times(values, d, piece.shape[0]) for d in directions], axis=1)


def _along(derivative: Given, q: Array, v: Array, d: Array) -> Array:
    """The computed derivative along one direction; in time along (1, d)."""
    from genalpha.system import differentiate

    pieces, _, of, variable, safe, step = derivative
    call, out = pieces[of].call, np.zeros(pieces[of].size)
    if variable == "bias":
        differentiate.second_derivative(call, safe, differentiate.same, step)(pieces.t0, q, v, pieces.p, out)
    elif variable == "t":
        differentiate.time_derivative(call, safe, differentiate.same)(pieces.t0, q, v, d, pieces.p, out)
    else:
        w = pieces.second(of, v)
        dq, dw = np.zeros(q.size), np.zeros(w.size)
        first = {"lam": pieces.n, "psi": pieces.n + pieces.ng}.get(variable, 0)
        (dq if variable == "q" else dw)[first : first + d.size] = d
        differentiate.first_derivative(call, safe, differentiate.same)(pieces.t0, q, w, dq, dw, pieces.p, out)
    return out
