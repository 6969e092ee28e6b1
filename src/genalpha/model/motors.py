"""Motors: laws that users write as functions of t, the coordinate of a joint and its rate, compiled into a model."""

from __future__ import annotations

import numpy as np

from genalpha.contract import Evaluators
from genalpha.errors import NonFiniteError, ShapeError
from genalpha.functions import is_compilable
from genalpha.model.families import wrapped
from genalpha.model.joint_loads import MOTOR_HEAD, coordinate_matrix, motion_of, motor_at, push_coordinate

SPAN = 1e-6
"""Of differences, for the slopes of a law: they steer the iteration only."""


def require_laws(motors, t: float):
    """Call laws once and refuse what they give if it is not as it must be."""
    for motor in motors:
        value = np.asarray(motor.law(t, 0.0, 0.0), dtype=float)
        if value.shape not in ((), (1,)):
            raise ShapeError(f"{motor.title}: law gave the shape {value.shape} at t0 = {t:.9g}, not a number")
        if not np.all(np.isfinite(value)):
            raise NonFiniteError(f"{motor.title}: law gave NaN or inf at t0 = {t:.9g}, coordinate and rate zero")


def evaluators_with(evaluators: Evaluators, tables, motors, jit: bool) -> Evaluators:
    """The evaluators with these motors, ready to be compiled; not so without ``jit``."""
    f, stiffness, damping = evaluators.f, evaluators.stiffness, evaluators.damping
    for motor in motors:
        law, number = wrapped(_number(motor.law, jit), jit), tables.motors[motor.name]
        f = _force(wrapped(f, jit), law, number)
        stiffness = _matrix(wrapped(stiffness, jit), law, number, SPAN, 0.0)
        damping = _matrix(wrapped(damping, jit), law, number, 0.0, SPAN)
    return evaluators._replace(f=f, stiffness=stiffness, damping=damping)


def _number(law, jit):
    """A law that gives a number; compiled code may call it by way of the interpreter."""
    if not jit:
        return lambda t, z, rate: float(np.ravel(law(t, z, rate))[0])
    if is_compilable(law):
        return getattr(law, "py_func", law)
    from numba import objmode

    def call(t, z, rate):
        with objmode(force="float64"):
            force = float(np.ravel(law(t, z, rate))[0])
        return force

    return call


def _force(others, law, number):
    def f(t, q, v, data, out):
        others(t, q, v, data, out)
        i = motor_at(data, number)
        z, rate = motion_of(q, v, data, i)
        push_coordinate(q, data, i, law(t, z, rate), out)

    return f


def _matrix(others, law, number, dz, drate):
    """Stiffness (by dz) or damping (by drate), from a difference of the law."""
    place = 1 if drate else 0

    def matrix(t, q, v, vdot, mu, data, out):
        others(t, q, v, vdot, mu, data, out)
        i = motor_at(data, number)
        z, rate = motion_of(q, v, data, i)
        slope = (law(t, z + dz, rate + drate) - law(t, z - dz, rate - drate)) / (2.0 * (dz + drate))
        coordinate_matrix(q, data, i, -slope, out, data.view(np.int64)[i - MOTOR_HEAD + place])

    return matrix
