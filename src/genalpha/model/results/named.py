"""Results by name: motion of bodies, reactions and coordinates of joints, tension of springs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from genalpha.errors import InputError
from genalpha.model.parts.beams import Flexible
from genalpha.model.parts.bodies import Body, Ground
from genalpha.model.parts.contacts import Contact, ContactGroup
from genalpha.model.parts.couplings import Constraint
from genalpha.model.parts.forces import Bushing, JointForce, SpringDamper
from genalpha.model.parts.joints import Joint
from genalpha.model.results.beams import BeamResult
from genalpha.model.results.bodies import BodyResult
from genalpha.model.results.forces import SpringResult
from genalpha.model.results.joints import BushingResult, ConstraintResult, JointForceResult, JointResult
from genalpha.model.results.part import PartResult
from genalpha.model.results.reactions import Reactions
from genalpha.model.tables.coordinates import joint_of

if TYPE_CHECKING:
    from genalpha.model.system import ModelSystem


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
        if isinstance(part, JointForce):
            return JointForceResult(*head, self(joint_of(self.system.assembly, part, part.joint)[0]))
        for kind, cls in KINDS.items():
            if isinstance(part, kind) and not isinstance(part, Ground):
                return cls(*head)
        raise InputError(f"{part.title} has no results")

    def _unknown(self, name: object) -> InputError:
        from difflib import get_close_matches

        near = get_close_matches(str(name), self.system.model.parts, n=3)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        return InputError(f"there is no part {name!r} in model {self.system.model.name!r}{hint}")


KINDS = {
    Body: BodyResult, SpringDamper: SpringResult, Constraint: ConstraintResult, Bushing: BushingResult,
    Flexible: BeamResult,
}  # fmt: skip
"""Results that need nothing but the states."""
