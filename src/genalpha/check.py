"""Look at a system before a run: sizes, constraints, initial state, and every derivative that was given."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from genalpha.errors import DerivativeWarning, GenalphaError, InputError
from genalpha.model.model import Model
from genalpha.model.system import ModelSystem
from genalpha.report import Derivative, Report, Violation
from genalpha.system import System

if TYPE_CHECKING:
    from genalpha.bind import Binding
    from genalpha.contract import Contract

FULL_LIMIT = 300
"""Up to this many coordinates derivatives are compared entry by entry, above along three directions."""

# derivative: (of, with respect to)
DERIVATIVES = {
    "g_q": ("g", "q"), "g_t": ("g", "t"), "g_bias": ("g", "2"), "k_v": ("k", "v"), "k_q": ("k", "q"), "k_t": ("k", "t"),
    "f_q": ("f", "q"), "f_v": ("f", "v"), "f_lam": ("f", "lam"), "f_psi": ("f", "psi"),
    "gap_q": ("gap", "q"), "gap_t": ("gap", "t"), "gap_bias": ("gap", "2"),
}  # fmt: skip


def check(system: System | Model | ModelSystem, t0: float = 0.0, q0=None, v0=None) -> Report:
    """Check a system and its initial state; nothing is integrated, and functions are not compiled.

    Reports what a run would refuse (an inconsistent state, a singular mass matrix, constraints that contradict one
    another) instead of raising it. Only functions that cannot be called as they must be raise an exception.

    Parameters
    ----------
    system : System or Model
        The parts of a model are checked one by one by `check_contribution`.
    t0 : float
    q0, v0 : array_like (n,)
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
    from genalpha.bind import Binding
    from genalpha.pieces import Pieces

    if isinstance(system, Model):
        system = system.assemble()
    if isinstance(system, ModelSystem):
        q, v = (np.array(given if given is not None else own, dtype=float) for given, own in
                ((q0, system.q0), (v0, system.v0)))  # fmt: skip
        why = "compiled, as all models are"
        return _report(system.contract(t0, q, v), float(t0), q, v, why=why, derivatives=(), notes=[])
    if not isinstance(system, System):
        raise InputError(f"system must be a System or a Model, not {type(system).__name__}")
    if q0 is None or v0 is None:
        raise InputError("a system of functions needs its initial state, q0 and v0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DerivativeWarning)
        binding = Binding(Pieces(replace(system, compile=False), t0, q0, v0))
        contract = binding.contract()
        notes = list(contract.notes)
        derivatives = tuple(_derivatives(binding, contract))
    t, q, v = binding.pieces.t0, binding.pieces.q0, binding.pieces.v0
    report = _report(contract, t, q, v, why=_why(system), derivatives=derivatives, notes=notes)
    return replace(report, compiled=system.compiled)


def _report(contract: Contract, t, q, v, *, why, derivatives, notes) -> Report:
    """What can be said of a contract and a state."""
    from genalpha.step.initial import violations

    rows = tuple(
        Violation(level, name, float(value), limit)
        for kind, level, values, limit, _ in violations(contract, t, q, v)
        for name, value in zip(contract.names[kind], values, strict=True)
    )
    problems = [str(derivative) for derivative in derivatives if not derivative.ok]
    problems += [
        f"constraint {row.name!r}: |{row.level}| = {abs(row.value):.3g} exceeds {row.limit:.1g}"
        for row in rows
        if not row.ok and contract.describe is None
    ]
    if contract.describe is not None:
        for _, symbol, values, limit, _ in violations(contract, t, q, v):
            if np.max(np.abs(values), initial=0.0) > limit:
                problems.append(contract.describe(symbol, values, limit, t))
    redundant, condition = _mechanics(contract, t, q, v, notes, problems)
    return Report(
        t=t, n=contract.nv, ng=contract.ng, nk=contract.nk, compiled=contract.compiled, why=why,
        rank=contract.ng + contract.nk - len(redundant), redundant=redundant, condition=condition,
        violations=rows, derivatives=derivatives, notes=tuple(notes), problems=tuple(problems),
    )  # fmt: skip


def _why(system: System) -> str:
    if system.compile is not None:
        return f"{'compiled' if system.compile else 'interpreted'}, by compile={system.compile}"
    if system.compiled:
        return "compiled, because all functions are marked"
    return f"interpreted, because not marked with @ga.evaluator: {', '.join(system.unmarked()) or 'any function'}"


def _mechanics(contract: Contract, t, q, v, notes, problems):
    """(names of redundant rows, condition of M); what else is found goes to notes and problems."""
    from genalpha.math.saddle import condition_number, solve_saddle
    from genalpha.step.initial import any_accelerations, mass_and_rows, row_names

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
    names, m = row_names(contract), contract.ng + contract.nk
    redundant = tuple(names[i] for i in solve_saddle(M, B, np.zeros(contract.nv), np.zeros(m)).redundant)
    if redundant:
        shown = ", ".join(redundant[:5]) + (", ..." if len(redundant) > 5 else "")
        notes.append(f"{len(redundant)} of {m} constraint rows depend on the others: {shown}")
    return redundant, condition_number(M)


# the given derivatives


def _derivatives(binding: Binding, contract: Contract):
    """Every given derivative against the computed one, at three states."""
    pieces = binding.pieces
    for name, (of, variable) in DERIVATIVES.items():
        if name in pieces:
            safe = pieces.is_safe(of, variable in "t2")
            step = binding.second_step(of) if variable == "2" and safe else None
            states = [(pieces.q0, pieces.v0), *pieces.nearby()]
            yield max((_compare(pieces, contract, name, safe, step, q, v) for q, v in states), key=_size)


def _size(derivative: Derivative):
    return derivative.error if np.isfinite(derivative.error) else -1.0


def _compare(pieces, contract, name, safe, step, q, v) -> Derivative:
    """At one state; an error of NaN if the functions cannot be evaluated there."""
    of, variable = DERIVATIVES[name]
    tolerance = {True: 1e-9, False: 1e-5}[safe] * (100.0 if variable == "2" else 1.0)
    how = "complex step" if safe else "differences"
    with np.errstate(all="ignore"):
        try:
            directions = _directions(pieces, variable)
            computed = np.stack([_along(pieces, name, safe, step, q, v, d) for d in directions], axis=1)
            given = _times(pieces, name, q, v, directions)
            floor = 1e-3 * np.max(np.abs(_value(pieces, of, q, v)), initial=0.0)
            if variable == "2":
                rate = _along(pieces, f"{of}_t", safe, step, q, v, v)
                floor = max(floor, 1e-2 * np.max(np.abs(rate), initial=0.0))
        except Exception:  # the state is outside of the functions' domain
            return Derivative(name, np.nan, tolerance, how, "", np.nan, np.nan)
    difference = np.abs(given - computed)
    scale = max(np.max(np.abs(given), initial=floor), np.max(np.abs(computed), initial=0.0), 1e-300)
    i, j = np.unravel_index(int(np.argmax(difference)), difference.shape) if difference.size else (0, 0)
    entry = repr(contract.names["q" if of == "f" else of][i]) if difference.size else ""
    if variable not in "t2" and len(directions) == _width(pieces, variable):
        column = {"lam": "g", "psi": "k"}.get(variable, "q")
        entry = f"({entry}, {contract.names[column][j]!r})"
    values = (float(given[i, j]), float(computed[i, j])) if difference.size else (0.0, 0.0)
    return Derivative(name, float(np.max(difference, initial=0.0) / scale), tolerance, how, entry, *values)


def _width(pieces, variable):
    """Number of columns of a derivative."""
    return {"lam": pieces.ng, "psi": pieces.nk}.get(variable, pieces.n)


def _directions(pieces, variable):
    """Unit vectors, or a few generic directions for large systems; one of no importance for derivatives in time."""
    n = _width(pieces, variable)
    if variable in "t2":
        return np.zeros((1, n))
    if n <= FULL_LIMIT:
        return np.eye(n)
    return np.random.default_rng(20070610).uniform(-1.0, 1.0, (3, n))


def _value(pieces, name, q, v):
    out = np.zeros(pieces[name].size)
    pieces[name].call(pieces.t0, q, pieces.second(name, v), pieces.p, out)
    return out


def _times(pieces, name, q, v, directions):
    """The given derivative times the directions, (rows, directions)."""
    piece, values = pieces[name], _value(pieces, name, q, v)
    if piece.pattern is None:
        return values[:, None]
    return np.stack([piece.pattern.times(values, d, piece.shape[0]) for d in directions], axis=1)


def _along(pieces, name, safe, step, q, v, d):
    """The computed derivative along one direction; in time along (1, d)."""
    from genalpha import differentiate

    of, variable = DERIVATIVES[name]
    call, out = pieces[of].call, np.zeros(pieces[of].size)
    if variable == "2":
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
