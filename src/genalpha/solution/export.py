"""A solution in a file of the kind that its name says."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from genalpha.errors import InputError
from genalpha.inputs import Array, PathName, path_of
from genalpha.solution.rows import FRICTION

if TYPE_CHECKING:
    from genalpha.solution.files.origin import Origin
    from genalpha.solution.solution import Solution


def save(solution: Solution, path: PathName, *keys: Any) -> None:
    """Write HDF5, NPZ or CSV by the ending of the name; quantities by name go to CSV."""
    writers = {".h5": _hdf5, ".hdf5": _hdf5, ".npz": _npz, ".csv": _csv}
    suffix = path_of(path).suffix.lower()
    if suffix not in writers:
        raise InputError(f"{path}: a solution is saved as .h5 (everything), .npz or .csv (the rows)")
    if keys:
        if suffix != ".csv":
            raise InputError(f"{path}: quantities by name are saved as .csv; the other files keep all rows as they are")
        from genalpha.solution.tables import table

        table(solution, *keys).to_csv(path)
        return
    writers[suffix](solution, path)


def _hdf5(solution: Solution, path: PathName) -> None:
    """A new file; one of this name is replaced when the new one is complete."""
    from genalpha.solution.files.stored import words
    from genalpha.solution.files.write import RunFile, require_ours

    path, temporary = Path(path), Path(f"{path}.part")
    solution = dataclasses.replace(solution, origin=solution.origin.for_file(solution.system))
    with words(path, "write"):
        require_ours(path)
    store = RunFile(temporary, solution.origin.columns)
    store.place = temporary
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


def _npz(solution: Solution, path: PathName) -> None:
    from genalpha.solution.files.stored import words

    with words(path, "write"):
        np.savez(path, **{name: solution.rows[name] for name in solution.origin.columns.chosen})


def _csv(solution: Solution, path: PathName) -> None:
    """One line per row, with the names of coordinates and constraints in the first one."""
    from genalpha.solution.files.stored import words

    origin = solution.origin
    header: list[str] = []
    columns: list[Array] = []
    for name in origin.columns.chosen:
        column = solution.rows[name]
        columns.append(column if column.ndim == 2 else column[:, None])
        header += [name] if column.ndim == 1 else [f"{name}.{label}" for label in _labels(origin, name)]
    with words(path, "write"):
        np.savetxt(path, np.hstack(columns), fmt="%.17g", delimiter=",", header=",".join(header), comments="")


def _labels_of_friction(origin: Origin) -> list[str]:
    """Of the raw results: rows of slip, and what sticks or slides as one."""
    names, friction = origin.system["names"], origin.friction
    rows = [*names.get("slip", ()), *names.get("dry", ())]
    contacts, dry = names.get("gap", ()), list(names.get("dry", ()))
    elements = [contacts[i] for i in friction.contact.tolist() if i >= 0] + dry if friction else []
    parts = [(part, rows) for part in ("slip", "lam_t", "force", "impulse")]
    parts += [(part, elements) for part in ("sticks", "work")]
    return [f"{part}.{one}" for part, labels in parts for one in labels]


def _labels(origin: Origin, name: str) -> Sequence[Any]:
    """Names of the entries of a column."""
    if name == FRICTION:
        return _labels_of_friction(origin)
    kind = {"lam": "g", "psi": "k", "lam_n": "gap", "gap": "gap", "contact_force": "gap", "impulse": "gap"}.get(
        name, "q"
    )
    names, width = origin.system["names"].get(kind, ()), origin.columns.widths[name]
    return names if len(names) == width and name != "Lam" else range(width)
