"""The tippe top: a spinning top that turns over and stands on its stem, by nothing but friction."""

from __future__ import annotations

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.model.model import Model
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.contacts import Contact, Plane
from genalpha.model.parts.shapes import Mesh
from genalpha.problems.minimal import integrate
from genalpha.problems.problem import Problem, Reference

MASS, ACROSS, ALONG, GRAVITY = 6e-3, 8e-7, 7e-7, 9.81
"""kg, and moments of inertia across and along the axis, kg m²."""

BELOW, ABOVE = 3e-3, 1.6e-2
"""From the centre of mass to the centres of the body's and the stem's spheres, along the axis, m."""

BODY, STEM = 1.5e-2, 5e-3
"""Radii of the spheres, m."""

PATCH = 3.0 * np.pi / 16.0 * 5e-4
"""Radius that friction against drilling has, of a patch of contact of 0.5 mm, m."""

CUT, SIDES = -0.5, 24
"""Of the picture: where the sphere ends, over its radius, and corners around the axis."""

TOUCHES = 1.371043251
"""When the stem touches the floor, s; the reference ends there."""


def tippe_top(mu: float = 0.3, theta: float = 0.1, spin: float = 180.0) -> Problem:
    """The top of Leine and Glocker: a body sphere and a stem sphere, tilted by theta and spinning about its axis.

    The contacts ``body`` and ``stem`` have friction against sliding and against drilling. The reference is DOP853 with
    unit quaternions until the stem touches the floor.
    """
    axis = np.array([0.0, -np.sin(theta), np.cos(theta)])
    height = BODY - BELOW * np.cos(theta)

    def model() -> Model:
        top = Model("tippe top", gravity=(0.0, 0.0, -GRAVITY))
        top.add(
            RigidBody(
                "top", mass=MASS, inertia=(ACROSS, ACROSS, ALONG), position=(0.0, 0.0, height),
                orientation=(np.cos(0.5 * theta), np.sin(0.5 * theta), 0.0, 0.0), angular_velocity=spin * axis,
                shape=_shape(),
            )
        )  # fmt: skip
        for name, distance, radius in (("body", BELOW, BODY), ("stem", ABOVE, STEM)):
            top.add(
                Contact(
                    name, "top", Plane(name="floor"), on_a=(0.0, 0.0, distance), radius_a=radius, friction=mu,
                    drilling_radius=PATCH,
                )
            )  # fmt: skip
        return top

    system = model().assemble()
    return Problem(
        name="tippe_top",
        title="Tippe top",
        summary="A spinning top turns over and stands on its stem: sliding friction lifts its centre of mass.",
        source="R. I. Leine, C. Glocker, Eur. J. Mech. A 22 (2003) 193-216",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
        t_span=(0.0, 2.0),
        h=1e-4,
        method=GeneralizedAlpha(rho_inf=0.8),
        reference=lambda t: _reference(np.atleast_1d(t), mu, system.q0, system.v0),
        reference_is="DOP853 at 1e-13 with unit quaternions, until the stem touches the floor",
        conserves_energy=False,
    )


def _shape() -> Mesh:
    """The lower part of the body and the stem, with a cone between them: its centre is the centre of mass."""
    body, stem = np.linspace(-0.5 * np.pi, np.arcsin(CUT), 12), np.linspace(-0.5, 0.5 * np.pi, 8)
    r = np.concatenate([BODY * np.cos(body), STEM * np.cos(stem)])[1:-1]
    z = np.concatenate([BELOW + BODY * np.sin(body), ABOVE + STEM * np.sin(stem)])
    angles = 2.0 * np.pi * np.arange(SIDES) / SIDES
    rings = [np.outer(r, np.cos(angles)), np.outer(r, np.sin(angles)), np.repeat(z[1:-1, None], SIDES, axis=1)]
    n, k = len(r), np.arange(SIDES)
    after = (k + 1) % SIDES
    faces = [np.stack([0 * k, 1 + after, 1 + k], axis=1)]
    for i in range(n - 1):
        low, high = 1 + SIDES * i, 1 + SIDES * (i + 1)
        faces += [np.stack([low + k, low + after, high + after], 1), np.stack([low + k, high + after, high + k], 1)]
    last = 1 + SIDES * (n - 1)
    faces.append(np.stack([last + k, last + after, np.full(SIDES, 1 + SIDES * n)], axis=1))
    points = np.stack(rings, axis=2).reshape(-1, 3)
    return Mesh(np.vstack([[0.0, 0.0, z[0]], points, [0.0, 0.0, z[-1]]]), np.vstack(faces))


def _reference(t, mu, q0, v0) -> Reference:
    y = integrate(lambda _, y: _rates(y, mu)[0], 0.0, np.concatenate([q0, v0]), t)
    forces = np.array([np.concatenate(_rates(one, mu)) for one in y])
    q, v, empty = y[:, :7], y[:, 7:], np.zeros((len(y), 0))
    none = np.zeros((len(y), 1))
    lam_n = np.hstack([forces[:, 13:14], none])
    lam_t = np.hstack([forces[:, 14:], np.repeat(none, 3, axis=1)])
    return Reference(q, v, empty, empty, forces[:, 7:13], lam_n, lam_t)


def _rates(y, mu) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(ẏ, λn, λt) of y = (position, quaternion, velocity, angular velocity seen from the body), sliding on the body."""
    e, v, W = y[3:7] / np.linalg.norm(y[3:7]), y[7:10], y[10:13]
    R, inertia, up = _rotation(e), np.array([ACROSS, ACROSS, ALONG]), np.array([0.0, 0.0, 1.0])
    omega, arm = R @ W, BELOW * R[:, 2] - BODY * up
    s = np.append((v + np.cross(omega, arm))[:2], PATCH * omega[2])
    friction = -mu * s / np.linalg.norm(s)  # for λn = 1
    push = np.append(friction[:2], 1.0)
    torque = np.cross(arm, push) + PATCH * friction[2] * up
    turn = R @ ((R.T @ torque) / inertia)  # of ω̇, for λn = 1
    free = R @ (np.cross(inertia * W, W) / inertia)
    axis = BELOW * R[:, 2]
    rest = -GRAVITY + (np.cross(free, axis) + np.cross(omega, np.cross(omega, axis)))[2]
    lam_n = -rest / (1.0 / MASS + np.cross(turn, axis)[2])
    spin = 0.5 * np.array([-e[1:] @ W, *(e[0] * W + np.cross(e[1:], W))])
    vdot, Wdot = lam_n * push / MASS - GRAVITY * up, R.T @ (free + lam_n * turn)
    return np.concatenate([v, spin, vdot, Wdot]), np.array([lam_n]), lam_n * friction


def _rotation(e) -> np.ndarray:
    """The matrix of a unit quaternion, scalar part first."""
    w, u = e[0], e[1:]
    return (w * w - u @ u) * np.eye(3) + 2.0 * np.outer(u, u) + 2.0 * w * np.cross(u, np.eye(3)).T


def inclination(q) -> np.ndarray:
    """Angle of the axis to the vertical (nt,), of states (nt, 7)."""
    return np.arccos(np.clip(1.0 - 2.0 * (q[:, 4] ** 2 + q[:, 5] ** 2), -1.0, 1.0))
