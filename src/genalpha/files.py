"""Files: HDF5 that survives a killed process, and export.

A file has one dataset per column of the solution, time first, and grows by blocks. After every block the rows are
flushed, then the state of the run is written to one of two slots, with a checksum, and flushed too: whenever the
process dies, one slot is whole and names rows that are whole. (The default ``libver`` and a flush per block are what
makes the file open again; "latest" does not.) A full disk would leave a file that cannot be opened, so that room is
reserved before HDF5 writes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import json
import os
import re
import shutil
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from genalpha._version import __version__
from genalpha.checkpoint import Checkpoint, read_vector
from genalpha.errors import FileError
from genalpha.origin import Origin
from genalpha.rows import Columns, not_saved
from genalpha.solution import N_LOG, Solution, Statistics

FORMAT = 1
CHUNK = 1024
MARGIN = 2**18
"""Bytes of a file beyond its rows."""
AHEAD = 2**24
"""Bytes that are reserved ahead."""
STATISTICS = tuple(field.name for field in dataclasses.fields(Statistics))


class RunFile:
    """Rows that go to a file, block by block.

    Parameters
    ----------
    path : str or Path
    columns : Columns
    """

    on_disk = True

    def __init__(self, path, columns: Columns):
        self.path, self.columns, self.n, self.sequence = Path(path), columns, 0, 0
        self.file: Any = None
        self.last_time, self.broken = np.nan, False
        self.pending, self.n_safe, self.reserved = [], 0, 0  # blocks that were not flushed yet; size that has room
        with words(self.path, "write"):
            _require_ours(self.path)

    def open(self, origin: Origin):
        """Create the file."""
        import h5py

        with words(self.path, "write"):
            self.file = file = h5py.File(self.path, "w")
            widths = self.columns.widths
            for name in self.columns.chosen:
                if widths[name]:
                    _growing(file, name, () if name == "t" else (widths[name],))
            _growing(file, "contact_log", (N_LOG,))
            _growing(file, "found", (2 + sum(widths[name] for name in ("q", "v", "lam", "psi", "lam_n")),))
            for name, array in origin.arrays().items():
                file[f"origin/{name}"] = array
            versions = {"numpy": np.__version__, "h5py": h5py.__version__}
            file.attrs.update({
                "format": "genalpha", "format_version": FORMAT, "genalpha": __version__, "status": "running",
                "versions": json.dumps(versions), "origin": json.dumps(origin.words()),
            })  # fmt: skip
            file.flush()
        self._find_datasets()

    def _find_datasets(self):
        """The datasets of the columns; looking them up takes as long as writing to them."""
        self.datasets = {name: self.file[name] for name in self.columns.chosen if name in self.file}

    def append(self, block):
        """Add rows."""
        n = len(block["t"])
        self.n, self.last_time = self.n + n, float(block["t"][-1])
        if self.broken:
            self.pending.append({name: column.copy() for name, column in block.items()})
            return
        self.pending.append(block)
        with self._careful():
            self._reserve(sum(column.nbytes for column in block.values()))
            for name, dataset in self.datasets.items():
                _extend(dataset, self.n - n, block[name])

    def commit(self, checkpoint: Checkpoint, statistics: Statistics, log, found):
        """Make everything so far safe, with the state that belongs to it; ``log`` is new, ``found`` is complete."""
        if self.broken:
            return
        with self._careful():
            _extend(self.file["contact_log"], len(self.file["contact_log"]), log)
        self._put("found", found)
        self._flush()
        self.sequence += 1
        vector = np.concatenate([[self.sequence], _numbers(statistics), checkpoint.vector()])
        with self._careful():
            if "checkpoint" not in self.file:
                self._reserve(16 * vector.size)
                self.file.create_dataset("checkpoint", (2, vector.size + 1), float)
            self.file["checkpoint"][self.sequence % 2] = np.append(vector, _checksum(vector))
        self._flush()

    def _put(self, name, rows):
        """Rows that the dataset does not have yet."""
        if not len(rows):
            return
        with self._careful():
            known = len(self.file[name])
            if known < len(rows):
                _extend(self.file[name], known, np.asarray(rows[known:]))

    def _reserve(self, size: int):
        """Room on the disk for more bytes, before HDF5 is asked to write: if it fails halfway, the file is lost."""
        need = self.file.id.get_filesize() + size + MARGIN + 8 * CHUNK * sum(self.columns.widths.values())
        if need <= self.reserved:
            return
        need += AHEAD
        if hasattr(os, "posix_fallocate"):
            with open(self.path, "r+b") as file:
                try:
                    os.posix_fallocate(file.fileno(), 0, need)
                except OSError:
                    need -= AHEAD
                    os.posix_fallocate(file.fileno(), 0, need)
        elif shutil.disk_usage(self.path).free < size + MARGIN:
            raise OSError(errno.ENOSPC, "no space left")
        self.reserved = need

    def _close(self):
        """Close the file, and give back what was reserved and not used."""
        with words(self.path, "write"):
            size = self.file.id.get_filesize()
            self.datasets = {}
            self.file.close()
            if self.path.stat().st_size > size:
                os.truncate(self.path, size)

    def _flush(self):
        with self._careful():
            self.file.flush()
            self.pending, self.n_safe = [], self.n

    @contextlib.contextmanager
    def _careful(self):
        """A file that cannot be written stays as it is; what it lacks is kept in memory."""
        try:
            with words(self.path, "write"):
                yield
        except FileError:
            self.broken = True
            self.pending = [{name: column.copy() for name, column in block.items()} for block in self.pending]
            raise

    def finish(self, solution: Solution) -> Solution:
        """Complete and close the file; the solution then reads from it.

        Raises
        ------
        FileError
            If the file cannot be completed. It carries the solution, whose last rows are in memory.
        """
        failure = None
        if not self.broken:
            try:
                self._complete(solution)
            except FileError as error:
                failure = error
        self._close()
        solution = dataclasses.replace(solution, rows=FileRows(self.path, self.columns, self.n_safe, self.pending))
        if failure is not None:
            failure.solution = solution
            raise failure
        return solution

    def _complete(self, solution):
        with self._careful():
            self._reserve(solution.log.nbytes + solution.found.nbytes)
        self._put("contact_log", solution.log)
        self._put("found", solution.found)
        with self._careful():
            self.file.attrs.update({
                "status": solution.status, "message": solution.message, "success": solution.success,
                "first_end": solution.first_end, "t_last": solution.t_last, "n_rows": self.n,
                "statistics": json.dumps(dataclasses.asdict(solution.stats)),
            })  # fmt: skip
        self._flush()

    @classmethod
    def reopen(cls, path, origin: Origin, checkpoint: Checkpoint) -> RunFile:
        """Go on with a file, behind its checkpoint."""
        import h5py

        store = cls.__new__(cls)
        store.path, store.columns, store.n = Path(path), origin.columns, int(checkpoint.numbers["n_rows"])
        store.broken, store.pending, store.n_safe, store.last_time, store.reserved = False, [], store.n, np.nan, 0
        with words(path, "write"):
            store.file = file = h5py.File(path, "r+")
            slots: Any = file["checkpoint"]
            store.sequence = int(max(slot[0] for slot in slots if _whole(slot)))
            for name in origin.columns.chosen:
                if name in file:
                    file[name].resize(store.n, axis=0)
            for name in ("contact_log", "found"):
                file[name].resize(int(checkpoint.numbers["n_log" if name == "contact_log" else "n_found"]), axis=0)
            if store.n:
                store.last_time = float(file["t"][store.n - 1])
            file.attrs["status"] = "running"
            file.flush()
        store._find_datasets()
        return store


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

    def __getitem__(self, name: str):
        if name not in self.columns.chosen:
            raise not_saved(name, self.columns.chosen)
        if name not in self._read:
            self._read[name] = np.concatenate([self._from_file(name)] + [block[name] for block in self.tail])
        return self._read[name]

    def _from_file(self, name) -> Any:
        import h5py

        width = self.columns.widths[name]
        if not width:
            return np.zeros((self.n_file, 0))
        with words(self.path, "read"), h5py.File(self.path, "r") as file:
            return file[name][: self.n_file]

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
        origin = Origin.read(json.loads(file.attrs["origin"]), arrays)
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


def write_file(solution: Solution, path):
    """Write a solution to a new file; one of this name is replaced when the new one is complete."""
    path, temporary = Path(path), Path(f"{path}.part")
    with words(path, "write"):
        _require_ours(path)
    store = RunFile(temporary, solution.origin.columns)
    try:
        store.open(solution.origin)
        store.append({name: solution.rows[name] for name in solution.origin.columns.chosen})
        if solution.checkpoint is not None:
            numbers = solution.checkpoint.numbers
            log, found = solution.log[: int(numbers["n_log"])], solution.found[: int(numbers["n_found"])]
            store.commit(solution.checkpoint, solution.stats, log, found)
        store.finish(solution)
        with words(path, "write"):
            temporary.replace(path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _read_checkpoint(file, nc):
    slots = [slot for slot in file["checkpoint"][...] if _whole(slot)] if "checkpoint" in file else []
    if not slots:
        return None, Statistics()
    newest = max(slots, key=lambda slot: slot[0])
    n = len(STATISTICS)
    kinds = {field.name: float if field.type == "float" else int for field in dataclasses.fields(Statistics)}
    values = {name: kinds[name](value) for name, value in zip(STATISTICS, newest[1 : 1 + n], strict=True)}
    return read_vector(newest[1 + n : -1], nc), Statistics(**values)


def _numbers(statistics):
    return [float(getattr(statistics, name)) for name in STATISTICS]


def _checksum(vector) -> float:
    return float(zlib.crc32(np.ascontiguousarray(vector).tobytes()))


def _whole(slot) -> bool:
    return slot[0] > 0 and slot[-1] == _checksum(slot[:-1])


def _growing(file, name, shape):
    file.create_dataset(name, (0, *shape), float, maxshape=(None, *shape), chunks=(CHUNK, *shape))


def _extend(dataset, first, rows):
    dataset.resize(first + len(rows), axis=0)
    if len(rows):
        dataset[first:] = rows


def _require_ours(path: Path):
    """A file that is replaced is one of ours and not in use."""
    import h5py

    if not path.parent.is_dir():
        raise FileError(f"cannot write {path}: there is no folder {path.parent}")
    if not path.exists():
        return
    if path.is_dir():
        raise FileError(f"cannot write {path}: it is a folder")
    if path.stat().st_size and not h5py.is_hdf5(path):
        raise FileError(f"{path} exists and is not a file of genalpha; choose another name, or remove it first")
    if path.stat().st_size:
        h5py.File(path, "r+").close()


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
