"""Named quantities of a solution, for the plots below the scene."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np

from genalpha.errors import InputError
from genalpha.model.model import units_in
from genalpha.model.system import ModelSystem
from genalpha.solution.ledger import WORKS
from genalpha.solution.levels import levels
from genalpha.view.model import model_quantities
from genalpha.view.rubbing import contact_curves, dry_curves, elements_of, sliding_of
from genalpha.view.tracks import Array, Quantity

MOST_NUMBERS = 400_000
"""Of all curves together; with very many of them, each has fewer points."""

MOST_COORDINATES = 60
"""Larger systems are plotted by their contacts, energy and constraints, not by each coordinate."""

MOST_CONTACTS = 60
"""More contacts are plotted by their number and the largest force."""

ROUND_OFF = 1e-17


def most_points(sol) -> int:
    """How many points the curves of a solution get."""
    widths = sol.origin.columns.widths
    gaps = widths["gap"]
    columns = (2 * gaps if gaps <= MOST_CONTACTS else 2) + widths["lam"] + widths["psi"] + 9
    friction = elements_of(sol)
    if friction is not None and friction.ne <= MOST_CONTACTS:
        columns += 2 * friction.ne
    if widths["q"] <= MOST_COORDINATES:
        columns += 3 * widths["q"]
    return int(np.clip(MOST_NUMBERS // columns, 400, 4000))


def quantities(sol) -> list[Quantity]:
    """All quantities that a solution knows by name."""
    kinds: list[Iterator[Quantity]] = [_contacts(sol), _friction(sol)]
    if sol.system is not None:  # a solution from a file may be without it
        kinds += [_energy(sol), _levels(sol)]
    if isinstance(sol.system, ModelSystem):
        kinds.append(model_quantities(sol))
    else:
        kinds += [_coordinates(sol), _multipliers(sol)]
    return [quantity for kind in kinds for quantity in _known(kind)]


def _known(kind: Iterator[Quantity]) -> Iterator[Quantity]:
    """Those that are there: what was not saved, or has no function, has no curve."""
    with contextlib.suppress(InputError):
        yield from kind


def _contacts(sol) -> Iterator[Quantity]:
    if sol.origin.columns.widths["gap"] > MOST_CONTACTS:
        yield Quantity("contacts that push", "contacts", np.sum(sol.impulse > 0.0, axis=1).astype(float))
        values = np.max(sol.contact_force, axis=1)
        yield Quantity("contact force (largest)", "contact force", values, unit=_known_unit(sol, "force"))
        return
    for group, column, dimension in (("gap", "gap", "length"), ("contact force", "contact_force", "force")):
        unit = _known_unit(sol, dimension)
        for name, values in _curves(sol, column, "gap"):
            yield Quantity(f"{group} {name}", group, values, unit=unit)


def _friction(sol) -> Iterator[Quantity]:
    """Slip and forces of contacts with friction, then those of dry friction."""
    sliding = sliding_of(sol)
    if sliding is None:
        return
    if sliding.friction.ne > MOST_CONTACTS:
        sticks = np.sum(sliding.raw[:, sliding.columns.sticks][:, ~sliding.friction.is_dry] > 0.5, axis=1)
        yield Quantity("contacts that stick", "contacts", sticks.astype(float))
        return
    names = names_of(sol, "gap", sliding.nc)
    for group, column, dimension in (("slip", "slip", "speed"), ("friction force", "mean", "force")):
        unit = _known_unit(sol, dimension)
        for contact, values in contact_curves(sliding, column):
            yield Quantity(f"{group} {names[contact]}", group, values, unit=unit)
    for group, column, dimension in (("dry slip", "slip", "rate"), ("dry force", "mean", "effort")):
        for i, values in dry_curves(sliding, column):
            name, unit = _dry(sol, i, sliding.friction.nd, dimension)
            yield Quantity(f"{group} {name}", group, values, unit=unit)


def _dry(sol, i: int, n: int, dimension: str) -> tuple[str, str]:
    """Name and unit of dry friction number i of n; of a model, those of a part, a torque or a force."""
    if not isinstance(sol.system, ModelSystem):
        return names_of(sol, "dry", n)[i], ""
    part = next(name for name, row in sol.system.assembly.slips.dry_rows.items() if row == i)
    return part, units_in(sol.system).of(sol[part].dimension(dimension))


def _known_unit(sol, dimension: str) -> str:
    """Of models; what functions mean is not known."""
    return units_in(sol.system).of(dimension) if isinstance(sol.system, ModelSystem) else ""


def _energy(sol) -> Iterator[Quantity]:
    ledger, unit = sol.ledger, units_in(sol.system).energy
    curves = {"kinetic": ledger.kinetic, "potential": ledger.potential, "total": ledger.kinetic + ledger.potential}
    curves |= {f"gone to {name}": getattr(ledger, name) for name in WORKS if np.any(getattr(ledger, name))}
    if sol.width("gap"):
        curves["lost in impacts"] = ledger.impacts
    if np.any(ledger.friction):
        curves["lost in friction"] = ledger.friction
    if np.all(np.isfinite(ledger.numerical)):
        curves["numerical loss"] = ledger.numerical
    for name, values in curves.items():
        yield Quantity(name, "energy", values, unit=unit)


def _levels(sol) -> Iterator[Quantity]:
    ng, nk = sol.width("lam"), sol.width("psi")
    if ng + nk == 0:
        return
    found = levels(sol)
    if ng:
        for name, values in (("|g|", found.g), ("|ġ|", found.gdot), ("|g̈|", found.gddot)):
            yield Quantity(name, "constraints", _largest(values), log=True)
    if nk:
        yield Quantity("|k|", "constraints", _largest(found.k), log=True)


def _largest(values: Array) -> Array:
    """The largest entry of each row; at least round-off, so that its logarithm exists."""
    return np.maximum(np.abs(values).max(axis=1), ROUND_OFF)


def _coordinates(sol) -> Iterator[Quantity]:
    if sol.width("q") > MOST_COORDINATES:
        return
    for group, column in (("q", "q"), ("v", "v"), ("v̇", "vdot")):
        for name, values in _curves(sol, column, "q"):
            yield Quantity(name if group == "q" else f"{group} {name}", group, values)


def _multipliers(sol) -> Iterator[Quantity]:
    for symbol, column, kind in (("λ", "lam", "g"), ("ψ", "psi", "k")):
        for name, values in _curves(sol, column, kind):
            yield Quantity(f"{symbol} {name}", symbol, values)


def _curves(sol, column: str, kind: str) -> Iterator[tuple[str, Array]]:
    """(name, values) of the entries of a column, if it was saved."""
    if sol.is_saved(column):
        values = getattr(sol, column)
        for i, name in enumerate(names_of(sol, kind, values.shape[1])):
            yield name, values[:, i]


def names_of(sol, kind: str, n: int) -> list[str]:
    """The system's own names of coordinates, constraints or contacts, "q[0]" and so on where it has none."""
    given = sol.origin.system["names"].get(kind, ())
    return [given[i] if i < len(given) else f"{kind}[{i}]" for i in range(n)]
