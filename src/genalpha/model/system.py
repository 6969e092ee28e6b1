"""The system of a model: what `solve` integrates, and its results by name."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import InputError
from genalpha.inputs import Array, Values
from genalpha.model.parts.forces import (
    Bushing,
    Force,
    Motor,
    PointForce,
    SpringDamper,
    Torque,
    TorsionSpring,
    UserForce,
)
from genalpha.model.violations import describe
from genalpha.system.block import BLOCKS, FRICTION, Block
from genalpha.system.contract import ANGLE, EMPTY, HALF_LENGTH, LENGTH, QUATERNION, Contract, MechanicalSystem
from genalpha.system.functions import is_compilable

if TYPE_CHECKING:
    from genalpha.model.model import Model
    from genalpha.model.results.named import Results
    from genalpha.model.tables.assembly import Assembly

AT_ONCE = 6
"""Coordinates over which a force that the interpreter calls is differentiated in every step, by four calls for each."""


@dataclass(frozen=True, eq=False, repr=False)
class ModelSystem(MechanicalSystem):
    """An assembled model.

    Attributes
    ----------
    model : Model
    q0, v0 : ndarray
        The state of the bodies at t0.
    """

    model: Model
    assembly: Assembly
    data: NDArray[np.float64]
    q0: NDArray[np.float64]
    v0: NDArray[np.float64]

    multipliers_in_f = False

    @property
    def blocks(self) -> tuple[Block, ...]:  # type: ignore[override]
        """Its constraint rows; those of friction only where there is some."""
        return (*BLOCKS, *FRICTION) if self.has_friction else BLOCKS

    @property
    def has_contacts(self) -> bool:
        """Are there gaps?"""
        return bool(self.assembly.gap_names)

    @property
    def has_friction(self) -> bool:
        """Are there rows of slip, or dry friction?"""
        return bool(self.assembly.slips)

    @property
    def compiled(self) -> bool:
        """Models run compiled, whatever they are made of."""
        return True

    def contract(self, t0: float, q0: Values, v0: Values, compiled: bool = True) -> Contract:
        """The model as the stepper sees it; not ``compiled``: for a few evaluations, without waiting."""
        from genalpha.compiled.jit import jit_is_on
        from genalpha.model.leaves.evaluators import evaluators_of
        from genalpha.system.compiling import compile_evaluators

        jit = compiled and jit_is_on()
        parts, fixed = self.assembly, evaluators_of(self.assembly.layout, jit)
        # compiled first: functions of the user's are linked to them and do not compile them again
        evaluators = compile_evaluators(fixed, arrays=False, fixed=fixed) if jit else fixed
        functions = [force for force in self.model.forces if _is_function(force)]
        if functions:
            from genalpha.model.leaves import user_forces as user

            user.require_forces(self, functions, float(t0), np.asarray(q0, dtype=float), np.asarray(v0, dtype=float))
            evaluators = user.evaluators_with(evaluators, parts, functions, jit)
        motors = [force for force in self.model.forces if isinstance(force, Motor)]
        if motors:
            from genalpha.model.leaves.motors import evaluators_with, require_laws

            require_laws(motors, float(t0))
            evaluators = evaluators_with(evaluators, parts, motors, jit)
        if parts.drives:
            from genalpha.model.leaves.drives import require_motions, rows_with

            require_motions(parts, float(t0))
            evaluators = rows_with(evaluators, parts.drives, float(t0), jit)
        if jit:
            evaluators = compile_evaluators(evaluators, arrays=False)
        patterns = {"M": parts.M.pattern(), "stiffness": parts.S.pattern(), "damping": parts.C.pattern()}
        patterns |= {"G": parts.G.pattern(), "K": parts.K.pattern(), "N": parts.N.pattern()}
        patterns |= {"T": parts.T.pattern(), "force_mu": EMPTY}
        names, data, candidates = dict(self.names), self.data.copy(), None
        if parts.crowds:  # the pairs of a run are its own
            from genalpha.model.tables.pairs import Candidates

            names["gap"] = list(names["gap"])
            candidates = Candidates(parts.crowds, data, patterns["N"].cols, names["gap"])
            candidates.find(float(t0), np.asarray(q0, dtype=float), 0.0)
        return Contract(
            nq=parts.nq, nv=parts.nv, blocks=tuple(block.of(names[block.name]) for block in self.blocks),
            evaluators=evaluators, data=data, patterns=patterns, coordinates={kind: names[kind] for kind in "qv"},
            compiled=compiled, candidates=candidates, describe=partial(describe, self, names["gap"]),
            constant_M=np.array(parts.mass), flat=self.is_flat,
            body_frames=any(place.on_se3 for place in parts.places.values()),
            scleronomic=parts.scleronomic, nodes=np.array(parts.nodes), e=np.array(parts.restitution),
            numerical_tangent=any(self._is_slow(force) for force in functions),
            kinds=self.kinds, friction=parts.slips.friction(),
        )  # fmt: skip

    def _is_slow(self, force: Force) -> bool:
        """Do derivatives of a force take so many calls of the interpreter that they are better kept for some steps?

        There are four calls for each coordinate of its bodies; those of one body save as many iterations in stiff
        problems as they cost.
        """
        if not isinstance(force, UserForce) or not force.is_differentiated or is_compilable(force.function):
            return False
        places = (self.assembly.places[self.model.name_of(body)] for body in force.bodies)
        return not callable(force.derivative) and sum(place.nv for place in places) > AT_ONCE

    @property
    def is_flat(self) -> bool:
        """Is the configuration a vector space?"""
        return not any(place.turns for place in self.assembly.places.values())

    @cached_property
    def kinds(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """What the entries of q and of v are: lengths, angles, ..."""
        of_q, of_v = np.full(self.assembly.nq, ANGLE), np.full(self.assembly.nv, LENGTH)
        room = 2 if self.model.planar else 3
        for place in self.assembly.places.values():
            if place.nv == 0:
                continue
            of_q[place.q : place.q + place.nq] = ANGLE if self.model.planar else QUATERNION
            if place.on_se3:  # quaternions, and their dual parts
                of_q[place.q + 4 : place.q + 8] = HALF_LENGTH
            else:
                of_q[place.q : place.q + min(room, place.nq)] = LENGTH
            of_v[place.v + room : place.v + place.nv] = ANGLE
        return of_q, of_v

    @cached_property
    def names(self) -> dict[str, list[str]]:
        """Names of the coordinates and of the constraints."""
        coordinates = {2: "xy", 3: "xyz", 7: ("x", "y", "z", "e0", "e1", "e2", "e3"),
                       8: ("e0", "e1", "e2", "e3", "d0", "d1", "d2", "d3")}  # fmt: skip
        planar = ("x", "y", "angle")
        names: list[str] = []
        for place in self.assembly.places.values():
            letters = planar if self.model.planar and place.nq == 3 else coordinates.get(place.nq, ())
            names += [f"{place.body.name}.{letter}" for letter in letters]
        parts = self.assembly
        names += [f"{joint}.angle" for joint in parts.counters]
        found = {
            "q": names, "v": self._velocity_names(), "g": parts.row_names, "k": parts.k_names, "gap": parts.gap_names
        }  # fmt: skip
        return found | ({"slip": parts.slips.names, "dry": parts.slips.dry_names} if parts.slips else {})

    def _velocity_names(self) -> list[str]:
        """Names of the velocities: of a position x, y, z, of a rotation the axes of the body that it is about."""
        names: list[str] = []
        for place in self.assembly.places.values():
            letters = ("x", "y", "angle") if self.model.planar else ("x", "y", "z", "about_x", "about_y", "about_z")
            names += [f"{place.body.name}.{letter}" for letter in letters[: place.nv]]
        return names

    def energies(self, t: Array, q: Array, v: Array) -> NDArray[np.float64]:
        """Kinetic and potential energy (nt, 2) of states (nt, nq), (nt, nv)."""
        from genalpha.model.results.beams import coupling_energy, strain_energy
        from genalpha.model.results.bodies import kinetic
        from genalpha.model.results.forces import potential

        beams = self.model.flexibles
        names = [name for name in self.assembly.places if name != self.model.ground.name]
        return np.column_stack([
            sum((kinetic(self, name, q, v) for name in names), np.zeros(len(q)))
            + sum((coupling_energy(self, beam, v) for beam in beams), np.zeros(len(q))),
            sum((potential(self, name, q) for name in [*names, *self._elastic()]), np.zeros(len(q)))
            + sum((strain_energy(self, beam, q) for beam in beams), np.zeros(len(q))),
        ])  # fmt: skip

    def _elastic(self) -> list[str]:
        """Forces that have a potential."""
        return [f.name for f in self.model.forces if isinstance(f, SpringDamper | TorsionSpring | Bushing)]

    def results(self, solution: Any) -> Results:
        """Results of parts by their names."""
        from genalpha.model.results.named import Results

        return Results(self, solution)

    def quantity(self, solution: Any, key: Any) -> Any:
        """Results of a part by its name."""
        return self.results(solution)(key)

    def __repr__(self) -> str:
        return f"ModelSystem({self.model!r})"

    def __str__(self) -> str:
        from genalpha.model.summary import summary

        return summary(self)


def is_driven(system: MechanicalSystem, v0: object) -> bool:
    """Is it a model with prescribed motions, and are these its own velocities? Bodies without any follow them then."""
    return isinstance(system, ModelSystem) and bool(system.assembly.drives) and v0 is system.v0


def _is_function(force: Force) -> bool:
    """Is it a function of the user's?"""
    if isinstance(force, PointForce):
        return callable(force.force)
    return isinstance(force, UserForce) or (isinstance(force, Torque) and callable(force.torque))


def assemble(model: Model) -> ModelSystem:
    """Places, tables and the initial state of a model."""
    if not model.bodies:
        raise InputError(f"model {model.name!r} has no bodies; add some")
    from genalpha.model.tables.assembly import Assembly

    assembly = Assembly(model)
    return ModelSystem(model, assembly, assembly.layout.pack(), *assembly.initial_state())
