"""Scenes in files: what a saved solution looks like, without the functions and models that it was drawn with.

Functions cannot be stored, so that a file alone could not say how its system looks. It keeps the scene instead: the
header in the dataset ``view_header``, the arrays in the dataset ``view`` (docs/scene-format.md).
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from genalpha.errors import InputError
from genalpha.view.pack import FORMAT, Packed, pack, to_json
from genalpha.view.scene import make_scene

NAME, HEADER = "view", "view_header"


def store_scene(path, sol, **options) -> None:
    """Add the scene of a solution to an HDF5 file, in place of one that is there; options as `make_scene`.

    The file must not be open: the columns of the solution may be read from it.
    """
    import h5py

    header, arrays = pack(make_scene(sol, **options))
    with h5py.File(path, "a") as file:
        # the header is no attribute, as those hold at most 64 kB
        for name, data in ((NAME, arrays), (HEADER, to_json(header).encode())):
            if name in file:
                del file[name]
            file[name] = np.frombuffer(data, np.uint8)
        file[NAME].attrs["format"] = FORMAT


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
        header = json.loads(bytes(file[HEADER][...]).decode())
        return Packed(header, bytes(file[NAME][...]))
