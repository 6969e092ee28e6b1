"""Scenes in files: what a saved solution looks like, without the functions and models that it was drawn with.

Models, and drawings whose functions can be imported, are made again from what a file says about its system. Other
functions cannot be stored: then a run that ends leaves its scene in the file instead, the header in the dataset
``view_header``, the arrays in the dataset ``view`` (docs/scene-format.md).
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from genalpha.checked import Content, listing, mapping, text
from genalpha.errors import InputError
from genalpha.inputs import PathName
from genalpha.model.system import ModelSystem
from genalpha.solution.files.stored import words
from genalpha.system.system import System
from genalpha.view.pack import FORMAT, Packed, pack, to_json
from genalpha.view.scene import make_scene

if TYPE_CHECKING:
    from genalpha.solution.solution import Solution

NAME, HEADER = "view", "view_header"


def is_drawn(system: object) -> bool:
    """Does a system say how it looks?"""
    return isinstance(system, ModelSystem) or (isinstance(system, System) and system.drawing is not None)


def store_scene(path: PathName, sol: Solution, **options: Any) -> None:
    """Add the scene of a solution to an HDF5 file, in place of one that is there; options as `make_scene`.

    Examples
    --------
    >>> import genalpha as ga
    >>> from genalpha import problems
    >>> pendulum = problems.get("pendulum3d").system()
    >>> sol = ga.solve(pendulum, (0.0, 0.5), h=1e-2)
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sol.save(f"{folder}/run.h5")
    ...     ga.view.store_scene(f"{folder}/run.h5", sol, title="A pendulum")
    ...     packed = ga.view.read_scene(f"{folder}/run.h5")
    """
    import h5py

    packed = pack(make_scene(sol, **options))
    with h5py.File(path, "a") as file:
        put_scene(file, packed)


def put_scene(file: Any, packed: Packed) -> None:
    """Write a scene to an open file."""
    remove_scene(file)
    # the header is no attribute, as those hold at most 64 kB
    for name, data in ((NAME, packed.arrays), (HEADER, to_json(packed.header).encode())):
        file[name] = np.frombuffer(data, np.uint8)
    file[NAME].attrs["format"] = FORMAT


def remove_scene(file: Any) -> None:
    """Take the scene out of an open file: it is that of a run that goes on."""
    for name in (NAME, HEADER):
        if name in file:
            del file[name]


def has_scene(path: PathName) -> bool:
    """Is there a scene in a file?"""
    import h5py

    if not Path(path).is_file() or not h5py.is_hdf5(path):
        return False
    with words(path, "read"), h5py.File(path, "r") as file:
        return Content(file, path).has(NAME)


def read_scene(path: PathName) -> Packed:
    """The scene in a file.

    Examples
    --------
    >>> import genalpha as ga
    >>> from genalpha import problems
    >>> pendulum = problems.get("pendulum3d").system()
    >>> sol = ga.solve(pendulum, (0.0, 0.5), h=1e-2)
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sol.save(f"{folder}/run.h5")
    ...     ga.view.store_scene(f"{folder}/run.h5", sol, title="A pendulum")
    ...     packed = ga.view.read_scene(f"{folder}/run.h5")
    """
    import h5py

    path = Path(path)
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    if not h5py.is_hdf5(path):
        raise InputError(f"{path} is not a saved solution: it is no HDF5 file")
    if not has_scene(path):
        raise no_looks(path)
    with words(path, "read"), h5py.File(path, "r") as file:
        content = Content(file, path)
        found = content.attribute("format", NAME)
        if found == FORMAT:
            header = require_header(content.words(HEADER))
            return Packed(header, bytes(content.dataset(NAME, (None,), "bytes")[...]))
    raise InputError(
        f"{path} has a scene of format {found!r:.20}, this version reads {FORMAT}; load it together with its system, "
        f"and call view() on that"
    )


def require_header(header: Any) -> dict[str, Any]:
    """The header of a scene, as far as this side of the page reads it."""
    texts = ("title", "subtitle", "label", "message")
    lists = ("bodies", "lines", "contacts", "quantities", "plots")
    found = dict(mapping("the header of its scene", header, (*texts, *lists, "time", "positions", "orientations")))
    return (
        found | {name: text(name, found[name]) for name in texts} | {name: listing(name, found[name]) for name in lists}
    )


def no_looks(path: PathName, reason: str = "") -> InputError:
    """The exception for a file that cannot be shown by itself."""
    if reason:
        hint = "; on the command line, 'genalpha view --allow' or '--system'" if "allow=" in reason else ""
        return InputError(f"{path} cannot show its solution, as that needs the system; {reason}{hint}")
    return InputError(
        f"{path} does not say how its solution looks: its system has no drawing, or one that a run keeps only when it "
        f"ends; give it the system, ga.load(path, system).view() or 'genalpha view --system', or a drawing"
    )
