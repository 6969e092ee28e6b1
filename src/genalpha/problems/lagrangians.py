"""Problems of the collection through SymPy: the same systems, from their Lagrangians.

Each function gives a `Lagrangian`: equations and the values of their parameters. Coordinates have the order of the
problem of the same name, or are the angles of its links alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from genalpha.symbolic import Equations, SymbolicSystem


class Lagrangian(NamedTuple):
    """Equations of motion and numbers for their parameters."""

    equations: Equations
    params: dict[str, Any]

    def system(self, **options) -> SymbolicSystem:
        """The system with these numbers."""
        return self.equations.system(self.params, **options)


def pendulum(wall: bool = False) -> Lagrangian:
    """The pendulum of 002, section 5, and with ``wall`` the bouncing one of section 6.1."""
    from sympy import cos, sin, symbols
    from sympy.physics.mechanics import dynamicsymbols

    from genalpha.symbolic import lagrange

    t = dynamicsymbols._t
    (x, y, theta), (L, m, J, gravity, x_min) = dynamicsymbols("x y theta"), symbols("L m J gravity x_min")
    kinetic = m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 + J * theta.diff(t) ** 2 / 2
    pin = {"pin.x": x - L * cos(theta), "pin.y": y - L * sin(theta)}
    contact = {"gaps": {"wall": x - x_min}, "e": 0.8} if wall else {}
    equations = lagrange(kinetic + m * gravity * y, [x, y, theta], g=pin, **contact)
    params = {"L": 1.0, "m": 1.0, "J": 0.1, "gravity": 10.0} | ({"x_min": np.sqrt(0.5)} if wall else {})
    return Lagrangian(equations, params)


def rolling_disk() -> Lagrangian:
    """The rolling disk from T and U as printed in 003, section 7, with the numbers of the paper."""
    from sympy import cos, sin, symbols
    from sympy.physics.mechanics import dynamicsymbols

    from genalpha.symbolic import lagrange

    t, y = dynamicsymbols._t, dynamicsymbols("x y theta phi chi")
    m, r, I1, I2, gravity = symbols("m r I1 I2 gravity")
    z1, z2, z3, z4, z5 = (coordinate.diff(t) for coordinate in y)
    c3, s3, c4, s4 = cos(y[2]), sin(y[2]), cos(y[3]), sin(y[3])
    T = (
        m * (z1**2 + z2**2 + r**2 * (z3**2 + z4**2 * s3**2)) / 2
        - m * r * (z3 * c3 * (z1 * s4 - z2 * c4) + z4 * s3 * (z1 * c4 + z2 * s4))
        + (I1 * (z3**2 + z4**2 * c3**2) + I2 * (z5 + z4 * s3) ** 2) / 2
    )
    roll = {"roll.x": z1 - r * c4 * z5, "roll.y": z2 - r * s4 * z5}
    equations = lagrange(T - m * gravity * r * c3, y, k=roll)
    return Lagrangian(equations, {"m": 2.0, "r": 1.0, "I1": 2.0, "I2": 2.0, "gravity": 10.0})


def links(n: int, length: float = 1.0, mass: float = 1.0, gravity: float = 9.81) -> Lagrangian:
    """A chain of n slender rods in their angles from the horizontal, as an engineer would write it down.

    ``links(2)`` is the double pendulum, ``links(16, 0.25, 0.25)`` the chain of the collection.
    """
    from sympy import Rational, cos, sin, symbols
    from sympy.physics.mechanics import dynamicsymbols

    from genalpha.symbolic import lagrange

    t, theta = dynamicsymbols._t, dynamicsymbols(f"theta1:{n + 1}")
    m, l, g = symbols("m l g")
    y, vx, vy, L = 0, 0, 0, 0  # of the end of the link before
    for angle in theta:
        height, across, up = l * sin(angle), (l * cos(angle)).diff(t), (l * sin(angle)).diff(t)
        speed = (vx + across / 2) ** 2 + (vy + up / 2) ** 2
        L += m * speed / 2 + Rational(1, 24) * m * l**2 * angle.diff(t) ** 2 - m * g * (y + height / 2)
        y, vx, vy = y + height, vx + across, vy + up
    return Lagrangian(lagrange(L, theta), {"m": mass, "l": length, "g": gravity})


def jointed_links(n: int, length: float = 1.0, mass: float = 1.0, gravity: float = 9.81) -> Lagrangian:
    """The same chain in absolute coordinates (x, y, θ) of each rod, with two constraints for each joint."""
    from sympy import Rational, cos, sin, symbols
    from sympy.physics.mechanics import dynamicsymbols

    from genalpha.symbolic import lagrange

    t, (m, l, gravity_) = dynamicsymbols._t, symbols("m l g")
    L, q, joints, end = 0, [], {}, (0, 0)
    for i in range(1, n + 1):
        x, y, theta = dynamicsymbols(f"x{i} y{i} theta{i}")
        half = (l * cos(theta) / 2, l * sin(theta) / 2)
        L += m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 + Rational(1, 24) * m * l**2 * theta.diff(t) ** 2
        L -= m * gravity_ * y
        joints |= {f"joint{i}.x": x - half[0] - end[0], f"joint{i}.y": y - half[1] - end[1]}
        q, end = [*q, x, y, theta], (x + half[0], y + half[1])
    return Lagrangian(lagrange(L, q, g=joints), {"m": mass, "l": length, "g": gravity})
