"""What runs of scenes with friction must keep, and relations between them. Each says what is wrong, if so."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

import genalpha as ga
from fuzz import ranges
from fuzz.draw import Draw
from fuzz.run import Run, solve

WEIGHT = 9.81


class Rows:
    """Forces and slips of contacts (nt, nc, width), in the scaled rows, and what they are compared with."""

    def __init__(self, run: Run):
        case, sol = run.case, run.sol
        contacts = [case.contacts[i] for i in case.order or range(len(case.contacts))]
        n, nc = len(sol.t), len(contacts)
        width = 1 if case.d == 2 else 3 if case.drill else 2
        mass, length, time = case.units
        self.mu = np.array([np.broadcast_to(c.mu, width) for c in contacts])
        self.static = np.array([c.static for c in contacts])
        self.rebounds = np.array([c.e_t != 0.0 for c in contacts])
        safe = np.where(self.mu > 0.0, self.mu, 1.0)
        has = self.mu > 0.0
        self.smooth, self.mean, slip = (
            x.reshape(n, nc, width) for x in (sol.lam_t[:, : nc * width], sol.friction_force, sol.slip)
        )
        self.power = np.sum(self.smooth * slip, axis=2)
        self.smooth, self.mean, self.slip = has * self.smooth / safe, has * self.mean / safe, slip * self.mu
        self.speeds = np.linalg.norm(slip, axis=2)
        weight = sum(m for m, _ in case.masses) * WEIGHT * mass * length / time**2
        self.force = max(weight, np.abs(sol.lam_n).max(), np.abs(sol.contact_force).max())
        self.speed = np.abs(sol.v / case.scales()[1]).max() * length / time + WEIGHT * case.h * length / time
        self.extent = length * (1.0 + np.abs(sol.q / case.scales()[0]).max())


def contacts(run: Run) -> str:
    """Contacts do not penetrate or pull."""
    if not run.case.contacts:
        return ""
    sol, rows = run.sol, Rows(run)
    for name, value, size, tolerance in (
        ("gap", sol.gap, rows.extent, ranges.GAP), ("lam_n", sol.lam_n, rows.force, ranges.PULL),
        ("contact_force", sol.contact_force, rows.force, ranges.PULL),
    ):  # fmt: skip
        if not value.min() >= -tolerance * size:
            return f"{name} is {value.min() / size:.1e} of the largest at row {value.min(axis=1).argmin()}"
    return ""


def cones(run: Run) -> str:
    """Friction is within its cone, drags, and what sticks does not slide; dry friction is within its bound."""
    if run.case.dry:
        bounds = [b for *_, b in run.case.dry]
        mass, length, time = run.case.units
        unit = mass * length / time**2 * np.array([1.0 if run.case.is_length[i] else length for i, *_ in run.case.dry])
        over = np.abs(run.sol.dry_force / unit) - bounds
        if not over.max() <= ranges.PULL * (1.0 + np.max(bounds)):
            return f"dry friction is over its bound by {over.max():.1e}"
    if not run.case.contacts:
        return ""
    sol, rows = run.sol, Rows(run)
    rests = sol.sticks & ~rows.rebounds
    found = {
        "lam_t over its cone": (over_cone(rows.smooth, rows.static, sol.lam_n), ranges.CONE * rows.force),
        "mean over its cone": (over_cone(rows.mean, rows.static, sol.contact_force), ranges.MEAN_CONE * rows.force),
        "power of friction": (rows.power, ranges.CONE * rows.force * rows.speed),
        "slip of what sticks": (np.where(rests, rows.speeds, 0.0), ranges.CONE * rows.speed),
        "gap of what sticks": (np.where(sol.sticks, sol.gap, 0.0), ranges.OPEN * rows.extent),
    }  # fmt: skip
    for name, (value, allowed) in found.items():
        if not value[1:].max(initial=0.0) <= allowed:
            row, contact = np.unravel_index(value[1:].argmax(), value[1:].shape)
            return f"{name}: {value[1:].max():.1e}, allowed {allowed:.1e}, contact {contact}, row {row + 1}"
    return ""


def over_cone(force, static, pressing):
    """How far forces in scaled rows are beyond what holds at most."""
    return np.linalg.norm(force, axis=2) - static * pressing


def slides(run: Run) -> str:
    """What slides has -mu N s/|s|."""
    method = run.case.method.fields
    if not run.case.contacts or method.get("strategy", 3) < 3 or method.get("formulation", "PVA") != "PVA":
        return ""
    sol, rows = run.sol, Rows(run)
    speed = np.linalg.norm(rows.slip, axis=2)
    along = rows.slip / np.maximum(speed, 1e-300)[:, :, None]
    miss = np.linalg.norm(rows.smooth + sol.lam_n[:, :, None] * along, axis=2)
    moving = ~sol.sticks & (rows.speeds > 1e-6 * rows.speed) & np.all(rows.mu > 0.0, axis=1)
    worst = np.where(moving, miss, 0.0)[1:].max(initial=0.0)
    return "" if worst <= ranges.SLIP_LAW * rows.force else f"the law of slip is missed by {worst / rows.force:.1e}"


def works(run: Run) -> str:
    """Friction of contacts that last does not drive; what stops or turns back within a step may, by O(h)."""
    if not run.case.contacts:
        return ""
    sol, rows = run.sol, Rows(run)
    n = len(sol.t)
    slip = sol.slip.reshape(n, rows.mu.shape[0], -1)
    hits = np.zeros(n, dtype=bool)
    hits[[int(np.argmin(np.abs(sol.t - time))) for time in sol.impacts.time]] = True
    turns = np.sum(slip[:-1] * slip[1:], axis=2) <= 0.0
    work = np.where(turns | hits[1:, None], 0.0, np.diff(sol.friction_work, axis=0))
    size = rows.force * rows.speed * run.case.h * run.case.units[2]
    return "" if work.max(initial=0.0) <= 1e-5 * size else f"friction has driven: {work.max() / size:.1e}"


def balance(run: Run) -> str:
    """M v̇ = f + Gᵀ lam + Kᵀ psi + Nᵀ lam_n + Tᵀ lam_t."""
    sol, case = run.sol, run.case
    contract = sol.system.contract(sol.t[0], sol.q[0], sol.v[0])
    for i in range(len(sol.t)):
        t, q, v = sol.t[i], sol.q[i], sol.v[i]
        M = contract.matrix("M", t, q)
        terms = [M @ sol.vdot[i], -contract.evaluate("f", t, q, v)]
        for name, state, force in (("G", (q,), sol.lam), ("K", (q, v), sol.psi), ("N", (q,), sol.lam_n),
                                   ("T", (q, v), sol.lam_t)):  # fmt: skip
            terms.append(-contract.matrix(name, t, *state).T @ force[i])
        by = 1.0 / case.scales()[1]
        allowed = max(np.abs(x / by).max() for x in terms) + ranges.NEWTON * np.abs(M @ v / by).max() / case.h
        miss = np.abs(sum(terms) / by).max()
        if not miss <= ranges.BALANCE * allowed:
            return f"balance of forces is missed by {miss / allowed:.1e} at row {i}"
    return ""


CHECKS = {"contacts": contacts, "cones": cones, "slides": slides, "works": works, "balance": balance}


# ---------------------------------------------------------------- relations


def alike(one: Run, two: Run) -> str:
    """The same motion, up to the step in which one sticks and the other does not, or hits."""
    (q1, v1), (q2, v2) = one.case.back(one.sol), two.case.back(two.sol)
    name = "sticks" if one.case.contacts else "dry_sticks"
    first, second = getattr(one.sol, name), getattr(two.sol, name)
    if one.case.contacts and two.case.order:
        second = second[:, np.argsort(two.case.order)]
    same = np.all(first == second, axis=1)
    n = len(q1) if np.all(same) else int(np.argmin(same))
    times = [
        run.sol.impacts.time / run.case.units[2] - run.case.shift if run.case.contacts else () for run in (one, two)
    ]
    count = min(map(len, times))
    parts = np.nonzero(np.abs(np.subtract(times[0][:count], times[1][:count])) > 0.5 * one.case.h)[0]
    if parts.size or len(times[0]) != len(times[1]):
        k = int(parts[0]) if parts.size else count
        n = min(n, *(int((t[k] + 0.5 * one.case.h) / one.case.h) for t in times if len(t) > k))
    extent, speed = np.abs(q1 - q1.mean(axis=0)).max() + 0.1, np.abs(v1).max() + WEIGHT * one.case.h
    x = np.abs(q1 - q2)[:n].max(initial=0.0) / extent
    v = np.abs(v1 - v2)[:n].max(initial=0.0) / speed
    if x <= ranges.SLIDES_ALIKE and v <= 1e2 * ranges.SLIDES_ALIKE:
        return ""
    return f"places differ by {x:.1e} of the extent, velocities by {v:.1e}"


def units(case, base, draw: Draw) -> str:
    name = draw.pick([name for name, unit in ranges.UNITS.items() if 1e-4 < unit[2] < 1e4])
    return alike(base, solve(replace(case, units=ranges.UNITS[name])))


def turn(case, base, draw: Draw) -> str:
    if any(np.ptp(contact.mu) > 0.0 for contact in case.contacts):
        return ""  # an ellipse does not turn with the floor
    return alike(base, solve(replace(case, turn=draw.pick((0.3, 1.57, 3.0, -2.0)))))


def shift(case, base, draw: Draw) -> str:
    return alike(base, solve(replace(case, shift=draw.pick((1.0, -7.0)))))


def order(case, base, draw: Draw) -> str:
    return alike(base, solve(replace(case, order=tuple(map(int, draw.random.permutation(len(case.contacts)))))))


def file(case, base, draw: Draw) -> str:
    """Stopped in the middle, and resumed."""
    end = case.span[1]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.h5"
        half = case.steps // 2
        solve(replace(case, steps=half), out=path)
        sol = ga.resume(path, case.build(), t_end=end)
        for name in ("q", "v", "lam_n", "lam_t", "friction_work") if case.contacts else ("q", "v", "lam_t"):
            one, two = getattr(base.sol, name), getattr(sol, name)
            if one.shape != two.shape or not np.array_equal(one, two):
                return f"{name} of a run that was resumed differs"
    return ""


def smaller(case, base, draw: Draw) -> str:
    """Differences between h, h/2, h/4 and h/8 fall, or are small."""
    runs = [base, *(solve(replace(case, h=case.h / k, steps=case.steps * k), save_every=k) for k in (2, 4, 8))]
    places = [case.back(run.sol)[0] for run in runs]
    extent = np.abs(places[-1] - places[-1].mean(axis=0)).max() + 0.1
    differences = [np.abs(a - b).max() / extent for a, b in pairwise(places)]
    if differences[2] <= max(ranges.FALLS * differences[0], 1e-3) or differences[0] > ranges.FAR:
        return ""
    return "differences do not fall: " + ", ".join(f"{x:.1e}" for x in differences)


RELATIONS = {"units": units, "turn": turn, "shift": shift, "order": order, "file": file, "smaller": smaller}
