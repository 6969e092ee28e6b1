"""Quantities of a solution by name: their numbers as columns, what each column is called, and its unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import InputError
from genalpha.model.model import units_in as units_of_system
from genalpha.model.parts.beams import Flexible
from genalpha.model.results.part import PartResult
from genalpha.model.system import ModelSystem
from genalpha.model.units import Units, bracketed

if TYPE_CHECKING:
    from genalpha.solution.solution import Solution

Array = NDArray[np.float64]

AXES = ("x", "y", "z")
POLAR = ("position", "velocity", "acceleration", "force", "push", "direction", "tip")
"""Vectors that lie in the plane of a planar model."""
AXIAL = ("angular_velocity", "torque", "moment")
"""Those that are normal to it."""
LETTERS = {
    "orientation": ("w", "x", "y", "z"),
    "deformation": (*AXES, "about_x", "about_y", "about_z"),
    "strain": ("stretch", "shear_y", "shear_z", "twist", "bend_y", "bend_z"),
    "stress": ("normal", "shear_y", "shear_z", "torsion", "bend_y", "bend_z"),
}
"""What the entries of other results are called."""


@dataclass(frozen=True)
class Named:
    """A quantity over time.

    Attributes
    ----------
    name : str
        "pin.force".
    labels : tuple of str
        Of its columns, such as x, y, z; of a number ("",).
    units : tuple of str
        Of its columns.
    values : ndarray (nt, columns)
    is_vector : bool
        Are the columns the components of one vector?
    """

    name: str
    labels: tuple[str, ...]
    units: tuple[str, ...]
    values: Array
    is_vector: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, "pin.force.x"."""
        return tuple(f"{self.name}.{label}" if label else self.name for label in self.labels)

    @property
    def unit(self) -> str:
        """The unit of all columns; "" where they differ."""
        return self.units[0] if len(set(self.units)) == 1 else ""

    @property
    def title(self) -> str:
        """The name with its unit, for figures."""
        return f"{self.name} ({self.unit})" if self.unit else self.name


def units_in(solution: Any) -> Units:
    """The units of a solution: those of its model, and SI where it is none."""
    return units_of_system(solution.system)


def named(solution: Solution, key: Any) -> Named:
    """What ``solution[key]`` gives, or an attribute of it for "part.attribute"; an array over time is itself."""
    if isinstance(key, np.ndarray):
        return Named("given", *_plain(key), values=_columns(solution, "given", key))
    if not isinstance(key, str):
        value = solution[key]
        if isinstance(value, PartResult):
            raise _no_number(value)
        return _of_numbers(solution, str(key), value)
    found, attribute = _found(solution, key)
    if not isinstance(found, PartResult):
        return _of_numbers(solution, key, found)
    if not attribute:
        raise _no_number(found)
    return _of_part(solution, found, attribute)


def all_named(solution: Solution, keys: Sequence[Any]) -> list[Named]:
    """Quantities of all keys; a part by its name alone stands for its main ones."""
    return [named(solution, one) for key in keys for one in expanded(solution, key)]


def expanded(solution: Solution, key: Any) -> list[Any]:
    """The keys that a key stands for: of a part those of its main results."""
    name = getattr(key, "name", key)
    if isinstance(solution.system, ModelSystem) and isinstance(name, str) and name in solution.system.model.parts:
        return [f"{name}.{quantity}" for quantity in solution[name].main()]
    return [key]


def default_keys(solution: Solution) -> list[str]:
    """Positions of bodies, coordinates and forces of joints; of systems of functions all that they name."""
    system = solution.system
    if not isinstance(system, ModelSystem):
        names = solution.origin.system["names"]
        return [name for kind in ("q", "g", "k", "gap", "dry") for name in names.get(kind, ())]
    model = system.model
    return [
        *(f"{body}.position" for body in shown_bodies(system)),
        *(f"{beam.name}.tip" for beam in model.flexibles),
        *(f"{joint.name}.{coordinate}" for joint in model.joints for coordinate in joint.coordinates),
        *(f"{joint.name}.force" for joint in model.joints),
        *(f"{one.name}.effort" for one in (*model.constraints, *model.forces) if "effort" in solution[one].quantities),
    ]  # fmt: skip


def shown_bodies(system: ModelSystem) -> list[str]:
    """Names of bodies, without the nodes of beams."""
    nodes = {node.name for part in system.model.flexibles if isinstance(part, Flexible) for node in part.nodes}
    return [body.name for body in system.model.bodies if body.name not in nodes]


def _found(solution: Solution, key: str) -> tuple[Any, str]:
    """What a key names, and an attribute of it."""
    try:
        return solution[key], ""
    except InputError:
        part, _, attribute = key.rpartition(".")
        if not part:
            raise
    found = solution[part]
    if not isinstance(found, PartResult):
        raise InputError(f"{part!r} has no {attribute!r}: it is a number over time")
    return found, attribute


def _no_number(result: PartResult) -> InputError:
    quantities = ", ".join(result.quantities)
    return InputError(f"{result.name!r} is no number over time; say '{result.name}.…' with one of {quantities}")


def _of_part(solution: Solution, result: PartResult, attribute: str) -> Named:
    name, value = f"{result.name}.{attribute}", getattr(result, attribute)
    if attribute not in result.quantities:
        raise result.no_result(attribute)
    values = _columns(solution, name, value)
    shape = np.shape(value)[1:]
    items = result.items(attribute)
    keep, letters = _letters(result, attribute, shape[1:] if items else shape)
    n_letters = max(1, len(keep))
    n_items = max(1, len(items))
    whole = values.shape[1] // n_items
    columns = [i * whole + k for i in range(n_items) for k in keep]
    labels = [".".join(filter(None, (item, letter))) for item in (items or [""]) for letter in letters]
    dimension = result.dimension(attribute)
    units = units_in(solution)
    if isinstance(dimension, str):
        dimension = (dimension,) * len(columns)
    elif items and len(dimension) == n_items:
        dimension = tuple(one for one in dimension for _ in range(n_letters))
    is_vector = not items and attribute in (*POLAR, *AXIAL)
    names = tuple(units.of(one) for one in dimension)
    return Named(name, tuple(labels), names, values[:, columns], is_vector)


def _letters(result: PartResult, attribute: str, shape: tuple[int, ...]) -> tuple[list[int], list[str]]:
    """Which entries of a result are shown, and what they are called: no z in planar models."""
    n = int(np.prod(shape)) if shape else 1
    if n == 1 and not (shape and attribute in LETTERS):
        return [0], [""]
    if n == 3 and attribute in POLAR and result.planar:
        return [0, 1], ["x", "y"]
    if n == 3 and attribute in AXIAL and result.planar:
        return [2], ["z"]
    if n == 3 and attribute in (*POLAR, *AXIAL):
        return [0, 1, 2], list(AXES)
    letters = LETTERS.get(attribute, ())[:n]
    if attribute in ("lam", "psi"):
        letters = _rows(result, attribute)
    return list(range(n)), list(letters) if len(letters) == n else [str(i) for i in range(n)]


def _rows(result: PartResult, attribute: str) -> list[str]:
    """Names of the rows of a part, without its own."""
    tables = result.system.assembly
    rows, names = (tables.joint_rows, tables.row_names) if attribute == "lam" else (tables.k_rows, tables.k_names)
    return [name.removeprefix(f"{result.name}.") for name in names[rows[result.name]]]


def _of_numbers(solution: Solution, name: str, value: Any) -> Named:
    return Named(name, *_plain(np.asarray(value)), values=_columns(solution, name, value))


def _plain(value: NDArray[Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Labels and units of what nothing is known about."""
    n = int(np.prod(value.shape[1:])) if value.ndim > 1 else 1
    return ("",) if n == 1 else tuple(map(str, range(n))), ("",) * n


def _columns(solution: Solution, name: str, value: Any) -> Array:
    try:
        values = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name!r} is no number over time") from None
    if values.ndim == 0 or len(values) != len(solution.t):
        rows = "one number" if values.ndim == 0 else f"{len(values)} rows"
        raise InputError(f"{name!r:.60} has {rows}, the solution has {len(solution.t)} rows")
    return values.reshape(len(values), int(np.prod(values.shape[1:])))


def columns_of(quantities: Sequence[Named]) -> list[str]:
    """Names of all columns with their units."""
    return [bracketed(name, unit) for one in quantities for name, unit in zip(one.columns, one.units, strict=True)]
