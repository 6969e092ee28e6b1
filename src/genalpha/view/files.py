"""Scenes in files: what a saved solution looks like, without the functions and models that it was drawn with.

Functions cannot be stored, so that a file alone could not say how its system looks. It keeps the scene instead: the
header in the dataset ``view_header``, the arrays in the dataset ``view`` (docs/scene-format.md).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from genalpha.errors import InputError
from genalpha.view.pack import FORMAT, Packed, pack, to_json
from genalpha.view.scene import make_scene

NAME = "view"


def store_scene(file: Any, sol, **options) -> None:
    """Add the scene of a solution to an open HDF5 file, in place of one that is there; options as `make_scene`."""
    packed = pack(make_scene(sol, **options))
    if NAME in file:
        del file[NAME]
    dataset = file.create_dataset(NAME, data=np.frombuffer(packed.arrays, np.uint8))
    dataset.attrs["format"] = FORMAT
    # a dataset too, as attributes of HDF5 hold at most 64 kB
    if f"{NAME}_header" in file:
        del file[f"{NAME}_header"]
    file.create_dataset(f"{NAME}_header", data=np.frombuffer(to_json(packed.header).encode(), np.uint8))


def read_scene(path) -> Packed:
    """The scene in a file."""
    import h5py

    path = Path(path)
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    if not h5py.is_hdf5(path):
        raise InputError(f"{path} is not a saved solution: it is no HDF5 file")
    with h5py.File(path, "r") as file:
        if NAME not in file:
            raise InputError(
                f"{path} does not say how its solution looks; load it together with its system, and call view() on that"
            )
        if file[NAME].attrs["format"] != FORMAT:
            raise InputError(
                f"{path} has a scene of format {file[NAME].attrs['format']}, this version reads {FORMAT}; load it "
                f"together with its system, and call view() on that"
            )
        header = json.loads(bytes(file[f"{NAME}_header"][...]).decode())
        return Packed(header, bytes(file[NAME][...]))
