"""Random numbers of a model, and the ingredients that families share: bodies, joints, springs, loads, methods."""

from __future__ import annotations

import numpy as np

from fuzz import ranges
from fuzz.describe import DAMPER, FORCE, ONE, RATE, STIFFNESS, TORQUE, Call, L, Law, T, plain
from genalpha.math import so3

SPATIAL = (
    "Spherical",
    "Revolute",
    "Prismatic",
    "Fixed",
    "Cylindrical",
    "Universal",
    "Planar",
    "PointOnLine",
    "Distance",
)
PLANAR = ("Revolute", "Prismatic", "Fixed", "PointOnLine", "Distance")
GRAVITY = 9.81


def unit(x):
    return x / np.linalg.norm(x)


class Draw:
    """Draws from one generator: model ``index`` of ``seed`` is always the same."""

    def __init__(self, seed: int, index: int):
        self.random = np.random.default_rng((seed, index))

    def between(self, bounds) -> float:
        return float(self.random.uniform(*bounds))

    def log(self, bounds) -> float:
        return float(np.exp(self.random.uniform(*np.log(bounds))))

    def whole(self, bounds) -> int:
        return int(self.random.integers(bounds[0], bounds[1] + 1))

    def pick(self, choices, weights=None):
        choices = list(choices)
        p = None if weights is None else np.asarray(weights, dtype=float) / np.sum(weights)
        return choices[int(self.random.choice(len(choices), p=p))]

    def chance(self, p: float) -> bool:
        return bool(self.random.random() < p)

    def direction(self, n: int) -> np.ndarray:
        return unit(self.random.normal(size=n))

    def quaternion(self) -> np.ndarray:
        """Any; sometimes none, because special positions are what goes wrong."""
        return (
            np.array([1.0, 0.0, 0.0, 0.0])
            if self.chance(0.3)
            else so3.exp(self.between((0.0, 3.1)) * self.direction(3))
        )

    # ------------------------------------------------------------ bodies

    def body(
        self, name: str, position, planar: bool, point: bool = False, size: float = 0.5, moving=True, **more
    ) -> Call:
        """A rigid body or a point mass."""
        n, mass = len(position), self.log(ranges.MASS)
        speed = self.between(ranges.SPEED) * moving
        words = {"mass": mass, "position": plain(position), "velocity": plain(speed * self.direction(n))}
        if point:
            return Call("PointMass", name, {**words, **more})
        spin = self.between(ranges.SPIN) * moving
        if planar:
            words |= {"inertia": mass * size**2 * self.log(ranges.SLENDER), "orientation": self.between((-3.0, 3.0)),
                      "angular_velocity": spin}  # fmt: skip
        else:
            moments = mass * size**2 * np.array([self.log(ranges.SLENDER) for _ in range(3)])
            words |= {"inertia": plain(moments.sum() - moments), "orientation": plain(self.quaternion()),
                      "angular_velocity": plain(spin * self.direction(3))}  # fmt: skip
            if self.chance(0.35):
                words["group"] = "SE3"
        return Call("RigidBody", name, {**words, **more})

    # ------------------------------------------------------------ joints

    def joint(self, name: str, a: Call | None, b: Call) -> Call:
        """Of a kind that both bodies can have."""
        x = np.asarray(b.fields["position"])
        n, parent = len(x), np.zeros(len(x)) if a is None else np.asarray(a.fields["position"])
        kinds = list(PLANAR if n == 2 else SPATIAL)
        point_a, point_b = a is not None and a.kind == "PointMass", b.kind == "PointMass"
        if point_a:
            kinds = ["Distance"]
        elif point_b:
            kinds = ["Revolute" if n == 2 else "Spherical", "PointOnLine", "Distance"]
        kind = self.pick(kinds)
        ends = {"a": "ground" if a is None else a.name, "b": b.name}
        if kind == "Distance":
            arms = {"on_b": plain(0.1 * self.direction(n))} if self.chance(0.5) and not point_b else {}
            arms |= {"at_a": (0.0,) * n} if a is None else {}
            return Call(kind, name, {**ends, **arms})
        at = x if point_b else x + self.between((0.0, 1.0)) * (parent - x) + 0.1 * self.direction(n)
        words = {**ends, "at": plain(at)}
        if kind in ("Prismatic", "PointOnLine") or (
            n == 3 and kind in ("Revolute", "Cylindrical", "Universal", "Planar")
        ):
            words["axis"] = plain(self.direction(n))
        if kind == "Universal":  # any second arm would do, but not the same one in another frame
            words["axis_2"] = plain(unit(np.cross(words["axis"], self.direction(3))))
        return Call(kind, name, words)

    def tree(self, n: int, planar: bool, points: float = 0.2, free: float = 0.08, first: str = "b"):
        """(bodies, joints): every body hangs on the ground or on one before it."""
        d, bodies, joints = 2 if planar else 3, [], []
        moving = self.chance(0.6)
        for i in range(n):
            parent = None if i == 0 or self.chance(0.2) else self.pick(bodies)
            origin = np.zeros(d) if parent is None else np.asarray(parent.fields["position"])
            position = origin + self.between(ranges.LENGTH) * self.direction(d)
            body = self.body(f"{first}{i}", position, planar, self.chance(points), moving=moving)
            if not self.chance(free):
                joints.append(self.joint(f"j{first}{i}", parent, body))
            bodies.append(body)
        return bodies, joints

    # ------------------------------------------------------------ forces

    def ends(self, bodies):
        """Two bodies, or one and the ground, and points of them."""
        b = self.pick(bodies)
        others = [None, *(body for body in bodies if body is not b)]
        a, d = self.pick(others), len(b.fields["position"])
        words = {"a": "ground" if a is None else a.name, "b": b.name}
        words |= {"at_a": (0.0,) * d} if a is None else {}
        for side, body in (("a", a), ("b", b)):
            if body is not None and body.kind == "RigidBody" and self.chance(0.7):
                words[f"on_{side}"] = plain(0.2 * self.direction(d))
        masses = [body.fields["mass"] for body in (a, b) if body is not None]
        return words, min(masses), a, b

    def spring(self, name: str, bodies) -> Call:
        words, mass, *_ = self.ends(bodies)
        omega = self.log(ranges.FREQUENCY)
        words |= {"stiffness": mass * omega**2, "damping": 2.0 * self.between(ranges.DAMPING) * mass * omega}
        if self.chance(0.4):
            words["damping"] = 0.0
        if self.chance(0.3):
            words["length"] = self.between(ranges.LENGTH)
        return Call("SpringDamper", name, words)

    def load(self, name: str, bodies, planar: bool) -> Call:
        body = self.pick(bodies)
        d, weight = len(body.fields["position"]), body.fields["mass"] * GRAVITY
        if body.kind == "RigidBody" and self.chance(0.4):
            torque = weight * 0.3 * (self.between((-1.0, 1.0)) if planar else self.direction(3))
            follows = {"follows": True} if self.chance(0.4) else {}
            return Call("Torque", name, {"body": body.name, "torque": plain(torque), **follows})
        words = {"body": body.name, "force": plain(weight * self.direction(d))}
        if body.kind == "RigidBody":
            words |= {"on": plain(0.2 * self.direction(d))} if self.chance(0.6) else {}
            words |= {"follows": True} if self.chance(0.4) else {}
        return Call("PointForce", name, words)

    def bushing(self, name: str, bodies) -> Call:
        rigid = [body for body in bodies if body.kind == "RigidBody"]
        words, mass, _, b = self.ends(rigid)
        words = {key: value for key, value in words.items() if key in "ab"}
        d, omega = len(b.fields["position"]), self.log(ranges.FREQUENCY)
        inertia = float(np.min(b.fields["inertia"]))
        k = [mass * omega**2 * self.between((0.2, 1.0)) for _ in range(d)]
        k += [inertia * omega**2 * self.between((0.2, 1.0)) for _ in range(1 if d == 2 else 3)]
        c = np.array(k) * 2.0 * self.between(ranges.DAMPING) / omega
        turn = so3.matrix(self.quaternion())
        angle = self.between((-3.0, 3.0))
        plane = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        words |= {"stiffness": plain(k), "damping": plain(c), "axes": plain(plane if d == 2 else turn)}
        return Call("Bushing", name, words)

    # ------------------------------------------------------------ functions of time

    def wave(self, size: float, dimension, begin: float, derivative: int = 0, numbers=None) -> Law:
        """a sin(w (t − begin)), or a derivative of it."""
        a, w = numbers or (size, self.between((0.5, 10.0)))
        source = ("{a} * np.sin({w} * (t - {b}))", "{a} * {w} * np.cos({w} * (t - {b}))",
                  "-{a} * {w} ** 2 * np.sin({w} * (t - {b}))")[derivative]  # fmt: skip
        return Law(
            "lambda t: " + source, {"a": (a, "number", dimension), "w": (w, "number", RATE), "b": (begin, "begin", T)}
        )

    def motions(self, size, dimension, begin: float) -> dict[str, Law]:
        """The motion of a drive, with or without its derivatives."""
        numbers = size, self.between((0.5, 10.0))
        names = ("motion", "rate", "acceleration")[: 3 if self.chance(0.5) else 1]
        return {name: self.wave(size, dimension, begin, i, numbers) for i, name in enumerate(names)}

    def motor(self, coordinate, mass_like: float) -> Law:
        """A controller: −k (z − z0) − c ż, with the dimensions of an angle or a displacement."""
        omega = self.log((0.5, 30.0))
        k, c = mass_like * omega**2, mass_like * omega * self.between((0.0, 1.0))
        turns = coordinate == "angle"
        return Law(
            "lambda t, z, rate: {k} * ({z} - z) - {c} * rate",
            {"k": (k, "number", TORQUE if turns else STIFFNESS), "c": (c, "number", (1, 2, -1) if turns else DAMPER),
             "z": (self.between((-0.5, 0.5)), "number", ONE if turns else L)},
        )  # fmt: skip

    def push(self, mass: float, d: int, begin: float) -> Law:
        """A force over time, in space."""
        source = "lambda t: np.array({f}) * np.cos({w} * (t - {b}))"
        force = plain(mass * GRAVITY * self.direction(d))
        return Law(source, {"f": (force, "vector", FORCE), "w": (self.between((0.5, 10.0)), "number", RATE),
                            "b": (begin, "begin", T)})  # fmt: skip

    # ------------------------------------------------------------ how it is run

    def method(self, touches: bool) -> Call:
        words = {"rho_inf": self.pick(ranges.RHO_INF)}
        if touches:
            if self.chance(0.1):
                return Call("MoreauJean", None, {"theta": self.pick((0.5, 1.0))})
            words["formulation"] = self.pick(("PVA", "PVV"), (6, 1))
            return Call("GeneralizedAlpha", None, words)
        words["formulation"] = self.pick(("PVA", "P", "PV", "V", "PVV", "baumgarte", "SOI2"), (6, 3, 2, 1, 1, 1, 2))
        if words["formulation"] == "SOI2":
            return Call("SOI2", None, {"rho_inf": words["rho_inf"]})
        words |= {"baumgarte": (20.0, 20.0)} if words["formulation"] == "baumgarte" else {}
        return Call("GeneralizedAlpha", None, words)

    def running(self, touches: bool = False):
        """Words for a `Case`."""
        return {"method": self.method(touches), "h": self.pick(ranges.H), "steps": self.whole(ranges.STEPS),
                "t0": 0.0 if self.chance(0.7) else self.between((-2.0, 5.0)), "options": {"project": True}}  # fmt: skip

    def world(self, planar: bool, gravity: bool | None = None) -> Call:
        """A model without parts."""
        down = (0.0, -GRAVITY) if planar else (0.0, 0.0, -GRAVITY)
        words = {"gravity": down} if (self.chance(0.8) if gravity is None else gravity) else {}
        words |= {"planar": True} if planar else {"map": "cayley"} if self.chance(0.15) else {}
        return Call("Model", "model", words)
