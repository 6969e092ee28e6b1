"""A model: bodies, joints, forces and contacts by name."""

# pyright: reportUnnecessaryIsInstance=false

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from genalpha.errors import InputError
from genalpha.inputs import Array, finite
from genalpha.model.parts.beams import Flexible, bodies_brought
from genalpha.model.parts.bodies import Body, Ground, Part
from genalpha.model.parts.contacts import Contact, ContactGroup
from genalpha.model.parts.couplings import Constraint, PointDrive
from genalpha.model.parts.forces import Bushing, Force, PointForce, SpringDamper, Torque, UserForce
from genalpha.model.parts.friction import DryFriction
from genalpha.model.parts.joints import Joint
from genalpha.model.system import ModelSystem, assemble
from genalpha.model.units import SI, Units, units_of
from genalpha.notebook import table
from genalpha.system.contract import MechanicalSystem

P = TypeVar("P", bound=Part)

MOST_ROWS = 60
"""Parts of a model that are listed in a notebook."""


class Model:
    """A multibody model.

    Parameters
    ----------
    name : str
    gravity : array_like (3,)
        Acceleration; (2,) in planar models.
    planar : bool
        Bodies move in a plane, with the coordinates x, y, θ.
    map : {"exponential", "cayley"}
        How rotations are updated: the exponential map, or the Cayley map,
        which is of the same order and has larger errors of fast spins.
    units : str
        What the numbers are in, for labels: "SI", "mm-t-s", "mm-kg-s", "mm-kg-ms", "mm-g-ms", "um-kg-s", "cm-g-s",
        "in-lbf-s" or "ft-slug-s". Nothing is converted.

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("pendulum", gravity=(0.0, 0.0, -9.81))
    >>> rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(1.0, 0.0, 0.0)))
    >>> _ = model.add(ga.Revolute("pin", model.ground, rod, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    >>> print(model.assemble())
    model 'pendulum': 1 body, 1 joint
      coordinates   7, velocities 6
      constraints   5: pin.x, pin.y, pin.z, pin.axis_1, pin.axis_2
      redundant     none
      mobility      1
    """

    def __init__(
        self,
        name: str = "model",
        *,
        gravity: ArrayLike | None = None,
        planar: bool = False,
        map: str = "exponential",
        units: str = "SI",
    ) -> None:
        n = 2 if planar else 3
        pull = np.zeros(n) if gravity is None else finite(gravity)
        if pull is None or pull.shape != (n,):
            raise InputError(f"gravity = {gravity if pull is None else pull.tolist()!r:.60} must be {n} finite numbers")
        if not isinstance(name, str):
            raise InputError(f"the name of a model must be a word, not {name!r:.40}")
        if map not in ("exponential", "cayley"):
            raise InputError(f'map = {map!r} must be "exponential" or "cayley"')
        self.name, self.gravity, self.planar, self.map = name, pull, planar, map
        self.units = units_of(units).name
        self.ground = Ground("ground")
        self.parts: dict[str, Part] = {"ground": self.ground}

    def add(self, part: P) -> P:
        """Add a body, a joint, a constraint, a force, a beam, a contact or friction in a joint, and give it back.

        A beam brings along its nodes, which are bodies.
        """
        kinds = Body | Joint | Constraint | Force | Flexible | Contact | ContactGroup | DryFriction
        if not isinstance(part, kinds) or isinstance(part, Ground):
            raise InputError(
                f"a model takes bodies, joints, constraints, forces, beams and contacts, not a {type(part).__name__}"
            )
        parts = (part, *bodies_brought(part, self.planar))
        for one in parts:
            if one.name in self.parts:
                raise InputError(
                    f"there are two parts called {one.name!r}; names tell parts apart, give it another one"
                )
        for body in _bodies_of(part):
            self.name_of(body, part)
        self.parts |= {one.name: one for one in parts}
        return part

    def name_of(self, body: Body | str, part: Part | None = None) -> str:
        """The name of a body of this model."""
        name = body.name if isinstance(body, Body) else body
        who = f"{part.title}: " if part is not None else ""
        if not isinstance(name, str):
            raise InputError(f"{who}{body!r:.40} must be a body or its name")
        known = self.parts.get(name)
        if not isinstance(known, Body):
            names = ", ".join(sorted(n for n, p in self.parts.items() if isinstance(p, Body)))
            raise InputError(f"{who}there is no body {name!r} in the model; there are {names}. Add it first")
        if isinstance(body, Body) and known is not body:
            raise InputError(f"{who}body {name!r} is not the one in this model, but another of the same name")
        return name

    @property
    def bodies(self) -> list[Body]:
        """All bodies, in the order in which they were added."""
        return self._sorted(Body)

    @property
    def joints(self) -> list[Joint]:
        return self._sorted(Joint)

    @property
    def constraints(self) -> list[Constraint]:
        """Couplings and drives."""
        return self._sorted(Constraint)

    @property
    def forces(self) -> list[Force]:
        return self._sorted(Force)

    @property
    def flexibles(self) -> list[Flexible]:
        """All beams and bars."""
        return self._sorted(Flexible)

    @property
    def contacts(self) -> list[Contact | ContactGroup]:
        return self._sorted(Contact | ContactGroup)

    @property
    def frictions(self) -> list[DryFriction]:
        """Dry friction in joints."""
        return self._sorted(DryFriction)

    def _sorted(self, kind: Any) -> list[Any]:
        return [part for part in self.parts.values() if isinstance(part, kind) and not isinstance(part, Ground)]

    def assemble(self) -> ModelSystem:
        """The system of this model: `genalpha.model.system.ModelSystem`. The model stays as it is."""
        return assemble(self)

    def _repr_html_(self) -> str:
        """A table of its parts, in a notebook."""
        rows = [
            (type(part).__name__, name, _holds(self, part)) for name, part in self.parts.items() if name != "ground"
        ]
        more = [("...", f"{len(rows) - MOST_ROWS} more", "")] if len(rows) > MOST_ROWS else []
        return table(rows[:MOST_ROWS] + more, ("kind", "name", "between"), repr(self))

    def __repr__(self) -> str:
        counts = {
            "body": len(self.bodies), "joint": len(self.joints), "constraint": len(self.constraints),
            "force": len(self.forces), "contact": len(self.contacts),
        }  # fmt: skip
        words = [f"{n} {name if n == 1 else _plural(name)}" for name, n in counts.items() if n]
        return f"Model({self.name!r}: {', '.join(words) or 'empty'})"


def _plural(name: str) -> str:
    return "bodies" if name == "body" else f"{name}s"


def _holds(model: Model, part: Part) -> str:
    """The names of the bodies and joints that a part holds or pushes."""
    fields = ("a", "b", "body", "joint", "driver", "driven")
    found = [getattr(part, field) for field in fields if getattr(part, field, None) is not None]
    named = [one if isinstance(one, str) else getattr(one, "name", type(one).__name__) for one in found]
    return ", ".join(name for name in named if name)


def as_system(system: Any, q0: Any, v0: Any) -> tuple[MechanicalSystem, Array, Array]:
    """(system, q0, v0): a model is assembled, and has an initial state of its own; states by name become vectors."""
    if isinstance(system, Model):
        system = system.assemble()
    if not isinstance(system, MechanicalSystem):
        raise InputError(f"system must be a System or a Model, not {type(system).__name__}")
    if isinstance(system, ModelSystem):
        q0, v0 = system.q0 if q0 is None else q0, system.v0 if v0 is None else v0
    if q0 is None or v0 is None:
        raise InputError("a system of functions needs its initial state, q0 and v0")
    return system, system.state("q0", q0), system.state("v0", v0)


def units_in(system: Any) -> Units:
    """The units of a model and of its system; SI of all others."""
    model = system.model if isinstance(system, ModelSystem) else system
    return units_of(model.units) if isinstance(model, Model) else SI


def _bodies_of(part: Part) -> list[Body | str]:
    """The bodies that a part acts on."""
    if isinstance(part, Joint | SpringDamper | Bushing):
        a, b = (body.name if isinstance(body, Body) else body for body in (part.a, part.b))
        if a == b:
            raise InputError(f"{part.title} connects a body with itself")
        return [part.a, part.b]
    if isinstance(part, Contact | ContactGroup):
        return part.held
    if isinstance(part, PointForce | Torque | PointDrive):
        return [part.body]
    if isinstance(part, UserForce):
        if not isinstance(part.bodies, Iterable):
            raise InputError(f"{part.title}: bodies must be a list of bodies or their names, not {part.bodies!r:.40}")
        return list(part.bodies)
    return []
