"""Named quantities of a solution, for the plots below the scene."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from genalpha.levels import levels
from genalpha.view.draw import contact_names
from genalpha.view.tracks import Array

MOST_NUMBERS = 400_000
"""Of all quantities together; with very many of them, each has fewer rows."""

MOST_COORDINATES = 60
"""Larger systems are plotted by their contacts, energy and constraints, not by each coordinate."""

ROUND_OFF = 1e-17


class Quantity(NamedTuple):
    """A curve: its name, the group that it is plotted with, its unit, its values, and whether to plot the logarithm."""

    name: str
    group: str
    values: Array
    unit: str = ""
    log: bool = False


def plot_rows(sol, most: int) -> np.ndarray:
    """Rows of a solution for plots: all, or evenly spaced pairs of neighbours and those of impacts.

    Neighbours show what changes its sign from step to step, which evenly spaced rows would hide.
    """
    n = len(sol.t)
    if n <= most:
        return np.arange(n)
    first = np.linspace(0, n - 2, most // 2).astype(int)
    return np.unique(np.concatenate([first, first + 1, impact_rows(sol, most // 4)]))


def impact_rows(sol, most: int) -> np.ndarray:
    """The rows in which impacts happened, and those before them; of too many impacts the strongest."""
    strongest = np.argsort(-np.abs(sol.impacts.impulse), kind="stable")[:most]
    after = np.searchsorted(sol.t, sol.impacts.time[strongest] - 1e-12 * max(1.0, abs(float(sol.t[-1]))))
    after = np.clip(after, 0, len(sol.t) - 1)
    return np.unique(np.concatenate([after, np.maximum(after - 1, 0)]))


def most_rows(sol) -> int:
    """How many rows of plots a solution gets."""
    columns = sol.gap.shape[1] * 2 + sol.lam.shape[1] + sol.psi.shape[1] + 9
    if sol.q.shape[1] <= MOST_COORDINATES:
        columns += 3 * sol.q.shape[1]
    return int(np.clip(MOST_NUMBERS // columns, 400, 4000))


def quantities(sol, rows: np.ndarray) -> list[Quantity]:
    """All quantities that a solution knows by name."""
    found = [*_contacts(sol, rows), *_energy(sol, rows), *_levels(sol, rows)]
    if sol.q.shape[1] <= MOST_COORDINATES:
        found += _coordinates(sol, rows)
    return [*found, *_multipliers(sol, rows)]


def _contacts(sol, rows) -> Iterator[Quantity]:
    for i, name in enumerate(contact_names(sol)):
        yield Quantity(f"gap {name}", "gap", sol.gap[rows, i])
    for i, name in enumerate(contact_names(sol)):
        yield Quantity(f"contact force {name}", "contact force", sol.contact_force[rows, i])


def _energy(sol, rows) -> Iterator[Quantity]:
    function = getattr(sol.system, "energy", None)
    if function is None:
        return
    p = sol.system.arguments()
    states = zip(sol.t[rows], sol.q[rows], sol.v[rows], strict=True)
    kinetic, potential = np.array([function(t, q, v, *p) for t, q, v in states], dtype=float).reshape(-1, 2).T
    lost = np.concatenate([[0.0], np.cumsum(sol.impacts.dissipated)])
    impacts = lost[np.searchsorted(sol.impacts.time, sol.t[rows], side="right")]
    total = kinetic + potential
    yield Quantity("kinetic", "energy", kinetic)
    yield Quantity("potential", "energy", potential)
    yield Quantity("total", "energy", total)
    if sol.gap.shape[1]:
        yield Quantity("lost in impacts", "energy", impacts)
    yield Quantity("numerical loss", "energy", total[0] - total - impacts)


def _levels(sol, rows) -> Iterator[Quantity]:
    ng, nk = sol.lam.shape[1], sol.psi.shape[1]
    if ng + nk == 0:
        return
    found = levels(sol, rows)
    if ng:
        for name, values in (("|g|", found.g), ("|ġ|", found.gdot), ("|g̈|", found.gddot)):
            yield Quantity(name, "constraints", _largest(values), log=True)
    if nk:
        yield Quantity("|k|", "constraints", _largest(found.k), log=True)


def _largest(values: Array) -> Array:
    """The largest entry of each row; at least round-off, so that its logarithm exists."""
    return np.maximum(np.abs(values).max(axis=1), ROUND_OFF)


def _coordinates(sol, rows) -> Iterator[Quantity]:
    names = names_of(sol, "q", sol.q.shape[1])
    for group, values in (("q", sol.q), ("v", sol.v), ("v̇", sol.vdot)):
        own = names if values.shape[1] == len(names) else names_of(sol, "v", values.shape[1])
        for i, name in enumerate(own):
            yield Quantity(name if group == "q" else f"{group} {name}", group, values[rows, i])


def _multipliers(sol, rows) -> Iterator[Quantity]:
    for symbol, kind, values in (("λ", "g", sol.lam), ("ψ", "k", sol.psi)):
        for i, name in enumerate(names_of(sol, kind, values.shape[1])):
            yield Quantity(f"{symbol} {name}", symbol, values[rows, i])


def names_of(sol, kind: str, n: int) -> list[str]:
    """The system's own names of coordinates or constraints, "q[0]" and so on where it has none."""
    given = list((getattr(sol.system, "names", None) or {}).get(kind, ()))
    return [given[i] if i < len(given) else f"{kind}[{i}]" for i in range(n)]
