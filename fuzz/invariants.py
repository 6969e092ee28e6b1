"""What every run must keep: constraints, balances of forces, complementarity, energy. Each says what is wrong, if so.

The balance of Newton and Euler is put together from the results that users see (reactions, tensions, efforts), not from
the equations that were solved.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import genalpha as ga
from fuzz import ranges
from fuzz.run import Run, solve
from genalpha.math.saddle import independent_rows
from genalpha.model.parts.bodies import PointMass
from genalpha.model.places import Pose, points, positions, rotations, velocities
from genalpha.model.results.contacts import lines
from genalpha.model.tables.coordinates import joint_of

LEVELS = {"PVA": "pva", "PV": "pv", "P": "p", "V": "v", "SOI2": "pv", "PVV": "pv", "MoreauJean": "", "baumgarte": ""}
"""Levels at which constraints hold: position, velocity, acceleration."""


def formulation(case) -> str:
    """A short name of the method."""
    kind = case.method.kind
    return case.method.fields.get("formulation", "PVA") if kind == "GeneralizedAlpha" else kind


class Rows:
    """Some rows of a solution, for results by name."""

    def __init__(self, sol, rows):
        self.system, self.origin = sol.system, sol.origin
        for name in ("t", "q", "v", "vdot", "lam", "psi", "lam_n", "gap"):
            setattr(self, name, getattr(sol, name)[rows])

    def __getitem__(self, key):
        return self.system.quantity(self, key)


def some(sol, count=4):
    """A few rows, the last one included."""
    return np.unique(np.linspace(min(1, len(sol.t) - 1), len(sol.t) - 1, count).astype(int))


# ---------------------------------------------------------------- constraints


def constraints(run: Run) -> str:
    """|g| and |ġ|, |k| at the levels that the method enforces, over the size of the terms that add up to them."""
    sol, levels = run.sol, LEVELS[formulation(run.case)]
    contract = sol.system.contract(run.case.t0, sol.q[0], sol.v[0], **({"compiled": False} if run.is_model else {}))
    if not contract.ng + contract.nk or not levels:
        return ""
    sizes, rates = coordinate_sizes(run, contract)
    depends = independent_rows(contract.matrix("G", sol.t[0], sol.q[0]))[1].size > 0 if contract.ng else False
    for i in some(sol):
        t, q, v = sol.t[i], sol.q[i], sol.v[i]
        rows = []
        if contract.ng:
            G = np.abs(contract.matrix("G", t, q))
            g_t = contract.evaluate("g_t", t, q)
            g = np.abs(contract.evaluate("g", t, q))
            rows += [("g", g, G @ sizes, ranges.G)] if "p" in levels else []
            rate = contract.times("G", v, t, q) + g_t
            # rows depend on others where g = 0: away from there no motion keeps all of them, but for O(g)
            off = np.max(g / np.maximum(G @ sizes, 1e-300)) if depends and "p" not in levels else 0.0
            rows += [("ġ", np.abs(rate), G @ rates + np.abs(g_t), ranges.GDOT + off)] if "v" in levels else []
        if contract.nk:
            K = np.abs(contract.matrix("K", t, q, v))
            rows += [("k", np.abs(contract.evaluate("k", t, q, v)), K @ rates, ranges.GDOT)]
        for name, value, size, tolerance in rows:
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = np.where(value > 0.0, value / size, 0.0)
            if not np.all(ratio <= tolerance):
                worst = int(np.argmax(ratio))
                row = contract.names["k" if name == "k" else "g"][worst]
                return f"|{name}| of {row!r} is {ratio[worst]:.1e} of its terms at t = {t:.6g}, tolerance {tolerance:g}"
    return ""


def coordinate_sizes(run: Run, contract):
    """Sizes of the coordinates and of their rates, in the units of the case: lengths, or 1 for angles."""
    _, length, time = run.case.units
    if not run.is_model:
        L = np.array([power[1] for power in run.case.dims[1]])
        sizes = np.where(L, run.extent * length, 1.0)
        return sizes, np.maximum(np.abs(run.sol.v).max(axis=0), sizes * run.fastest / run.extent / time)
    sizes, rates = np.ones(contract.nv), np.full(contract.nv, (np.abs(run.w).max() + run.fastest / run.extent) / time)
    for place in run.sol.system.assembly.places.values():
        if place.v >= 0:
            n = len(place.position)
            # where a point of space is, is known to the round-off of its coordinates
            sizes[place.v : place.v + n] = length * (run.extent + np.abs(run.x).max())
            rates[place.v : place.v + n] = length / time * run.fastest
    return sizes, rates


# ---------------------------------------------------------------- Newton and Euler


class Wrenches:
    """Forces and torques about the centres of mass of all bodies, and the sum of their sizes."""

    def __init__(self, rows):
        self.rows, self.system = rows, rows.system
        self.planar, self.places = self.system.model.planar, self.system.assembly.places
        shape = (len(rows.t), 3)
        self.force, self.torque, self.size, self.arm = (
            {name: np.zeros(shape if k < 2 else shape[:1]) for name in self.places} for k in range(4)
        )

    def position(self, name):
        return positions(self.places[name], self.rows.q, self.planar)

    def push(self, name, force, at):
        arm = at - self.position(name)
        self.force[name] += force
        self.turn(name, np.cross(arm, force))
        self.size[name] += np.linalg.norm(force, axis=1)

    def turn(self, name, torque):
        self.torque[name] += torque
        self.arm[name] += np.linalg.norm(torque, axis=1)

    def pair(self, a, b, force, at):
        """A force on b at a point, the opposite on a."""
        self.push(b, force, at)
        self.push(a, -force, at)

    def name_of(self, body):
        return self.system.model.name_of(body)


def _joint(w: Wrenches, part):
    found, a, b = w.rows[part.name], w.name_of(part.a), w.name_of(part.b)
    spot = w.system.assembly.spots[part.name]
    at = part.reaction_points(spot, *(Pose(w.places[name], w.rows.q, w.planar) for name in (a, b)))
    # the reaction on the ground's side is minus that on the other: it acts where the moving body is held
    side, s = (a, spot.s_a) if b == "ground" else (b, spot.s_b)
    at = points(w.places[side], w.rows.q, s, w.planar) if at is None else at
    w.pair(a, b, found.force, at)
    w.turn(b, found.torque)
    w.turn(a, -found.torque)


def _coordinate(w: Wrenches, part, reference, effort):
    """An effort on the coordinate of a joint."""
    joint, name = joint_of(w.system.assembly, part, reference)
    a, b, found = w.name_of(joint.a), w.name_of(joint.b), w.rows[joint.name]
    if name == "angle":
        torque = effort[:, None] * found._axes(0)[:, :, 2]
        w.turn(b, torque)
        w.turn(a, -torque)
    else:
        at = points(w.places[b], w.rows.q, w.system.assembly.spots[joint.name].s_b, w.planar)
        w.pair(a, b, effort[:, None] * found._slide_axis(), at)


def _padded(values, n):
    values = np.asarray(values, dtype=float).reshape(n, -1)
    return np.hstack([values, np.zeros((n, 3 - values.shape[1]))]) if values.shape[1] > 1 else values * [0.0, 0.0, 1.0]


def _load(w: Wrenches, part):
    n, name = len(w.rows.t), w.name_of(part.body)
    given = part.force if isinstance(part, ga.PointForce) else part.torque
    value = [given(t) for t in w.rows.t] if callable(given) else np.tile(np.asarray(given, dtype=float), (n, 1))
    value = _padded(value, n)
    if part.follows and not (w.planar and isinstance(part, ga.Torque)):
        value = np.einsum("tij,tj->ti", rotations(w.places[name], w.rows.q, w.planar), value)
    if isinstance(part, ga.Torque):
        w.turn(name, value)
    else:
        place = w.places[name]
        w.push(name, value, points(place, w.rows.q, w.system.assembly.end_of(part, place), w.planar))


def _user(w: Wrenches, part):
    from genalpha.model.places import states

    names = [w.name_of(body) for body in part.bodies]
    for i, t in enumerate(w.rows.t):
        given = states([w.places[name] for name in names], w.rows.q[i], w.rows.v[i], w.planar)
        for name, row in zip(names, np.asarray(part.function(t, given)), strict=True):
            flat = w.planar
            w.force[name][i] += row[:3] * ([1.0, 1.0, 0.0] if flat else 1.0)
            w.torque[name][i] += row[3:] * ([0.0, 0.0, 1.0] if flat else 1.0)
            w.size[name][i] += np.linalg.norm(row[:3])
            w.arm[name][i] += np.linalg.norm(row[3:])


def _contacts(w: Wrenches):
    for column, touch in enumerate(w.system.assembly.touches):
        a, _, direction = lines(touch, w.rows.q, w.planar)
        force = w.rows.lam_n[:, column, None] * direction
        w.pair(touch.b.body.name, touch.a.body.name, force, a - touch.radius * direction)


def wrenches(rows) -> tuple[Wrenches, set[str]]:
    """All that acts on bodies, and those on which something acts that has no result by name."""
    w, model, unknown = Wrenches(rows), rows.system.model, set()
    gravity = np.append(model.gravity, np.zeros(3 - len(model.gravity)))
    for body in model.bodies:
        w.push(body.name, np.tile(body.mass_used * gravity, (len(rows.t), 1)), w.position(body.name))
    for part in model.parts.values():
        if isinstance(part, ga.Joint):
            _joint(w, part)
        elif isinstance(part, ga.SpringDamper):
            found = rows[part.name]
            one, two = found.ends
            line = (one - two) / np.linalg.norm(one - two, axis=1, keepdims=True) * found.tension[:, None]
            w.push(w.name_of(part.b), line, two)
            w.push(w.name_of(part.a), -line, one)
        elif isinstance(part, ga.Drive | ga.Motor | ga.TorsionSpring):
            _coordinate(w, part, part.joint, rows[part.name].effort)
        elif isinstance(part, ga.Gear | ga.Coupling):
            for joint, effort in zip(part.joints, rows[part.name].effort.T, strict=True):
                _coordinate(w, part, joint, effort)
        elif isinstance(part, ga.PointDrive):
            place = w.places[w.name_of(part.body)]
            at = points(place, rows.q, w.system.assembly.end_of(part, place), w.planar)
            w.push(w.name_of(part.body), rows[part.name].force, at)
        elif isinstance(part, ga.PointForce | ga.Torque):
            _load(w, part)
        elif isinstance(part, ga.UserForce):
            _user(w, part)
        elif isinstance(part, ga.Bushing):
            found = rows[part.name]
            w.pair(w.name_of(part.a), w.name_of(part.b), found.force, found.position)
            w.turn(w.name_of(part.b), found.torque)
            w.turn(w.name_of(part.a), -found.torque)
        elif isinstance(part, ga.Beam | ga.Bar):
            unknown |= {node.name for node in part.nodes}
    _contacts(w)
    return w, unknown


def balance(run: Run) -> str:
    """m ẍ = Σ F and J Ω̇ + Ω × J Ω = Σ T of every body, from the results by name.

    Not of V, whose joints drift apart, so that a reaction acts at two points; and not of SOI2, PVV and baumgarte, whose
    accelerations and multipliers approximate those of the motion and do not balance in a row.
    """
    if not run.is_model or run.sol.system.assembly.crowds or formulation(run.case) not in ("PVA", "P", "PV"):
        return ""
    sol, planar = run.sol, run.case.planar
    rows = Rows(sol, some(sol))
    w, unknown = wrenches(rows)
    h = run.case.h if "rtol" not in run.case.options else np.diff(sol.t).min() / run.case.units[2]
    shake = ranges.NEWTON * run.fastest / h * run.case.units[1] / run.case.units[2] ** 2
    for body in sol.system.model.bodies:
        if body.name in unknown:
            continue
        ma = body.mass_used * rows[body.name].acceleration
        missing = np.linalg.norm(ma - w.force[body.name], axis=1)
        size = w.size[body.name] + np.linalg.norm(ma, axis=1)
        wrong = _worst(missing, ranges.BALANCE * size + body.mass_used * shake)
        if wrong >= 0:
            return f"forces on {body.name!r} miss {missing[wrong]:.2e} of {size[wrong]:.2e} at t = {rows.t[wrong]:.6g}"
        if isinstance(body, PointMass):
            continue
        J, change, spin = _turning(w, rows, body, planar)
        missing = np.linalg.norm(change - w.torque[body.name], axis=1)
        size = w.arm[body.name] + np.linalg.norm(change, axis=1)
        reach = run.extent * run.case.units[1]
        allowed = ranges.BALANCE * (size + J * spin**2) + body.mass_used * shake * reach + J * shake / reach
        wrong = _worst(missing, allowed)
        if wrong >= 0:
            return f"torques on {body.name!r} miss {missing[wrong]:.2e} of {size[wrong]:.2e} at t = {rows.t[wrong]:.6g}"
    return ""


def _worst(missing, allowed):
    bad = np.nonzero(~(missing <= allowed))[0]
    return int(bad[0]) if bad.size else -1


def _turning(w, rows, body, planar):
    """The largest inertia, the rate of the angular momentum in space, and the spin."""
    place, J = w.places[body.name], body.inertia_used(planar)
    if planar:
        change = np.zeros((len(rows.t), 3))
        change[:, 2] = J[0, 0] * rows.vdot[:, place.v + 2]
        return float(J[0, 0]), change, np.abs(rows.v[:, place.v + 2])
    R, omega = rotations(place, rows.q, planar), rows.v[:, place.v + 3 : place.v + 6]
    rate = rows.vdot[:, place.v + 3 : place.v + 6] @ J + np.cross(omega, omega @ J)
    return float(J.max()), np.einsum("tij,tj->ti", R, rate), np.linalg.norm(omega, axis=1)


# ---------------------------------------------------------------- contacts and energy


def complementarity(run: Run) -> str:
    """Gaps and forces are not negative, and where a gap is open there is no force.

    The force of a row is the mean over the step that ends there, and not zero if the contact was closed at its begin;
    the multiplier is that of the row.
    """
    if not run.case.touches or run.sol.gap.shape[1] == 0:
        return ""
    sol, length = run.sol, run.case.units[1] * run.extent
    gap, force = sol.gap[1:], sol.contact_force[1:]
    gap = np.where(np.isfinite(gap), gap, np.inf)
    # where nothing touches, forces are round-off of momentum over h, and of weights that joints bear
    mass, metre, second = run.case.units
    momentum = 2.0 * float(run.kinetic.max()) / run.fastest * mass * metre / second if run.has_energy else 0.0
    weight = weight_of(run) * mass * metre / second**2 if run.is_model else 0.0
    known = 1e-6 * max(momentum / float(np.diff(sol.t).max()), weight)
    largest = max(float(np.abs(force).max(initial=0.0)), known)
    if formulation(run.case) != "MoreauJean":
        if not gap.min(initial=0.0) >= -ranges.GAP * length:
            return f"a gap is {gap.min():.2e}, {gap.min() / length:.1e} of the extent"
        was, limit = sol.gap[:-1], ranges.OPEN * length
        apart = (gap > limit) & ((was > limit) | ~np.isfinite(was))
        open_ = apart & (np.abs(force) > ranges.PULL * largest)
        open_ |= (gap > limit) & (np.abs(sol.lam_n[1:]) > ranges.PULL * largest)
        if np.any(open_):
            i, j = np.argwhere(open_)[0]
            return f"contact {j} has a force of {force[i, j]:.2e} at a gap of {gap[i, j]:.2e}, t = {sol.t[i + 1]:.6g}"
    if not force.min(initial=0.0) >= -ranges.PULL * largest:
        i, j = np.unravel_index(np.argmin(force), force.shape)
        return f"contact {j} pulls with {force[i, j]:.2e}, the largest force is {largest:.2e}, t = {sol.t[i + 1]:.6g}"
    impulses = sol.impacts.impulse
    if impulses.size and not impulses.min() >= -ranges.PULL * np.abs(impulses).max():
        return f"an impact has the impulse {impulses.min():.2e}"
    return ""


def conserves(case) -> bool:
    """Does nothing give or take energy, but impacts?"""
    if not hasattr(case, "bodies"):
        return case.conserves
    if case.has("PointForce", "Torque", "UserForce", "Drive", "Motor", "PointDrive"):
        return False
    return not any(
        np.any(call.fields.get(name, 0.0)) for call in case.everything() for name in ("damping", "viscosity")
    )


def weight_of(run: Run) -> float:
    """The weight of all bodies, in N."""
    (mass, length, time), model = run.case.units, run.sol.system.model
    masses = sum(body.mass_used for body in model.bodies) / mass
    return masses * float(np.linalg.norm(model.gravity)) / length * time**2


def coriolis_of(run: Run) -> float:
    """The power of m Ω × v, in W, that free flight on SE(3) has: theory, the law of impact."""
    if not run.is_model:
        return 0.0
    power, mass = 0.0, run.case.units[0]
    speeds, spins = (np.linalg.norm(x, axis=2).max(axis=0) for x in (run.v, run.w))
    for body in run.sol.system.model.bodies:
        if getattr(body, "group", "") == "SE3" and not run.case.planar:
            i = sorted(run.names).index(body.name)
            power += body.mass_used / mass * spins[i] * speeds[i] ** 2
    return float(power)


def energy(run: Run) -> str:
    """With contacts: the energy never exceeds that at t0, but for what late impacts are worth.

    Between impacts the energy of bodies that turn or are held drifts by O(h²): a rise counts if it falls more slowly.
    Up to the first contact there is nothing else, and it must fall as all errors of smooth motions do; from there on at
    second order.
    """
    if not (run.case.touches and conserves(run.case)) or formulation(run.case) == "MoreauJean":
        return ""
    total, sol = run.energy, run.sol
    largest = float(np.max(run.kinetic) + np.ptp(total - run.kinetic))
    weight = weight_of(run) if run.is_model else largest / run.extent
    h = float(np.diff(run.t).max())
    steps = np.searchsorted(sol.impacts.time, sol.t, side="right")
    late = weight * run.fastest + coriolis_of(run)
    allowed = ranges.RISE * largest + (2.0 * (steps + 1.0) * late * h if late > 0.0 else np.zeros(len(total)))
    for since, falls in ((since_start, ranges.FALLS), (since_contact, ranges.DRIFT)):
        rise = since(run)
        worst = int(np.argmax(rise - allowed))
        if rise[worst] > allowed[worst]:
            finer = solve(replace(run.case, h=0.5 * run.case.h, steps=2 * run.case.steps), save_every=1)
            if np.max(since(finer)) > falls * np.max(rise):
                text = "the energy has risen by {:.1e} of the largest, {:.1e} allowed, at t = {:.6g}"
                return text.format(rise[worst] / largest, allowed[worst] / largest, run.t[worst])
    return ""


def since_start(run: Run) -> np.ndarray:
    """The energy over that at t0."""
    return run.energy - run.energy[0]


def since_contact(run: Run) -> np.ndarray:
    """The energy over that at the begin of the first step in which a contact acts; zero before."""
    acting = np.any(run.sol.impulse != 0.0, axis=1)
    first = int(np.argmax(acting)) if acting.any() else len(acting)
    return np.where(np.arange(len(acting)) < first, 0.0, run.energy - run.energy[max(first, 1) - 1])


CHECKS = {"constraints": constraints, "balance": balance, "complementarity": complementarity, "energy": energy}

__all__ = ["CHECKS", "conserves", "formulation", "velocities"]
