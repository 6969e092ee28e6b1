"""A solution in a file of the kind that its name says."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from genalpha.errors import InputError


def save(solution, path):
    """Write HDF5, NPZ or CSV by the ending of the name."""
    writers = {".h5": _hdf5, ".hdf5": _hdf5, ".npz": _npz, ".csv": _csv}
    suffix = Path(path).suffix.lower()
    if suffix not in writers:
        raise InputError(f"{path}: a solution is saved as .h5 (everything), .npz or .csv (the rows)")
    writers[suffix](solution, path)


def _hdf5(solution, path):
    from genalpha.files import write_file

    write_file(solution, path)


def _npz(solution, path):
    from genalpha.stored import words

    with words(path, "write"):
        np.savez(path, **{name: solution.rows[name] for name in solution.origin.columns.chosen})


def _csv(solution, path):
    """One line per row, with the names of coordinates and constraints in the first one."""
    from genalpha.stored import words

    origin = solution.origin
    header, columns = [], []
    for name in origin.columns.chosen:
        column = solution.rows[name]
        columns.append(column if column.ndim == 2 else column[:, None])
        header += [name] if column.ndim == 1 else [f"{name}.{label}" for label in _labels(origin, name)]
    with words(path, "write"):
        np.savetxt(path, np.hstack(columns), fmt="%.17g", delimiter=",", header=",".join(header), comments="")


def _labels(origin, name):
    """Names of the entries of a column."""
    kind = {"lam": "g", "psi": "k", "lam_n": "gap", "gap": "gap", "contact_force": "gap", "impulse": "gap"}.get(
        name, "q"
    )
    names, width = origin.system["names"].get(kind, ()), origin.columns.widths[name]
    return names if len(names) == width and name != "Lam" else range(width)
