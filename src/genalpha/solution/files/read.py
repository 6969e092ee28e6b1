"""From a file to a solution: `ga.load`."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportArgumentType=false

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from genalpha._version import __version__
from genalpha.checked import Content, Damaged, count, flag, from_json, mapping, stored_number, text
from genalpha.errors import FileError, ShapeError
from genalpha.inputs import Array, PathName, path_of
from genalpha.model.model import Model, as_system
from genalpha.solution.files.checkpoint import Checkpoint, read_vector
from genalpha.solution.files.origin import Origin
from genalpha.solution.files.stored import STATISTICS, SYSTEM, FileRows, column, is_whole, words
from genalpha.solution.rows import FRICTION, width_of_found
from genalpha.solution.solution import Solution
from genalpha.solution.statistics import Statistics
from genalpha.system.contact_log import N_FRICTIONLESS, N_LOG, is_sound, widened
from genalpha.system.contract import MechanicalSystem

READABLE = (2, 3)
"""Format 2 kept expressions of SymPy as text, which is not read any more; its solutions are."""


def read_file(path: PathName) -> tuple[Origin, Checkpoint | None, str, Solution]:
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


def require_format(content: Content, path: PathName) -> str:
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


def _solution(
    path: Path, content: Content, origin: Origin, checkpoint: Checkpoint | None, statistics: Statistics
) -> Solution:
    """The solution in a file; of a run that did not end, what the last checkpoint names."""
    status, n_log, n_found = text("'status'", content.attribute("status")), None, None
    if status == "running":
        if checkpoint is None:
            raise FileError(f"{path} was left before its first block was complete: there is nothing in it")
        numbers = checkpoint.numbers
        n, n_log, n_found = (int(numbers[name]) for name in ("n_rows", "n_log", "n_found"))
        status, success, first_end = "unfinished", False, numbers["first_end"]
    else:
        n = count("'n_rows'", content.attribute("n_rows"))
        first_end = stored_number("'first_end'", content.attribute("first_end"))
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
        t_last = stored_number("'t_last'", content.attribute("t_last"))
        message = text("'message'", content.attribute("message"))
    return Solution(
        rows=rows, log=_read_log(content, origin.columns.widths, n_log),
        found=_read_found(content, origin, n_found), first_end=first_end, t_last=t_last, success=success, status=status,
        message=message, stats=statistics, system=None, method=origin.method, update=None, origin=origin,
        checkpoint=checkpoint,
    )  # fmt: skip


def _read_log(content: Content, widths: Mapping[str, int], n: int | None) -> Array:
    """The contact events: rows that name contacts and kinds that there are."""
    log = _first_rows(content, "contact_log", N_LOG if FRICTION in widths else N_FRICTIONLESS, n)
    if not is_sound(log, widths["gap"]):
        raise Damaged("its contact events name contacts or kinds that there are not")
    return widened(log)


def _read_found(content: Content, origin: Origin, n: int | None) -> Array:
    """The states at events: rows that name event functions that there are."""
    found = _first_rows(content, "found", width_of_found(origin.columns.widths), n)
    if not np.all(np.isin(found[:, 0], np.arange(origin.n_events))):
        raise Damaged("its events name functions that there are not")
    return found


def _first_rows(content: Content, name: str, width: int, n: int | None) -> Array:
    dataset = content.dataset(name, (None, width), rows=n)
    return dataset[...] if n is None else dataset[:n]


def _read_statistics(content: Content) -> Statistics:
    given = mapping("'statistics'", from_json("'statistics'", content.attribute("statistics")))
    return _statistics([(name, given[name]) for name in STATISTICS if name in given])


def _statistics(pairs: Iterable[tuple[str, Any]]) -> Statistics:
    kinds = {field.name: field.type for field in dataclasses.fields(Statistics)}
    return Statistics(**{
        name: stored_number(name, value) if kinds[name] == "float" else count(name, value) for name, value in pairs
    })  # fmt: skip


def _read_checkpoint(content: Content, origin: Origin) -> tuple[Checkpoint | None, Statistics]:
    if not content.has("checkpoint"):
        return None, Statistics()
    widths, n = origin.columns.widths, len(STATISTICS)
    copies = content.dataset("checkpoint", (2, None))[...]
    copies = [copy for copy in copies if copy.size > n + 2 and is_whole(copy)]
    if not copies:
        return None, Statistics()
    newest = max(copies, key=lambda copy: copy[0])
    statistics = _statistics(zip(STATISTICS, newest[1 : 1 + n].tolist(), strict=True))
    return read_vector(newest[1 + n : -1], widths["gap"] + origin.nt), statistics


def load(path: PathName, system: MechanicalSystem | Model | None = None, *, allow: Sequence[str] = ()) -> Solution:
    """Read a solution from a file that `solve` (``out=``) or `Solution.save` has written.

    A file is data: to load it runs nothing that it brings along.

    Parameters
    ----------
    path : str or Path
    system : System or Model, optional
        The system it belongs to, for what needs functions (energies; times between rows of rotations). Models and
        equations of SymPy are made again from the file.
    allow : sequence of str
        Modules or packages that the file may import its functions from, like ``["cars"]``: they run. Without it a
        solution whose functions are there has no system, and says so when it needs one.

    Returns
    -------
    Solution
        Columns are read when they are wanted. Of a run that was killed, all complete blocks are there.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import genalpha as ga
    >>> oscillator = ga.System(M=np.eye(1), f=lambda t, q, v: -4.0 * q)
    >>> path = os.path.join(tempfile.mkdtemp(), "run.h5")
    >>> sol = ga.solve(oscillator, (0.0, 1.0), [1.0], [0.0], h=0.01, out=path)
    >>> ga.load(path)
    Solution(done: t = 0 .. 1, 100 steps, 101 rows, n = 1)
    """
    from dataclasses import replace

    from genalpha.solution.dense import updater
    from genalpha.solution.files.origin import identity, require_same
    from genalpha.solution.files.rebuild import made_again, read_allow
    from genalpha.solution.transport import update_of

    allow = read_allow(allow)
    origin, _, version, solution = read_file(path)
    if system is not None:
        system, _, _ = as_system(system, origin.q0, origin.v0)
        with of_another_system(path):
            contract = system.contract(origin.schedule.t0, origin.q0, origin.v0)
        require_same(origin.system, identity(system, contract), path)
        return replace(solution, system=system, update=updater(contract))
    found, reason = made_again(origin, allow, path, version)
    if found is None:
        return replace(solution, no_system=reason)
    return replace(solution, system=found, update=update_of(found, origin))


@contextlib.contextmanager
def of_another_system(path: PathName) -> Generator[None, None, None]:
    """What does not even fit the initial state in a file."""
    try:
        yield
    except ShapeError as error:
        raise FileError(f"{path} was made by another system: {error}") from error
