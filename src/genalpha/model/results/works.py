"""Power of what drives and damps a model, at states along a trajectory."""

# pyright: reportUnknownVariableType=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from genalpha.inputs import Array
from genalpha.model.parts.forces import (
    Bushing,
    Motor,
    PointForce,
    SpringDamper,
    States,
    Torque,
    TorsionSpring,
    UserForce,
)
from genalpha.model.poses import in_space, positions, rotations, velocities
from genalpha.system.functions import returned

if TYPE_CHECKING:
    from genalpha.model.system import ModelSystem


def has_work(system: ModelSystem) -> bool:
    """Is there anything that takes or gives energy?"""
    forces = [force for force in system.model.forces if isinstance(force, Motor | PointForce | Torque | UserForce)]
    return bool(forces or system.assembly.drives or _is_damped(system))


def powers(system: ModelSystem, samples: Any) -> dict[str, Array]:
    """Power (n,) of drives, motors, dampers and other forces at ``samples``; what a model has not is not there."""
    found: dict[str, Array] = {}
    if system.assembly.drives:
        found["drives"] = _of_drives(system, samples)
    if _is_damped(system):
        found["dampers"] = _of_dampers(system, samples)
    for force in system.model.forces:
        if isinstance(force, Motor):
            found["motors"] = found.get("motors", 0.0) + samples[force.name].power
        elif isinstance(force, UserForce):
            found["forces"] = found.get("forces", 0.0) + _of_user(system, force, samples)
        elif isinstance(force, PointForce | Torque):
            found["forces"] = found.get("forces", 0.0) + _of_load(system, force, samples)
    return found


def _is_damped(system: ModelSystem) -> bool:
    damped = (SpringDamper, TorsionSpring, Bushing)
    return bool(system.model.flexibles) or any(
        isinstance(force, damped) and np.any(np.asarray(force.damping, dtype=float)) for force in system.model.forces
    )


def _of_drives(system: ModelSystem, samples: Any) -> Array:
    """−λᵀ g_t."""
    contract = system.contract(float(samples.t[0]), samples.q[0], samples.v[0], compiled=False)
    rows = np.concatenate([np.arange(first, first + n) for _, first, n in system.assembly.drives])
    pairs = zip(samples.t, samples.q, strict=True)
    rates = np.array([contract.evaluate("g_t", float(t), q)[rows] for t, q in pairs])
    return -np.sum(samples.lam[:, rows] * rates, axis=1)


def _of_dampers(system: ModelSystem, samples: Any) -> Array:
    """vᵀ (f(v) − f(0)) of all that is built in: forces of inertia have no power, all others are not damping."""
    from genalpha.model.leaves.families import evaluators_of

    f, data = evaluators_of(system.assembly.layout, False).f, system.data.copy()
    power, moving, still = np.zeros(len(samples.t)), np.zeros(system.v0.size), np.zeros(system.v0.size)
    rest = np.zeros(system.v0.size)
    for i, (t, q, v) in enumerate(zip(samples.t, samples.q, samples.v, strict=True)):
        q, v = np.ascontiguousarray(q), np.ascontiguousarray(v)
        f(float(t), q, v, data, moving)
        f(float(t), q, rest, data, still)
        power[i] = v @ (moving - still)
    return power


def _of_user(system: ModelSystem, force: UserForce, samples: Any) -> Array:
    """F · ẋ + τ · ω of a force of the user's."""
    planar, places = system.model.planar, [system.assembly.places[system.model.name_of(b)] for b in force.bodies]
    x, R = (np.stack([of(place, samples.q, planar) for place in places], axis=1) for of in (positions, rotations))
    pairs = [velocities(place, samples.q, samples.v, planar) for place in places]
    velocity, spin = (np.stack([pair[k] for pair in pairs], axis=1) for k in (0, 1))
    power, function, shape = np.zeros(len(samples.t)), force.function, (len(places), 6)
    for i, t in enumerate(samples.t.tolist()):
        given = function(t, States(x[i], R[i], velocity[i], spin[i]))  # pyright: ignore
        F = returned(f"{force.title}: its function", given, shape, t)
        power[i] = np.sum(F[:, :3] * velocity[i]) + np.sum(F[:, 3:] * spin[i])
    return power


def _of_load(system: ModelSystem, force: PointForce | Torque, samples: Any) -> Array:
    """The same of a force at a point, or of a torque."""
    planar, place = system.model.planar, system.assembly.places[system.model.name_of(force.body)]
    R = rotations(place, samples.q, planar)
    velocity, spin = velocities(place, samples.q, samples.v, planar)
    given: Any = force.force if isinstance(force, PointForce) else force.torque
    rows = [given(t) for t in samples.t.tolist()] if callable(given) else [given]
    values = np.array(rows, dtype=float).reshape(len(rows), -1)
    load = np.zeros((len(samples.t), 3))
    first = 2 if planar and isinstance(force, Torque) else 0  # a torque in a plane is about z
    n = 1 if first else 2 if planar else 3
    load[:, first : first + n] = values[:, :n]
    if force.follows:
        load = np.einsum("tij,tj->ti", R, load)
    if isinstance(force, Torque):
        return np.sum(load * spin, axis=1)
    arm = R @ in_space(system.assembly.end_of(force, place))
    return np.sum(load * (velocity + np.cross(spin, arm)), axis=1)
