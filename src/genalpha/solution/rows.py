"""The rows of a solution: their columns, and rows that are kept in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import InputError
from genalpha.step.state import Record
from genalpha.system.block import KINDS
from genalpha.system.contract import Contract

Block = dict[str, NDArray[np.float64]]

MULTIPLIERS = tuple(kind.multiplier for kind in KINDS)
CONTACT = ("gap", "contact_force", "impulse")
NAMES = ("t", "q", "v", "vdot", "a", *MULTIPLIERS, "Lam", *CONTACT)


@dataclass(frozen=True)
class Columns:
    """What a row of a system consists of, and what of it is saved.

    Attributes
    ----------
    widths : mapping
        Numbers in a row by name; t has the width 1 and is a vector.
    chosen : tuple of str
        The columns that are saved.
    """

    widths: Mapping[str, int]
    chosen: tuple[str, ...]

    def record(self, n_rows: int, names: tuple[str, ...] | None = None):
        """Space for rows as the compiled loop writes them; ``names`` are all that are wanted."""
        names = NAMES if names is None else names
        sizes = [self.widths[name] if name in names else 0 for name in ("q", "v", "vdot", "a")]
        sizes.append(sum(self.widths[name] for name in MULTIPLIERS) if set(MULTIPLIERS) & set(names) else 0)
        sizes.append(self.widths["Lam"] if "Lam" in names else 0)
        sizes.append(3 * self.widths["gap"] if set(CONTACT) & set(names) else 0)
        return Record(np.empty(n_rows), *(np.empty((n_rows, size)) for size in sizes))

    def block(self, record, n: int) -> Block:
        """The first n rows of a record by name, as views; columns that were not recorded are left out."""
        block = {"t": record.t[:n]}
        for name in ("q", "v", "vdot", "a", "Lam"):
            column = getattr(record, name)
            if column.shape[1] == self.widths[name]:
                block[name] = column[:n]
        for names, source in ((MULTIPLIERS, record.mu), (CONTACT, record.contact)):
            ends = np.cumsum([self.widths[name] for name in names])
            if source.shape[1] == ends[-1]:
                block.update(zip(names, np.split(source[:n], ends[:-1], axis=1), strict=True))
        return block

    @property
    def row_bytes(self) -> int:
        """Size of a row that holds everything."""
        return 8 * sum(self.widths.values())


def columns_of(contract: Contract, has_sets: bool, save=None) -> Columns:
    """The columns of a system; ``save`` names those that are wanted, None all."""
    n, nc = contract.nv, contract.nc
    sizes = (1, contract.nq, n, n, n, *map(contract.size, KINDS), contract.m * has_sets, nc, nc, nc)
    if save is None:
        return Columns(dict(zip(NAMES, sizes, strict=True)), NAMES)
    if not isinstance(save, Iterable) or isinstance(save, Mapping):
        raise InputError(f"save = {save!r:.40} must name columns, such as ('q', 'v')")
    save = (save,) if isinstance(save, str) else tuple(save)
    wrong = [name for name in save if name not in NAMES]
    if wrong:
        raise InputError(f"save = {save!r}: there is no {wrong[0]!r}; choose among {', '.join(NAMES)}")
    chosen = tuple(name for name in NAMES if name == "t" or name in save)
    return Columns(dict(zip(NAMES, sizes, strict=True)), chosen)


class Rows:
    """Rows in memory that grow.

    Parameters
    ----------
    columns : Columns
    expected : int
        Space to begin with; untouched memory costs nothing.
    """

    on_disk = False

    def __init__(self, columns: Columns, expected: int = 1024):
        self.columns, self.n = columns, 0
        self._arrays = self._allocate(max(expected, 1))

    def _allocate(self, size) -> Block:
        widths, chosen = self.columns.widths, self.columns.chosen
        try:
            return {name: np.empty(size if name == "t" else (size, widths[name])) for name in chosen}
        except MemoryError:
            room = 8e-9 * size * sum(widths[name] for name in chosen)
            raise InputError(
                f"the solution would take {room:.1f} GB; save less of it (save_every=10 or more, t_eval, save), "
                f'or write it to a file with out="run.h5"'
            ) from None

    def append(self, block: Block):
        """Add rows; columns that are not saved are dropped."""
        last = self.n + len(block["t"])
        if last > len(self._arrays["t"]):
            grown = self._allocate(max(last, 2 * len(self._arrays["t"])))
            for name, column in self._arrays.items():
                grown[name][: self.n] = column[: self.n]
            self._arrays = grown
        for name, column in self._arrays.items():
            column[self.n : last] = block[name]
        self.n = last

    @property
    def last_time(self) -> float:
        """The time of the last row, nan if there is none."""
        return float(self._arrays["t"][self.n - 1]) if self.n else np.nan

    def open(self, origin):
        """Memory needs no preparation."""

    def finish(self, solution):
        """Give space back that was not used after all; the rows are those of ``solution``."""
        if self.n < len(self._arrays["t"]) // 2:
            self._arrays = {name: column[: self.n].copy() for name, column in self._arrays.items()}
        return solution

    def __getstate__(self):
        """Without space that was not used."""
        arrays = {name: column[: self.n] for name, column in self._arrays.items()}
        return {"columns": self.columns, "n": self.n, "_arrays": arrays}

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        if name not in self._arrays:
            raise not_saved(name, self.columns.chosen)
        return self._arrays[name][: self.n]

    def take(self, name: str, rows) -> NDArray[np.float64]:
        """Some rows of a column, by their increasing indices."""
        return self[name][rows]


def not_saved(name: str, chosen) -> InputError:
    """The exception for a column that is not there."""
    return InputError(f"{name} was not saved, only {', '.join(chosen)} were; add it to save=... of solve")
