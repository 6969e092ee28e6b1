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
    Torque,
    TorsionSpring,
    UserForce,
)

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
        elif isinstance(force, UserForce | PointForce | Torque):
            found["forces"] = found.get("forces", 0.0) + samples[force.name].power
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
    from genalpha.model.leaves.evaluators import evaluators_of

    f, data = evaluators_of(system.assembly.layout, False).f, system.data.copy()
    power, moving, still = np.zeros(len(samples.t)), np.zeros(system.v0.size), np.zeros(system.v0.size)
    rest = np.zeros(system.v0.size)
    for i, (t, q, v) in enumerate(zip(samples.t, samples.q, samples.v, strict=True)):
        q, v = np.ascontiguousarray(q), np.ascontiguousarray(v)
        f(float(t), q, v, data, moving)
        f(float(t), q, rest, data, still)
        power[i] = v @ (moving - still)
    return power
