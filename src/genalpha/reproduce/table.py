"""Measured against required values: the rows of the table, and how they are written."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

HEADER = ("id", "what", "required", "measured", "tolerance", "ok")


@dataclass(frozen=True)
class Row:
    """One measured number and what it must be.

    Attributes
    ----------
    id : str
        Where the number comes from and which one it is: "004-radius-0.2".
    what : str
        The number in words.
    relation : {"=", "<", ">", "in"}
    required, measured : float
    tolerance : float
        For "=": how far the two may differ; for "in" too, and ``required`` is the middle of the interval.
    digits : int
        Significant digits shown; 0 for a count.

    Examples
    --------
    >>> from genalpha.reproduce import Row
    >>> Row.near("order", "order of q", 2.0, 1.98, 0.05).ok
    True
    """

    id: str
    what: str
    relation: Literal["=", "<", ">", "in"]
    required: float
    measured: float
    tolerance: float = 0.0
    digits: int = 3

    @classmethod
    def near(cls, id: str, what: str, required: float, measured: float, tolerance: float, digits: int = 3) -> Row:
        """The measured value must equal the required one within a tolerance."""
        return cls(id, what, "=", float(required), float(measured), float(tolerance), digits)

    @classmethod
    def below(cls, id: str, what: str, limit: float, measured: float, digits: int = 2) -> Row:
        """The measured value must be smaller than a limit."""
        return cls(id, what, "<", float(limit), float(measured), digits=digits)

    @classmethod
    def above(cls, id: str, what: str, limit: float, measured: float, digits: int = 3) -> Row:
        """The measured value must be larger than a limit."""
        return cls(id, what, ">", float(limit), float(measured), digits=digits)

    @classmethod
    def between(cls, id: str, what: str, low: float, high: float, measured: float, digits: int = 3) -> Row:
        """The measured value must lie in an interval."""
        return cls(id, what, "in", 0.5 * (low + high), float(measured), 0.5 * (high - low), digits)

    @classmethod
    def count(cls, id: str, what: str, required: int, measured: int) -> Row:
        """The measured number of things must be the required one."""
        return cls(id, what, "=", float(required), float(measured), digits=0)

    @property
    def ok(self) -> bool:
        """Is the measured value as required? NaN never is."""
        if self.relation in ("=", "in"):
            return abs(self.measured - self.required) <= self.tolerance
        return self.measured < self.required if self.relation == "<" else self.measured > self.required

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        """The row in words, without its mark: id, what, required, measured, tolerance."""
        if self.digits == 0:
            return self.id, self.what, f"{self.required:.0f}", f"{self.measured:.0f}", ""
        number = f"{{:#.{self.digits}g}}" if self.relation == "=" else f"{{:.{self.digits}g}}"
        if self.relation == "in":
            required = f"{self.required - self.tolerance:.4g} … {self.required + self.tolerance:.4g}"
        else:
            required = number.format(self.required) if self.relation == "=" else f"{self.relation} {self.required:g}"
        tolerance = f"± {self.tolerance:g}" if self.relation == "=" else ""
        return self.id, self.what, required, number.format(self.measured), tolerance


def write_markdown(path: Path, sections: Iterable[tuple[str, list[Row]]]) -> None:
    """A heading and a table for each section of rows."""
    lines = ["# Measured and required", ""]
    for title, rows in sections:
        if not rows:
            continue
        lines += [f"## {title}", "", f"| {' | '.join(HEADER)} |", "|---|---|---|---|---|---|"]
        lines += ["| " + " | ".join([*_escaped(row), "✓" if row.ok else "✗"]) + " |" for row in rows]
        lines.append("")
    path.write_text("\n".join(lines), encoding="utf-8")


def write_csv(path: Path, rows: Iterable[Row]) -> None:
    """All rows with all digits: id, what, relation, required, measured, tolerance, ok."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(("id", "what", "relation", "required", "measured", "tolerance", "ok"))
        for row in rows:
            writer.writerow((row.id, row.what, row.relation, row.required, row.measured, row.tolerance, row.ok))


def _escaped(row):
    return [cell.replace("|", "\\|") for cell in row.cells]
