"""Scenes with friction: points, discs, rods and boxes in a plane, balls in space, on floors that may move.

A scene holds numbers in SI units and is built in any units, turned, in any order, and later in time. Its functions are
interpreted.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import genalpha as ga
from fuzz.describe import Call


@dataclass(frozen=True)
class Floor:
    """A line (a plane in space, z = 0): its angle, height, belt velocity, shaking; in space how fast it turns."""

    angle: float = 0.0
    height: float = 0.0
    belt: float = 0.0
    shake: float = 0.0
    rate: float = 0.0
    turns: float = 0.0


@dataclass(frozen=True)
class Contact:
    """What touches what: a point (x, y) or a circle of body a, and a floor, a body or the top of a box b."""

    kind: str  # corner, round, rounds, top
    a: int
    b: int
    x: float = 0.0
    y: float = 0.0
    r: float = 0.0
    mu: Any = 0.3
    static: float = 1.0
    e: float = 0.0
    e_t: float = 0.0


@dataclass(frozen=True)
class Scene:
    """Bodies (mass, inertia) with three coordinates each, or six in space, and all that acts on them."""

    kind: str
    d: int
    masses: tuple[tuple[float, float], ...]
    contacts: tuple[Contact, ...]
    q0: tuple[float, ...]
    v0: tuple[float, ...]
    h: float
    steps: int
    floors: tuple[Floor, ...] = (Floor(),)
    gravity: tuple[float, ...] = (0.0, -9.81)
    springs: tuple[tuple[int, float, float, float], ...] = ()  # coordinate, stiffness, damping, place
    push: tuple[tuple[int, float, float], ...] = ()  # coordinate, force, rate
    pins: tuple[tuple[int, float, float], ...] = ()  # body, and a point of it that stays where it is
    rods: tuple[tuple[int, float, float], ...] = ()  # body, ground point: the distance stays
    ties: tuple[tuple[int, int, float], ...] = ()  # velocities of two coordinates: v_i = c v_j
    doubled: bool = False
    dry: tuple[tuple[int, int, float], ...] = ()  # coordinates i, j (-1: none) and a bound
    drill: float = 0.0
    method: Call = field(default_factory=lambda: Call("GeneralizedAlpha", None, {}))
    options: dict[str, Any] = field(default_factory=dict)
    units: tuple[float, float, float] = (1.0, 1.0, 1.0)
    turn: float = 0.0
    shift: float = 0.0
    order: tuple[int, ...] = ()

    family, has_functions, touches = "friction", True, True

    @property
    def n(self):
        return (3 if self.d == 2 else 6) * len(self.masses)

    @property
    def is_length(self):
        """Which coordinates are lengths."""
        return np.array(([1, 1, 0] if self.d == 2 else [1, 1, 1, 0, 0, 0]) * len(self.masses))

    @property
    def smooth(self):
        """Is the energy all there is?"""
        return not self.push and not any(f.belt or f.shake or f.turns for f in self.floors)

    def scales(self):
        """Of q, of v."""
        _, length, time = self.units
        q = np.where(self.is_length, length, 1.0)
        return q, q / time

    def rotation(self):
        """Of the plane of a planar scene, about z of one in space."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        R = np.eye(self.n)
        for i in range(len(self.masses)):
            for k in (3 * i,) if self.d == 2 else (6 * i, 6 * i + 3):
                R[k : k + 2, k : k + 2] = [[c, -s], [s, c]]
        return R

    def start(self):
        """(q0, v0) as built."""
        sq, sv = self.scales()
        R = self.rotation()
        q0 = R @ np.array(self.q0)
        if self.d == 2:
            q0[2::3] += self.turn
        return q0 * sq, (R @ np.array(self.v0)) * sv

    @property
    def span(self):
        time = self.units[2]
        return self.shift * time, (self.shift + self.steps * self.h) * time

    def back(self, sol):
        """(q, v) in SI units, not turned."""
        sq, sv = self.scales()
        q, R = sol.q / sq, self.rotation()
        if self.d == 2:
            q = q.copy()
            q[:, 2::3] -= self.turn
        return q @ R, (sol.v / sv) @ R

    def build(self):
        """The system."""
        return System(self).make()

    def changed(self, change):
        """In the units that ``change`` makes of 1 kg, 1 m and 1 s."""
        factors = [change(1.0, "number", tuple(one)) for one in np.eye(3, dtype=int)]
        return replace(self, units=tuple(float(u * f) for u, f in zip(self.units, factors, strict=True)))

    def script(self):
        return "\n".join([
            "from fuzz.describe import Call", "from fuzz.run import solve",
            "from fuzz.sliding import Contact, Floor, Scene", "", f"sol = solve({self!r}).sol",
        ])  # fmt: skip


class System:
    """Functions of a scene; inside they are in SI units and not turned."""

    def __init__(self, scene: Scene):
        self.s = scene
        self.sq, self.sv = scene.scales()
        self.R = scene.rotation()
        self.m, self.l, self.t = scene.units
        self.mass = np.concatenate([[m] * scene.d + [j] * (scene.n // len(scene.masses) - scene.d)
                                    for m, j in scene.masses])  # fmt: skip
        self.contacts = [scene.contacts[i] for i in (scene.order or range(len(scene.contacts)))]

    def inside(self, t, q, v=None):
        s = self.s
        x = q / self.sq
        if s.d == 2 and s.turn:
            x = x - s.turn * (1 - s.is_length)
        x = self.R.T @ x
        return t / self.t - s.shift, x, None if v is None else self.R.T @ (v / self.sv)

    # forces

    def f(self, t, q, v):
        s = self.s
        t, x, u = self.inside(t, q, v)
        f = np.zeros(s.n, dtype=np.result_type(t, x, u))
        width = s.n // len(s.masses)
        for i, (m, _) in enumerate(s.masses):
            f[width * i : width * i + s.d] += m * np.array(s.gravity)
        for i, k, c, at in s.springs:
            f[i] += -k * (x[i] - at) - c * u[i]
        for i, size, rate in s.push:
            f[i] += size * np.cos(rate * t)
        force = self.m * self.l / self.t**2 * np.where(s.is_length, 1.0, self.l)
        return (self.R @ f) * force

    def M(self, t, q):
        # bodies have the same mass in all directions
        return np.diag(self.mass * self.m * np.where(self.s.is_length, 1.0, self.l**2))

    def energy(self, t, q, v):
        s = self.s
        t, x, u = self.inside(t, q, v)
        width, V = s.n // len(s.masses), 0.0
        for i, (m, _) in enumerate(s.masses):
            V -= m * np.dot(s.gravity, x[width * i : width * i + s.d])
        for i, k, _, at in s.springs:
            V += 0.5 * k * (x[i] - at) ** 2
        unit = self.m * self.l**2 / self.t**2
        return 0.5 * np.sum(self.mass * u * u) * unit, V * unit

    # contacts

    def rows(self, t, x, u):
        """Gaps, and slips, of all contacts."""
        planar = self.s.d == 2
        return zip(*[(planar_rows if planar else ball_rows)(self.s, c, t, x, u) for c in self.contacts], strict=True)

    def gap(self, t, q):
        t, x, _ = self.inside(t, q)
        return np.array(list(next(self.rows(t, x, 0.0 * x)))) * self.l

    def slip(self, t, q, v):
        t, x, u = self.inside(t, q, v)
        rows = np.array(list(self.rows(t, x, u))[1]) * self.l / self.t
        return rows[:, 0] if self.s.d == 2 else rows

    # constraints

    def g(self, t, q):
        s, (t, x, _) = self.s, self.inside(t, q)
        rows = []
        for i, a, b in s.pins:
            at, begin = point(x, i, a, b), point(np.array(s.q0), i, a, b)
            rows += list(at - begin)
        for i, a, b in s.rods:
            width = s.n // len(s.masses)
            r, r0 = x[width * i : width * i + 2] - [a, b], np.array(s.q0)[width * i : width * i + 2] - [a, b]
            rows.append((r @ r - r0 @ r0) / (2.0 * np.sqrt(r0 @ r0)))
        rows += rows[:1] if s.doubled else []
        return np.array(rows) * self.l

    def k(self, t, q, v):
        _, _, u = self.inside(t, q, v)
        return np.array([(u[i] - c * u[j]) * self.sv[i] for i, j, c in self.s.ties])

    def dry(self, t, q, v):
        _, _, u = self.inside(t, q, v)
        return np.array([(u[i] - (u[j] if j >= 0 else 0.0)) * self.sv[i] for i, j, _ in self.s.dry])

    def make(self):
        s, words = self.s, {}
        force = self.m * self.l / self.t**2
        if s.pins or s.rods:
            words["g"] = self.g
        if s.ties:
            words["k"] = self.k
        if s.dry:
            words["dry"] = self.dry
            words["dry_bound"] = [b * force * (1.0 if s.is_length[i] else self.l) for i, _, b in s.dry]
        if self.contacts:
            mu = [c.mu for c in self.contacts]
            words |= {
                "gap": self.gap, "slip": self.slip, "e": np.array([c.e for c in self.contacts]), "mu": mu,
                "e_t": np.array([c.e_t for c in self.contacts]),
            }  # fmt: skip
            if any(c.static != 1.0 for c in self.contacts):
                words["mu_static"] = (np.array(mu).T * np.array([c.static for c in self.contacts])).T
        return ga.System(M=self.M, f=self.f, energy=self.energy, compile=False, **words)


def point(x, i, a, b):
    """A point of a planar body."""
    c, s = np.cos(x[3 * i + 2]), np.sin(x[3 * i + 2])
    return np.array([x[3 * i] + c * a - s * b, x[3 * i + 1] + s * a + c * b])


def planar_rows(scene, contact, t, x, u):
    """(gap, slip)."""
    i, j = contact.a, contact.b
    at, vel = x[3 * i : 3 * i + 2], u[3 * i : 3 * i + 2]
    if contact.kind in ("corner", "top"):
        at = point(x, i, contact.x, contact.y)
        arm = at - x[3 * i : 3 * i + 2]
        vel = vel + u[3 * i + 2] * np.array([-arm[1], arm[0]])
    if contact.kind in ("corner", "round"):
        floor = scene.floors[j]
        c, s = np.cos(floor.angle), np.sin(floor.angle)
        n, along = np.array([-s, c]), np.array([c, s])
        height = floor.height + floor.shake * np.sin(floor.rate * t)
        gap = at @ n - height - contact.r
        return gap, (vel @ along + contact.r * u[3 * i + 2] - floor.belt,)
    if contact.kind == "rounds":
        # contact.x, contact.y are the radii
        r = at - x[3 * j : 3 * j + 2]
        length = np.sqrt(r @ r)
        n = r / length
        along = np.array([n[1], -n[0]])
        slip = (vel - u[3 * j : 3 * j + 2]) @ along + contact.x * u[3 * i + 2] + contact.y * u[3 * j + 2]
        return length - contact.x - contact.y, (slip,)
    # a corner on the top of a box whose half height is r
    c, s = np.cos(x[3 * j + 2]), np.sin(x[3 * j + 2])
    n, along = np.array([-s, c]), np.array([c, s])
    arm = at - x[3 * j : 3 * j + 2]
    under = u[3 * j : 3 * j + 2] + u[3 * j + 2] * np.array([-arm[1], arm[0]])
    return arm @ n - contact.r, ((vel - under) @ along,)


def ball_rows(scene, contact, t, x, u):
    """(gap, slips) of balls and points in space."""
    i, j = contact.a, contact.b
    at, vel, spin = x[6 * i : 6 * i + 3], u[6 * i : 6 * i + 3], u[6 * i + 3 : 6 * i + 6]
    if contact.kind == "round":
        floor = scene.floors[j]
        height = floor.height + floor.shake * np.sin(floor.rate * t)
        slip = [vel[0] - contact.r * spin[1] - floor.belt + floor.turns * at[1],
                vel[1] + contact.r * spin[0] - floor.turns * at[0]]  # fmt: skip
        if scene.drill:
            slip.append(scene.drill * (spin[2] - floor.turns))
        return at[2] - height - contact.r, slip
    r = at - x[6 * j : 6 * j + 3]
    length = np.sqrt(r @ r)
    n = r / length
    other = u[6 * j + 3 : 6 * j + 6]
    relative = vel - u[6 * j : 6 * j + 3] - np.cross(contact.x * spin + contact.y * other, n)
    helper = np.array([0.3, 1.0, -0.2])
    one = np.cross(n, helper)
    one = one / np.sqrt(one @ one)
    two = np.cross(n, one)
    slip = [relative @ one, relative @ two]
    if scene.drill:
        slip.append(scene.drill * ((spin - other) @ n))
    return length - contact.x - contact.y, slip
