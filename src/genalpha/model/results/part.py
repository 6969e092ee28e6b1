"""What all results by name begin with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from genalpha.inputs import Array

if TYPE_CHECKING:
    from genalpha.model.places import Place
    from genalpha.model.system import ModelSystem

__all__ = ["Array", "PartResult"]


@dataclass(frozen=True)
class PartResult:
    """Results of the part ``name`` of a model, along a solution or at other states that have its columns."""

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
