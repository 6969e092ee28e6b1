"""Results by name: motion of bodies, reactions and coordinates of joints, tension of springs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from genalpha.errors import InputError
from genalpha.model.parts.beams import Flexible
from genalpha.model.parts.bodies import Body, Ground
from genalpha.model.parts.contacts import Contact, ContactGroup
from genalpha.model.parts.couplings import Constraint, PointDrive
from genalpha.model.parts.forces import Bushing, JointForce, PointForce, SpringDamper, Torque, UserForce
from genalpha.model.parts.friction import DryFriction
from genalpha.model.parts.joints import Joint
from genalpha.model.results.beams import BeamResult
from genalpha.model.results.bodies import BodyResult
from genalpha.model.results.forces import SpringResult
from genalpha.model.results.friction import DryFrictionResult
from genalpha.model.results.joints import (
    BushingResult,
    ConstraintResult,
    JointForceResult,
    JointResult,
    PointDriveResult,
)
from genalpha.model.results.loads import LoadResult, UserForceResult
from genalpha.model.results.part import PartResult, Reactions
from genalpha.model.tables.coordinates import joint_of

if TYPE_CHECKING:
    from genalpha.model.system import ModelSystem

LISTED = 24
"""Names in a message; of more, the first ones."""


class Results:
    """Results of the parts of a model along a solution: each is made once, and the joints share their reactions."""

    def __init__(self, system: ModelSystem, solution: Any) -> None:
        self.system, self.solution = system, solution
        self.reactions = Reactions(system, solution)
        self._made: dict[str, PartResult] = {}

    def __call__(self, key: Any) -> Any:
        """Results of the part ``key``, a name or the part itself."""
        name = getattr(key, "name", key)
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> PartResult:
        part, head = self.system.model.parts.get(name), (self.system, self.solution, name)
        if part is None:
            raise self._unknown(name)
        if isinstance(part, Contact | ContactGroup):
            from genalpha.model.results.contacts import contact_result

            return contact_result(*head)
        if isinstance(part, Joint):
            return JointResult(*head, self.reactions)
        if isinstance(part, JointForce | DryFriction):
            kind = DryFrictionResult if isinstance(part, DryFriction) else JointForceResult
            return kind(*head, self(joint_of(self.system.assembly, part, part.joint)[0]))
        if isinstance(part, Constraint) and not isinstance(part, PointDrive):
            joints = (joint_of(self.system.assembly, part, one)[0] for one in getattr(part, "joints", ()))
            return ConstraintResult(*head, tuple(self(joint) for joint in joints))
        for kind, cls in KINDS.items():
            if isinstance(part, kind) and not isinstance(part, Ground):
                return cls(*head)
        raise InputError(f"{part.title} has no results")

    def _unknown(self, name: object) -> InputError:
        from difflib import get_close_matches

        model = self.system.model
        known = [part for part in model.parts if part != model.ground.name]
        near = get_close_matches(str(name), known, n=3)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        listed = ", ".join(known[:LISTED]) + (f", ... ({len(known)} in all)" if len(known) > LISTED else "")
        return InputError(f"there is no part {name!r} in model {model.name!r}; there are {listed}{hint}")


KINDS = {
    Body: BodyResult, SpringDamper: SpringResult, PointDrive: PointDriveResult, Bushing: BushingResult,
    Flexible: BeamResult, PointForce: LoadResult, Torque: LoadResult, UserForce: UserForceResult,
}  # fmt: skip
"""Results that need nothing but the states."""
