"""What a report on a solution says: facts, tables and figures, in the order of reading."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from genalpha._version import __version__
from genalpha.errors import InputError
from genalpha.model.system import ModelSystem
from genalpha.solution.ledger import WORKS
from genalpha.solution.named import units_in
from genalpha.solution.peaks import peaks
from genalpha.solution.plot import Panel, panels_of
from genalpha.solution.tables import number

if TYPE_CHECKING:
    from genalpha.solution.solution import Solution

MOST_ROWS = 40
"""Rows of a table; of more, the first ones."""


@dataclass(frozen=True)
class Grid:
    """A table of words."""

    headings: tuple[str, ...]
    rows: list[tuple[str, ...]]


@dataclass(frozen=True)
class Section:
    """A part of a report: sentences, words as they are, tables, panels of figures."""

    title: str
    sentences: list[str] = field(default_factory=list[str])
    printed: str = ""
    grids: list[Grid] = field(default_factory=list[Grid])
    panels: list[Panel] = field(default_factory=list[Panel])


@dataclass(frozen=True)
class Report:
    """All of it."""

    title: str
    subtitle: str
    facts: list[tuple[str, str]]
    sections: list[Section]


def content(solution: Solution, title: str = "") -> Report:
    """The report on a solution."""
    if not len(solution):
        raise InputError("there is nothing to report: the solution has no rows")
    if solution.system is None:
        raise InputError(f"a report needs the system; {solution.no_system}")
    system = solution.system
    name = system.model.name if isinstance(system, ModelSystem) else type(system).__name__
    sections = [_model(system)] if isinstance(system, ModelSystem) else []
    sections.append(Section("Motion", panels=panels_of(solution)))
    sections += [one for one in (_forces(solution), _constraints(solution), _energy(solution)) if one is not None]
    if solution.gap.shape[1]:
        sections.append(_impacts(solution))
    when = datetime.datetime.now().strftime("%Y-%m-%d")
    return Report(title or name, f"{when}, genalpha {__version__}", list(_facts(solution)), sections)


def _facts(solution: Solution) -> Iterator[tuple[str, str]]:
    stats, t, units = solution.stats, solution.t, units_in(solution)
    state = "done" if solution.success else f"{solution.status}: {solution.message}"
    yield "result", state
    yield "time", f"{t[0]:g} .. {t[-1]:g} {units.time}"
    yield "method", _method(solution.method)
    if stats.steps:
        mean = (t[-1] - t[0]) / stats.steps
        yield "steps", f"{stats.steps}, {mean:.3g} {units.time} on average; {stats.newton / stats.steps:.2f} iterations"
    yield "rows", f"{len(solution)}"
    if isinstance(solution.system, ModelSystem):
        gravity = ", ".join(f"{x:g}" for x in solution.system.model.gravity)
        yield "units", f"{units.name}: {units.length}, {units.mass}, {units.time}, {units.force}, {units.energy}"
        yield "gravity", f"({gravity}) {units.of('acceleration')}"


def _method(method: Any) -> str:
    """A method in a few words."""
    words = [type(method).__name__]
    for name, symbol in (("formulation", ""), ("rho_inf", "ρ∞ = ")):
        value = getattr(method, name, None)
        if value is not None:
            words.append(f"{symbol}{value}")
    return ", ".join(words)


def _model(system: ModelSystem) -> Section:
    model = system.model
    units = units_in(_Of(system))
    bodies = [
        (body.name, type(body).__name__, number(float(body.mass_used)))
        for body in model.bodies
    ]  # fmt: skip
    others = [
        (part.name, type(part).__name__, _between(model, part))
        for part in model.parts.values()
        if part is not model.ground and part not in model.bodies
    ]
    grids = [Grid(("body", "kind", f"mass ({units.mass})"), bodies)]
    if others:
        grids.append(Grid(("part", "kind", "of"), others))
    return Section("Model", printed=str(system), grids=[_shortened(grid) for grid in grids])


@dataclass(frozen=True)
class _Of:
    """What has a system, as a solution has."""

    system: Any


def _between(model: Any, part: Any) -> str:
    """The bodies or joints that a part belongs to."""
    names = []
    for field_name in ("a", "b", "body", "bodies", "joint", "joints"):
        value = getattr(part, field_name, None)
        for one in value if isinstance(value, list | tuple) else [value]:
            name = getattr(one, "name", one)
            if isinstance(name, str) and name:
                names.append(name)
    return ", ".join(dict.fromkeys(names))


def _shortened(grid: Grid) -> Grid:
    if len(grid.rows) <= MOST_ROWS:
        return grid
    more = (f"… and {len(grid.rows) - MOST_ROWS} more", *([""] * (len(grid.headings) - 1)))
    return Grid(grid.headings, [*grid.rows[:MOST_ROWS], more])


def _forces(solution: Solution) -> Section | None:
    """Peaks of reactions and efforts."""
    system = solution.system
    if not isinstance(system, ModelSystem):
        return None
    grids = []
    joints = [joint.name for joint in system.model.joints]
    driven = [
        one.name for one in (*system.model.constraints, *system.model.forces)
        if "effort" in solution[one.name].quantities
    ]  # fmt: skip
    for keys in (
        [f"{name}.{what}" for name in joints for what in ("force", "torque")],
        [f"{x}.effort" for x in driven],
    ):
        if keys:
            found = peaks(solution, keys)
            kept = [row for row, peak in zip(found.cells(), found, strict=True) if _matters(peak, found)]
            grids.append(_shortened(Grid(found.headings(), kept)))
    if not grids:
        return None
    sentences = ["Forces and torques of joints are those on the second body, at the joint, in the axes of space."]
    return Section("Peaks of joint forces", sentences, grids=grids)


def _matters(peak: Any, all_of: Any) -> bool:
    """Is it more than round-off of the largest of its unit?"""
    size = max(max(abs(one.largest), abs(one.smallest)) for one in all_of if one.unit == peak.unit)
    return max(abs(peak.largest), abs(peak.smallest)) > 1e-9 * size


def _constraints(solution: Solution) -> Section | None:
    stats = solution.stats
    rows = []
    if solution.lam.shape[1]:
        rows += [
            ("|g|, position", stats.max_g),
            ("|ġ|, velocity", stats.max_gdot),
            ("|g̈|, acceleration", stats.max_gddot),
        ]
    if solution.psi.shape[1]:
        rows.append(("|k|, nonholonomic", stats.max_k))
    if solution.gap.shape[1]:
        rows += [("deepest penetration", stats.penetration), ("gap × impulse", stats.complementarity)]
    if not rows:
        return None
    sentence = "The largest violation in the whole run, over all constraints, in the units of the model."
    return Section(
        "How well constraints hold", [sentence], grids=[Grid(("", "largest"), [(a, f"{b:.1e}") for a, b in rows])]
    )


def _energy(solution: Solution) -> Section | None:
    try:
        ledger = solution.ledger
    except InputError:  # the system has no energy
        return None
    unit = units_in(solution).energy
    names = [("kinetic", "kinetic"), ("potential", "potential")]
    names += [(name, f"gone to {name}") for name in WORKS if np.any(getattr(ledger, name))]
    if solution.gap.shape[1]:
        names.append(("impacts", "lost in impacts"))
    if np.any(ledger.friction):
        names.append(("friction", "lost in friction"))
    names.append(("numerical", "taken by the method"))
    rows = []
    for name, label in names:
        values = getattr(ledger, name)
        rows.append((label, *(number(float(x)) for x in (values[0], values[-1], np.min(values), np.max(values)))))
    headings = (f"energy ({unit})", "at first", "at last", "smallest", "largest")
    return Section("Energies", ["All rows together are the energy at the beginning."], grids=[Grid(headings, rows)])


def _impacts(solution: Solution) -> Section:
    units, found = units_in(solution), solution.impacts
    given = list(solution.origin.system["names"].get("gap", ()))
    names = given if len(given) == solution.gap.shape[1] else [f"gap {i}" for i in range(solution.gap.shape[1])]
    speed, impulse = units.of("speed"), units.of("impulse")
    rows = [
        (number(t), names[contact], number(before), number(after), number(size), number(lost))
        for t, contact, before, after, size, lost in zip(*found[:5], found.dissipated, strict=True)
    ]
    headings = (
        f"t ({units.time})", "contact", f"before ({speed})", f"after ({speed})",
        f"impulse ({impulse})", f"lost ({units.energy})",
    )  # fmt: skip
    closed = [
        (names[i], number(begin), number(end))
        for i, intervals in enumerate(solution.contact_intervals)
        for begin, end in intervals
    ]
    count = len(rows)
    sentence = "There are no impacts." if not count else f"{count} impact{'s' if count > 1 else ''}."
    grids = [_shortened(Grid(headings, rows))] if rows else []
    if closed:
        grids.append(_shortened(Grid(("contact", f"closed from ({units.time})", f"to ({units.time})"), closed)))
    return Section("Contacts and impacts", [sentence], grids=grids)


def split(panels: Sequence[Panel], most: int) -> list[list[Panel]]:
    """Panels in figures of at most so many, alike in size."""
    count = -(-len(panels) // most)
    each = -(-len(panels) // count) if count else 0
    return [list(panels[i : i + each]) for i in range(0, len(panels), each)] if count else []


def is_word(grid: Grid, column: int) -> bool:
    """Does a column hold words? They begin at the left, numbers end at the right."""
    return not all(_is_number(row[column]) for row in grid.rows)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return not text
    return True
