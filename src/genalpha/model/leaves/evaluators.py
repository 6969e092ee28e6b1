"""The evaluators of a model: one set of compiled functions for all rigid models, and families for what else there is.

A model with contacts, beams and so on calls the functions of these families after those of rigid bodies.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from importlib import import_module

import numpy as np

from genalpha.compiled.jit import jit_is_on, leaf, plain
from genalpha.model.columns import (
    ANGLE,
    BALLS,
    BAR,
    BEAM,
    BRAKE,
    BUSHING,
    COIL,
    COUNTER,
    DISCS,
    DOT,
    EDGE,
    GYROSCOPE,
    LINE,
    LOAD,
    MOVING,
    PAIR,
    PIN,
    PLANAR_BEAM,
    PLANAR_RUB,
    PLANE,
    POINT,
    ROLL,
    RUB,
    SHARED_S,
    SLIDE,
    SLOT,
    SPRING,
    TERM,
    TORQUE,
)
from genalpha.model.leaves.bodies import (
    inertia_damping,
    inertia_force,
    inertia_twist,
    untwist_all,
    update,
    weight_stiffness,
)
from genalpha.model.leaves.forces import load_force, spring_force, spring_matrix
from genalpha.model.leaves.joints import (
    dot_bias,
    dot_gradient,
    dot_rows,
    dot_stiffness,
    point_bias,
    point_gradient,
    point_rows,
    point_stiffness,
    slide_bias,
    slide_gradient,
    slide_rows,
    slide_stiffness,
)
from genalpha.model.leaves.planar_joints import (
    angle_bias,
    angle_gradient,
    angle_rows,
    pin_bias,
    pin_gradient,
    pin_rows,
    pin_stiffness,
    slot_bias,
    slot_gradient,
    slot_rows,
    slot_stiffness,
)
from genalpha.system.contract import Evaluators


@leaf
def clear(out, n):
    """out[:n] = 0."""
    for i in range(n):
        out[i] = 0.0


# a model without, say, springs does not pay for a call


def f(t, q, v, data, out):
    """Forces of inertia, weights, springs, loads."""
    bits = data.view(np.int64)
    inertia_force(q, v, data, out)
    if bits[SPRING.count]:
        spring_force(q, v, data, out)
    if bits[LOAD.count] + bits[TORQUE.count]:
        load_force(q, data, out)


def stiffness(t, q, v, vdot, mu, data, out):
    """Of weights, springs, and constraint forces. What beams have alone they clear themselves, later."""
    bits = data.view(np.int64)
    clear(out, bits[SHARED_S])
    if bits[POINT.count]:
        point_stiffness(q, mu, data, out)
    if bits[DOT.count]:
        dot_stiffness(q, mu, data, out)
    if bits[SLIDE.count]:
        slide_stiffness(q, mu, data, out)
    if bits[PIN.count]:
        pin_stiffness(q, mu, data, out)
    if bits[SLOT.count]:
        slot_stiffness(q, mu, data, out)
    if bits[MOVING.count]:
        weight_stiffness(q, data, out)
    if bits[SPRING.count]:
        spring_matrix(q, v, data, False, out)


def damping(t, q, v, vdot, mu, data, out):
    """Of inertia forces and springs."""
    bits = data.view(np.int64)
    clear(out, out.size)
    if bits[GYROSCOPE.count]:
        inertia_damping(v, data, out)
    if bits[SPRING.count]:
        spring_matrix(q, v, data, True, out)


def g(t, q, data, out):
    """All rows of joints."""
    bits = data.view(np.int64)
    if bits[POINT.count]:
        point_rows(q, data, out)
    if bits[DOT.count]:
        dot_rows(q, data, out)
    if bits[SLIDE.count]:
        slide_rows(q, data, out)
    if bits[PIN.count]:
        pin_rows(q, data, out)
    if bits[ANGLE.count]:
        angle_rows(q, data, out)
    if bits[SLOT.count]:
        slot_rows(q, data, out)


def G(t, q, data, out):
    """Their gradient."""
    bits = data.view(np.int64)
    if bits[POINT.count]:
        point_gradient(q, data, out)
    if bits[DOT.count]:
        dot_gradient(q, data, out)
    if bits[SLIDE.count]:
        slide_gradient(q, data, out)
    if bits[PIN.count]:
        pin_gradient(q, data, out)
    if bits[ANGLE.count]:
        angle_gradient(data, out)
    if bits[SLOT.count]:
        slot_gradient(q, data, out)


def g_bias(t, q, v, data, out):
    """What is quadratic in velocities of their second derivative."""
    bits = data.view(np.int64)
    if bits[POINT.count]:
        point_bias(q, v, data, out)
    if bits[DOT.count]:
        dot_bias(q, v, data, out)
    if bits[SLIDE.count]:
        slide_bias(q, v, data, out)
    if bits[PIN.count]:
        pin_bias(q, v, data, out)
    if bits[ANGLE.count]:
        angle_bias(data, out)
    if bits[SLOT.count]:
        slot_bias(q, v, data, out)


def of_position(t, q, data, out):
    """An absent block."""


def of_velocity(t, q, v, data, out):
    """An absent block."""


def of_multipliers(t, q, v, mu, data, out):
    """An absent block."""


ABSENT = (of_position, of_velocity, of_multipliers)

EVALUATORS = Evaluators(
    M=of_position, f=f, force=of_multipliers, force_mu=of_multipliers, stiffness=stiffness, damping=damping,
    g=g, G=G, g_t=of_position, g_bias=g_bias, k=of_velocity, K=of_velocity, k_bias=of_velocity,
    gap=of_position, N=of_position, gap_t=of_position, gap_bias=of_velocity, slip=of_velocity, T=of_velocity,
    slip_bias=of_velocity, update=plain(update), untwist=plain(untwist_all), twist=plain(inertia_twist),
)  # fmt: skip


Family = Mapping[str, Callable]
"""Evaluators by their names. They come after those of the families before: a force or a matrix of forces is added to
what is there, rows and their gradients are written where they belong. Values of the stiffness that only beams have come
last, and are not cleared before."""

MODULES: dict[str, tuple[int, ...]] = {
    "genalpha.model.leaves.contacts": (PLANE, BALLS, LINE, DISCS),
    "genalpha.model.leaves.pairs": (PAIR,),
    "genalpha.model.leaves.counters": (COUNTER,),
    "genalpha.model.leaves.couplings": (TERM,),
    "genalpha.model.leaves.joint_forces": (COIL, BUSHING),
    "genalpha.model.leaves.rolling": (ROLL, EDGE),
    "genalpha.model.leaves.friction": (RUB, PLANAR_RUB, BRAKE),
    "genalpha.model.leaves.beams": (BEAM,),
    "genalpha.model.leaves.planar_beams": (PLANAR_BEAM, BAR),
}
"""Modules that have a ``FAMILY``, and the sections that it reads."""


def evaluators_of(layout, jit: bool = True) -> Evaluators:
    """The evaluators for the data of a model, ready to be compiled; not so without ``jit``."""
    used = (module for module, sections in MODULES.items() if any(layout.count(section) for section in sections))
    return _evaluators(tuple(used), jit)


@functools.cache
def _evaluators(modules: tuple[str, ...], jit: bool) -> Evaluators:
    chains = {name: [] if function in ABSENT else [function] for name, function in EVALUATORS._asdict().items()}
    for module in modules:
        for name, function in import_module(module).FAMILY.items():
            chains[name].append(function)
    return EVALUATORS._replace(**{name: _chained(chain, jit) for name, chain in chains.items() if chain})


def _chained(functions, jit):
    """One function that calls all of them."""
    first, *others = functions
    for second in others:
        first = _one_after_the_other(first, second, jit)
    return first


def _one_after_the_other(first, second, jit):
    return THEN[first.__code__.co_argcount](wrapped(first, jit), wrapped(second, jit))


def wrapped(function, jit: bool):
    """What a closure calls: the function, jitted where it will be compiled; as it is if it has been."""
    if not (jit and jit_is_on()):
        return function
    from genalpha.system.compiling import is_compiled, jitted

    return function if is_compiled(function) else jitted(getattr(function, "py_func", function))


def _of_position(first, second):
    def both(t, q, data, out):
        first(t, q, data, out)
        second(t, q, data, out)

    return both


def _of_velocity(first, second):
    def both(t, q, v, data, out):
        first(t, q, v, data, out)
        second(t, q, v, data, out)

    return both


def _of_motion(first, second):
    def both(t, q, v, vdot, mu, data, out):
        first(t, q, v, vdot, mu, data, out)
        second(t, q, v, vdot, mu, data, out)

    return both


THEN = {4: _of_position, 5: _of_velocity, 7: _of_motion}
"""By the number of arguments."""
