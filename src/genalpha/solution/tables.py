"""Results as a table: named columns with units, time first; and what pandas and xarray make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import InputError, MissingExtra
from genalpha.solution.named import Named, all_named, columns_of, default_keys, units_in

if TYPE_CHECKING:
    from genalpha.solution.solution import Solution

Array = NDArray[np.float64]

SHOWN = 5
"""Rows at either end that are printed."""
WIDTH = 12
MOST_PRINTED = 8
"""Columns that are printed; of more, the first ones."""


@dataclass(frozen=True, eq=False)
class Table:
    """Results over time as columns.

    Attributes
    ----------
    columns : tuple of str
        Names with units: "t [s]", "pin.force.x [N]", ...
    values : ndarray (nt, columns)

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("ball", gravity=(0.0, -10.0), planar=True)
    >>> _ = model.add(ga.PointMass("ball", mass=1.0, position=(0.0, 5.0)))
    >>> sol = ga.solve(model, (0.0, 1.0), h=0.5)
    >>> table = sol.table("ball.position")
    >>> table.columns
    ('t [s]', 'ball.position.x [m]', 'ball.position.y [m]')
    >>> table["ball.position.y"].round(9)
    array([5.  , 3.75, 0.  ])
    """

    columns: tuple[str, ...]
    values: Array

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, column: str) -> Array:
        """A column by its name, with or without its unit."""
        for i, name in enumerate(self.columns):
            if column in (name, name.rpartition(" [")[0] or name):
                return self.values[:, i]
        raise InputError(f"there is no column {column!r:.60} in this table; there are {', '.join(self.columns)}")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype) if copy else np.asarray(self.values, dtype=dtype)

    def to_csv(self, path: Any) -> None:
        """Write all rows as text, with all digits; the first line has the names."""
        from genalpha.inputs import path_of
        from genalpha.solution.files.stored import words

        header = ",".join(f'"{name}"' if "," in name else name for name in self.columns)
        with words(path_of(path), "write"):
            np.savetxt(path, self.values, fmt="%.17g", delimiter=",", header=header, comments="", encoding="utf-8")

    def _rows(self) -> list[int | None]:
        """Rows that are shown; None stands for those that are not."""
        n = len(self)
        if n <= 2 * SHOWN + 1:
            return list(range(n))
        return [*range(SHOWN), None, *range(n - SHOWN, n)]

    def __repr__(self) -> str:
        return f"Table({len(self)} rows: {', '.join(self.columns)})"

    def __str__(self) -> str:
        shown = self.columns[:MOST_PRINTED]
        names, units = zip(*(_split(name) for name in shown), strict=True)
        lines = [list(names), [f"[{unit}]" if unit else "" for unit in units]]
        for row in self._rows():
            lines.append(["..."] * len(shown) if row is None else [number(x) for x in self.values[row, : len(shown)]])
        widths = [max(len(line[i]) for line in lines) for i in range(len(shown))]
        text = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
        more = len(self.columns) - len(shown)
        return "\n".join([*text, f"{len(self)} rows" + (f", and {more} more columns" if more else "")])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = []
        for row in self._rows():
            cells = ["…"] * len(self.columns) if row is None else [number(x) for x in self.values[row]]
            body.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        return (
            f'<table><thead><tr style="text-align: right">{head}</tr></thead><tbody>{"".join(body)}</tbody></table>'
            f"<p>{len(self)} rows</p>"
        )


def number(x: float) -> str:
    """Six digits; round-off of zero stays what it is."""
    return f"{x:.6g}"


def _split(column: str) -> tuple[str, str]:
    """Name and unit of a column."""
    name, found, unit = column.rpartition(" [")
    return (name, unit.removesuffix("]")) if found else (column, "")


def _quantities(solution: Solution, keys: Sequence[Any]) -> list[Named]:
    if not len(solution):
        raise InputError("this solution has no rows")
    return all_named(solution, keys or default_keys(solution))


def table(solution: Solution, *keys: Any) -> Table:
    """Quantities by name as a table, see `Solution.table`."""
    quantities = _quantities(solution, keys)
    values = np.column_stack([solution.t, *(one.values for one in quantities)])
    return Table((f"t [{units_in(solution).time}]", *columns_of(quantities)), values)


def to_pandas(solution: Solution, *keys: Any) -> Any:
    """The same as a DataFrame, with the time as its index."""
    _require("pandas")
    import pandas

    found = table(solution, *keys)
    index = pandas.Index(found.values[:, 0], name=found.columns[0])
    return pandas.DataFrame(found.values[:, 1:], index=index, columns=list(found.columns[1:]))


def to_xarray(solution: Solution, *keys: Any) -> Any:
    """A Dataset with a variable for each quantity; vectors have a dimension of their own."""
    _require("xarray")
    import xarray

    variables = {}
    for one in _quantities(solution, keys):
        about = {"units": one.unit, "long_name": one.name}
        if len(one.labels) == 1:
            variables[one.name] = xarray.DataArray(one.values[:, 0], dims=("t",), attrs=about)
            continue
        dimension = "axis" if one.is_vector else f"{one.name} component"
        labels = {dimension: list(one.labels)}
        variables[one.name] = xarray.DataArray(one.values, dims=("t", dimension), coords=labels, attrs=about)
    dataset = xarray.Dataset(variables, coords={"t": np.asarray(solution.t)})
    dataset["t"].attrs |= {"units": units_in(solution).time, "long_name": "time"}
    return dataset


def _require(package: str) -> None:
    if find_spec(package) is None:
        raise MissingExtra(f"this needs {package}: pip install 'genalpha[tables]'")
