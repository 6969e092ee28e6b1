"""A solution as a figure: states, multipliers, how well constraints hold, contacts, and where the energy is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from genalpha.errors import InputError
from genalpha.model.system import ModelSystem
from genalpha.solution.ledger import WORKS
from genalpha.solution.named import expanded, named, shown_bodies, units_in
from genalpha.system.block import BILATERAL, UNILATERAL

if TYPE_CHECKING:
    from genalpha.solution.solution import Solution
    from genalpha.system.contract import Contract

LINES = 8
"""Curves in one panel; of more coordinates, the first ones."""

ROWS = 400
"""States at which constraints are evaluated."""

SMALL = 1e-9
"""Reactions that are smaller than this part of the largest are round-off."""

ROUND_OFF = 1e-17
"""What is smaller is shown as this: it would take the whole axis."""

Panel = tuple[Callable[..., None], tuple[Any, ...]]
"""A function (axis, solution, ...) that draws, and its other arguments."""

COLORS = ("#0072b2", "#d55e00", "#009e73", "#e0a100", "#7b3f98", "#56b4e9", "#c1272d", "#777777")


def plot(solution: Solution, *keys: Any, title: str = ""):
    """A figure of a solution, see `Solution.plot`."""
    from genalpha.style import require_matplotlib

    require_matplotlib()
    if len(solution.t) == 0:
        raise InputError("there is nothing to plot: the solution has no rows")
    keys = tuple(one for key in keys for one in ([key] if isinstance(key, np.ndarray) else expanded(solution, key)))
    panels = [(_values, (key,)) for key in keys] or panels_of(solution)
    return drawn(solution, panels, (8.0, 0.6 + 1.9 * len(panels)), title)


def drawn(solution: Solution, panels: Sequence[Panel], size: tuple[float, float], title: str = ""):
    """A figure with these panels, one below the other."""
    from genalpha.style import new_figure, style

    with style():
        figure, axes = new_figure(len(panels), 1, size, title, sharex=True)
        for axis, (draw, arguments) in zip(axes[:, 0], panels, strict=True):
            axis.set_prop_cycle(color=COLORS)
            draw(axis, solution, *arguments)
            if axis.get_legend_handles_labels()[1]:
                axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8, handlelength=1.2)
        axes[-1, 0].set_xlabel(f"t ({units_in(solution).time})")
    return figure


def panels_of(solution: Solution) -> list[Panel]:
    """What a figure shows if nothing is asked for."""
    return list(_panels(solution))


def _panels(solution) -> Iterator[Panel]:
    contract = solution.system.contract(solution.t[0], solution.q[0], solution.v[0])
    if isinstance(solution.system, ModelSystem):
        yield from ((_together, arguments) for arguments in model_panels(solution))
    else:
        yield _states, ("q", contract.names["q"])
        yield _states, ("v", contract.velocity_names)
        if contract.nb:
            yield _multipliers, (contract,)
    if contract.nb:
        yield _constraints, (contract,)
    if contract.nc:
        yield _contacts, (contract.row_names([UNILATERAL]),)
    if _has_energy(solution):
        yield _ledger, ()


def model_panels(solution: Solution) -> Iterator[tuple[str, str, list[tuple[str, Any]]]]:
    """Panels of a model: (title, unit, curves by name); positions, coordinates of joints, sizes of their forces."""
    model, units = solution.system.model, units_in(solution)
    places = [f"{name}.position" for name in shown_bodies(solution.system)]
    places += [f"{beam.name}.tip" for beam in model.flexibles]
    curves = []
    for key in places[:LINES]:
        one = named(solution, key)
        curves += [(f"{key.rpartition('.')[0]}.{label}", x) for label, x in zip(one.labels, one.values.T, strict=True)]
    per_place = 2 if model.planar else 3
    more = "" if len(curves) <= LINES else f", the first {LINES} of {len(places) * per_place}"
    yield f"positions{more}", units.length, curves[:LINES]
    for coordinate, title, unit in (
        ("angle", "joint angles", "rad"),
        ("displacement", "joint displacements", units.length),
    ):
        joints = [joint.name for joint in model.joints if coordinate in joint.coordinates]
        if joints:
            yield (
                _counted(title, joints),
                unit,
                [(name, getattr(solution[name], coordinate)) for name in joints[:LINES]],
            )
    for quantity, unit in (("force", units.force), ("torque", units.torque)):
        joints = [joint.name for joint in model.joints]
        curves = [(name, np.linalg.norm(getattr(solution[name], quantity), axis=1)) for name in joints]
        largest = max((float(x.max(initial=0.0)) for _, x in curves), default=0.0)
        curves = [(name, x) for name, x in curves if x.max(initial=0.0) > SMALL * largest]
        if joints and (curves or quantity == "force"):
            yield _counted(f"sizes of joint {quantity}s", curves), unit, curves[:LINES]
    for kind, unit in (("torque", units.torque), ("force", units.force)):
        curves = list(_efforts(solution, kind))
        if curves:
            yield _counted(f"{kind}s of drives, motors and springs", curves), unit, curves[:LINES]


def _efforts(solution: Solution, kind: str) -> Iterator[tuple[str, Any]]:
    """Of drives, motors and torsion springs."""
    for part in (*solution.system.model.constraints, *solution.system.model.forces):
        result = solution[part.name]
        if "effort" in result.quantities and not result.items("effort"):
            dimension = result.dimension("effort")
            if kind in ((dimension,) if isinstance(dimension, str) else dimension):
                yield part.name, result.effort


def _counted(title: str, curves: Sequence[Any]) -> str:
    return title if len(curves) <= LINES else f"{title}, the first {LINES} of {len(curves)}"


def _together(axis, solution, title: str, unit: str, curves):
    for name, values in curves:
        axis.plot(solution.t, values, label=name)
    axis.set_title(f"{title} ({unit})")


def _has_energy(solution) -> bool:
    try:
        solution.system.energies(solution.t[:1], solution.q[:1], solution.v[:1])
    except InputError:
        return False
    return True


def _values(axis, solution, key):
    """Any quantity by name or symbol."""
    one = named(solution, key)
    units = ["" if one.unit else f" ({unit})" if unit else "" for unit in one.units]
    labels = [f"[{label}]" if label.isdecimal() else label for label in one.labels]
    _curves(axis, solution.t, one.values, [f"{label}{unit}" for label, unit in zip(labels, units, strict=True)])
    axis.set_title(f"{one.title}{_more(one.values)}")


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
    unit = f" ({units_in(solution).length})" if isinstance(solution.system, ModelSystem) else ""
    axis.set_title(f"gaps{unit}{_more(solution.gap)}; | impacts, bands: closed")


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
    if np.any(ledger.friction):
        axis.plot(solution.t, ledger.friction, label="lost in friction")
    axis.plot(solution.t, ledger.numerical, label="numerical loss", lw=0.9)
    axis.set_title(f"energy ({units_in(solution).energy})")
