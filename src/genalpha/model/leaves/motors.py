"""Motors: laws that users write as functions of t, the coordinate of a joint and its rate, compiled into a model.

Their slopes, which steer the iteration, are given, or central differences.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.errors import NonFiniteError
from genalpha.model.columns import MOTOR
from genalpha.model.leaves.evaluators import wrapped
from genalpha.model.leaves.joint_forces import coordinate_matrix, motion_of, motor_at, push_coordinate
from genalpha.model.leaves.states import DIFFERENCE
from genalpha.system.contract import Evaluators
from genalpha.system.functions import is_compilable, returned


def require_laws(motors, t: float):
    """Call laws once and refuse what they give if it is not as it must be."""
    for motor in motors:
        for name, size in (("law", 1), ("derivative", 2)):
            function = getattr(motor, name)
            if function is None:
                continue
            value = returned(f"{motor.title}: {name}", function(t, 0.0, 0.0), (size,), t, "t0")
            if not np.all(np.isfinite(value)):
                raise NonFiniteError(f"{motor.title}: {name} gave NaN or inf at t0 = {t:.9g}, coordinate and rate zero")


def evaluators_with(evaluators: Evaluators, tables, motors, jit: bool) -> Evaluators:
    """The evaluators with these motors, ready to be compiled; not so without ``jit``."""
    f, stiffness, damping = evaluators.f, evaluators.stiffness, evaluators.damping
    for motor in motors:
        law, number = wrapped(_number(motor, jit), jit), tables.motors[motor.name]
        f = _force(wrapped(f, jit), law, number)
        slopes = wrapped(_differences(law) if motor.derivative is None else _pair(motor, jit), jit)
        stiffness = _matrix(wrapped(stiffness, jit), slopes, number, 0)
        damping = _matrix(wrapped(damping, jit), slopes, number, 1)
    return evaluators._replace(f=f, stiffness=stiffness, damping=damping)


def _number(motor, jit):
    """A law that gives a number; compiled code may call it by way of the interpreter."""
    law, title = motor.law, f"{motor.title}: law"
    if jit and is_compilable(law):
        return getattr(law, "py_func", law)

    def checked(t, z, rate):
        return float(returned(title, law(t, z, rate), (1,), t)[0])

    if not jit:
        return checked
    from numba import objmode

    def visit(t, z, rate):
        with objmode(force="float64"):
            force = checked(t, z, rate)
        return force

    return visit


# ``slopes(t, z, rate, length, speed, which)``: derivative of a law by its coordinate (0) or its rate (1)


def _differences(law):
    def slopes(t, z, rate, length, speed, which):
        dz = way_of(z, length) if which == 0 else 0.0
        drate = way_of(rate, speed) if which == 1 else 0.0
        return (law(t, z + dz, rate + drate) - law(t, z - dz, rate - drate)) / (2.0 * (dz + drate))

    return slopes


@leaf
def way_of(value, size):
    """The step of a difference, see `states.way_of`."""
    return DIFFERENCE * size * max(1.0, abs(value) / size) ** (1.0 / 3.0)


def _pair(motor, jit):
    """Slopes that the user gives."""
    derivative, title = motor.derivative, f"{motor.title}: derivative"
    if jit and is_compilable(derivative):
        given = wrapped(derivative, jit)

        def slopes(t, z, rate, length, speed, which):
            by_coordinate, by_rate = given(t, z, rate)
            return by_coordinate if which == 0 else by_rate

        return slopes

    def checked(t, z, rate, length, speed, which):
        return float(returned(title, derivative(t, z, rate), (2,), t)[which])

    if not jit:
        return checked
    from numba import objmode

    def visit(t, z, rate, length, speed, which):
        with objmode(slope="float64"):
            slope = checked(t, z, rate, length, speed, which)
        return slope

    return visit


def _force(others, law, number):
    def f(t, q, v, data, out):
        others(t, q, v, data, out)
        k = motor_at(data, number) + MOTOR.coordinate
        z, rate = motion_of(q, v, data, k)
        push_coordinate(q, data, k, law(t, z, rate), out)

    return f


def _matrix(others, slopes, number, which):
    """Stiffness (0) or damping (1)."""

    def matrix(t, q, v, vdot, mu, data, out):
        others(t, q, v, vdot, mu, data, out)
        i, bits = motor_at(data, number), data.view(np.int64)
        z, rate = motion_of(q, v, data, i + MOTOR.coordinate)
        slope = slopes(t, z, rate, data[i + MOTOR.size], data[i + MOTOR.speed], which)
        place = bits[i + MOTOR.S] if which == 0 else bits[i + MOTOR.C]
        coordinate_matrix(q, data, i + MOTOR.coordinate, -slope, out, place)

    return matrix
