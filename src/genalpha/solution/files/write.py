"""Files: HDF5 that survives a killed process, and export.

A file has one dataset per column of the solution, time first, and grows by blocks. After every block the rows are
flushed, then the state of the run is written to one of two copies, with a checksum, and flushed too: whenever the
process dies, one copy is whole and names rows that are whole. Until the first state is written the file has another
name: what has the name that was asked for can always be opened. (The default ``libver`` and a flush per block are what
makes the file open again; "latest" does not.) A full disk would leave a file that cannot be opened, so that room is
reserved before HDF5 writes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import json
import logging
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from genalpha._version import __version__
from genalpha.errors import FileError
from genalpha.inputs import Array, PathName
from genalpha.solution.files.checkpoint import Checkpoint
from genalpha.solution.files.origin import Origin
from genalpha.solution.files.recipe import shows
from genalpha.solution.files.stored import FORMAT, STATISTICS, SYSTEM, FileRows, checksum, is_whole, put_words, words
from genalpha.solution.rows import FRICTION, Columns, width_of_found
from genalpha.solution.statistics import Statistics
from genalpha.system.contact_log import N_FRICTIONLESS, N_LOG

if TYPE_CHECKING:
    from genalpha.solution.solution import Solution

CHUNK = 1024
MARGIN = 2**18
"""Bytes of a file beyond its rows."""
AHEAD = 2**24
"""Bytes that are reserved ahead."""


CHECKED = ("v108", "v108")
"""Of HDF5: from this format on metadata have checksums, so that noise in them is refused and not followed. Later ones
mark files that are open, and a run that was killed could not be read."""


class RunFile:
    """Rows that go to a file, block by block.

    Parameters
    ----------
    path : str or Path
    columns : Columns
    """

    on_disk = True

    def __init__(self, path: PathName, columns: Columns) -> None:
        self.path, self.columns, self.n, self.sequence = Path(path), columns, 0, 0
        self.place = self.path if os.name == "nt" else Path(f"{path}.part")  # open files keep their name there
        self.file: Any = None
        self.last_time, self.broken = np.nan, False
        self.pending, self.n_safe, self.reserved = [], 0, 0  # blocks that were not flushed yet; size that has room
        with words(self.path, "write"):
            require_ours(self.path)

    def open(self, origin: Origin) -> None:
        """Create the file."""
        import h5py

        with words(self.path, "write"):
            self.file = file = h5py.File(self.place, "w", libver=CHECKED)
            widths = self.columns.widths
            for name in self.columns.chosen:
                if widths[name]:
                    _growing(file, name, () if name == "t" else (widths[name],))
            _growing(file, "contact_log", (N_LOG if FRICTION in widths else N_FRICTIONLESS,))
            _growing(file, "found", (width_of_found(widths),))
            for name, array in origin.arrays().items():
                file[f"origin/{name}"] = array
            put_words(file, SYSTEM, origin.about_system())
            versions = {"numpy": np.__version__, "h5py": h5py.__version__}
            file.attrs.update({
                "format": "genalpha", "format_version": FORMAT, "genalpha": __version__, "status": "running",
                "versions": json.dumps(versions), "system": origin.system["what"], "origin": json.dumps(origin.words()),
            })  # fmt: skip
            file.flush()
        self._find_datasets()

    def _find_datasets(self):
        """The datasets of the columns; looking them up takes as long as writing to them."""
        self.datasets = {name: self.file[name] for name in self.columns.chosen if name in self.file}

    def append(self, block: Mapping[str, Array]) -> None:
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

    def commit(self, checkpoint: Checkpoint, statistics: Statistics, log: Array, found: Array) -> None:
        """Make everything so far safe, with the state that belongs to it; ``log`` is new, ``found`` is complete."""
        if self.broken:
            return
        with self._careful():
            if len(log):
                _extend(self.file["contact_log"], len(self.file["contact_log"]), log)
        self._put("found", found)
        self._flush()
        self.sequence += 1
        vector = np.concatenate([[self.sequence], _numbers(statistics), checkpoint.vector()])
        with self._careful():
            if "checkpoint" not in self.file:
                self._reserve(16 * vector.size)
                self.file.create_dataset("checkpoint", (2, vector.size + 1), float)
            self.file["checkpoint"][self.sequence % 2] = np.append(vector, checksum(vector))
        self._flush()
        self._settle()

    def _settle(self):
        """A file with a state gets its name."""
        if self.place != self.path:
            with self._careful():
                self.place.replace(self.path)
            self.place = self.path

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
            with open(self.place, "r+b") as file:
                try:
                    os.posix_fallocate(file.fileno(), 0, need)
                except OSError:
                    need -= AHEAD
                    os.posix_fallocate(file.fileno(), 0, need)
        elif shutil.disk_usage(self.place).free < size + MARGIN:
            raise OSError(errno.ENOSPC, "no space left")
        self.reserved = need

    def _close(self):
        """Close the file, and give back what was reserved and not used."""
        with words(self.path, "write"):
            size = self.file.id.get_filesize()
            self.datasets = {}
            self.file.close()
            if self.place != self.path:  # nothing is in it
                self.place.unlink()
            elif self.path.stat().st_size > size:
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

    @contextlib.contextmanager
    def closed_if_it_fails(self):
        """A file whose state turns out to be none is closed."""
        try:
            yield
        except Exception:
            self._close()
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
        if not self.broken:
            self._settle()
            self._draw(dataclasses.replace(solution, rows=FileRows(self.path, self.columns, self.n_safe)))
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

    def _draw(self, solution):
        """Keep the scene of a system that cannot be made again from the file; a run is whole without it."""
        from genalpha.view.files import is_drawn, put_scene
        from genalpha.view.pack import pack
        from genalpha.view.scene import make_scene

        if shows(solution.origin.recipe) or not is_drawn(solution.system):
            return
        try:
            packed = pack(make_scene(solution))
        except Exception as error:  # a drawing is a function of the user's
            logging.getLogger("genalpha").info("%s has no scene: %s", self.path, error)
            return
        with contextlib.suppress(FileError), words(self.path, "write"):
            self._reserve(len(packed.arrays))
            put_scene(self.file, packed)
            self.file.flush()

    @classmethod
    def reopen(cls, path, origin: Origin, checkpoint: Checkpoint) -> RunFile:
        """Go on with a file, behind its checkpoint."""
        import h5py

        from genalpha.view.files import remove_scene

        store = cls.__new__(cls)
        store.path = store.place = Path(path)
        store.columns, store.n = origin.columns, int(checkpoint.numbers["n_rows"])
        store.broken, store.pending, store.n_safe, store.last_time, store.reserved = False, [], store.n, np.nan, 0
        with words(path, "write"):
            store.file = file = h5py.File(path, "r+", libver=CHECKED)
            copies: Any = file["checkpoint"]
            store.sequence = int(max(copy[0] for copy in copies if is_whole(copy)))
            for name in origin.columns.chosen:
                if name in file:
                    file[name].resize(store.n, axis=0)
            for name in ("contact_log", "found"):
                file[name].resize(int(checkpoint.numbers["n_log" if name == "contact_log" else "n_found"]), axis=0)
            if store.n:
                store.last_time = float(file["t"][store.n - 1])
            file.attrs["status"] = "running"
            remove_scene(file)
            file.flush()
        store._find_datasets()
        return store


def _numbers(statistics):
    return [float(getattr(statistics, name)) for name in STATISTICS]


def _growing(file, name, shape):
    file.create_dataset(name, (0, *shape), float, maxshape=(None, *shape), chunks=(CHUNK, *shape))


def _extend(dataset, first, rows):
    dataset.resize(first + len(rows), axis=0)
    if len(rows):
        # the log of a system without friction has fewer columns in a file
        dataset[first:] = rows[:, : dataset.shape[1]] if rows.ndim == 2 else rows


def require_ours(path: Path):
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
