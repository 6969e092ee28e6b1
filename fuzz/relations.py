"""Relations between runs: the same model in another way. Each gives what is wrong, or an empty string."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

import genalpha as ga
from fuzz import ranges
from fuzz.describe import Call, Case, in_frame, in_units, later
from fuzz.draw import Draw
from fuzz.invariants import conserves, coordinate_sizes, formulation
from fuzz.run import COMPILED, Run, build, families_of, solve, strict
from genalpha.math import so3
from genalpha.system.contact_log import CLOSED, IMPACT, LOG_TIME, OPENED, of_kind


def apart(one: Run, two: Run, rows=slice(None)) -> tuple[float, float]:
    """How far two motions are from each other: places over the extent (or rotations), velocities over the largest."""
    x = np.abs(one.x[rows] - two.x[rows]).max(initial=0.0) / one.extent
    R = np.abs(one.R[rows] - two.R[rows]).max(initial=0.0)
    v = np.abs(one.v[rows] - two.v[rows]).max(initial=0.0) / one.fastest
    w = np.abs(one.w[rows] - two.w[rows]).max(initial=0.0) / max(
        np.abs(one.w).max(initial=0.0), one.fastest / one.extent
    )
    return max(x, R), max(v, w)


def same(one: Run, two: Run) -> str:
    """Are two runs of the same steps the same but for round-off?"""
    if len(one.sol.t) != len(two.sol.t):
        return f"{len(one.sol.t)} rows became {len(two.sol.t)}"
    rows, tolerance = slice(None), ranges.CONTACT if one.case.touches else ranges.SAME
    if one.case.touches:
        rows = slice(0, _parting(one, two))
    allowed = tolerance, (1e2 if one.case.touches else 1.0) * ranges.SAME_VELOCITY
    x, v = apart(one, two, rows)
    if not (x <= allowed[0] and v <= allowed[1]):
        grown = round_off(one, rows)
        if not x <= max(allowed[0], grown[0]):
            return f"positions differ by {x:.1e} of the extent, tolerance {allowed[0]:.1g}"
        if not v <= max(allowed[1], grown[1]):
            return f"velocities differ by {v:.1e} of the largest, tolerance {allowed[1]:.1g}"
        return ""
    return "" if one.case.touches else reactions(one, two)


def round_off(run: Run, rows) -> tuple[float, float]:
    """How far round-off carries the motion, measured: `apart` of the run and of one that begins a little faster.

    Balls stacked on their tops stand still until round-off lets them buckle, and what they do then is chance.
    """
    sol, case = run.sol, run.case
    own, contract = Run(case, sol), sol.system.contract(case.t0, sol.q[0], sol.v[0])
    rates = coordinate_sizes(own, contract)[1]
    nudge = ranges.ROUND_OFF * rates * np.random.default_rng(7).uniform(-1.0, 1.0, len(rates))
    words = {**case.options, **_thin(own), **({} if "rtol" in case.options else {"h": case.h})}
    with strict():
        faster = ga.solve(sol.system, case.span, sol.q[0], sol.v[0] + nudge, case.method.make(), **words)
    some = slice(0, min(len(sol.t), len(faster.t), rows.stop or len(sol.t)))
    return apart(own, Run(case, faster), some)


def _parting(one: Run, two: Run) -> int:
    """The row from which on contacts close in other steps."""
    events = (of_kind(run.sol.log, OPENED, CLOSED, IMPACT)[:, LOG_TIME] for run in (one, two))
    log = [np.round(times / run.case.units[2] - run.case.t0 / run.case.units[2], 12)
           for run, times in zip((one, two), events, strict=True)]  # fmt: skip
    n = min(map(len, log))
    differ = np.nonzero(np.abs(log[0][:n] - log[1][:n]) > 0.1 * one.case.h)[0]
    first = int(differ[0]) if differ.size else n
    if first == len(log[0]) == len(log[1]):
        return len(one.sol.t)
    when = min(times[first] for times in log if len(times) > first)
    return int(np.searchsorted(one.t - one.case.t0, when - 0.5 * one.case.h))


def reactions(one: Run, two: Run) -> str:
    """Forces in joints, where they are unique."""
    if not one.is_model or not one.sol.lam.shape[1] or formulation(one.case) in ("MoreauJean", "baumgarte", "PVV"):
        return ""
    system = one.sol.system
    contract = system.contract(one.case.t0, one.sol.q[0], one.sol.v[0], compiled=False)
    G = contract.matrix("G", one.sol.t[-1], one.sol.q[-1])
    sizes = np.linalg.svd(G / np.maximum(np.linalg.norm(G, axis=1, keepdims=True), 1e-300), compute_uv=False)
    if len(G) > G.shape[1] or sizes[-1] < 1e-5:  # more rows than coordinates depend on one another, too
        return ""
    joints = [joint for joint in system.model.joints if type(joint) is not ga.Distance]
    if not joints:
        return ""
    forces = [np.linalg.norm([_last(run, joint.name) for joint in joints], axis=1) for run in (one, two)]
    for run, force in zip((one, two), forces, strict=True):
        mass, length, time = run.case.units
        force /= mass * length / time**2
    masses = sum(body.mass_used for body in system.model.bodies) / one.case.units[0]
    scale = forces[0].max() + masses * one.fastest**2 / one.extent
    difference = np.abs(forces[0] - forces[1]).max() / scale
    if not difference <= ranges.SAME_REACTION / sizes[-1] ** 0.5:
        return f"reactions differ by {difference:.1e} of the largest"
    return ""


def _last(run, name):
    from fuzz.invariants import Rows

    return Rows(run.sol, np.array([len(run.sol.t) - 1]))[name].force[0]


def converge(differences) -> str:
    """Do differences fall where steps are halved? They are those with h, h/2, h/4, ..., made one after the other.

    Steps that are long for a vibration, or for a swing past a singular place, show no order yet: then they are halved
    further, and what does not fall by then does not converge.
    """
    coarse = first = next(differences)
    for fine in differences:
        if fine <= ranges.FLOOR or coarse > ranges.FAR or fine <= ranges.FALLS * coarse:
            return ""
        coarse = fine
    return f"the difference is {first:.1e} of the extent with h and {coarse:.1e} with h/{2**ranges.HALVINGS}"


def halved(case, times: int = 1):
    """The same time in more steps; rows are those of the first."""
    return replace(case, h=case.h / 2**times, steps=case.steps * 2**times)


# ---------------------------------------------------------------- the relations


def units(case, base: Run, draw: Draw) -> str:
    name = draw.pick(ranges.UNITS)
    scale = ranges.UNITS[name]
    other = case.changed(in_units(scale), units=scale, h=case.h * scale[2], t0=case.t0 * scale[2])
    wrong = same(base, solve(other, **_thin(base)))
    return f"{name}: {wrong}" if wrong else ""


def frame(case, base: Run, draw: Draw) -> str:
    d = 2 if case.planar else 3
    shift = draw.between((-3.0, 3.0)) * draw.direction(d)
    p = draw.between((-3.0, 3.0)) if case.planar else so3.exp(draw.between((0.1, 3.0)) * draw.direction(3))
    other = solve(case.changed(in_frame(p, shift)), **_thin(base))
    c, s = (np.cos(p), np.sin(p)) if case.planar else (1.0, 0.0)
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) if case.planar else so3.matrix(p)
    turned = Run(case, base.sol)
    turned.__dict__.update({
        "x": base.x @ R.T + np.append(shift, np.zeros(3 - d)), "v": base.v @ R.T, "w": base.w @ R.T,
        "R": base.R if case.has("PointMass") and not case.has("RigidBody") else R @ base.R, "extent": base.extent,
    })  # fmt: skip
    points = [body.name for body in base.sol.system.model.bodies if isinstance(body, ga.PointMass)]
    for i, name in enumerate(sorted(base.names)):
        if name in points:  # these have no rotation
            turned.R[:, i], other.R[:, i] = np.eye(3), np.eye(3)
    return same(turned, other)


def order(case, base: Run, draw: Draw) -> str:
    bodies, parts = list(case.bodies), list(case.parts)
    joints = [part for part in parts if "at" in part.fields or part.kind in ("Distance", *ROLLING)]
    others = [part for part in parts if part not in joints]
    for some in (bodies, joints, others):
        draw.random.shuffle(some)
    other = solve(replace(case, bodies=tuple(bodies), parts=(*joints, *others)), **_thin(base))
    return same(base, other) if not case.touches else _same_unordered(base, other)


ROLLING = ("RollingSphere", "RollingDisk", "RollingEllipsoid", "KnifeEdge")


def _same_unordered(base, other):
    """Events of one step are logged in the order of the contacts."""
    return same(base, other)


def shift(case, base: Run, draw: Draw) -> str:
    delay = draw.pick((1.0, -0.5, 8.0))  # exact in binary
    other = solve(case.changed(later(delay), t0=case.t0 + delay), **_thin(base))
    return same(base, other)


def another(case, base: Run, draw: Draw) -> str:
    """Another formulation or method."""
    mine = formulation(case)
    choices = ["PVA", "PVV", "MoreauJean"] if case.touches else ["PVA", "P", "PV", "SOI2"]
    name = draw.pick([choice for choice in choices if choice != mine])
    rho = case.method.fields.get("rho_inf", 0.9)
    others = {"SOI2": Call("SOI2", None, {"rho_inf": rho}), "MoreauJean": Call("MoreauJean")}
    method = others.get(name) or Call("GeneralizedAlpha", None, {"rho_inf": rho, "formulation": name})
    if case.touches or "baumgarte" in (name, mine):
        solve(replace(case, method=method))  # impacts are chaotic: it runs, and keeps what it must
        return ""
    wrong = _twins(case, replace(case, method=method), base)
    return f"{mine} and {name}: {wrong}" if wrong else ""


def variant(case, base: Run, draw: Draw) -> str:
    """The other group for all bodies, or the other map."""
    if draw.chance(0.5):
        maps = {"cayley": "exponential", "exponential": "cayley"}
        words = {**case.model.fields, "map": maps[case.model.fields.get("map", "exponential")]}
        other = replace(case, model=replace(case.model, fields=words))
    else:
        groups = {"SE3": "R3xSO3", "R3xSO3": "SE3"}
        bodies = [
            replace(b, fields={**b.fields, "group": groups[b.fields.get("group", "R3xSO3")]})
            if b.kind == "RigidBody"
            else b
            for b in case.bodies
        ]
        other = replace(case, bodies=tuple(bodies))
    if case.touches:
        solve(other)
        return ""
    return _twins(case, other, base)


def _twins(case, other, base):
    """Two ways that have the same limit: their difference falls with h."""
    every = _thin(base).get("save_every", 1)
    first = apart(base, solve(other, **_thin(base)))[0]

    def differences():
        yield first
        for times in range(1, ranges.HALVINGS + 1):
            pair = (solve(halved(way, times), save_every=2**times * every) for way in (case, other))
            yield apart(*pair)[0]

    return "" if first <= ranges.FLOOR or first > ranges.FAR else converge(differences())


def smaller(case, base: Run, draw: Draw) -> str:
    every = _thin(base).get("save_every", 1)
    runs = [base, solve(halved(case), save_every=2 * every)]
    if case.touches or formulation(case) == "baumgarte":
        return ""

    def run(times):
        if times == len(runs):
            runs.append(solve(halved(case, times), save_every=2**times * every))
        return runs[times]

    first = apart(run(0), run(1))[0]
    if first > ranges.FLOOR:
        wrong = converge(apart(run(i), run(i + 1))[0] for i in range(ranges.HALVINGS + 1))
        if wrong:
            return wrong
    if not conserves(case) or case.family == "symbolic" or first > ranges.FAR:
        return ""
    wrong = converge(_drift(run(i)) for i in range(ranges.HALVINGS + 1))
    return f"energy: {wrong}" if wrong else ""


def _drift(run: Run) -> float:
    """How far the energy goes from that at t0, over the largest kinetic energy."""
    return np.abs(run.energy - run.energy[0]).max() / (np.max(run.kinetic) + 1e-9)


def file(case, base: Run, draw: Draw) -> str:
    """Saved and loaded, and stopped half way and resumed."""
    if "rtol" in case.options:
        return ""
    with tempfile.TemporaryDirectory() as folder, strict():
        path = Path(folder) / "run.h5"
        system, q0, v0 = build(case)
        base.sol.save(path)
        back = ga.load(path, system)
        names = ("t", "q", "v", "vdot", "lam", "psi")
        for name in names:
            if not np.array_equal(getattr(back, name), getattr(base.sol, name)):
                return f"{name} is not the same after a round trip through a file"
        words = {**case.options, "h": case.h}
        middle = case.t0 + (case.steps // 2) * case.h
        ga.solve(system, (case.t0, middle), q0, v0, case.method.make(), out=path, **words)
        on = ga.resume(path, system, t_end=case.span[1])
        whole = ga.solve(system, case.span, q0, v0, case.method.make(), **words)
        for name in names:
            one, two = getattr(on, name), getattr(whole, name)
            if one.shape == two.shape and name != "t" and not np.allclose(on.t, whole.t, rtol=1e-12, atol=0.0):
                return "resumed at other times"
            if one.shape != two.shape:
                return f"{name} of a resumed run has {one.shape}, not {two.shape}"
            if not np.array_equal(one, two):
                size = np.abs(one - two).max()
                return f"{name} of a resumed run differs by {size:.1e}"
    return ""


def door(case, base: Run, draw: Draw) -> str:
    """Interpreted against compiled."""
    if case.family in ("functions", "compiled"):
        return same(
            base, solve(replace(case, family={"functions": "compiled"}.get(case.family, "functions")), **_thin(base))
        )
    if case.family == "symbolic" or case.has_functions or families_of(base.sol.system) not in COMPILED:
        return ""
    return same(base, solve(case, compiled=False, **_thin(base)))


def control(case, base: Run, draw: Draw) -> str:
    """Error control against a run with small steps."""
    if formulation(case) not in ("PVA", "P", "PV", "V", "SOI2"):
        return ""
    rtol, end = draw.log(ranges.RTOL), case.span[1]
    free = replace(case, options={**case.options, "rtol": rtol})
    other = solve(free, t_eval=base.sol.t)
    if case.touches:
        return ""
    fine = solve(halved(case, 2), save_every=4 * _thin(base).get("save_every", 1))
    resolved = apart(base, fine)[0]
    error = apart(fine, other)[0]
    allowed = ranges.CONTROL * rtol ** (2.0 / 3.0) + 2.0 * resolved
    if error > allowed:
        return f"rtol {rtol:.1e}: off by {error:.1e} of the extent at t <= {end:.6g}, {allowed:.1e} allowed"
    return ""


def _thin(base: Run) -> dict:
    """Rows as the base run has saved them."""
    return {} if base.case.touches else {"save_every": max(1, base.case.steps // 10)}


CHECKS = {"units": units, "frame": frame, "order": order, "shift": shift, "formulation": another, "variant": variant,
          "smaller": smaller, "file": file, "door": door, "control": control}  # fmt: skip


def applies(name: str, case) -> bool:
    """Has the relation a meaning for the case?"""
    if isinstance(case, Case):
        if name == "variant":
            free = not case.has("ContactGroup") and not case.planar and case.has("RigidBody")
            return free
        if name == "formulation" and case.has("ContactGroup"):
            return False
        if name == "control":
            return formulation(case) in ("PVA", "P", "PV", "V", "SOI2")
        return True
    if name == "formulation":
        return case.kind != "skew"
    if name == "door":
        return case.family != "symbolic"
    if name == "shift":
        return True
    return name in ("units", "smaller", "file", "control")
