"""The largest and the smallest values of results, and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import InputError
from genalpha.solution.named import Named, all_named, default_keys, units_in
from genalpha.solution.tables import number

if TYPE_CHECKING:
    from genalpha.solution.solution import Solution


class Peak(NamedTuple):
    """The extremes of one number over time.

    Attributes
    ----------
    name : str
        ``"pin.force.x"``, or ``"|pin.force|"`` of the size of a vector.
    unit : str
    largest, t_largest, smallest, t_smallest : float
    """

    name: str
    unit: str
    largest: float
    t_largest: float
    smallest: float
    t_smallest: float


@dataclass(frozen=True)
class Peaks:
    """Extremes by name; prints as a table.

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("ball", gravity=(0.0, -10.0), planar=True)
    >>> _ = model.add(ga.PointMass("ball", mass=1.0, position=(0.0, 5.0)))
    >>> sol = ga.solve(model, (0.0, 1.0), h=0.5)
    >>> peaks = sol.peaks("ball.velocity")
    >>> round(peaks["ball.velocity.y"].smallest, 9), peaks["ball.velocity.y"].t_smallest
    (-10.0, 1.0)
    >>> [peak.name for peak in peaks]
    ['ball.velocity.x', 'ball.velocity.y', '|ball.velocity|']
    """

    rows: tuple[Peak, ...]
    time: str = "s"

    def __iter__(self) -> Iterator[Peak]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> Peak:
        for row in self.rows:
            if row.name == name:
                return row
        raise InputError(f"there is no {name!r:.60} here; there are {', '.join(row.name for row in self.rows)}")

    def cells(self) -> list[tuple[str, ...]]:
        """The table as text."""
        return [
            (one.name, *map(number, (one.largest, one.t_largest, one.smallest, one.t_smallest)), one.unit)
            for one in self.rows
        ]

    def headings(self) -> tuple[str, ...]:
        return ("", "largest", f"at t ({self.time})", "smallest", f"at t ({self.time})", "unit")

    def __str__(self) -> str:
        lines = [self.headings(), *self.cells()]
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if i in (0, len(widths) - 1) else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        )

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(one)}</th>" for one in self.headings())
        rows = ("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in self.cells())
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def peaks(solution: Solution, keys: Sequence[Any] = ()) -> Peaks:
    """Extremes of quantities by name, see `Solution.peaks`."""
    if not len(solution):
        raise InputError("this solution has no rows")
    found = [row for one in all_named(solution, keys or default_keys(solution)) for row in _of(one, solution.t)]
    return Peaks(tuple(found), units_in(solution).time)


def _of(one: Named, t: NDArray[np.float64]) -> Iterator[Peak]:
    for name, unit, values in zip(one.columns, one.units, one.values.T, strict=True):
        yield _peak(name, unit, values, t)
    if one.is_vector and len(one.labels) > 1:
        yield _peak(f"|{one.name}|", one.unit, np.linalg.norm(one.values, axis=1), t)


def _peak(name: str, unit: str, values: NDArray[np.float64], t: NDArray[np.float64]) -> Peak:
    if not np.any(np.isfinite(values)):
        return Peak(name, unit, np.nan, np.nan, np.nan, np.nan)
    high, low = int(np.nanargmax(values)), int(np.nanargmin(values))
    return Peak(name, unit, float(values[high]), float(t[high]), float(values[low]), float(t[low]))
