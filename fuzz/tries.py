"""Values that are wrong for an argument of a kind, and small runs that show whether a part is right.

Parts are put into a small model, which is assembled and run for two steps.
"""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import numpy as np

import genalpha as ga
from fuzz.run import Interpreted


class Odd:
    """Nothing that anybody expects."""

    def __repr__(self):
        return "Odd()"


def short(t):
    return (0.0,)


def nothing(*_):
    return None


def many(a, b, c, d, e, f, g, h):
    return 0.0


def word(*_):
    return "one"


def not_finite(*_):
    return np.nan


ODD = ["abc", Odd(), {}, {"x": 1.0}, b"1", 1j, nothing]
NUMBERS = [*ODD, None, (1.0, 2.0), np.nan, np.inf, -np.inf, [[1.0]] * 2, "1e400"]
FUNCTIONS = [1.0, "f", Odd(), (1.0, 2.0), many, nothing, word]
WRONG = {
    "number": NUMBERS,
    "positive": [*NUMBERS, -1.0, 0.0],
    "not negative": [*NUMBERS, -1.0],
    "not negative, or by names": [x for x in (*NUMBERS, -1.0) if x != {}],
    "fraction": [*NUMBERS, -0.1, 1.1],
    "bounded slip": [*NUMBERS, -1.1, 1.1],
    "whole": [*NUMBERS, 0, -1, 1.5],
    "vector": [
        *ODD,
        1.0,
        (1.0,),
        (1.0, 2.0, 3.0, 4.0, 5.0),
        (1.0, np.nan, 0.0),
        (1.0, np.inf, 0.0),
        ("a", "b", "c"),
        [[1.0, 2.0], [3.0]],
        (None, None, None),
        (1j, 0.0, 0.0),
    ],
    "direction": [*ODD, 1.0, (1.0,), (0.0, 0.0, 0.0), (1.0, np.nan, 0.0), ("a", "b", "c")],
    "positive vector": [*ODD, (1.0,), (1.0, -1.0, 1.0), (0.0, 1.0, 1.0), (1.0, np.nan, 1.0), "abc", ("a", "b", "c")],
    "quaternion": [*ODD, 1.0, (1.0, 0.0), (0.0, 0.0, 0.0, 0.0), (1.0, np.nan, 0.0, 0.0), (2.0, 0.0, 0.0, 0.0)],
    "inertia": [
        *ODD,
        None,
        (1.0, 1.0),
        (-1.0, 1.0, 1.0),
        (1.0, 1.0, 9.0),
        np.zeros((3, 3)),
        np.eye(2),
        (1.0, np.nan, 1.0),
        -1.0,
    ],
    "name": [1, None, Odd(), ("a",), b"name", 2.5],
    "body": [1, "", "nobody", None, Odd(), ("a",), 2.5, {}],
    "joint": [1, "", "no joint", None, Odd(), "a", 2.5, {}],
    "choice": ["xyz", 7, None, Odd(), "", ("PVA",), 2.5],
    "flag": [],
    "function": [*FUNCTIONS, None, not_finite],
    "optional function": [*FUNCTIONS, not_finite],
    "function or numbers": ["f", Odd(), (1.0, 2.0, 3.0), many, nothing, word, not_finite],
    "axes": [*ODD, (1.0, 1.0), np.zeros((3, 3)), 2.0 * np.eye(3), np.eye(2), -np.eye(3)],
    "length": [*ODD, (1.0, 2.0), np.nan, np.inf, -1.0],
    "bounded": [*ODD, (1.0, 2.0), np.nan, np.inf, -1.0, 0.0],
    "limit": [*ODD, (1.0, 2.0), np.nan, -1.0, 0.0, "1e400"],
    "shape": ["Box", 1.0, Odd(), {}, (1.0, 1.0, 1.0)],
    "list": ["ab", 1, None, Odd(), [1, 2], [None], [Odd()]],
    "optional": [*ODD, (1.0, 2.0), np.nan, -1.0, 0.0],
    "pair": ["abc", 1, Odd(), {}, (1.0, "b"), (1.0,), (1.0, np.nan)],
    "word": ["abc", Odd(), {}, (1.0, 2.0), b"1", nothing],
    "rows": ["abc", 1, Odd(), [Odd()], ["x"]],
    "anything wrong": ["abc", 1, Odd(), (1.0, 2.0)],
    "times": [
        "abc",
        1.0,
        None,
        Odd(),
        (0.0,),
        (1.0, 0.0),
        (0.0, np.nan),
        (0.0, np.inf),
        (0.0, 1.0, 2.0),
        (0.0, "b"),
        (0.0, 0.0),
        {},
    ],
    "state": [
        "abc",
        Odd(),
        (1.0,),
        (1.0, 2.0, 3.0),
        (np.nan, 0.0),
        (1j, 0.0),
        ("a", "b"),
        {"x": 1.0},
        [[1.0, 0.0]],
        np.zeros((2, 2)),
    ],
    "matrix": ["abc", Odd(), 1.0, np.eye(3), (1.0, 2.0), np.full((2, 2), np.nan), {}, None, many, nothing],
    "vector of words": ["abc", Odd(), {}, ("a", "b"), np.nan, 1j, [[1.0], [1.0]]],
    "file": [1.0, Odd(), "", "/no/such/folder/x.h5", {}, "."],
    "path": [1.0, Odd(), None, "", "/no/such/folder/x.h5", {}, "."],
    "key": [1, None, "nothing", Odd(), ("a", "b", "c"), 2.5],
}


def small(planar: bool = False):
    """Two bodies on hinges."""
    model = ga.Model("small", planar=planar, gravity=(0.0, -9.81) if planar else (0.0, 0.0, -9.81))
    for i, name in enumerate("ab"):
        at = (1.0 + i, 0.6 * i) if planar else (1.0 + i, 0.0, 0.6 * i)
        turn = {"orientation": 0.0, "angular_velocity": 0.0} if planar else {}
        inertia = 0.1 if planar else (0.1, 0.1, 0.1)
        shape = ga.Sphere(0.1)
        model.add(
            ga.RigidBody(name, mass=1.0, inertia=inertia, position=at, velocity=(0.0,) * len(at), shape=shape, **turn)
        )
    axis = {} if planar else {"axis": (0.0, 1.0, 0.0)}
    for name, one, two, x, z in (("p", "ground", "a", 0.5, 0.0), ("r", "a", "b", 1.5, 0.2)):
        model.add(ga.Revolute(name, one, two, at=(x, z) if planar else (x, 0.0, z), **axis))
    return model


def run(model):
    """Two steps, interpreted; methods take care of contacts."""
    system = model.assemble()
    system = Interpreted(system.model, system.assembly, system.data, system.q0, system.v0)
    return ga.solve(system, (0.0, 2e-3), h=1e-3, project=True)


def part(kind, **words):
    """A part in the small model."""
    model = small()
    model.add(getattr(ga, kind)(**words))
    run(model)


def alone(kind, **words):
    """A body by itself."""
    model = ga.Model("alone")
    model.add(getattr(ga, kind)(**words))
    run(model)


def beam(kind, **words):
    model = ga.Model("beam")
    model.add(getattr(ga, kind)(**words))
    model.assemble().contract(0.0, *[getattr(model.assemble(), name) for name in ("q0", "v0")], compiled=False)


def force(t, q, v):
    return np.array([0.0, -9.81])


def circle(t, q):
    return np.array([q @ q - 1.0])


@functools.cache
def pendulum():
    return ga.System(M=np.eye(2), f=force, g=circle, names={"q": ["x", "y"], "g": ["rod"]})


@functools.cache
def solution():
    return ga.solve(pendulum(), (0.0, 0.01), [1.0, 0.0], [0.0, 0.0], h=1e-3)


@functools.cache
def solution_of_model():
    return run(small())


def solve(**words):
    return ga.solve(
        **{"system": pendulum(), "t_span": (0.0, 0.01), "q0": [1.0, 0.0], "v0": [0.0, 0.0], "h": 1e-3} | words
    )


def made(**words):
    """A system, solved."""
    system = ga.System(**words)
    return ga.solve(system, (0.0, 2e-3), [1.0, 0.0], [0.0, 0.0], h=1e-3)


@functools.cache
def file() -> str:
    path = Path(tempfile.mkdtemp()) / "run.h5"
    solution().save(path)
    return str(path)


def method(kind, **words):
    chosen = getattr(ga, kind)(**words)
    return ga.solve(pendulum(), (0.0, 2e-3), [1.0, 0.0], [0.0, 0.0], chosen, h=1e-3)


def lagrangian(**words):
    from genalpha.symbolic import lagrange

    return lagrange(**words)


def coordinates():
    from sympy import symbols
    from sympy.physics.mechanics import dynamicsymbols

    t, (x, y), (m, l) = dynamicsymbols._t, dynamicsymbols("x y"), symbols("m l")
    return t, x, y, m, l


def expressions():
    t, x, y, m, l = coordinates()
    return {
        "L": (m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 - m * y, "word"),
        "q": ([x, y], "list"),
        "g": ([x**2 + y**2 - l**2], "rows"),
        "k": ((), "rows"),
        "gaps": ([y], "rows"),
        "e": (0.0, "word"),
        "forces": (None, "rows"),
        "dissipation": (0, "word"),
    }
