"""Forces that users write as functions of the time and the states of bodies, compiled into the force of a model."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError, NonFiniteError, ShapeError
from genalpha.functions import is_compilable
from genalpha.jit import jit_is_on, leaf
from genalpha.model.families import wrapped
from genalpha.model.forces import PointForce, States, UserForce
from genalpha.model.layout import STATE
from genalpha.model.rows import frame, origin, to_body, to_space
from genalpha.model.turns import turned


@leaf
def read_states(q, v, data, first, position, rotation, velocity, spin):
    """The states of bodies, from row ``first`` of STATE on, in space."""
    bits = data.view(np.int64)
    for k in range(position.shape[0]):
        i = bits[2 * STATE] + 4 * (first + k)
        x, r, w = bits[i], bits[i + 1], bits[i + 2]
        kind = bits[i + 3]
        R = frame(q, r)
        if kind == 2 or kind == 3:  # planar, a body or a point mass
            c, s = turned(q, x if kind == 2 else -1, data, 1.0, 0.0)
            R = (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)
            position[k, 0], position[k, 1], position[k, 2] = q[x], q[x + 1], 0.0
            velocity[k, 0], velocity[k, 1], velocity[k, 2] = v[w], v[w + 1], 0.0
            spin[k, 0], spin[k, 1], spin[k, 2] = 0.0, 0.0, v[w + 2] if kind == 2 else 0.0
        else:
            position[k, 0], position[k, 1], position[k, 2] = origin(q, x, r)
            a, b, c = v[w], v[w + 1], v[w + 2]
            if x < 0:
                a, b, c = to_space(R, a, b, c)
            velocity[k, 0], velocity[k, 1], velocity[k, 2] = a, b, c
            if r >= 0:
                spin[k, 0], spin[k, 1], spin[k, 2] = to_space(R, v[w + 3], v[w + 4], v[w + 5])
            else:
                spin[k, 0], spin[k, 1], spin[k, 2] = 0.0, 0.0, 0.0
        for j in range(9):
            rotation[k, j // 3, j % 3] = R[j]


@leaf
def put_forces(q, data, first, forces, out):
    """Add forces and torques in space to the generalised forces."""
    bits = data.view(np.int64)
    for k in range(forces.shape[0]):
        i = bits[2 * STATE] + 4 * (first + k)
        x, r, w, kind = bits[i], bits[i + 1], bits[i + 2], bits[i + 3]
        a, b, c = forces[k, 0], forces[k, 1], forces[k, 2]
        if kind == 2 or kind == 3:  # planar
            out[w] += a
            out[w + 1] += b
            if kind == 2:
                out[w + 2] += forces[k, 5]
            continue
        R = frame(q, r)
        if x < 0:
            a, b, c = to_body(R, a, b, c)
        out[w] += a
        out[w + 1] += b
        out[w + 2] += c
        if r >= 0:
            a, b, c = to_body(R, forces[k, 3], forces[k, 4], forces[k, 5])
            out[w + 3] += a
            out[w + 4] += b
            out[w + 5] += c


def require_forces(system, parts, t, q, v):
    """Call functions of the user's once and refuse what they give if it is not as it must be."""
    from genalpha.model.results import states

    assembly, planar = system.assembly, system.model.planar
    for part in parts:
        if isinstance(part, UserForce):
            places = [assembly.places[system.model.name_of(body)] for body in part.bodies]
            value, shapes = part.function(t, states(places, q, v, planar)), ((len(places), 6),)  # pyright: ignore
            what = f"({len(places)}, 6), a row of force and torque for each body"
        elif isinstance(part, PointForce):
            value, shapes, what = part.force(t), ((2 if planar else 3,),), "(2,)" if planar else "(3,)"  # pyright: ignore
        else:
            value, shapes, what = part.torque(t), ((), (1,)) if planar else ((3,),), "a number" if planar else "(3,)"
        value = np.asarray(value, dtype=float)
        if value.shape not in shapes:
            raise ShapeError(f"{part.title}: its function gave the shape {value.shape} at t0 = {t:.9g}, not {what}")
        if not np.all(np.isfinite(value)):
            raise NonFiniteError(f"{part.title}: its function gave NaN or inf at t0 = {t:.9g}")


def force_with(f, assembly, parts, jit: bool = True):
    """The evaluator f of a model, and these forces of the user's, ready to be compiled; not so without ``jit``."""
    total = f
    for part in parts:
        total = _plus(total, _function(part, assembly), assembly.states[part.name], _count(part), jit)
    return total


def _count(part):
    return len(part.bodies) if isinstance(part, UserForce) else 1


def _plus(others, function, first, count, jit):
    jit = jit and jit_is_on()
    others, function = wrapped(others, jit), _callable(function) if jit else _array_of(function)

    def f(t, q, v, data, out):
        others(t, q, v, data, out)
        position, velocity, spin = np.empty((count, 3)), np.empty((count, 3)), np.empty((count, 3))
        rotation = np.empty((count, 3, 3))
        read_states(q, v, data, first, position, rotation, velocity, spin)
        put_forces(q, data, first, function(t, States(position, rotation, velocity, spin)), out)

    return f


def _array_of(function):
    """What interpreted code calls."""
    return lambda t, states: np.ascontiguousarray(function(t, states), dtype=np.float64)


def _callable(function):
    """What compiled code calls: a jitted function, or a plain one by way of the interpreter."""
    from numba import njit, objmode

    from genalpha.compiling import jitted

    if is_compilable(function):
        return jitted(getattr(function, "py_func", function))

    @njit
    def call(t, states):
        with objmode(forces="float64[:,::1]"):
            forces = np.ascontiguousarray(function(t, states), dtype=np.float64)
        return forces

    return call


def _function(part, assembly):
    """A function (t, states) -> (n, 6) for any force."""
    if isinstance(part, UserForce):
        return part.function
    if isinstance(part, PointForce):
        return _point(part, assembly)
    return _torque(part, assembly)


def _marked(original, function):
    """``function`` is compiled if the user's was."""
    from genalpha.functions import evaluator

    return evaluator(function) if is_compilable(original) else function


def _point(part, assembly):
    place = assembly.places[assembly.model.name_of(part.body)]
    s, n, follows, given = assembly.end_of(part, place), 2 if assembly.planar else 3, bool(part.follows), part.force
    s0, s1, s2 = (float(x) for x in (*s, 0.0)[:3])

    def function(t, states):
        force = np.zeros(3)
        force[:n] = given(t)
        R = states.rotation[0]
        if follows:
            force = R @ force
        out = np.zeros((1, 6))
        out[0, :3] = force
        out[0, 3:] = np.cross(R @ np.array([s0, s1, s2]), force)
        return out

    return _marked(given, function)


def _torque(part, assembly):
    given, follows, planar = part.torque, bool(part.follows), assembly.planar
    if not callable(given):
        raise InputError(f"{part.title}: torque must be numbers or a function of t")

    if planar:

        def function(t, states):
            out = np.zeros((1, 6))
            out[0, 5] = given(t)  # pyright: ignore
            return out

    else:

        def function(t, states):
            torque = np.zeros(3)
            torque[:] = given(t)  # pyright: ignore
            out = np.zeros((1, 6))
            out[0, 3:] = states.rotation[0] @ torque if follows else torque
            return out

    return _marked(given, function)
