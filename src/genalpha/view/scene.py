"""A solution as a scene: what moves, what is plotted, and when contacts close and hit."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportUnnecessaryIsInstance=false

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import InputError
from genalpha.model.model import units_in
from genalpha.model.system import ModelSystem
from genalpha.system.system import System
from genalpha.view.draw import draw
from genalpha.view.model import model_tracks
from genalpha.view.quantities import MOST_CONTACTS, most_points, names_of, quantities
from genalpha.view.rows import Excerpt, curve_rows, frame_rows
from genalpha.view.tracks import Array, Quantity, Tracks

if TYPE_CHECKING:
    from genalpha.solution.solution import Solution
    from genalpha.view.drawing import Drawing

FRAMES = 1500
MOST_IMPACTS = 2000
MOST_INTERVALS = 2000
PLOTS = (
    "gap", "slip", "friction force", "dry slip", "dry force", "effort", "reaction", "angle", "displacement", "energy",
    "contact force", "q", "λ", "ψ", "constraints",
)  # fmt: skip
"""The groups that are plotted at first, as far as there are any, and with few enough curves: three of them."""

MOST_CURVES = 8

ROUND_OFF = 1e-12
"""Curves below this share of the largest one are not plotted at first."""

UNITS = {"time": "s", "impulse": "N s"}


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything the page shows of one solution.

    Attributes
    ----------
    title, subtitle, label : str
        A heading, how it was computed, and the name of the solution in a comparison.
    time : ndarray (nf,)
        The times of the frames.
    tracks : Tracks
        Bodies, lines and contacts over the frames.
    force : ndarray (nf, nc)
        The forces of the contacts of ``tracks``, impacts left out.
    plot_time : ndarray (np,)
    quantities : list of Quantity
        Curves over ``plot_time``.
    contacts : list of (name, intervals)
        All contacts, and when they were closed.
    impacts : dict of lists
        Time, contact and impulse of each impact, and the velocities of the gap before and after it.
    plots : tuple of str
        Groups or names of quantities that are plotted at first.
    message : str
        What went wrong, if the run failed.
    units : dict of str
        Of "time" and "impulse", and of "length" where it is known.

    Examples
    --------
    >>> import genalpha as ga
    >>> from genalpha import problems
    >>> pendulum = problems.get("pendulum3d").system()
    >>> sol = ga.solve(pendulum, (0.0, 0.5), h=1e-2)
    >>> scene = ga.view.make_scene(sol, title="A pendulum")
    >>> scene.title, scene.time.size, scene.contacts
    ('A pendulum', 51, [])
    """

    title: str
    subtitle: str
    label: str
    time: Array
    tracks: Tracks
    force: Array
    plot_time: Array
    quantities: list[Quantity]
    contacts: list[tuple[str, list[tuple[float, float]]]]
    impacts: dict[str, list[Any]]
    plots: tuple[str, ...]
    message: str
    units: dict[str, str] = field(default_factory=lambda: dict(UNITS))


def make_scene(
    sol: Solution,
    drawing: Drawing | None = None,
    *,
    title: str | None = None,
    label: str = "",
    frames: int = FRAMES,
    plots: Sequence[str] | None = None,
    trace: Sequence[str] | None = None,
) -> Scene:
    """The scene of a solution.

    Parameters
    ----------
    sol : Solution
    drawing : Drawing, optional
        How it looks. Default: the drawing of its system; without one there are plots only. To the bodies of a model it
        is added.
    title : str, optional
    label : str
    frames : int
        The most frames; rows with impacts come on top of them.
    plots : sequence of str, optional
        Groups or names of quantities to plot at first, in their order.
    trace : sequence of str, optional
        Bodies of a model that leave a trace; all if there are few.

    Examples
    --------
    >>> import genalpha as ga
    >>> from genalpha import problems
    >>> pendulum = problems.get("pendulum3d").system()
    >>> sol = ga.solve(pendulum, (0.0, 0.5), h=1e-2)
    >>> ga.view.make_scene(sol, frames=10).time.size <= 11
    True
    """
    if not (isinstance(frames, int | np.integer) and frames >= 2):
        raise InputError(f"frames = {frames!r} must be a number of frames, 2 or more")
    if len(sol.t) == 0:
        raise InputError("this solution has no rows, so there is nothing to show")
    rows = frame_rows(sol, int(frames))
    shown, plotted = Excerpt(sol, rows), Excerpt(sol, curve_rows(sol, most_points(sol)))
    tracks = _tracks(shown, drawing, trace)
    curves = quantities(plotted)
    names = names_of(sol, "gap", sol.origin.columns.widths["gap"])
    return Scene(
        title=title or _title(sol),
        subtitle=subtitle(sol),
        label=label,
        time=shown.t,
        tracks=tracks,
        force=pushes(sol, rows)[:, [contact.row for contact in tracks.contacts]],
        plot_time=plotted.t,
        quantities=curves,
        contacts=[(name, _longest(closed)) for name, closed in zip(names, sol.contact_intervals, strict=False)]
        if len(names) <= MOST_CONTACTS
        else [],
        impacts=_impacts(sol),
        plots=_first_plots(curves) if plots is None else _known_plots(curves, plots),
        message="" if sol.success else sol.message,
        units=_units(sol),
    )


def _tracks(sol: Excerpt, drawing: Drawing | None, trace: Sequence[str] | None) -> Tracks:
    if isinstance(sol.system, ModelSystem):
        tracks = model_tracks(sol, trace)
        return tracks if drawing is None else tracks.and_(draw(drawing, sol))
    if drawing is None and isinstance(sol.system, System):
        drawing = sol.system.drawing
    return Tracks() if drawing is None else draw(drawing, sol)


def _title(sol: Solution) -> str:
    """The name of a model; of other systems what they are."""
    if isinstance(sol.system, ModelSystem):
        return sol.system.model.name
    widths = sol.origin.columns.widths
    parts = (("q", "coordinate"), ("lam", "constraint"), ("psi", "nonholonomic constraint"), ("gap", "contact"))
    words = [f"{widths[key]} {name}{'s' * (widths[key] != 1)}" for key, name in parts if widths[key] or key == "q"]
    return f"System with {', '.join(words)}"


def pushes(sol: Solution, rows: NDArray[np.int64]) -> Array:
    """Contact forces (nf, nc); impacts are apart."""
    if "contact_force" not in sol.origin.columns.chosen:
        return np.zeros((len(rows), sol.origin.columns.widths["gap"]))
    return np.maximum(sol.rows.take("contact_force", rows), 0.0)


def _units(sol: Solution) -> dict[str, str]:
    """Of a system of functions the unit of length is not known."""
    known = (*UNITS, "length") if isinstance(sol.system, ModelSystem) else UNITS
    return {name: units_in(sol.system).of(name) for name in known}


def subtitle(sol: Solution) -> str:
    """How a solution was computed, in a few words."""
    steps = sol.stats.steps
    step = f", h = {(sol.t[-1] - sol.t[0]) / steps:.3g} {units_in(sol.system).time}" if steps else ""
    return f"{sol.method.describe()}{step}, {steps} steps"


def _longest(intervals: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The longest intervals, in the order of time."""
    if len(intervals) > MOST_INTERVALS:
        intervals = sorted(sorted(intervals, key=lambda x: x[0] - x[1])[:MOST_INTERVALS])
    return [(float(begin), float(end)) for begin, end in intervals]


def _impacts(sol: Solution) -> dict[str, list[Any]]:
    """The strongest impacts, in the order of time."""
    impacts = sol.impacts
    most = MOST_IMPACTS if sol.origin.columns.widths["gap"] <= MOST_CONTACTS else 0  # of a pile, none
    strongest = np.sort(np.argsort(-np.abs(impacts.impulse), kind="stable")[:most])
    names = ("time", "contact", "impulse", "approach", "departure")
    return {name: getattr(impacts, name)[strongest].tolist() for name in names}


def _first_plots(curves: Sequence[Quantity]) -> tuple[str, ...]:
    count = Counter(curve.group for curve in curves)
    sizes = {group: max(_size(curve) for curve in curves if curve.group == group) for group in count}
    least = ROUND_OFF * max(sizes.values(), default=0.0)
    chosen = [group for group in PLOTS if 0 < count[group] <= MOST_CURVES]
    # what is zero but for round-off is there to be chosen, but says little
    telling = [group for group in chosen if sizes[group] > least]
    return tuple(telling or chosen)[:3]


def _size(curve: Quantity) -> float:
    """Its largest number; 1 where the logarithm is plotted."""
    return 1.0 if curve.log else float(np.abs(curve.values).max(initial=0.0))


def _known_plots(curves: Sequence[Quantity], plots: Sequence[str]) -> tuple[str, ...]:
    known = list(dict.fromkeys([*(curve.group for curve in curves), *(curve.name for curve in curves)]))
    for name in plots:
        if name not in known:
            raise InputError(f"there is no quantity {name!r} to plot; there are {', '.join(map(repr, known[:20]))}")
    return tuple(plots)
