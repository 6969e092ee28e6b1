"""What all results by name begin with."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any

from genalpha.errors import InputError
from genalpha.inputs import Array

if TYPE_CHECKING:
    from genalpha.model.places import Place
    from genalpha.model.system import ModelSystem

__all__ = ["ABOUT", "Array", "NoResult", "PartResult"]

ABOUT = ("part", "planar", "quantities")
"""Attributes that are not results."""


class NoResult(InputError, AttributeError):
    """A part has no result of this name."""


@dataclass(frozen=True)
class PartResult:
    """Results of the part ``name`` of a model, along a solution or at other states that have its columns.

    ``force`` and ``torque`` are vectors in space, on body b of what connects two, ``effort`` is what acts along a
    coordinate of a joint; ``energy`` is stored, ``power`` is given to the motion. ``quantities`` lists what there is.
    """

    system: ModelSystem = field(repr=False)
    solution: Any = field(repr=False)
    name: str

    @property
    def part(self) -> Any:
        """The part of the model."""
        return self.system.model.parts[self.name]

    @property
    def planar(self) -> bool:
        """Is the model planar?"""
        return self.system.model.planar

    def place_of(self, body: Any) -> Place:
        """Where a body of the model is among the coordinates."""
        return self.system.assembly.places[self.system.model.name_of(body)]

    @property
    def quantities(self) -> tuple[str, ...]:
        """The names of all results of this part."""
        kinds = (property, cached_property)
        found = {name for one in type(self).__mro__ for name, value in vars(one).items() if isinstance(value, kinds)}
        absent = {*ABOUT, *self._absent()}
        return tuple(sorted(name for name in found if not name.startswith("_") and name not in absent))

    def _absent(self) -> tuple[str, ...]:
        """Results of other parts of this kind that this one has not."""
        return ()

    def main(self) -> tuple[str, ...]:
        """The results that say most about it, for figures."""
        return self.quantities[:1]

    def dimension(self, quantity: str) -> str | tuple[str, ...]:
        """What a result is, for its unit; several where its columns differ: see `genalpha.model.units.Units.of`."""
        return DIMENSIONS.get(quantity, "")

    def items(self, quantity: str) -> list[str]:
        """The names of what a result has a column for, if it is that of several: of points, joints, bodies."""
        return []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "name" not in vars(self):
            raise AttributeError(f"a {type(self).__name__} has no attribute {name!r}")
        raise self.no_result(name)

    def no_result(self, name: str) -> NoResult:
        """What there is instead of a result that there is not."""
        near = get_close_matches(name, self.quantities, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return NoResult(f"{self.name!r} has no {name!r}; there are {', '.join(self.quantities)}{hint}")


DIMENSIONS = {
    "position": "length", "velocity": "speed", "acceleration": "acceleration", "angular_velocity": "spin",
    "angle": "angle", "rate": "spin", "displacement": "length", "speed": "speed",
    "force": "force", "torque": "torque", "moment": "torque", "tension": "force", "push": "force",
    "energy": "energy", "kinetic_energy": "energy", "potential_energy": "energy", "power": "power",
    "gap": "length", "gap_velocity": "speed", "impulse": "impulse", "length": "length", "tip": "length", "s": "length",
    "ends": "length",
}  # fmt: skip
"""Of results by name: what they are, for their units."""
