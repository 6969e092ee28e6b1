"""Small models of a part and its bodies, for `check`: states, motions, powers, another frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import InputError
from genalpha.model.model import Model
from genalpha.model.parts.bodies import Body, Ground, RigidBody
from genalpha.model.parts.contacts import Contact, Plane
from genalpha.model.parts.couplings import Coupling, Drive, Gear
from genalpha.model.parts.forces import Bushing, JointForce, SpringDamper, UserForce
from genalpha.model.parts.friction import DryFriction
from genalpha.model.parts.joints import Joint

Array = NDArray[np.float64]

STATES = 3
"""Random states at which everything is compared."""


class Bed:
    """Small models that hold a part and its bodies."""

    def __init__(self, part, model: Model | None):
        self.part, self.planar = part, model.planar if model is not None else False
        self.bodies: list[Body] = []
        self.joints = joints_of(part, model)
        for body in _held(part, model):
            if isinstance(body, str):
                if model is None and body != "ground":
                    raise InputError(f"{part.title}: body {body!r} is only a name; pass model=..., which has it")
                body = Ground("ground") if model is None else model.parts[model.name_of(body, part)]
            self.bodies.append(body)

    def variants(self) -> Iterator[Variant]:
        """The part between its own bodies, and between the same bodies on SE(3)."""
        yield Variant(self.part, self.bodies, self.planar, self.joints)
        if not self.planar and any(isinstance(body, RigidBody) for body in self.bodies):
            moved = [replace(body, group="SE3") if isinstance(body, RigidBody) else body for body in self.bodies]
            yield Variant(self.part, moved, self.planar, self.joints)


class Variant:
    """A model of nothing but a part, its bodies and its joints; ``free``: a body stands for the ground."""

    def __init__(self, part, bodies, planar, joints=(), free=False):
        self.planar = planar
        names = [body.name for body in bodies]
        bodies = [_standin(planar) if free and isinstance(body, Ground) else body for body in bodies]
        model = Model(part.name, planar=planar)
        for body in bodies:
            if not isinstance(body, Ground):
                model.add(body)
        new = {name: body.name for name, body in zip(names, bodies, strict=True)}
        self.joints = [_holding(joint, [new[_named(body)] for body in (joint.a, joint.b)]) for joint in joints]
        for joint in self.joints:
            model.add(joint)
        self.part, self.bodies = _holding(part, [body.name for body in bodies]), bodies
        model.add(self.part)
        self.system = model.assemble()
        self.contract = self.system.contract(0.0, self.system.q0, self.system.v0, compiled=False)
        self.is_free = all(not isinstance(body, Ground) for body in bodies)

    @cached_property
    def inertia(self):
        """The contract of the bodies alone."""
        model = Model("bodies", planar=self.planar)
        for body in self.bodies:
            if not isinstance(body, Ground):
                model.add(body)
        system = model.assemble()
        return system.contract(0.0, system.q0, system.v0, compiled=False)

    def freed(self) -> Variant:
        return self if self.is_free else Variant(self.part, self.bodies, self.planar, self.joints, free=True)

    def states(self, spread=0.4) -> Iterator[tuple[Array, Array]]:
        """Generic states: nothing holds there."""
        random, nv = np.random.default_rng(5), self.contract.nv
        for _ in range(STATES):
            delta = random.uniform(-spread, spread, nv)
            q = np.ascontiguousarray(np.real(self.along(self.system.q0, delta, 1.0)))
            yield q, random.uniform(-1.0, 1.0, nv)

    def assembled(self, q) -> Array:
        """A state near q in which the joint holds, by Newton's iteration."""
        for _ in range(20):
            g, G = self.contract.evaluate("g", 0.0, q), self.contract.matrix("G", 0.0, q)
            q = np.ascontiguousarray(np.real(self.along(q, -np.linalg.lstsq(G, g, rcond=None)[0], 1.0)))
        return q

    def along(self, q, v, tau):
        """q ∘ exp(τ v), also for complex τ."""
        q1 = np.array(q, dtype=complex)
        for place in self.system.assembly.places.values():
            w = tau * np.asarray(v[place.v : place.v + place.nv] if place.v >= 0 else ())
            if place.on_se3:
                q1[place.q : place.q + 8] = _carried(q[place.q : place.q + 8], w)
            elif place.turns:
                q1[place.q : place.q + 3] += w[:3]
                motion = _carried([*q[place.r : place.r + 4], 0, 0, 0, 0], [0, 0, 0, *w[3:]])
                q1[place.r : place.r + 4] = motion[:4]
            else:
                q1[place.q : place.q + place.nq] += w
        return q1

    def complex(self, name, size, *arguments):
        """A library evaluator of complex arguments; without what is a function of t alone."""
        from genalpha.model.leaves.evaluators import evaluators_of

        out = np.zeros(size, dtype=complex)
        evaluators = evaluators_of(self.system.assembly.layout, jit=False)
        getattr(evaluators, name)(0.0, *arguments, self.system.data, out)
        return out

    def in_space(self, forces, q) -> Array:
        """What generalised forces are in space: force and torque about the origin, for each body (n, 6)."""
        from genalpha.model.places import positions, rotations

        rows = []
        for place in (self.system.assembly.places[body.name] for body in self.bodies):
            force, torque = np.zeros(3), np.zeros(3)
            if place.v >= 0:
                n, R = 2 if self.planar else 3, rotations(place, q[None], self.planar)[0]
                f = forces[place.v : place.v + place.nv]
                force[:n] = f[:n]
                if place.turns:
                    force, torque = R @ force if place.on_se3 else force, R @ f[3:]
                elif self.planar and place.nv == 3:
                    torque[2] = f[2]
                torque = torque + np.cross(positions(place, q[None], self.planar)[0], force)
            rows.append([*force, *torque])
        return np.array(rows)

    def shifted(self, q, R, p):
        """The configuration with everything turned by the quaternion p (R) and shifted by (1, −2, 3)."""
        from genalpha.math import se3, so3

        q1, shift = q.copy(), np.array([1.0, -2.0, 0.0 if self.planar else 3.0])
        for place in self.system.assembly.places.values():
            if place.v < 0:
                continue
            if place.on_se3:
                x, r = se3.unpack(q[place.q : place.q + 8])
                q1[place.q : place.q + 8] = se3.pack(R @ x + shift, so3.multiply(p, r))
                continue
            n = 2 if self.planar else 3
            q1[place.x : place.x + n] = R[:n, :n] @ q[place.x : place.x + n] + shift[:n]
            if place.turns:
                q1[place.r : place.r + 4] = so3.multiply(p, q[place.r : place.r + 4])
            elif place.nq == 3 and self.planar:
                q1[place.q + 2] += 2.0 * np.arctan2(p[3], p[0])
        return q1

    def turned_velocity(self, v, R):
        """The velocity that belongs to `shifted`: what is seen from the body stays."""
        v1 = v.copy()
        for place in self.system.assembly.places.values():
            if place.v >= 0 and not place.on_se3:
                n = 2 if self.planar else 3
                v1[place.v : place.v + n] = R[:n, :n] @ v[place.v : place.v + n]
        return v1


def _standin(planar):
    """A body where the ground is."""
    return RigidBody("_ground", mass=1.0, inertia=1.0 if planar else (1.0, 1.0, 1.0))


def _held(part, model) -> list[Body | str]:
    """The bodies that a part needs, in their order, each once."""
    if isinstance(part, Contact):
        return part.sides
    joints = joints_of(part, model)
    if joints:
        held = [body for joint in joints for body in (joint.a, joint.b)]
        names = [body.name if isinstance(body, Body) else body for body in held]
        return [body for i, body in enumerate(held) if names[i] not in names[:i]]
    if isinstance(part, Joint | SpringDamper | Bushing):
        return [part.a, part.b]
    return list(part.bodies) if isinstance(part, UserForce) else [part.body]


def joints_of(part, model) -> list[Joint]:
    """The joints whose coordinates a part acts on, each once."""
    found = []
    for joint in _references(part):
        if isinstance(joint, str):
            known = {} if model is None else model.parts
            name = joint if joint in known else joint.rpartition(".")[0]
            if not isinstance(known.get(name), Joint):
                raise InputError(f"{part.title}: joint {joint!r} is only a name; pass model=..., which has it")
            joint = known[name]
        if joint not in found:
            found.append(joint)
    return found


def _references(part):
    """The joints of a part as it names them."""
    if isinstance(part, JointForce | DryFriction):
        return [part.joint]
    return part.joints if isinstance(part, Coupling | Gear | Drive) else ()


def _holding(part, names):
    """The same part on bodies of these names; joints are meant by their names."""
    if isinstance(part, Contact):
        b = replace(part.b, body=names[1]) if isinstance(part.b, Plane) else names[1]
        return replace(part, a=names[0], b=b)
    if isinstance(part, Joint | SpringDamper | Bushing):
        return replace(part, a=names[0], b=names[1])
    if isinstance(part, Coupling):
        return replace(part, joints=[_named(joint) for joint in part.joints])
    if isinstance(part, Gear):
        return replace(part, driver=_named(part.driver), driven=_named(part.driven))
    if isinstance(part, JointForce | Drive | DryFriction):
        return replace(part, joint=_named(part.joint))
    return replace(part, bodies=names) if isinstance(part, UserForce) else replace(part, body=names[0])


def _named(part) -> str:
    return part if isinstance(part, str) else part.name


def _carried(pd, w):
    """Dual quaternion ∘ exp of the motion w = (u, θ), by the series; both may be complex."""
    factor = 0.5 * np.array([0, *w[3:], 0, *w[:3]])
    term = total = np.array(pd, dtype=complex)
    for k in range(1, 24):
        term = _product(term, factor) / k
        total = total + term
    return total


def _product(a, b):
    """Of dual quaternions."""
    from genalpha.math.so3 import multiply

    return np.concatenate([multiply(a[:4], b[:4]), multiply(a[:4], b[4:]) + multiply(a[4:], b[:4])])
