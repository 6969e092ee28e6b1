"""A solution as a figure: states, multipliers, how well constraints hold, contacts, and where the energy is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from genalpha.errors import InputError
from genalpha.solution.ledger import WORKS
from genalpha.system.block import BILATERAL, UNILATERAL

if TYPE_CHECKING:
    from genalpha.solution.solution import Solution
    from genalpha.system.contract import Contract

LINES = 8
"""Curves in one panel; of more coordinates, the first ones."""

ROWS = 400
"""States at which constraints are evaluated."""

ROUND_OFF = 1e-17
"""What is smaller is shown as this: it would take the whole axis."""

COLORS = ("#0072b2", "#d55e00", "#009e73", "#e0a100", "#7b3f98", "#56b4e9", "#c1272d", "#777777")


def plot(solution: Solution, *keys: Any, title: str = ""):
    """A figure of a solution, see `Solution.plot`."""
    from genalpha.style import new_figure, require_matplotlib, style

    require_matplotlib()
    if len(solution.t) == 0:
        raise InputError("there is nothing to plot: the solution has no rows")
    panels = [(_values, (key,)) for key in keys] or list(_panels(solution))
    with style():
        figure, axes = new_figure(len(panels), 1, (8.0, 0.6 + 1.9 * len(panels)), title, sharex=True)
        for axis, (draw, arguments) in zip(axes[:, 0], panels, strict=True):
            axis.set_prop_cycle(color=COLORS)
            draw(axis, solution, *arguments)
            if axis.get_legend_handles_labels()[1]:
                axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8, handlelength=1.2)
        axes[-1, 0].set_xlabel("t (s)")
    return figure


def _panels(solution):
    """What a figure shows if nothing is asked for."""
    contract = solution.system.contract(solution.t[0], solution.q[0], solution.v[0])
    yield _states, ("q", contract.names["q"])
    yield _states, ("v", contract.velocity_names)
    if contract.nb:
        yield _multipliers, (contract,)
        yield _constraints, (contract,)
    if contract.nc:
        yield _contacts, (contract.row_names([UNILATERAL]),)
    if _has_energy(solution):
        yield _ledger, ()


def _has_energy(solution) -> bool:
    try:
        solution.system.energies(solution.t[:1], solution.q[:1], solution.v[:1])
    except InputError:
        return False
    return True


def quantity(solution: Solution, key: Any) -> np.ndarray:
    """What ``solution[key]`` gives; "part.attribute" is an attribute of what ``solution["part"]`` gives."""
    if isinstance(key, np.ndarray):
        return key
    try:
        return solution[key]
    except InputError:
        part, _, attribute = str(key).rpartition(".")
        if not part:
            raise
        try:
            return getattr(solution[part], attribute)
        except AttributeError:
            raise InputError(f"{part!r} has no {attribute!r} in this solution") from None


def _values(axis, solution, key):
    """Any quantity by name or symbol."""
    value = quantity(solution, key)
    try:
        values = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{key!r} is no number over time; name one of its attributes, '{key}.…'") from None
    values = values.reshape(values.shape[0], -1)
    if len(values) != len(solution.t):
        raise InputError(f"{key!r:.60} has {len(values)} rows, the solution has {len(solution.t)}")
    names = [""] if values.shape[1] == 1 else [f"[{i}]" for i in range(values.shape[1])]
    _curves(axis, solution.t, values, names)
    axis.set_title("given" if isinstance(key, np.ndarray) else str(key))


def _states(axis, solution, letter, names):
    values = {"q": solution.q, "v": solution.v}[letter]
    if letter == "v":
        derivatives = len(names) == values.shape[1]  # not so where rotations are stored as quaternions
        names = [f"d{name}/dt" if derivatives else f"v[{i}]" for i, name in enumerate(names)][: values.shape[1]]
    _curves(axis, solution.t, values, names)
    axis.set_title({"q": "configuration q", "v": "velocity v"}[letter] + _more(values))


def _more(values) -> str:
    return "" if values.shape[1] <= LINES else f", the first {LINES} of {values.shape[1]}"


def _curves(axis, t, values, names):
    for column, name in list(zip(values.T, names, strict=True))[:LINES]:
        axis.plot(t, column, label=name or None)


def _multipliers(axis, solution, contract):
    values = np.hstack([solution.lam, solution.psi])
    labels = [f"{'ψ' if block.kind.of_velocity else 'λ'} {name}"
              for block in contract.blocks if block.kind in BILATERAL for name in block.names]  # fmt: skip
    _curves(axis, solution.t, values, labels)
    axis.set_title(f"multipliers of the constraints{_more(values)}")


def residuals(solution: Solution, contract: Contract, rows) -> dict[str, np.ndarray]:
    """Largest |g|, |ġ|, |g̈| and |k| at some rows of a solution."""
    found: dict[str, list[float]] = {}
    for t, q, v, a in zip(solution.t[rows], solution.q[rows], solution.v[rows], solution.vdot[rows], strict=True):
        for kind in BILATERAL:
            for level, values in contract.levels(kind, t, q, v, None if kind.of_velocity else a).items():
                for block, i in contract.of_kind(kind):
                    if len(block):
                        found.setdefault(f"|{block.symbol(level)}|", []).append(np.abs(values[i]).max())
    return {name: np.array(values) for name, values in found.items()}


def _constraints(axis, solution, contract):
    rows = np.unique(np.linspace(0, len(solution.t) - 1, ROWS).astype(int))
    for name, values in residuals(solution, contract, rows).items():
        axis.semilogy(solution.t[rows], np.maximum(values, ROUND_OFF), ".", label=name, ms=3)
    axis.set_title("how far the constraints are off")


def _contacts(axis, solution, names):
    """Gaps, with a band where a contact is closed and a tick for every impact."""
    impacts = solution.impacts
    for i in range(min(len(names), LINES)):
        (line,) = axis.plot(solution.t, solution.gap[:, i], label=names[i])
        for begin, end in solution.contact_intervals[i]:
            axis.axvspan(begin, end, color=line.get_color(), alpha=0.15, lw=0)
        times = impacts.time[impacts.contact == i]
        axis.plot(times, np.zeros(times.size), "|", color=line.get_color(), ms=9)
    axis.set_title(f"gaps{_more(solution.gap)}; | impacts, bands: closed")


def _ledger(axis, solution):
    ledger = solution.ledger
    axis.plot(solution.t, ledger.kinetic, label="kinetic")
    axis.plot(solution.t, ledger.potential, label="potential")
    axis.plot(solution.t, ledger.kinetic + ledger.potential, label="sum", color="#222222")
    for name in WORKS:
        if np.any(getattr(ledger, name)):
            axis.plot(solution.t, getattr(ledger, name), label=f"gone to {name}")
    if solution.gap.shape[1]:
        axis.plot(solution.t, ledger.impacts, label="lost in impacts")
    axis.plot(solution.t, ledger.numerical, label="numerical loss", lw=0.9)
    axis.set_title("energy (J)")
