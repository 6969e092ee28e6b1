"""Every public function and class of genalpha with a call that is right, and what each of its arguments must be.

`fuzz.calls` makes one argument wrong at a time. An argument is (a right value, its kind); `fuzz.tries.WRONG` lists
values that are wrong for a kind.
"""

from __future__ import annotations

from functools import partial

import numpy as np

import genalpha as ga
from fuzz.tries import (
    alone,
    beam,
    circle,
    expressions,
    file,
    force,
    lagrangian,
    made,
    method,
    part,
    pendulum,
    small,
    solution,
    solution_of_model,
    solve,
)

V3, NAME = ((0.0, 0.0, 0.0), "vector"), ("part", "name")
ENDS = {"a": ("ground", "body"), "b": ("b", "body")}
AT, AXIS = {"at": ((2.0, 0.0, 1.0), "vector")}, {"axis": ((0.0, 1.0, 0.0), "direction")}
SECTION = ga.Rigidity(EA=1e4, GA=1e4, EI=1.0, GJ=1.0, mass=1.0, inertia=0.1)
LINE = {
    "name": NAME,
    "start": V3,
    "end": ((1.0, 0.0, 0.0), "vector"),
    "elements": (2, "whole"),
    "section": (SECTION, "shape"),
    "mass": ("lumped", "choice"),
    "rayleigh": ((0.0, 0.0), "direction"),
    "viscosity": (0.0, "not negative"),
    "velocity": V3,
}
BODY = {"name": NAME, "mass": (1.0, "positive"), "position": V3, "velocity": V3, "shape": (None, "shape")}
PLANE = ga.Plane()

# label: (function, {argument: (right value, kind)})
CALLS = {
    "Box": (ga.Box, {"size": ((1.0, 1.0, 1.0), "positive vector")}),
    "Sphere": (ga.Sphere, {"radius": (1.0, "positive")}),
    "along": (ga.along, {"direction": ((0.0, 1.0, 0.0), "direction")}),
    "Cylinder": (ga.Cylinder, {"radius": (1.0, "positive"), "length": (1.0, "positive")}),
    "Capsule": (ga.Capsule, {"radius": (1.0, "positive"), "length": (1.0, "positive")}),
    "Cone": (ga.Cone, {"radius": (1.0, "positive"), "length": (1.0, "positive")}),
    "Mesh": (
        ga.Mesh,
        {"vertices": (np.eye(4, 3), "vector"), "faces": ([[0, 3, 1], [1, 3, 2], [2, 3, 0], [0, 1, 2]], "vector")},
    ),
    "Material": (ga.Material, {"E": (1.0, "positive"), "density": (1.0, "positive"), "poisson": (0.3, "number")}),
    "Section": (
        ga.Section,
        {
            "A": (1.0, "positive"),
            "Iy": (1.0, "positive"),
            "Iz": (1.0, "positive"),
            "ky": (1.0, "positive"),
            "reach": (None, "pair"),
        },
    ),
    "Section.rectangle": (ga.Section.rectangle, {"height": (1.0, "positive"), "width": (1.0, "positive")}),
    "Section.circle": (ga.Section.circle, {"radius": (1.0, "positive")}),
    "Section.tube": (ga.Section.tube, {"outer": (1.0, "positive"), "inner": (0.5, "positive")}),
    "Rigidity": (ga.Rigidity, {"EA": (1.0, "positive"), "mass": (1.0, "positive"), "GJ": (1.0, "bounded")}),
    "Coefficients": (
        ga.Coefficients,
        {"alpha_m": (0.0, "number"), "alpha_f": (0.0, "number"), "beta": (0.25, "number"), "gamma": (0.5, "number")},
    ),
    "Coefficients.chung_hulbert": (ga.Coefficients.chung_hulbert, {"rho_inf": (0.5, "fraction")}),
    "GeneralizedAlpha": (
        partial(method, "GeneralizedAlpha"),
        {
            "rho_inf": (0.5, "fraction"),
            "formulation": ("PVA", "choice"),
            "start": ("a0", "choice"),
            "tol": (1e-10, "positive"),
            "max_iter": (20, "whole"),
            "baumgarte": ((20.0, 20.0), "pair"),
            "strategy": (3, "number"),
            "criterion": ("closing", "choice"),
            "newton": ("auto", "choice"),
            "r": ("auto", "positive"),
            "residuals": (None, "anything wrong"),
            "jacobian": ("auto", "choice"),
            "watch": ("all", "choice"),
            "coefficients": (None, "anything wrong"),
        },
    ),
    "SOI2": (
        partial(method, "SOI2"),
        {
            "rho_inf": (0.5, "fraction"),
            "start": ("a0", "choice"),
            "tol": (1e-10, "positive"),
            "max_iter": (20, "whole"),
            "jacobian": ("auto", "choice"),
            "coefficients": (None, "anything wrong"),
        },
    ),
    "MoreauJean": (
        partial(method, "MoreauJean"),
        {
            "theta": (0.5, "fraction"),
            "tol": (1e-10, "positive"),
            "max_iter": (20, "whole"),
            "jacobian": ("auto", "choice"),
        },
    ),
    "Model": (
        ga.Model,
        {
            "name": ("m", "name"),
            "gravity": ((0.0, 0.0, -9.81), "vector"),
            "map": ("cayley", "choice"),
            "units": ("SI", "choice"),
        },
    ),
    "Model.add": (lambda part: small().add(part), {"part": (ga.PointMass("x", 1.0), "shape")}),
    "RigidBody": (
        partial(alone, "RigidBody"),
        {
            **BODY,
            "inertia": ((1.0, 1.0, 1.0), "inertia"),
            "orientation": ((1.0, 0.0, 0.0, 0.0), "quaternion"),
            "angular_velocity": V3,
            "group": ("SE3", "choice"),
        },
    ),
    "RigidBody, density": (
        partial(alone, "RigidBody"),
        {"name": NAME, "shape": (ga.Sphere(1.0), "shape"), "density": (1.0, "positive")},
    ),
    "PointMass": (partial(alone, "PointMass"), BODY),
    "Revolute": (partial(part, "Revolute"), {"name": NAME, **ENDS, **AT, **AXIS}),
    "Spherical": (partial(part, "Spherical"), {"name": NAME, **ENDS, **AT}),
    "Prismatic": (partial(part, "Prismatic"), {"name": NAME, **ENDS, **AT, **AXIS}),
    "Fixed": (partial(part, "Fixed"), {"name": NAME, **ENDS, **AT}),
    "Cylindrical": (partial(part, "Cylindrical"), {"name": NAME, **ENDS, **AT, **AXIS}),
    "Universal": (
        partial(part, "Universal"),
        {"name": NAME, **ENDS, **AT, **AXIS, "axis_2": ((1.0, 0.0, 0.0), "direction")},
    ),
    "Planar": (partial(part, "Planar"), {"name": NAME, **ENDS, **AT, **AXIS}),
    "PointOnLine": (partial(part, "PointOnLine"), {"name": NAME, **ENDS, **AT, **AXIS}),
    "Distance": (partial(part, "Distance"), {"name": NAME, **ENDS, "length": (2.0, "bounded"), "on_b": V3}),
    "Joint": (partial(part, "Joint"), {"name": NAME, **ENDS, **AT}),
    "RollingSphere": (
        partial(part, "RollingSphere"),
        {
            "name": NAME,
            **ENDS,
            "radius": (0.1, "positive"),
            "plane": ((0.0, 0.0, 0.5), "vector"),
            "normal": ((0.0, 0.0, 1.0), "direction"),
            "centre": ((2.0, 0.0, 0.6), "vector"),
        },
    ),
    "RollingDisk": (
        partial(part, "RollingDisk"),
        {"name": NAME, **ENDS, "radius": (0.1, "positive"), "plane": ((0.0, 0.0, 0.5), "vector"), **AXIS},
    ),
    "RollingEllipsoid": (
        partial(part, "RollingEllipsoid"),
        {"name": NAME, **ENDS, "radii": ((0.1, 0.1, 0.1), "positive vector"), "plane": ((0.0, 0.0, 0.5), "vector")},
    ),
    "KnifeEdge": (
        partial(part, "KnifeEdge"),
        {"name": NAME, **ENDS, **AT, **AXIS, "normal": ((0.0, 0.0, 1.0), "direction")},
    ),
    "Coupling": (
        partial(part, "Coupling"),
        {"name": NAME, "joints": (["p", "r"], "list"), "factors": ([1.0, 2.0], "direction")},
    ),
    "Gear": (
        partial(part, "Gear"),
        {"name": NAME, "driver": ("p", "joint"), "driven": ("r", "joint"), "ratio": (1.0, "number")},
    ),
    "Drive": (
        partial(part, "Drive"),
        {
            "name": NAME,
            "joint": ("p", "joint"),
            "motion": (np.sin, "function"),
            "rate": (np.cos, "optional function"),
            "acceleration": (lambda t: -np.sin(t), "optional function"),
        },
    ),
    "PointDrive": (
        partial(part, "PointDrive"),
        {"name": NAME, "body": ("b", "body"), "motion": (lambda t: (2.0, 0.0, 0.6), "function"), "on": V3},
    ),
    "SpringDamper": (
        partial(part, "SpringDamper"),
        {
            "name": NAME,
            **ENDS,
            "stiffness": (1.0, "not negative"),
            "damping": (1.0, "not negative"),
            "length": (1.0, "length"),
            "on_b": V3,
        },
    ),
    "PointForce": (partial(part, "PointForce"), {"name": NAME, "body": ("b", "body"), "force": V3, "on": V3}),
    "PointForce, function": (
        partial(part, "PointForce"),
        {"name": NAME, "body": ("b", "body"), "force": (lambda t: (t, 0.0, 0.0), "function")},
    ),
    "Torque": (partial(part, "Torque"), {"name": NAME, "body": ("b", "body"), "torque": V3}),
    "Torque, function": (
        partial(part, "Torque"),
        {"name": NAME, "body": ("b", "body"), "torque": (lambda t: (t, 0.0, 0.0), "function")},
    ),
    "UserForce": (
        partial(part, "UserForce"),
        {"name": NAME, "bodies": (["b"], "list"), "function": (lambda t, s: np.zeros((1, 6)), "function")},
    ),
    "TorsionSpring": (
        partial(part, "TorsionSpring"),
        {
            "name": NAME,
            "joint": ("p", "joint"),
            "stiffness": (1.0, "not negative"),
            "damping": (1.0, "not negative"),
            "rest": (0.0, "number"),
        },
    ),
    "Motor": (
        partial(part, "Motor"),
        {"name": NAME, "joint": ("p", "joint"), "law": (lambda t, z, rate: 0.0, "function")},
    ),
    "Bushing": (
        partial(part, "Bushing"),
        {
            "name": NAME,
            **ENDS,
            "stiffness": ((1.0,) * 6, "inertia"),
            "damping": ((1.0,) * 6, "inertia"),
            "at": ((2.0, 0.0, 0.0), "vector"),
            "axes": (np.eye(3), "axes"),
        },
    ),
    "Plane": (
        lambda **words: part("Contact", name="c", a="b", b=ga.Plane(**words)),
        {
            "point": ((0.0, 0.0, -1.0), "vector"),
            "normal": ((0.0, 0.0, 1.0), "direction"),
            "body": ("a", "shape"),
            "velocity": ((1.0, 0.0, 0.0), "vector"),
        },
    ),
    "Contact": (
        partial(part, "Contact"),
        {
            "name": NAME,
            "a": ("b", "body"),
            "b": (ga.Plane((0.0, 0.0, -1.0)), "body"),
            "restitution": (0.5, "fraction"),
            "on_a": V3,
            "radius_a": (0.1, "length"),
            "friction": (0.3, "not negative"),
            "static_friction": (0.4, "length"),
            "tangential_restitution": (0.5, "bounded slip"),
            "drilling_radius": (0.1, "bounded"),
        },
    ),
    "ContactGroup": (
        partial(part, "ContactGroup"),
        {
            "name": NAME,
            "bodies": (["a", "b"], "list"),
            "planes": ([ga.Plane((0.0, 0.0, -1.0))], "list"),
            "restitution": (0.5, "fraction"),
            "friction": (0.3, "not negative, or by names"),
        },
    ),
    "DryFriction": (
        partial(part, "DryFriction"),
        {"name": NAME, "joint": ("p", "joint"), "bound": (1.0, "not negative")},
    ),
    "Beam": (
        partial(beam, "Beam"),
        {
            **LINE,
            "across": ((0.0, 1.0, 0.0), "direction"),
            "twist": (0.0, "number"),
            "angular_velocity": V3,
            "group": ("SE3", "choice"),
            "shape": (None, "shape"),
        },
    ),
    "Beam, curve": (
        partial(beam, "Beam"),
        {"name": NAME, "section": (SECTION, "shape"), "curve": (lambda s: np.array([s, s * s, 0.0]), "function")},
    ),
    "Bar": (partial(beam, "Bar"), LINE),
    "System": (
        made,
        {
            "M": (np.eye(2), "matrix"),
            "f": (force, "function or numbers"),
            "g": (circle, "optional function"),
            "g_q": (lambda t, q: 2.0 * q, "optional function"),
            "energy": (lambda t, q, v: (0.0, 0.0), "anything wrong"),
            "names": ({"q": ["x", "y"]}, "anything wrong"),
            "ng": (1, "bounded"),
        },
    ),
    "System, gap": (
        made,
        {
            "M": (np.eye(2), "matrix"),
            "f": (force, "function or numbers"),
            "gap": (lambda t, q: q[:1], "optional function"),
            "e": (0.5, "fraction"),
        },
    ),
    "System, k": (
        made,
        {
            "M": (np.eye(2), "matrix"),
            "f": (force, "function or numbers"),
            "k": (lambda t, q, v: v[:1], "function"),
            "k_v": (lambda t, q, v: np.eye(1, 2), "optional function"),
        },
    ),
    "System, slip": (
        made,
        {
            "M": (np.eye(2), "matrix"),
            "f": (force, "function or numbers"),
            "gap": (lambda t, q: q[:1], "function"),
            "slip": (lambda t, q, v: v[1:], "optional function"),
            "mu": (0.3, "not negative"),
            "e_t": (0.5, "bounded slip"),
        },
    ),
    "System, dry": (
        made,
        {
            "M": (np.eye(2), "matrix"),
            "f": (force, "function or numbers"),
            "dry": (lambda t, q, v: v[1:], "optional function"),
            "dry_bound": (0.3, "not negative"),
        },
    ),
    "System, params": (
        lambda **words: made(M=np.eye(2), f=lambda t, q, v, p: -p[0] * q, **words),
        {"params": ([1.0], "vector of words")},
    ),
    "System.with_params": (
        lambda params: ga.System(M=np.eye(2), f=lambda t, q, v, p: q, params=[1.0]).with_params(params),
        {"params": ([2.0], "shape")},
    ),
    "evaluator": (ga.evaluator, {"function": (lambda t: t, "shape")}),
    "Sparse": (ga.Sparse, {"function": ([1.0], "flag"), "rows": ([0], "shape"), "cols": ([0], "shape")}),
    "solve": (
        solve,
        {
            "system": (None, "anything wrong"),
            "t_span": ((0.0, 0.01), "times"),
            "q0": ([1.0, 0.0], "state"),
            "v0": ([0.0, 0.0], "state"),
            "method": (None, "anything wrong"),
            "h": (1e-3, "bounded"),
            "t_eval": (None, "anything wrong"),
            "events": (None, "anything wrong"),
            "save_every": (1, "whole"),
            "save": (None, "anything wrong"),
            "out": (None, "file"),
            "vdot0": (None, "state"),
            "progress": (False, "flag"),
        },
    ),
    "solve, rtol": (
        lambda **words: ga.solve(pendulum(), (0.0, 0.01), [1.0, 0.0], [0.0, 0.0], **words),
        {
            "rtol": (1e-3, "positive"),
            "atol": (1e-6, "limit"),
            "h_min": (1e-9, "limit"),
            "h_max": (1.0, "limit"),
            "impact_tol": (1e-3, "limit"),
        },
    ),
    "consistent_initial_state": (
        lambda **words: ga.consistent_initial_state(
            **{"system": pendulum(), "t0": 0.0, "q0": [1.0, 0.0], "v0": [0.0, 0.0]} | words
        ),
        {
            "system": (None, "anything wrong"),
            "t0": (0.0, "number"),
            "q0": ([1.0, 0.0], "state"),
            "v0": ([0.0, 0.0], "state"),
        },
    ),
    "check": (
        lambda **words: ga.check(**{"system": pendulum(), "t0": 0.0, "q0": [1.0, 0.0], "v0": [0.0, 0.0]} | words),
        {
            "system": (None, "anything wrong"),
            "t0": (0.0, "number"),
            "q0": ([1.0, 0.0], "state"),
            "v0": ([0.0, 0.0], "state"),
        },
    ),
    "equilibrium": (
        lambda **words: ga.equilibrium(**{"system": pendulum(), "q0": [0.0, -1.0]} | words),
        {"system": (None, "anything wrong"), "q0": ([0.0, -1.0], "state"), "load_steps": (1, "whole")},
    ),
    "holds": (
        lambda **words: ga.holds(**{"system": pendulum(), "q0": [0.0, -1.0]} | words),
        {"system": (None, "anything wrong"), "q0": ([0.0, -1.0], "state"), "t": (0.0, "number")},
    ),
    "linearize": (
        lambda **words: ga.linearize(**{"system": pendulum(), "q0": [0.0, -1.0]} | words),
        {"system": (None, "anything wrong"), "q0": ([0.0, -1.0], "state")},
    ),
    "check_contribution": (lambda part: ga.check_contribution(part), {"part": (ga.Sphere(1.0), "shape")}),
    "load": (lambda path: ga.load(path), {"path": ("", "path")}),
    "load, system": (lambda system: ga.load(file(), system), {"system": (None, "anything wrong")}),
    "resume": (lambda path: ga.resume(path), {"path": ("", "path")}),
    "resume, t_end": (lambda t_end: ga.resume(file(), pendulum(), t_end=t_end), {"t_end": (1.0, "number")}),
    "resume, method": (
        lambda method: ga.resume(file(), pendulum(), t_end=1.0, method=method),
        {"method": (None, "anything wrong")},
    ),
    "Solution()": (lambda t: solution()(t), {"t": (0.0, "number")}),
    "Solution(), side": (lambda side: solution()(0.0, side), {"side": ("left", "choice")}),
    "Solution[]": (lambda key: solution()[key], {"key": ("x", "key")}),
    "Solution[] of a model": (lambda key: solution_of_model()[key], {"key": ("p", "key")}),
    "Solution.save": (lambda path: solution().save(path), {"path": ("", "path")}),
    "Solution.plot": (lambda key: solution().plot(key), {"key": ("x", "key")}),
    "Solution.table": (lambda key: solution_of_model().table(key), {"key": ("p.position", "key")}),
    "Solution.peaks": (lambda key: solution_of_model().peaks(key), {"key": ("p.position", "key")}),
    "Solution.save_report": (lambda path: solution_of_model().save_report(path), {"path": ("", "path")}),
    "Solution.save_html": (lambda path: solution_of_model().save_html(path), {"path": ("", "path")}),
    "Solution.view": (
        lambda other: solution_of_model().view(other, browser=False),
        {"other": (None, "anything wrong")},
    ),
    "symbolic.lagrange": (lagrangian, expressions),
}

# calls whose right values have no effect of their own: their arguments are only made wrong
NEVER_RIGHT = {
    "load",
    "resume",
    "Solution.save",
    "Solution.save_html",
    "Solution.save_report",
    "Solution.view",
    "solve",
    "consistent_initial_state",
    "check",
    "equilibrium",
    "holds",
    "linearize",
}
