"""Files that are read: rows when they are wanted, solutions, and what is wrong with a file in words."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from genalpha.checked import Content, Damaged
from genalpha.errors import FileError
from genalpha.inputs import PathName
from genalpha.solution.rows import Columns, not_saved
from genalpha.solution.statistics import Statistics

FORMAT = 3
SLAB = 2**15
"""Rows that are read at once when only some of them are wanted."""
MANY = 2**22
"""Rows that are looked over at once."""
SYSTEM = "system"
"""The dataset that says what system a file belongs to."""
STATISTICS = tuple(field.name for field in dataclasses.fields(Statistics))


class FileRows:
    """Rows that are read from a file when they are wanted, and kept then.

    Parameters
    ----------
    path : Path
    columns : Columns
    n : int
        Rows in the file that count.
    tail : list of blocks
        Rows that could not be written.
    """

    def __init__(self, path: Path, columns: Columns, n: int, tail=()):
        self.path, self.columns, self.n_file, self.tail = path, columns, n, list(tail)
        self.n = n + sum(len(block["t"]) for block in self.tail)
        self._read = {}

    def __getstate__(self):
        """Without what was read, which is still in the file."""
        return {**vars(self), "path": self.path.resolve(), "_read": {}}

    def __getitem__(self, name: str):
        if name not in self.columns.chosen:
            raise not_saved(name, self.columns.chosen)
        if name not in self._read:
            self._read[name] = np.concatenate([self._from_file(name)] + [block[name] for block in self.tail])
        return self._read[name]

    def take(self, name: str, rows) -> Any:
        """Some rows of a column, by their increasing indices; the column as a whole is not kept in memory."""
        if name in self._read or self.tail or name not in self.columns.chosen or self.n_file <= SLAB:
            return self[name][rows]
        rows = np.asarray(rows)
        cuts = np.searchsorted(rows, np.arange(0, self.n_file + SLAB, SLAB))
        parts = [
            self._from_file(name, SLAB * i, SLAB * (i + 1))[rows[cuts[i] : cuts[i + 1]] - SLAB * i]
            for i in range(len(cuts) - 1)
            if cuts[i] < cuts[i + 1]
        ]
        return np.concatenate(parts) if parts else self._from_file(name, 0, 0)

    def require_times(self) -> None:
        """Look all times over, without keeping them: they grow, or reading them fails."""
        for first in range(0, self.n_file, MANY):
            self._from_file("t", max(first - 1, 0), first + MANY)

    def _from_file(self, name, first=0, last=None) -> Any:
        import h5py

        last = self.n_file if last is None else min(last, self.n_file)
        if not self.columns.widths[name]:
            return np.zeros((last - first, 0))
        with words(self.path, "read"), h5py.File(self.path, "r") as file:
            found = column(Content(file, self.path), self.columns, name, self.n_file)[first:last]
            if name == "t" and not np.all(np.diff(found) >= 0.0):
                raise Damaged("its times do not grow")
            return found

    @property
    def last_time(self) -> float:
        return float(self["t"][-1]) if self.n else np.nan


def column(content: Content, columns: Columns, name: str, n: int) -> Any:
    """The dataset of a column with n rows at least; None if it has no width."""
    width = columns.widths[name]
    shape = (None,) if name == "t" else (None, width)
    return content.dataset(name, shape, rows=n) if width else None


def put_words(file, name: str, value) -> None:
    """Words as a dataset: attributes hold at most 64 kB."""
    file[name] = np.frombuffer(json.dumps(value).encode(), np.uint8)


def checksum(vector) -> float:
    return float(zlib.crc32(np.ascontiguousarray(vector).tobytes()))


def is_whole(copy) -> bool:
    return copy[0] > 0 and copy[-1] == checksum(copy[:-1])


@contextlib.contextmanager
def words(path: PathName, doing: str) -> Iterator[None]:
    """Exceptions of the file system and of HDF5 as sentences."""
    try:
        yield
    except FileError:
        raise
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        raise FileError(f"cannot {doing} {path}: {_reason(error)}") from error
    except (TypeError, AttributeError, IndexError, ArithmeticError, MemoryError) as error:
        if doing != "read":
            raise
        reason = f"it is damaged, or was not written by genalpha ({type(error).__name__}: {error!s:.100})"
        raise FileError(f"cannot read {path}: {reason}") from error


def _reason(error) -> str:
    text = str(error)
    found = re.search(r"errno = (\d+)", text)
    number = int(found.group(1)) if found else getattr(error, "errno", None)
    if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "the disk is full, or the file too large for it; make room, or save less (save_every, t_eval, save)"
    if number in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "it may not be written there; choose another folder or name"
    if number in (errno.EAGAIN, errno.EWOULDBLOCK) or "unable to lock" in text:
        return "another process has it open; wait for it, or choose another name"
    if number == errno.ENOENT:
        return "there is no such folder"
    if "truncated file" in text:
        return "it is damaged: a part of it is missing"
    if "signature not found" in text:
        return "it is not an HDF5 file"
    return text.splitlines()[0][:200] if text else type(error).__name__
