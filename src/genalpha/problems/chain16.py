"""A hanging chain of 16 links in absolute coordinates: sparse matrices."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.method import GeneralizedAlpha
from genalpha.problems.links import Links
from genalpha.problems.problem import Problem
from genalpha.system.functions import Sparse, evaluator
from genalpha.system.system import System

# a link: a slender rod; q = (x, y, θ) of each
LENGTH = 0.25
MASS = 0.25
INERTIA = MASS * LENGTH**2 / 12.0
GRAVITY = 9.81
HALF = 0.5 * LENGTH


@evaluator
def f(t, q, v, out):
    """Weight."""
    for i in range(q.size // 3):
        out[3 * i + 1] = -MASS * GRAVITY


@evaluator
def g(t, q, out):
    """Rows 2i, 2i + 1: the start of link i minus the end of link i − 1, or the pin."""
    for i in range(q.size // 3):
        out[2 * i] = q[3 * i] - HALF * np.cos(q[3 * i + 2])
        out[2 * i + 1] = q[3 * i + 1] - HALF * np.sin(q[3 * i + 2])
        if i > 0:
            out[2 * i] -= q[3 * i - 3] + HALF * np.cos(q[3 * i - 1])
            out[2 * i + 1] -= q[3 * i - 2] + HALF * np.sin(q[3 * i - 1])


@evaluator
def g_q(t, q, out):
    """Values of G on `pattern`, eight per link; the first link has no end before it and its last four are not there."""
    n = q.size // 3
    for i in range(n):
        c, s = HALF * np.cos(q[3 * i + 2]), HALF * np.sin(q[3 * i + 2])
        at = 8 * i
        out[at], out[at + 1] = 1.0, s
        out[at + 2], out[at + 3] = 1.0, -c
        if i + 1 < n:
            out[at + 4], out[at + 5] = -1.0, s
            out[at + 6], out[at + 7] = -1.0, -c


@evaluator
def g_bias(t, q, v, out):
    """g̈ − G v̇."""
    for i in range(q.size // 3):
        w = v[3 * i + 2] ** 2
        out[2 * i] = HALF * np.cos(q[3 * i + 2]) * w
        out[2 * i + 1] = HALF * np.sin(q[3 * i + 2]) * w
        if i > 0:
            w = v[3 * i - 1] ** 2
            out[2 * i] += HALF * np.cos(q[3 * i - 1]) * w
            out[2 * i + 1] += HALF * np.sin(q[3 * i - 1]) * w


def energy(t, q, v):
    """Kinetic and potential energy."""
    x, y, theta = v.reshape(-1, 3).T
    kinetic = 0.5 * MASS * np.sum(x**2 + y**2) + 0.5 * INERTIA * np.sum(theta**2)
    return kinetic, MASS * GRAVITY * np.sum(q[1::3])


def pattern(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the values of `g_q`: link i in its own rows (start), then in those of the next link (end)."""
    rows, cols = [], []
    for i in range(n):
        for first in (2 * i, 2 * i + 2)[: 2 if i + 1 < n else 1]:
            rows += [first, first, first + 1, first + 1]
            cols += [3 * i, 3 * i + 2, 3 * i + 1, 3 * i + 2]
    return np.array(rows), np.array(cols)


def make(links: int = 16) -> Problem:
    """The chain, straight and horizontal, let go from rest.

    The reference is the motion in the angles of the links, by DOP853 at 1e-13, with multipliers from the exact
    accelerations.
    """
    if links < 1:
        raise InputError(f"links = {links!r}: a chain has at least one link")
    chain = Links(links, LENGTH, MASS, INERTIA, GRAVITY)
    rest = np.zeros(links)

    def system():
        return System(
            M=np.diag(np.tile([MASS, MASS, INERTIA], links)), f=f, g=g, ng=2 * links, g_q=Sparse(g_q, *pattern(links)),
            g_t=0, g_bias=g_bias, f_q=0, f_v=0, energy=energy, drawing=chain.drawing(),
            names={
                "q": [f"{letter}{i}" for i in range(1, links + 1) for letter in "xyθ"],
                "g": [f"joint{i}.{axis}" for i in range(1, links + 1) for axis in "xy"],
            },
        )  # fmt: skip

    return Problem(
        name="chain16",
        title=f"Chain of {links} links",
        summary="A chain let go from the horizontal: 3 coordinates and 2 constraints per link, sparse matrices.",
        source="the double pendulum of L. D. Landau, E. M. Lifshitz, Mechanics, §5, problem 1, continued to many rods",
        system=system,
        q0=chain.state(rest, rest)[0],
        v0=chain.state(rest, rest)[1],
        t_span=(0.0, 2.0),
        h=1e-3,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=lambda t: chain.reference(rest, rest, t),
        reference_is="angles of the links, DOP853 at 1e-13; multipliers from the exact accelerations",
    )
