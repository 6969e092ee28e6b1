"""Forces that users write as functions of the time and the states of bodies, compiled into the force of a model.

Their derivatives are given, or central differences over the coordinates of their bodies. Complex steps would be more
accurate than an iteration needs, and are silently wrong where a branch that was not looked at takes an absolute value.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import jit_is_on
from genalpha.errors import InputError, NonFiniteError, ShapeError
from genalpha.math.differences import store
from genalpha.model.columns import STATE
from genalpha.model.leaves.evaluators import wrapped
from genalpha.model.leaves.states import (
    KIND,
    TRAITS,
    moves,
    put_forces,
    put_slope,
    put_tangent,
    read_states,
    read_traits,
    shift,
    state_at,
    step_of,
    to_bodies,
    turn_along,
    turn_forces,
)
from genalpha.model.parts.forces import PointForce, States, UserForce
from genalpha.system.contract import Evaluators
from genalpha.system.functions import evaluator, is_compilable, returned


def require_forces(system, parts, t, q, v):
    """Call functions of the user's once and refuse what they give if it is not as it must be."""
    from genalpha.model.places import states

    assembly, planar = system.assembly, system.model.planar
    for part in parts:
        if isinstance(part, UserForce):
            places = [assembly.places[system.model.name_of(body)] for body in part.bodies]
            state = states(places, q, v, planar)
            value = _array_of(part, len(places), symbol="t0")(t, state)
            if callable(part.derivative):
                _pair_of(part, len(places))(t, state)
        elif isinstance(part, PointForce):
            value = returned(f"{part.title}: its function", part.force(t), (2 if planar else 3,), t, "t0")  # pyright: ignore
        else:
            value = returned(f"{part.title}: its function", part.torque(t), (1,) if planar else (3,), t, "t0")  # pyright: ignore
        if not np.all(np.isfinite(value)):
            raise NonFiniteError(f"{part.title}: its function gave NaN or inf at t0 = {t:.9g}")


def evaluators_with(evaluators: Evaluators, assembly, parts, jit: bool) -> Evaluators:
    """The evaluators with these forces of the user's, ready to be compiled; not so without ``jit``."""
    f, stiffness, damping = evaluators.f, evaluators.stiffness, evaluators.damping
    jit = jit and jit_is_on()
    for part in parts:
        first, count, function = assembly.states[part.name], _count(part), _function(part, assembly)
        compiled = jit and is_compilable(function)
        call = _call(part, function, count, compiled)
        f = _force_then(wrapped(f, jit), _added(_force(call, first, count), jit, compiled))
        if isinstance(part, UserForce) and part.is_differentiated:
            given = callable(part.derivative)
            compiled = compiled and (not given or is_compilable(part.derivative))
            call = call if compiled else _call(part, function, count, False)
            slopes = _given(_pair(part, count, compiled)) if given else _differences(call, count)
            add = _added(_tangent(call, wrapped(slopes, compiled), first, count), jit, compiled)
            stiffness = _matrix_then(wrapped(stiffness, jit), add, False)
            damping = _matrix_then(wrapped(damping, jit), add, True)
    return evaluators._replace(f=f, stiffness=stiffness, damping=damping)


def _count(part):
    return len(part.bodies) if isinstance(part, UserForce) else 1


def _added(add, jit, compiled):
    """What an evaluator calls to add something: compiled, or by way of the interpreter."""
    if compiled or not jit:
        return wrapped(add, compiled)
    from numba import objmode

    from genalpha.compiled.views import whole

    def visit(t, q, v, of_velocity, data, out):
        q, v, data, out = whole(q), whole(v), whole(data), whole(out)
        with objmode():
            add(t, q, v, of_velocity, data, out)

    return wrapped(visit, jit)


def _force_then(others, add):
    def f(t, q, v, data, out):
        others(t, q, v, data, out)
        add(t, q, v, False, data, out)

    return f


def _matrix_then(others, add, of_velocity):
    def matrix(t, q, v, vdot, mu, data, out):
        others(t, q, v, vdot, mu, data, out)
        add(t, q, v, of_velocity, data, out)

    return matrix


def _force(call, first, count):
    def add(t, q, v, of_velocity, data, out):
        position, velocity, spin = np.empty((count, 3)), np.empty((count, 3)), np.empty((count, 3))
        rotation = np.empty((count, 3, 3))
        read_states(q, v, data, first, position, rotation, velocity, spin)
        put_forces(q, data, first, call(t, position, rotation, velocity, spin), out)

    return add


def _tangent(call, slopes, first, count):
    """Stiffness or damping of a force."""

    def add(t, q, v, of_velocity, data, out):
        position, velocity, spin = np.empty((count, 3)), np.empty((count, 3)), np.empty((count, 3))
        rotation, traits, D = np.empty((count, 3, 3)), np.empty((count, TRAITS)), np.zeros((count, 6, count, 6))
        read_states(q, v, data, first, position, rotation, velocity, spin)
        read_traits(data, first, traits)
        slopes(t, position, rotation, velocity, spin, traits, of_velocity, D)
        if not of_velocity:
            turn_forces(call(t, position, rotation, velocity, spin), traits, D)
        to_bodies(rotation, traits, D)
        i, bits = state_at(data, first), data.view(np.int64)
        place = bits[i + STATE.C] if of_velocity else bits[i + STATE.S]
        put_tangent(D, traits, out, place)

    return add


# ``slopes(t, position, ..., traits, of_velocity, D)``: D[i, :, k, :], of forces on body i by motions of body k


def _differences(call, count):
    def slopes(t, position, rotation, velocity, spin, traits, of_velocity, D):
        P, R, V, W = position.copy(), rotation.copy(), velocity.copy(), spin.copy()
        for k in range(count):
            for j in range(6):
                if moves(traits[k, KIND], j):
                    step = step_of(position, velocity, spin, traits, k, j, of_velocity)
                    shift(position, rotation, velocity, spin, traits, k, j, of_velocity, step, P, R, V, W)
                    plus = call(t, P, R, V, W)
                    shift(position, rotation, velocity, spin, traits, k, j, of_velocity, -step, P, R, V, W)
                    put_slope(plus, call(t, P, R, V, W), 0.5 / step, k, j, D)
            shift(position, rotation, velocity, spin, traits, k, 0, of_velocity, 0.0, P, R, V, W)

    return slopes


def _given(pair):
    def slopes(t, position, rotation, velocity, spin, traits, of_velocity, D):
        by_position, by_velocity = pair(t, position, rotation, velocity, spin)
        if of_velocity:
            D[:] = by_velocity
        else:
            D[:] = by_position
            turn_along(by_velocity, velocity, spin, traits, D)

    return slopes


# what is called: with arrays, and with a look at what comes back


def _call(part, function, count, compiled):
    """``call(t, position, rotation, velocity, spin)``, which gives an array (count, 6) or an exception."""
    if not compiled:
        checked = _array_of(part, count, function)
        return lambda t, *arrays: checked(t, States(*arrays))
    given, message = wrapped(function, True), f"{part.title}: its function gave another shape than ({count}, 6)"

    def call(t, position, rotation, velocity, spin):
        forces = given(t, States(position, rotation, velocity, spin))
        if forces.shape[0] != count or forces.shape[1] != 6:
            raise ShapeError(message, t)
        return forces

    return wrapped(call, True)


def _array_of(part, count, function=None, symbol="t"):
    """What the interpreter calls: a force of the user's, looked at every time."""
    function, title, shape = function or part.function, f"{part.title}: its function", (count, 6)
    what = f"{shape}, a row of force and torque for each body"
    return lambda t, states: returned(title, function(t, states), shape, t, symbol, what)


def _pair(part, count, compiled):
    """``pair(t, position, rotation, velocity, spin)``: derivatives that the user gives."""
    if not compiled:
        checked = _pair_of(part, count)
        return lambda t, *arrays: checked(t, States(*arrays))
    given, shape = wrapped(part.derivative, True), (count, 6, count, 6)
    message = f"{part.title}: its derivative gave another shape than two times {shape}"

    def pair(t, position, rotation, velocity, spin):
        by_position, by_velocity = given(t, States(position, rotation, velocity, spin))
        if by_position.shape != shape or by_velocity.shape != shape:
            raise ShapeError(message, t)
        return by_position, by_velocity

    return wrapped(pair, True)


def _pair_of(part, count):
    title, shape = f"{part.title}: its derivative", (count, 6, count, 6)

    def checked(t, states):
        both = part.derivative(t, states)
        if not isinstance(both, tuple | list) or len(both) != 2:
            raise ShapeError(f"{title} must give two arrays {shape}, by positions and by velocities", t)
        names = ("positions", "velocities")
        return tuple(returned(f"{title} by {by}", x, shape, t) for by, x in zip(names, both, strict=True))

    return checked


def _function(part, assembly):
    """A function (t, states) -> (n, 6) for any force."""
    if isinstance(part, UserForce):
        return part.function
    if isinstance(part, PointForce):
        return _point(part, assembly)
    return _torque(part, assembly)


def _marked(original, function):
    """``function`` is compiled if the user's was."""
    return evaluator(function) if is_compilable(original) else function


def _vector(part, given, n):
    """A function of t that gives a vector of n numbers or an exception."""
    if not callable(given):
        raise InputError(f"{part.title}: it must be numbers or a function of t")
    title = f"{part.title}: its function"
    if not is_compilable(given):
        return lambda t: returned(title, given(t), (n,), t)
    message = f"{title} gave another number of numbers than {n}"

    def vector(t):
        out = np.zeros(n)
        if not store(given(t), out):
            raise ShapeError(message, t)
        return out

    return evaluator(vector)


def _point(part, assembly):
    place = assembly.places[assembly.model.name_of(part.body)]
    s, n, follows = assembly.end_of(part, place), 2 if assembly.planar else 3, bool(part.follows)
    s0, s1, s2 = (float(x) for x in (*s, 0.0)[:3])
    vector = _vector(part, part.force, n)

    def function(t, states):
        force = np.zeros(3)
        force[:n] = vector(t)
        R = states.rotation[0]
        if follows:
            force = R @ force
        out = np.zeros((1, 6))
        out[0, :3] = force
        out[0, 3:] = np.cross(R @ np.array([s0, s1, s2]), force)
        return out

    return _marked(part.force, function)


def _torque(part, assembly):
    follows, n = bool(part.follows), 1 if assembly.planar else 3
    vector = _vector(part, part.torque, n)

    def function(t, states):
        torque = np.zeros(3)
        torque[3 - n :] = vector(t)  # about z in a plane
        out = np.zeros((1, 6))
        out[0, 3:] = states.rotation[0] @ torque if follows else torque
        return out

    return _marked(part.torque, function)
