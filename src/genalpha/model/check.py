"""A battery for joints, constraints, forces and contacts: are they what they should be?

A contribution, of the library or your own, is put into small models of its own, in the groups and at the states where
it may fail, and there

- gradients are compared with complex steps along q ∘ exp(τ v), and biases with complex steps of 45 degrees:
  g̈ − G v̇ = Im[g(ετω) + g(−ετω)]/ε², ω² = i;
- the power of a force is compared with that of what it is made of, and where a joint holds, action equals reaction: a
  motion of all bodies together needs no power;
- everything is turned and shifted together, and what is measured must not change.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportAttributeAccessIssue=false, reportArgumentType=false, reportUnnecessaryIsInstance=false

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from genalpha.errors import GenalphaError, InputError
from genalpha.inputs import Array
from genalpha.model.model import Model
from genalpha.model.parts.contacts import Contact
from genalpha.model.parts.couplings import Constraint, Drive, PointDrive
from genalpha.model.parts.forces import (
    Bushing,
    Force,
    JointForce,
    Motor,
    PointForce,
    SpringDamper,
    Torque,
    TorsionSpring,
    UserForce,
)
from genalpha.model.parts.friction import DryFriction
from genalpha.model.parts.joints import Joint
from genalpha.model.testbed import Bed, Variant
from genalpha.system.block import BILATERAL, TANGENTIAL
from genalpha.system.contract import Contract


@dataclass(frozen=True)
class Finding:
    """One comparison: the largest relative error, and how large it may be."""

    name: str
    error: float
    tolerance: float
    where: str = ""

    @property
    def ok(self) -> bool:
        return bool(self.error <= self.tolerance)

    def __str__(self) -> str:
        verdict = "ok" if self.ok else f"WRONG, at most {self.tolerance:.0e}"
        return f"{self.name:<20} {self.error:.1e}   {verdict}{f'   {self.where}' if self.where and not self.ok else ''}"


@dataclass(frozen=True)
class ContributionReport:
    """What `check_contribution` found; ``print`` shows it.

    Attributes
    ----------
    title : str
    findings : tuple of Finding
    notes : tuple of str
        What was not compared, and why.

    Examples
    --------
    >>> import genalpha as ga
    >>> rotor = ga.RigidBody("rotor", mass=1.0, inertia=(0.1, 0.1, 0.2))
    >>> report = ga.check_contribution(ga.Torque("twist", rotor, (0.0, 0.0, 2.0)))
    >>> report.ok
    True
    """

    title: str
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Is everything as it should be?"""
        return all(finding.ok for finding in self.findings)

    def __str__(self) -> str:
        lines = [f"{self.title}: {'all is well' if self.ok else 'something is wrong'}"]
        lines += [f"  {finding}" for finding in self.findings]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])


def check_contribution(
    part: Joint | Constraint | Force | Contact | DryFriction, model: Model | None = None, throw: bool = False
) -> ContributionReport:
    """Check a joint, a constraint, a force, a contact or friction in a joint, of the library or of your own.

    Parameters
    ----------
    part : Joint, Constraint, Force, Contact or DryFriction
        Connected to bodies or joints; it need not belong to a model.
    model : Model, optional
        Where its bodies and joints are, if it names them by strings; planar if they are. Nothing is added to it.
    throw : bool
        Raise a GenalphaError with the report if something is wrong.

    Returns
    -------
    ContributionReport

    Examples
    --------
    >>> import genalpha as ga
    >>> rod = ga.RigidBody("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(1.0, 0.0, 0.0))
    >>> pin = ga.Revolute("pin", "ground", rod, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    >>> print(ga.check_contribution(pin))  # doctest: +ELLIPSIS
    Revolute 'pin': all is well
      G                    ...   ok
      g_bias               ...   ok
      frame                ...   ok
      action = reaction    ...   ok
    """
    if not isinstance(part, Joint | Constraint | Force | Contact | DryFriction):
        raise InputError(
            f"check_contribution takes a joint, a constraint, a force, a contact or dry friction, not a "
            f"{type(part).__name__}"
        )
    bed = Bed(part, model)
    findings, notes = {}, []
    check = next((check for kind, check in CHECKS.items() if isinstance(part, kind)), _of_joint)
    for variant in bed.variants():
        for finding in check(variant, notes):
            worst = findings.get(finding.name)
            if worst is None or not finding.error <= worst.error:
                findings[finding.name] = finding
    report = ContributionReport(part.title, tuple(findings.values()), tuple(dict.fromkeys(notes)))
    if throw and not report.ok:
        raise GenalphaError(str(report))
    return report


def _relative(found: Array, exact: Array, least: float = 1e-12) -> float:
    """Largest difference over the largest size, which is not less than ``least``."""
    scale = max(np.max(np.abs(exact), initial=0.0), np.max(np.abs(found), initial=0.0), least)
    return float(np.max(np.abs(found - exact), initial=0.0) / scale)


# joints


def _of_joint(variant: Variant, notes: list[str]) -> Iterator[Finding]:
    contract, names = variant.contract, variant.system.names["g"]
    for q, v in variant.states():
        if contract.nk:
            yield from _velocity_rows(variant, q, v)
        if not contract.ng:
            continue
        G = contract.matrix("G", 0.0, q)
        steps = [variant.complex("g", contract.ng, variant.along(q, e, 1e-20j)) for e in np.eye(contract.nv)]
        exact = np.stack(steps, axis=1).imag / 1e-20
        row = names[int(np.argmax(np.max(np.abs(G - exact), axis=1)))]
        yield Finding("G", _relative(G, exact), 1e-13, f"row {row!r}")
        # without the part of a prescribed motion, which is there at rest
        bias = contract.evaluate("g_bias", 0.0, q, v) - contract.evaluate("g_bias", 0.0, q, np.zeros(contract.nv))
        tau = 1e-3 * np.exp(0.25j * np.pi)
        both = sum(variant.complex("g", contract.ng, variant.along(q, v, side * tau)).imag for side in (1, -1)) / 1e-6
        row = names[int(np.argmax(np.abs(bias - both)))]
        yield Finding("g_bias", _relative(bias, both, 1e-2), 1e-9, f"row {row!r}")
    if isinstance(variant.part, Drive | PointDrive):
        yield from _motions(variant.part)
    if isinstance(variant.part, PointDrive):
        notes.append("a motion given in space does not turn with the frame; not compared")
    else:
        yield from _reactions(variant.freed())


def _velocity_rows(variant: Variant, q: Array, v: Array) -> Iterator[Finding]:
    """K and k_bias against complex steps."""
    contract, names = variant.contract, variant.system.names["k"]
    K = contract.matrix("K", 0.0, q, v)
    steps = [variant.complex("k", contract.nk, q + 0j, v + 1e-20j * e) for e in np.eye(contract.nv)]
    exact = np.stack(steps, axis=1).imag / 1e-20
    row = names[int(np.argmax(np.max(np.abs(K - exact), axis=1)))]
    yield Finding("K", _relative(K, exact), 1e-13, f"row {row!r}")
    bias = contract.evaluate("k_bias", 0.0, q, v)
    exact = variant.complex("k", contract.nk, variant.along(q, v, 1e-20j), v + 0j).imag / 1e-20
    yield Finding("k_bias", _relative(bias, exact, 1e-2), 1e-12, f"row {names[int(np.argmax(np.abs(bias - exact)))]!r}")


def _motions(part: Drive | PointDrive) -> Iterator[Finding]:
    """Derivatives of a prescribed motion that were given, against differences."""
    pairs = (("rate", part.motion, part.rate), ("acceleration", part.rate, part.acceleration))
    for name, function, derivative in pairs:
        if function is None or derivative is None:
            continue
        d = 1e-3
        for t in (0.0, 0.37, 1.1):
            ahead, behind = ([np.asarray(function(t + k * s * d), dtype=float) for k in (1, 2)] for s in (1, -1))
            exact = (8.0 * (ahead[0] - behind[0]) - (ahead[1] - behind[1])) / (12.0 * d)
            yield Finding(name, _relative(np.asarray(derivative(t), dtype=float), exact), 1e-6, f"at t = {t}")


def _reactions(variant: Variant) -> Iterator[Finding]:
    """Action equals reaction, and nothing changes when everything is moved together."""
    contract, random = variant.contract, np.random.default_rng(8)
    R, p = _rotation(variant.planar)
    for q, v in variant.states():
        lam = random.uniform(-1.0, 1.0, contract.nb)
        other = variant.shifted(q, R, p)
        sizes = [
            [np.linalg.norm(contract.evaluate("g", 0.0, x)), *np.linalg.svd(_rows(contract, x, u))[1]]
            for x, u in ((q, v), (other, variant.turned_velocity(v, R)))
        ]
        yield Finding("frame", _relative(*map(np.array, sizes)), 1e-12)
        q = variant.assembled(q) if contract.ng else q
        acts = variant.in_space(_rows(contract, q, v).T @ lam, q)
        yield Finding("action = reaction", float(np.abs(acts.sum(axis=0)).max() / (1e-12 + np.abs(acts).max())), 1e-12)


def _rows(contract: Contract, q: Array, v: Array) -> Array:
    """G and, where there are velocity rows, K."""
    return contract.gradient(0.0, q, v, BILATERAL)


def _rotation(planar: bool) -> tuple[Array, Array]:
    from genalpha.math import so3

    p = so3.exp([0.0, 0.0, 0.7] if planar else [0.4, -0.7, 0.5])
    return so3.matrix(p), p


# contacts


def _of_contact(variant: Variant, notes: list[str]) -> Iterator[Finding]:
    """N and gap_bias against complex steps, action and reaction, and another frame."""
    contract, names = variant.contract, variant.system.names["gap"]
    for q, v in variant.states():
        N = contract.matrix("N", 0.0, q)
        steps = [variant.complex("gap", contract.nc, variant.along(q, e, 1e-20j)) for e in np.eye(contract.nv)]
        exact = np.stack(steps, axis=1).imag / 1e-20
        row = names[int(np.argmax(np.max(np.abs(N - exact), axis=1)))]
        yield Finding("N", _relative(N, exact), 1e-13, f"row {row!r}")
        tau, bias = 1e-3 * np.exp(0.25j * np.pi), contract.evaluate("gap_bias", 0.0, q, v)
        both = sum(variant.complex("gap", contract.nc, variant.along(q, v, s * tau)).imag for s in (1, -1)) / 1e-6
        yield Finding("gap_bias", _relative(bias, both), 1e-9, f"row {names[int(np.argmax(np.abs(bias - both)))]!r}")
    free = variant.freed()
    (R, p), random = _rotation(variant.planar), np.random.default_rng(8)
    for q, _ in free.states():
        states = (q, free.shifted(q, R, p))
        sizes = [
            [*free.contract.evaluate("gap", 0.0, x), *np.linalg.svd(free.contract.matrix("N", 0.0, x))[1]]
            for x in states
        ]
        yield Finding("frame", _relative(*map(np.array, sizes)), 1e-12)
        force = random.uniform(0.5, 1.0, contract.nc)
        acts = free.in_space(free.contract.matrix("N", 0.0, q).T @ force, q)
        yield Finding("action = reaction", float(np.abs(acts.sum(axis=0)).max() / (1e-12 + np.abs(acts).max())), 1e-12)


def _of_contact_with_friction(variant: Variant, notes: list[str]) -> Iterator[Finding]:
    """The same, and its rows of slip."""
    yield from _of_contact(variant, notes)
    if variant.contract.nt:
        yield from _of_slip(variant, notes)


# friction


def _of_slip(variant: Variant, notes: list[str]) -> Iterator[Finding]:
    """T and slip_bias against complex steps, action and reaction, and another frame."""
    contract, names = variant.contract, variant.contract.row_names([TANGENTIAL])
    nt, least = contract.nt, 1e-2
    for q, v in variant.states():
        T = contract.matrix("T", 0.0, q, v)
        steps = [variant.complex("slip", nt, q + 0j, v + 1e-20j * e) for e in np.eye(contract.nv)]
        exact = np.stack(steps, axis=1).imag / 1e-20
        row = names[int(np.argmax(np.max(np.abs(T - exact), axis=1)))]
        yield Finding("T", _relative(T, exact), 1e-13, f"row {row!r}")
        bias = contract.evaluate("slip_bias", 0.0, q, v)
        exact = variant.complex("slip", nt, variant.along(q, v, 1e-20j), v + 0j).imag / 1e-20
        row = names[int(np.argmax(np.abs(bias - exact)))]
        yield Finding("slip_bias", _relative(bias, exact, least), 1e-12, f"row {row!r}")
    free = variant.freed()
    (R, p), random = _rotation(variant.planar), np.random.default_rng(8)
    for q, v in free.states():
        states = ((q, v), (free.shifted(q, R, p), free.turned_velocity(v, R)))
        sizes = [
            [
                np.linalg.norm(free.contract.evaluate("slip", 0.0, *state)),
                *np.linalg.svd(free.contract.matrix("T", 0.0, *state))[1],
            ]
            for state in states
        ]
        yield Finding("frame", _relative(*map(np.array, sizes)), 1e-12)
        acts = free.in_space(free.contract.matrix("T", 0.0, q, v).T @ random.uniform(-1.0, 1.0, nt), q)
        yield Finding("action = reaction", float(np.abs(acts.sum(axis=0)).max() / (1e-12 + np.abs(acts).max())), 1e-12)


# forces


def _of_force(variant: Variant, notes: list[str]) -> Iterator[Finding]:
    part, contract = variant.part, variant.contract
    for q, v in variant.states(0.2):
        f = contract.evaluate("f", 0.0, q, v) - _inertial(variant, q, v)
        power = _expected_power(variant, q, v)
        yield Finding("power", _relative(np.array([f @ v]), np.array([power])), 1e-8)
        if isinstance(part, SpringDamper):
            steps = [variant.complex("f", contract.nv, q + 0j, v + 1e-20j * e) for e in np.eye(contract.nv)]
            damping = contract.matrix("damping", 0.0, q, v, np.zeros(contract.nv), np.zeros(contract.m))
            yield Finding("damping", _relative(-damping, np.stack(steps, axis=1).imag / 1e-20), 1e-12)
        elif isinstance(part, JointForce | Bushing):
            damping = contract.matrix("damping", 0.0, q, v, np.zeros(contract.nv), np.zeros(contract.m))
            damping = damping - _inertial_damping(variant, q, v)
            yield Finding("damping", _relative(-damping, _slopes(variant, q, v), np.abs(f).max()), 1e-6)
    if isinstance(part, PointForce | Torque) and not part.follows:
        notes.append("a force given in space does not turn with the frame; not compared")
        return
    free = variant.freed()
    R, p = _rotation(variant.planar)
    errors = []
    for q, v in free.states(0.2):
        states = [(q, v), (free.shifted(q, R, p), free.turned_velocity(v, R))]
        one, two = (free.contract.evaluate("f", 0.0, *state) - _inertial(free, *state) for state in states)
        back = free.turned_velocity(one, R)
        errors.append(_relative(back, two))
        if isinstance(part, SpringDamper | JointForce | Bushing):
            acts = free.in_space(one, q)
            yield Finding("action = reaction", float(np.abs(acts.sum(axis=0)).max() / np.abs(acts).max()), 1e-12)
    if isinstance(part, UserForce) and max(errors) > 1e-10:
        notes.append(f"it depends on the frame (by {max(errors):.1e}), as forces of the surroundings do")
    else:
        yield Finding("frame", max(errors), 1e-10)


def _slopes(variant: Variant, q: Array, v: Array) -> Array:
    """∂f/∂v of a contribution, by differences."""
    columns: list[Array] = []
    for e in np.eye(len(v)):
        one, two = (
            variant.contract.evaluate("f", 0.0, q, u) - _inertial(variant, q, u) for u in (v + 1e-4 * e, v - 1e-4 * e)
        )
        columns.append((one - two) / 2e-4)
    return np.stack(columns, axis=1)


def _inertial(variant: Variant, q: Array, v: Array) -> Array:
    """Forces of inertia, which belong to no contribution."""
    return variant.inertia.evaluate("f", 0.0, q[: variant.inertia.nq], v)


def _inertial_damping(variant: Variant, q: Array, v: Array) -> Array:
    bodies = variant.inertia
    return bodies.matrix("damping", 0.0, q[: bodies.nq], v, np.zeros(bodies.nv), np.zeros(0))


def _expected_power(variant: Variant, q: Array, v: Array) -> float:
    """The power of a force, from what it is made of."""
    if isinstance(variant.part, SpringDamper | TorsionSpring | Bushing):
        return _spring_power(variant, q, v)
    if isinstance(variant.part, Motor):
        return _motor_power(variant, q, v)
    from genalpha.model.places import states

    part, assembly, planar = variant.part, variant.system.assembly, variant.planar
    places = [assembly.places[body.name] for body in variant.bodies]
    _, R, rates, spins = given_states = states(places, q, v, planar)
    if isinstance(part, UserForce) and part.function is not None:
        forces = np.asarray(part.function(0.0, given_states))
        return float(np.sum(forces * np.hstack([rates, spins])))
    given = part.force if isinstance(part, PointForce) else part.torque
    value, load = np.atleast_1d(np.asarray(given(0.0) if callable(given) else given, dtype=float)), np.zeros(3)
    load[3 - len(value) if isinstance(part, Torque) else 0 :][: len(value)] = value
    load = R[0] @ load if part.follows else load
    if isinstance(part, Torque):
        return float(load @ spins[0])
    arm = np.zeros(3)
    end = assembly.end_of(part, places[0])
    arm[: len(end)] = end
    return float(load @ (rates[0] + np.cross(spins[0], R[0] @ arm)))


def _spring_power(variant: Variant, q: Array, v: Array) -> float:
    """Minus the rate of the energy, by differences of fourth order, minus what the damper takes."""
    from genalpha.model.results.forces import potential, spring_line
    from genalpha.model.results.joints import coordinate_values, deformations, stiffness_of

    part, d, system = variant.part, 1e-4, variant.system
    path = np.array([np.real(variant.along(q, v, k * d)) for k in (-2, -1, 1, 2)])
    weights = np.array([1.0, -8.0, 8.0, -1.0]) / (12.0 * d)
    power = float(-weights @ potential(system, part.name, path))
    if isinstance(part, Bushing):
        rates = weights @ deformations(system, part, path)[0]
        return power - float(rates @ stiffness_of(system, part, "damping") @ rates)
    turning = isinstance(part, TorsionSpring)
    lengths = coordinate_values(system, part, part.joint, path) if turning else spring_line(system, part, path)[1]
    return power - float(part.damping * (weights @ lengths) ** 2)


def _motor_power(variant: Variant, q: Array, v: Array) -> float:
    """Its force times the rate of the coordinate, by differences."""
    from genalpha.model.results.joints import coordinate_values

    part, d = variant.part, 1e-4
    path = np.array([np.real(variant.along(q, v, k * d)) for k in (-2, -1, 0, 1, 2)])
    z = coordinate_values(variant.system, part, part.joint, path)
    rate = float(np.array([1.0, -8.0, 0.0, 8.0, -1.0]) @ z / (12.0 * d))
    return float(np.ravel(part.law(0.0, float(z[2]), rate))[0]) * rate


CHECKS = {Force: _of_force, Contact: _of_contact_with_friction, DryFriction: _of_slip}
"""What is checked of a kind of part; all others are joints and constraints."""
