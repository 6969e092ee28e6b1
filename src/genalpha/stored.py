"""Files that are read: rows when they are wanted, solutions, and what is wrong with a file in words."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from genalpha._version import __version__
from genalpha.checked import Content, Damaged, count, flag, from_json, mapping, number, text
from genalpha.checkpoint import read_vector
from genalpha.contact_log import N_LOG, is_sound
from genalpha.errors import FileError
from genalpha.inputs import path_of
from genalpha.origin import Origin
from genalpha.rows import Columns, not_saved
from genalpha.solution import Solution, Statistics

FORMAT = 3
READABLE = (2, 3)
"""Format 2 kept expressions of SymPy as text, which is not read any more; its solutions are."""
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


def read_file(path):
    """(origin, checkpoint, version that wrote it, solution) of a file; the solution has no system."""
    import h5py

    path = path_of(path)
    if not path.exists():
        raise FileError(f"there is no file {path}")
    with words(path, "read"), h5py.File(path, "r") as file:
        content = Content(file, path)
        version = require_format(content, path)
        about = mapping("the system", content.words(SYSTEM))
        origin = Origin.read({**from_json("'origin'", content.attribute("origin")), **about}, content)
        checkpoint, statistics = _read_checkpoint(content, origin)
        solution = _solution(path, content, origin, checkpoint, statistics)
    return origin, checkpoint, version, solution


def require_format(content: Content, path) -> str:
    """The version of genalpha that has written a file; its format must be one of those that are known."""
    if not content.has("origin") or content.file.attrs.get("format") != "genalpha":
        raise FileError(f"{path} is an HDF5 file, but not one of genalpha")
    version, number = text("'genalpha'", content.attribute("genalpha")), content.attribute("format_version")
    if number not in READABLE:
        raise FileError(
            f"{path} has format {number!r:.20}, written by genalpha {version:.20}; "
            f"this is genalpha {__version__}, which reads the formats {', '.join(map(str, READABLE))}"
        )
    return version


def _solution(path, content: Content, origin, checkpoint, statistics) -> Solution:
    """The solution in a file; of a run that did not end, what the last checkpoint names."""
    status, n_log, n_found = text("'status'", content.attribute("status")), None, None
    if status == "running":
        if checkpoint is None:
            raise FileError(f"{path} was left before its first block was complete: there is nothing in it")
        numbers = checkpoint.numbers
        n, n_log, n_found = (int(numbers[name]) for name in ("n_rows", "n_log", "n_found"))
        status, success, first_end = "unfinished", False, numbers["first_end"]
    else:
        n, first_end = count("'n_rows'", content.attribute("n_rows")), number("it", content.attribute("first_end"))
        success, statistics = flag("'success'", content.attribute("success")), _read_statistics(content)
    for name in origin.columns.chosen:
        found = column(content, origin.columns, name, n)
        if found is not None and found.shape[0] > n and status != "unfinished":
            raise Damaged(f"{name!r} has {found.shape[0]} rows where {n} are promised")
    rows = FileRows(path, origin.columns, n)
    if status == "unfinished":
        t_last = rows.last_time
        message = f"the run was killed, or still goes on; saved up to t = {t_last:.9g}"
    else:
        t_last = number("'t_last'", content.attribute("t_last"))
        message = text("'message'", content.attribute("message"))
    return Solution(
        rows=rows, log=_read_log(content, origin.columns.widths["gap"], n_log),
        found=_read_found(content, origin, n_found), first_end=first_end, t_last=t_last, success=success, status=status,
        message=message, stats=statistics, system=None, method=origin.method, update=None, origin=origin,
        checkpoint=checkpoint,
    )  # fmt: skip


def column(content: Content, columns: Columns, name: str, n: int) -> Any:
    """The dataset of a column with n rows at least; None if it has no width."""
    width = columns.widths[name]
    shape = (None,) if name == "t" else (None, width)
    return content.dataset(name, shape, rows=n) if width else None


def _read_log(content: Content, nc: int, n: int | None):
    """The contact events: rows that name contacts and kinds that there are."""
    log = _first_rows(content, "contact_log", N_LOG, n)
    if not is_sound(log, nc):
        raise Damaged("its contact events name contacts or kinds that there are not")
    return log


def _read_found(content: Content, origin, n: int | None):
    """The states at events: rows that name event functions that there are."""
    widths = origin.columns.widths
    found = _first_rows(content, "found", 2 + sum(widths[name] for name in ("q", "v", "lam", "psi", "lam_n")), n)
    if not np.all(np.isin(found[:, 0], np.arange(origin.n_events))):
        raise Damaged("its events name functions that there are not")
    return found


def _first_rows(content: Content, name: str, width: int, n: int | None):
    dataset = content.dataset(name, (None, width), rows=n)
    return dataset[...] if n is None else dataset[:n]


def _read_statistics(content: Content) -> Statistics:
    given = mapping("'statistics'", from_json("'statistics'", content.attribute("statistics")))
    return _statistics([(name, given[name]) for name in STATISTICS if name in given])


def _statistics(pairs) -> Statistics:
    kinds = {field.name: field.type for field in dataclasses.fields(Statistics)}
    return Statistics(**{
        name: number(name, value) if kinds[name] == "float" else count(name, value) for name, value in pairs
    })  # fmt: skip


def _read_checkpoint(content: Content, origin):
    if not content.has("checkpoint"):
        return None, Statistics()
    nc, n = origin.columns.widths["gap"], len(STATISTICS)
    copies = content.dataset("checkpoint", (2, None))[...]
    copies = [copy for copy in copies if copy.size > n + 2 and is_whole(copy)]
    if not copies:
        return None, Statistics()
    newest = max(copies, key=lambda copy: copy[0])
    statistics = _statistics(zip(STATISTICS, newest[1 : 1 + n].tolist(), strict=True))
    return read_vector(newest[1 + n : -1], nc), statistics


def put_words(file, name: str, value) -> None:
    """Words as a dataset: attributes hold at most 64 kB."""
    file[name] = np.frombuffer(json.dumps(value).encode(), np.uint8)


def checksum(vector) -> float:
    return float(zlib.crc32(np.ascontiguousarray(vector).tobytes()))


def is_whole(copy) -> bool:
    return copy[0] > 0 and copy[-1] == checksum(copy[:-1])


@contextlib.contextmanager
def words(path, doing: str):
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
