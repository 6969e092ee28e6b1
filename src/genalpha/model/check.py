"""A battery for joints and forces: are they what they should be? For those of the library and for your own.

A contribution is put into small models of its own, in the groups and at the states where it may fail, and there

- gradients are compared with complex steps along q ∘ exp(τ v), and biases with complex steps of 45 degrees:
  g̈ − G v̇ = Im[g(ετω) + g(−ετω)]/ε², ω² = i;
- the power of a force is compared with that of what it is made of, and where a joint holds, action equals reaction: a
  motion of all bodies together needs no power;
- everything is turned and shifted together, and what is measured must not change.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from genalpha.errors import GenalphaError, InputError
from genalpha.model.bed import Bed, Variant
from genalpha.model.bodies import Ground
from genalpha.model.forces import Force, PointForce, SpringDamper, Torque, UserForce
from genalpha.model.joints import Joint
from genalpha.model.model import Model


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
    >>> report = ga.check_contribution(ga.Torque("twist", rotor, (0.0, 0.0, 2.0)))  # doctest: +SKIP
    >>> report.ok  # doctest: +SKIP
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


def check_contribution(part: Joint | Force, model: Model | None = None, throw: bool = False) -> ContributionReport:
    """Check a joint or a force of the library or of your own.

    Parameters
    ----------
    part : Joint or Force
        Connected to bodies; it need not belong to a model.
    model : Model, optional
        Where its bodies are, if it names them by strings; planar if they are. Nothing is added to it.
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
    >>> print(ga.check_contribution(pin))  # doctest: +SKIP
    Revolute 'pin': all is well
      G                    1.1e-16   ok
      g_bias               3.2e-12   ok
      action = reaction    1.2e-16   ok
      frame                2.2e-16   ok
    """
    if not isinstance(part, Joint | Force):
        raise InputError(f"check_contribution takes a joint or a force, not a {type(part).__name__}")
    bed = Bed(part, model)
    findings, notes = {}, []
    check = _of_joint if isinstance(part, Joint) else _of_force
    for variant in bed.variants():
        for finding in check(variant, notes):
            worst = findings.get(finding.name)
            if worst is None or not finding.error <= worst.error:
                findings[finding.name] = finding
    report = ContributionReport(part.title, tuple(findings.values()), tuple(dict.fromkeys(notes)))
    if throw and not report.ok:
        raise GenalphaError(str(report))
    return report


def _relative(found, exact):
    """Largest difference over the largest size."""
    scale = max(np.max(np.abs(exact), initial=0.0), np.max(np.abs(found), initial=0.0), 1e-12)
    return float(np.max(np.abs(found - exact), initial=0.0) / scale)


# joints


def _of_joint(variant: Variant, notes) -> Iterator[Finding]:
    contract, names = variant.contract, variant.system.names["g"]
    for q, v in variant.states():
        G = contract.matrix("G", 0.0, q)
        steps = [variant.complex("g", contract.ng, variant.along(q, e, 1e-20j)) for e in np.eye(contract.nv)]
        exact = np.stack(steps, axis=1).imag / 1e-20
        row = names[int(np.argmax(np.max(np.abs(G - exact), axis=1)))]
        yield Finding("G", _relative(G, exact), 1e-13, f"row {row!r}")
        tau, bias = 1e-3 * np.exp(0.25j * np.pi), contract.evaluate("g_bias", 0.0, q, v)
        both = sum(variant.complex("g", contract.ng, variant.along(q, v, side * tau)).imag for side in (1, -1)) / 1e-6
        row = names[int(np.argmax(np.abs(bias - both)))]
        yield Finding("g_bias", _relative(bias, both), 1e-9, f"row {row!r}")
    yield from _reactions(variant.freed())


def _reactions(variant: Variant) -> Iterator[Finding]:
    """Action equals reaction, and nothing changes when everything is moved together."""
    contract, random = variant.contract, np.random.default_rng(8)
    R, p = _rotation(variant.planar)
    for q, _ in variant.states():
        lam = random.uniform(-1.0, 1.0, contract.ng)
        other = variant.shifted(q, R, p)
        sizes = [
            [np.linalg.norm(contract.evaluate("g", 0.0, x)), *np.linalg.svd(contract.matrix("G", 0.0, x))[1]]
            for x in (q, other)
        ]
        yield Finding("frame", _relative(*map(np.array, sizes)), 1e-12)
        q = variant.assembled(q)
        acts = variant.in_space(contract.matrix("G", 0.0, q).T @ lam, q)
        yield Finding("action = reaction", float(np.abs(acts.sum(axis=0)).max() / (1e-12 + np.abs(acts).max())), 1e-12)


def _rotation(planar):
    from genalpha.math import so3

    p = so3.exp([0.0, 0.0, 0.7] if planar else [0.4, -0.7, 0.5])
    return so3.matrix(p), p


# forces


def _of_force(variant: Variant, notes) -> Iterator[Finding]:
    part, contract = variant.part, variant.contract
    for q, v in variant.states(0.2):
        f = contract.evaluate("f", 0.0, q, v) - _inertial(variant, q, v)
        power = _expected_power(variant, q, v)
        yield Finding("power", _relative(np.array([f @ v]), np.array([power])), 1e-8)
        if isinstance(part, SpringDamper):
            steps = [variant.complex("f", contract.nv, q + 0j, v + 1e-20j * e) for e in np.eye(contract.nv)]
            damping = contract.matrix("damping", 0.0, q, v, np.zeros(contract.nv), np.zeros(contract.m))
            yield Finding("damping", _relative(-damping, np.stack(steps, axis=1).imag / 1e-20), 1e-12)
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
        if isinstance(part, SpringDamper):
            acts = free.in_space(one, q)
            yield Finding("action = reaction", float(np.abs(acts.sum(axis=0)).max() / np.abs(acts).max()), 1e-12)
    if isinstance(part, UserForce) and max(errors) > 1e-10:
        notes.append(f"it depends on the frame (by {max(errors):.1e}), as forces of the surroundings do")
    else:
        yield Finding("frame", max(errors), 1e-10)


def _inertial(variant: Variant, q, v):
    """Forces of inertia, which belong to no contribution."""
    model = Model("bodies", planar=variant.planar)
    for body in variant.bodies:
        if not isinstance(body, Ground):
            model.add(body)
    system = model.assemble()
    return system.contract(0.0, system.q0, system.v0).evaluate("f", 0.0, q, v)


def _expected_power(variant: Variant, q, v) -> float:
    """The power of a force, from what it is made of."""
    if isinstance(variant.part, SpringDamper):
        return _spring_power(variant, q, v)
    from genalpha.model.results import states

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


def _spring_power(variant: Variant, q, v) -> float:
    """Minus the rate of the energy, by differences of fourth order, minus what the damper takes."""
    from genalpha.model.results import potential, spring_line

    part, d = variant.part, 1e-4
    path = np.array([np.real(variant.along(q, v, k * d)) for k in (-2, -1, 1, 2)])
    weights = np.array([1.0, -8.0, 8.0, -1.0]) / (12.0 * d)
    rate = weights @ spring_line(variant.system, part, path)[1]
    return float(-weights @ potential(variant.system, part.name, path) - part.damping * rate**2)
