"""Planar chains of equal links: motion in the angles of the links, for reference solutions.

Link i has its centre at  p_i = l Σ_j c_ij e(θ_j),  e(θ) = (cosθ, sinθ),  with c_ij = 1 for j < i, ½ for j = i, else 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genalpha.model.parts.shapes import Capsule
from genalpha.problems.minimal import integrate
from genalpha.problems.problem import Reference
from genalpha.view.drawing import Body, Drawing, Joint, Part, Point


@dataclass(frozen=True)
class Links:
    """A chain of n equal links on a pin; gravity is counted along −y."""

    n: int
    length: float
    mass: float
    inertia: float
    gravity: float

    @property
    def arms(self) -> NDArray[np.float64]:
        """c_ij l (n, n)."""
        return self.length * (np.tril(np.ones((self.n, self.n)), -1) + 0.5 * np.eye(self.n))

    def state(self, theta, omega) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(q, v) (..., 3n) in absolute coordinates (x, y, θ) per link, from angles and their rates (..., n)."""
        c, s = np.cos(theta), np.sin(theta)
        return (
            _interleave(c @ self.arms.T, s @ self.arms.T, theta),
            _interleave(-(s * omega) @ self.arms.T, (c * omega) @ self.arms.T, omega),
        )

    def drawing(self, *more: Part) -> Drawing:
        """The links as rods, a joint at the start of each; the end leaves a trace."""
        thick = Capsule(radius=0.045 * self.length, length=self.length)
        parts: list[Part] = []
        for i in range(self.n):
            own = slice(3 * i, 3 * i + 3)
            parts.append(Body(f"link {i + 1}", thick, _place(own), _along(own)))
            parts.append(Joint(f"joint {i + 1}", _place(own, -0.5 * self.length), (0.0, 0.0, 1.0), 0.05 * self.length))
        last = slice(3 * self.n - 3, 3 * self.n)
        return Drawing(*parts, Point("end", _place(last, 0.5 * self.length), trace=True), *more)

    def reference(self, theta0, omega0, t) -> Reference:
        """The motion at times t, by DOP853 at 1e-13; multipliers from the exact accelerations.

        Row i of the constraints is the start of link i minus the end of link i − 1, so that its multiplier carries the
        links from i on:  lam_i = Σ_{j ≥ i} m (p̈_j + (0, gravity)).
        """
        return self.multipliers(integrate(self.rhs(), 0.0, np.concatenate([theta0, omega0]), t))

    def multipliers(self, y) -> Reference:
        """States and multipliers in absolute coordinates, from angles and rates (nt, 2n); see `reference`."""
        n, rhs = self.n, self.rhs()
        theta, omega = y[:, :n], y[:, n:]
        alpha = np.array([rhs(0.0, row)[n:] for row in y])
        c, s = np.cos(theta), np.sin(theta)
        x = (-s * alpha - c * omega**2) @ self.arms.T
        y = (c * alpha - s * omega**2) @ self.arms.T
        carried = self.mass * np.cumsum(np.stack([x, y + self.gravity], axis=2)[:, ::-1], axis=1)[:, ::-1]
        lam, psi = carried.reshape(-1, 2 * n), np.zeros((len(theta), 0))
        return Reference(*self.state(theta, omega), lam, psi, _interleave(x, y, alpha))

    def rhs(self):
        """Lagrange's equations for the angles, C = l² cᵀc, s_j = l Σ_i c_ij.

        Σ_k (m C_jk cos(θ_j − θ_k) + J δ_jk) θ̈_k = −Σ_k m C_jk sin(θ_j − θ_k) θ̇_k² − m gravity s_j cosθ_j
        """
        n, C = self.n, self.mass * self.arms.T @ self.arms
        weight, J = self.mass * self.gravity * self.arms.sum(axis=0), self.inertia * np.eye(self.n)

        def rhs(_, y):
            theta, omega = y[:n], y[n:]
            difference = theta[:, None] - theta[None, :]
            right = -(C * np.sin(difference)) @ omega**2 - weight * np.cos(theta)
            return np.concatenate([omega, np.linalg.solve(C * np.cos(difference) + J, right)])

        return rhs

    def hit(self, theta, omega, gradient, e: float) -> NDArray[np.float64]:
        """The rates after an impact along a gradient of a distance in the angles: its velocity is reversed, times e."""
        C = self.mass * self.arms.T @ self.arms
        mass = C * np.cos(theta[:, None] - theta[None, :]) + self.inertia * np.eye(self.n)
        push = np.linalg.solve(mass, gradient)
        return omega - (1.0 + e) * (gradient @ omega) / (gradient @ push) * push


def _place(own: slice, shift: float = 0.0):
    """The point of a link at a distance from its centre."""

    def place(t, q):
        x, y, theta = q[own]
        return x + shift * np.cos(theta), y + shift * np.sin(theta)

    return place


def _along(own: slice):
    """Turns the axis z of a shape into the direction of a link."""

    def along(t, q):
        c, s = np.cos(q[own][2]), np.sin(q[own][2])
        return [[s, 0.0, c], [-c, 0.0, s], [0.0, -1.0, 0.0]]

    return along


def _interleave(x, y, theta):
    """(..., n) three times to (..., 3n), link by link."""
    stacked = np.stack([x, y, theta], axis=-1)
    return stacked.reshape(*stacked.shape[:-2], -1)
