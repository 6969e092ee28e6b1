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
from genalpha.checkpoint import read_vector
from genalpha.errors import FileError
from genalpha.origin import Origin
from genalpha.rows import Columns, not_saved
from genalpha.solution import Solution, Statistics

FORMAT = 2
SLAB = 2**15
"""Rows that are read at once when only some of them are wanted."""
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

    def _from_file(self, name, first=0, last=None) -> Any:
        import h5py

        last = self.n_file if last is None else min(last, self.n_file)
        if not self.columns.widths[name]:
            return np.zeros((last - first, 0))
        with words(self.path, "read"), h5py.File(self.path, "r") as file:
            return file[name][first:last]

    @property
    def last_time(self) -> float:
        return float(self["t"][-1]) if self.n else np.nan


def read_file(path):
    """(origin, checkpoint, statistics of the checkpoint, solution) of a file; the solution has no system."""
    import h5py

    path = Path(path)
    if not path.exists():
        raise FileError(f"there is no file {path}")
    with words(path, "read"), h5py.File(path, "r") as file:
        if file.attrs.get("format") != "genalpha":
            raise FileError(f"{path} is an HDF5 file, but not one of genalpha")
        if file.attrs["format_version"] != FORMAT:
            raise FileError(
                f"{path} has format {file.attrs['format_version']}, written by genalpha {file.attrs['genalpha']}; "
                f"this is genalpha {__version__}, which reads format {FORMAT}"
            )
        arrays = {name: item[...] for name, item in file["origin"].items()}
        origin = Origin.read({**json.loads(file.attrs["origin"]), **get_words(file, SYSTEM)}, arrays)
        checkpoint, statistics = _read_checkpoint(file, origin.columns.widths["gap"])
        attrs, version = dict(file.attrs), str(file.attrs["genalpha"])
        log, found = file["contact_log"][...], file["found"][...]
    solution = _solution(path, origin, checkpoint, statistics, attrs, log, found)
    return origin, checkpoint, version, solution


def _solution(path, origin, checkpoint, statistics, attrs, log, found) -> Solution:
    """The solution in a file; of a run that did not end, what the last checkpoint names."""
    status = str(attrs["status"])
    if status == "running":
        if checkpoint is None:
            raise FileError(f"{path} was left before its first block was complete: there is nothing in it")
        numbers = checkpoint.numbers
        n, log, found = int(numbers["n_rows"]), log[: int(numbers["n_log"])], found[: int(numbers["n_found"])]
        rows = FileRows(path, origin.columns, n)
        t_last = rows.last_time
        status, success, first_end = "unfinished", False, numbers["first_end"]
        message = f"the run was killed, or still goes on; saved up to t = {t_last:.9g}"
    else:
        rows = FileRows(path, origin.columns, int(attrs["n_rows"]))
        t_last, first_end, success = float(attrs["t_last"]), float(attrs["first_end"]), bool(attrs["success"])
        message, statistics = str(attrs["message"]), Statistics(**json.loads(attrs["statistics"]))
    return Solution(
        rows=rows, log=log, found=found, first_end=first_end, t_last=t_last, success=success, status=status,
        message=message, stats=statistics, system=None, method=origin.method, update=None, origin=origin,
        checkpoint=checkpoint,
    )  # fmt: skip


def _read_checkpoint(file, nc):
    slots = [slot for slot in file["checkpoint"][...] if is_whole(slot)] if "checkpoint" in file else []
    if not slots:
        return None, Statistics()
    newest = max(slots, key=lambda slot: slot[0])
    n = len(STATISTICS)
    kinds = {field.name: float if field.type == "float" else int for field in dataclasses.fields(Statistics)}
    values = {name: kinds[name](value) for name, value in zip(STATISTICS, newest[1 : 1 + n], strict=True)}
    return read_vector(newest[1 + n : -1], nc), Statistics(**values)


def put_words(file, name: str, value) -> None:
    """Words as a dataset: attributes hold at most 64 kB."""
    file[name] = np.frombuffer(json.dumps(value).encode(), np.uint8)


def get_words(file, name: str) -> Any:
    """What `put_words` has written."""
    return json.loads(bytes(file[name][...]).decode())


def checksum(vector) -> float:
    return float(zlib.crc32(np.ascontiguousarray(vector).tobytes()))


def is_whole(slot) -> bool:
    return slot[0] > 0 and slot[-1] == checksum(slot[:-1])


@contextlib.contextmanager
def words(path, doing: str):
    """Exceptions of the file system and of HDF5 as sentences."""
    try:
        yield
    except FileError:
        raise
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        raise FileError(f"cannot {doing} {path}: {_reason(error)}") from error


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
