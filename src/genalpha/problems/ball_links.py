"""Chains of equal bodies on ball joints: motion in the rotations of the bodies, for reference solutions.

Body i is held at its point ``start`` by the point ``end`` of body i − 1, the first one at the origin, both as seen
from the body. Its centre is at  x_i = Σ_j R_j c_ij  with  c_ij = end − start for j < i, −start for j = i, else 0:

    ẍ_i = Σ_j R_j (Ω̇_j × c_ij + Ω_j × (Ω_j × c_ij))
    J Ω̇_i + Ω_i × J Ω_i = −Σ_k c_ki × R_iᵀ m (ẍ_k − g)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genalpha.problems.minimal import integrate
from genalpha.problems.problem import Reference

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BallLinks:
    """A chain of n equal bodies on ball joints.

    Attributes
    ----------
    n : int
    mass : float
    inertia : ndarray (3,)
        Principal inertias, in axes of the body.
    start, end, gravity : ndarray (3,)
    """

    n: int
    mass: float
    inertia: Array
    start: Array
    end: Array
    gravity: Array

    @property
    def arms(self) -> Array:
        """c_ij (n, n, 3)."""
        c = np.tril(np.ones((self.n, self.n)), -1)[:, :, None] * (self.end - self.start)
        return c - np.eye(self.n)[:, :, None] * self.start

    def centres(self, p) -> Array:
        """Positions (n, 3) of the bodies, from quaternions (n, 4)."""
        return np.einsum("jab,ijb->ia", rotation(p), self.arms)

    def velocities(self, p, Omega) -> Array:
        """Their velocities (n, 3)."""
        return np.einsum("jab,ijb->ia", rotation(p), np.cross(Omega[None], self.arms))

    def accelerations(self, p, Omega) -> tuple[Array, Array]:
        """Ω̇ (n, 3) and ẍ (n, 3)."""
        n, R, c = self.n, rotation(p), self.arms
        # ẍ_i = Σ_j A_ij Ω̇_j + b_i with A_ij = −R_j c_ij~
        A = np.einsum("jab,ijbc->iajc", R, _skew(-c)).reshape(3 * n, 3 * n)
        b = np.einsum("jab,ijb->ia", R, np.cross(Omega[None], np.cross(Omega[None], c)))
        J = np.kron(np.eye(n), np.diag(self.inertia))
        right = -np.cross(Omega, self.inertia * Omega).ravel() - A.T @ (self.mass * (b - self.gravity)).ravel()
        spin = np.linalg.solve(J + self.mass * A.T @ A, right)
        return spin.reshape(n, 3), (A @ spin).reshape(n, 3) + b

    def reference(self, p0, Omega0, t, group: str = "R3xSO3") -> Reference:
        """The motion at times t from quaternions (n, 4) and angular velocities (n, 3), by DOP853 at 1e-13.

        Row i of the constraints is the start of body i minus the end of body i − 1, so that its multiplier carries the
        bodies from i on:  lam_i = Σ_{j ≥ i} m (ẍ_j − g).
        """
        n = self.n

        def rhs(_, y):
            p, Omega = y[: 4 * n].reshape(n, 4), y[4 * n :].reshape(n, 3)
            # p grows as its own derivative is unaware of |p| = 1; what R needs is the unit quaternion
            unit = p / np.linalg.norm(p, axis=1)[:, None]
            return np.concatenate([rate(p, Omega).ravel(), self.accelerations(unit, Omega)[0].ravel()])

        y = integrate(rhs, 0.0, np.concatenate([np.ravel(p0), np.ravel(Omega0)]), t)
        rows = [self._row(state[: 4 * n].reshape(n, 4), state[4 * n :].reshape(n, 3), group) for state in y]
        q, v, lam, vdot = (np.array(column) for column in zip(*rows, strict=True))
        return Reference(q, v, lam, np.zeros((len(y), 0)), vdot)

    def _row(self, p, Omega, group):
        """(q, v, lam, v̇) of one state."""
        p = p / np.linalg.norm(p, axis=1)[:, None]
        x, xdot = self.centres(p), self.velocities(p, Omega)
        spin, xddot = self.accelerations(p, Omega)
        lam = self.mass * np.cumsum((xddot - self.gravity)[::-1], axis=0)[::-1]
        if group == "SE3":
            from genalpha.math import se3

            R = rotation(p)
            U = np.einsum("iab,ia->ib", R, xdot)
            Udot = np.einsum("iab,ia->ib", R, xddot) - np.cross(Omega, U)
            return se3.pack(x, p).ravel(), np.hstack([U, Omega]).ravel(), lam.ravel(), np.hstack([Udot, spin]).ravel()
        return (
            np.hstack([x, p]).ravel(),
            np.hstack([xdot, Omega]).ravel(),
            lam.ravel(),
            np.hstack([xddot, spin]).ravel(),
        )


def rotation(p) -> Array:
    """R (n, 3, 3) of unit quaternions (n, 4): 1 + 2 (w e~ + e~²)."""
    e = _skew(p[:, 1:])
    return np.eye(3) + 2.0 * (p[:, :1, None] * e + e @ e)


def rate(p, Omega) -> Array:
    """ṗ = ½ p ∘ Ω (n, 4)."""
    w, e = p[:, :1], p[:, 1:]
    scalar = -np.sum(e * Omega, axis=1, keepdims=True)
    return 0.5 * np.hstack([scalar, w * Omega + np.cross(e, Omega)])


def _skew(c):
    """c~ (..., 3, 3)."""
    zero = np.zeros(c.shape[:-1])
    x, y, z = np.moveaxis(c, -1, 0)
    return np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(*c.shape, 3)
