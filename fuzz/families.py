"""Random models of each family, as `Case`s."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fuzz import ranges
from fuzz.describe import DAMPER, ONE, RATE, STIFFNESS, Call, Case, L, Law, T, plain
from fuzz.draw import GRAVITY, Draw, unit
from fuzz.touching import contact, crowd
from genalpha.math import so3

TURNS, SLIDES = ("Revolute", "Cylindrical"), ("Prismatic", "PointOnLine")


def tree(draw: Draw) -> Case:
    """Spatial trees with springs and loads."""
    bodies, parts = draw.tree(draw.whole(ranges.BODIES), False)
    parts += [draw.spring(f"s{i}", bodies) for i in range(draw.whole((0, 2)))]
    parts += [draw.load(f"l{i}", bodies, False) for i in range(draw.whole((0, 1)))]
    return Case("tree", draw.world(False), tuple(bodies), tuple(parts), **draw.running())


def planar(draw: Draw) -> Case:
    """Planar trees, closed by springs and rods."""
    bodies, parts = draw.tree(draw.whole(ranges.BODIES), True)
    parts += [draw.spring(f"s{i}", bodies) for i in range(draw.whole((0, 2)))]
    parts += [draw.load(f"l{i}", bodies, True) for i in range(draw.whole((0, 1)))]
    if len(bodies) > 2 and draw.chance(0.5):
        words, *_ = draw.ends(bodies)
        parts.append(Call("Distance", "rod", words))
    return Case("planar", draw.world(True), tuple(bodies), tuple(parts), **draw.running())


def loop(draw: Draw) -> Case:
    """Four-bars in a plane or in space, with parallel axes (redundant rows in space), and doubled joints."""
    kind = draw.pick(("four-bar", "planar four-bar", "tree", "doubled"), (3, 2, 3, 2))
    if kind in ("four-bar", "planar four-bar"):
        return four_bar(draw, kind == "planar four-bar")
    bodies, parts = draw.tree(draw.whole((2, 5)), False, points=0.0)
    if kind == "tree":
        words, *_ = draw.ends(bodies)
        if draw.chance(0.5):
            parts.append(Call("Distance", "closing", words))
        else:
            at = plain(np.mean([body.fields["position"] for body in bodies], axis=0) + 0.2 * draw.direction(3))
            parts.append(Call("Spherical", "closing", {"a": words["a"], "b": words["b"], "at": at}))
    else:
        again = [call for call in parts if call.kind != "Distance"]
        if again:
            call = draw.pick(again)
            parts.append(replace(call, name="twice"))
    return Case("loop", draw.world(False), tuple(bodies), tuple(parts), **draw.running())


def four_bar(draw: Draw, plane: bool) -> Case:
    """Crank, coupler and rocker that are assembled as they are drawn; sometimes a parallelogram."""
    crank = draw.between((0.2, 0.5))
    top = draw.between((0.6, 1.5)), draw.between((0.6, 1.2))
    corners = np.array([(0.0, 0.0), (0.0, crank), top, (draw.between((0.6, 1.5)), 0.0)])
    if draw.chance(0.3):
        corners[2] = corners[1] + corners[3]
    d = 2 if plane else 3
    points = corners if plane else np.column_stack([corners[:, 0], np.zeros(4), corners[:, 1]])
    bodies = [draw.body(f"b{i}", 0.5 * (points[i] + points[i + 1]), plane, size=0.5) for i in range(3)]
    names = ["ground", "b0", "b1", "b2", "ground"]
    parts = []
    for i in range(4):
        words = {"a": names[i], "b": names[i + 1], "at": plain(points[i])}
        loose = d == 3 and i > 0 and draw.chance(0.25)
        if d == 3 and not loose:
            words["axis"] = (0.0, 1.0, 0.0)
        parts.append(Call("Spherical" if loose else "Revolute", f"p{i}", words))
    parts += [draw.spring("s0", bodies)] if draw.chance(0.3) else []
    return Case("loop", draw.world(plane), tuple(bodies), tuple(parts), **draw.running())


def geared(draw: Draw) -> Case:
    """Axles and slides on the ground, tied by gears and couplings, driven, and held by springs."""
    plane = draw.chance(0.4)
    d, n = 2 if plane else 3, draw.whole((2, 4))
    running = draw.running()
    bodies, joints = [], []
    for i in range(n):
        at = draw.between(ranges.LENGTH) * draw.direction(d)
        bodies.append(draw.body(f"b{i}", at + 0.2 * draw.direction(d), plane))
        kind = draw.pick(("Revolute", "Prismatic", "Cylindrical"), (4, 2, 0 if plane else 1))
        words = {"a": "ground" if i == 0 or draw.chance(0.5) else f"b{i - 1}", "b": f"b{i}", "at": plain(at)}
        if not plane or kind == "Prismatic":
            words["axis"] = plain(draw.direction(d))
        joints.append(Call(kind, f"j{i}", words))
    coordinates = {}
    for joint in joints:
        turns = joint.kind == "Revolute" or (joint.kind == "Cylindrical" and draw.chance(0.5))
        name = joint.name if joint.kind != "Cylindrical" else f"{joint.name}.{'angle' if turns else 'displacement'}"
        coordinates[name] = "angle" if turns else "displacement"
    parts = [*joints, *_ties(draw, list(coordinates.items()), bodies, running["t0"], plane)]
    return Case("geared", draw.world(plane), tuple(bodies), tuple(parts), **running)


def _dimension(coordinate):
    return ONE if coordinate == "angle" else L


def _ties(draw, coordinates, bodies, t0, plane):
    """A gear or a coupling; and on another coordinate a drive, a motor or a spring."""
    parts, free = [], list(coordinates)
    draw.random.shuffle(free)
    if len(free) >= 3 and draw.chance(0.4):
        three = [free.pop() for _ in range(3)]
        factors = [draw.pick((-3.0, -1.0, 0.5, 1.0, 2.0, 20.0)) for _ in three]
        # a displacement counts in lengths: its factor is one over a length
        dims = [(0, -_dimension(c)[1], 0) for _, c in three]
        joints = [name for name, _ in three]
        parts.append(
            Call("Coupling", "tie", {"joints": joints, "factors": plain(factors)}, {"factors": ("number", dims)})
        )
        free.append(three[0])
    elif len(free) >= 2 and draw.chance(0.7):
        (driver, c), (driven, z) = free.pop(), free.pop()
        ratio = draw.pick((-2.0, -1.0 / 3.0, 0.5, 1.0, 4.0)) * (1.0 if c == z else 0.1)
        power = _dimension(z)[1] - _dimension(c)[1]
        words = {"driver": driver, "driven": driven, "ratio": ratio}
        parts.append(Call("Gear", "gear", words, {"ratio": ("number", (0, power, 0))}))
        free.append((driver, c))
    for name, coordinate in free[:2]:
        parts.append(_actuator(draw, name, coordinate, t0, f"act{len(parts)}"))
    if draw.chance(0.4):
        parts.append(draw.bushing("mount", bodies))
    return [part for part in parts if part is not None]


def _actuator(draw, joint, coordinate, t0, name):
    kind = draw.pick(("Drive", "Motor", "TorsionSpring", None))
    if kind == "Drive":
        size = draw.between((0.05, 1.0)) * (1.0 if coordinate == "angle" else 0.3)
        return Call(kind, name, {"joint": joint, **draw.motions(size, _dimension(coordinate), t0)})
    if kind == "Motor":
        return Call(kind, name, {"joint": joint, "law": draw.motor(coordinate, draw.log((0.05, 1.0)))})
    if kind == "TorsionSpring" and coordinate == "angle":
        k = draw.log((0.1, 100.0))
        return Call(kind, name, {"joint": joint, "stiffness": k, "damping": 0.01 * k * draw.between((0.0, 1.0)),
                                 "rest": draw.between((-0.5, 0.5))})  # fmt: skip
    return None


def user(draw: Draw) -> Case:
    """Forces that are functions of time and states, on a tree; some of them compiled."""
    plane = draw.chance(0.3)
    bodies, parts = draw.tree(draw.whole((1, 4)), plane, points=0.2)
    running, d = draw.running(), 2 if plane else 3
    for i in range(draw.whole((1, 2))):
        body = draw.pick(bodies)
        mass, kind = body.fields["mass"], draw.pick(("drag", "spring", "PointForce", "Torque", "PointDrive"))
        if kind in ("drag", "spring"):
            parts.append(Call("UserForce", f"u{i}", {"bodies": [body.name], "function": _field(draw, kind, mass)}))
        elif kind == "PointForce":
            parts.append(Call(kind, f"u{i}", {"body": body.name, "force": draw.push(mass, d, running["t0"])}))
        elif kind == "Torque" and body.kind == "RigidBody":
            law = draw.wave(mass, (1, 2, -2), running["t0"]) if plane else draw.push(mass, 3, running["t0"])
            law = law if plane else replace(law, values={**law.values, "f": (law.values["f"][0], "vector", (1, 2, -2))})
            parts.append(Call(kind, f"u{i}", {"body": body.name, "torque": law}))
        elif kind == "PointDrive" and not any(body.name in (p.fields.get("a"), p.fields.get("b")) for p in parts) \
                and not any(p.kind == "PointDrive" for p in parts):  # fmt: skip
            parts.append(_shaker(draw, f"u{i}", body, running["t0"]))
    return Case("user", draw.world(plane), tuple(bodies), tuple(parts), **running)


def _field(draw, kind, mass):
    """Drag, or a spring to a point: functions of the states of one body."""
    rate = draw.between((0.1, 3.0))
    if kind == "drag":
        return Law("lambda t, s: np.hstack((-{c} * s.velocity, -{d} * s.angular_velocity))",
                   {"c": (mass * rate, "number", DAMPER), "d": (0.02 * mass * rate, "number", (1, 2, -1))})  # fmt: skip
    return Law("lambda t, s: np.hstack((-{k} * (s.position - np.array({o})), 0.0 * s.position))",
               {"k": (mass * rate**2, "number", STIFFNESS), "o": ((0.1, 0.2, 0.0), "point", L)})  # fmt: skip


def _shaker(draw, name, body, t0):
    """The centre of a body without joints is moved along a line."""
    x = body.fields["position"]
    d = len(x)
    values = {"x": (x, "point", L), "d": (plain(draw.between((0.05, 0.5)) * draw.direction(d)), "vector", L),
              "w": (draw.between((0.5, 10.0)), "number", RATE), "b": (t0, "begin", T)}  # fmt: skip
    return Call("PointDrive", name, {
        "body": body.name, "motion": Law("lambda t: np.array({x}) + np.array({d}) * np.sin({w} * (t - {b}))", values),
    })  # fmt: skip


def flexible(draw: Draw) -> Case:
    """A beam or a bar, clamped, pinned or free, with a body at its end."""
    plane = draw.chance(0.5)
    d, length = 2 if plane else 3, draw.between((0.3, 2.0))
    along = draw.direction(d)
    end, bar = length * along, draw.chance(0.3)
    mass, speed, radius = draw.log((0.05, 20.0)), draw.log((10.0, 500.0)), length * draw.log((3e-3, 0.1))
    EA = mass * speed**2
    numbers = {"EA": EA, "mass": mass}
    if not bar:
        numbers |= {"GA": 0.4 * EA, "EI": EA * radius**2, "inertia": mass * radius**2}
        numbers |= {} if plane else {"GJ": 0.7 * EA * radius**2}
    words = {"start": (0.0,) * d, "end": plain(end), "elements": draw.whole(ranges.ELEMENTS),
             "section": Call("Rigidity", None, numbers)}  # fmt: skip
    words |= {"viscosity": draw.between((0.0, 1e-2))} if draw.chance(0.4) else {}
    words |= {"mass": "consistent"} if draw.chance(0.3) else {}
    if not bar and not plane and words.get("mass") != "consistent" and draw.chance(0.3):
        words["group"] = "SE3"
    if not bar and not plane:  # the default depends on the axes of space
        words["across"] = plain(unit(np.cross(along, draw.direction(3))))
    if draw.chance(0.4):
        words["velocity"] = plain(draw.between((0.0, 2.0)) * draw.direction(d))
    last = f"beam.{words['elements']}"
    beam, bodies, parts = Call("Bar" if bar else "Beam", "beam", words), [], []
    ball = "Revolute" if plane else "Spherical"
    root = draw.pick((ball, None) if bar else ("Fixed", ball, "Revolute", None))
    if root:
        axis = {"axis": plain(draw.direction(3))} if root == "Revolute" and not plane else {}
        parts.append(Call(root, "root", {"a": "ground", "b": "beam.0", "at": (0.0,) * d, **axis}))
    if draw.chance(0.6):
        tip = draw.body("tip", end if bar else end + 0.1 * along, plane, bar, size=0.2)
        bodies.append(tip)
        joint = ball if bar else draw.pick(("Fixed", ball))
        parts.append(Call(joint, "hold", {"a": last, "b": "tip", "at": plain(end)}))
    return Case("flexible", draw.world(plane), (beam, *bodies), tuple(parts), **draw.running())


def rolling(draw: Draw) -> Case:
    """Something that rolls on a plane or cuts it, alone or with a body on it."""
    kind = draw.pick(("RollingSphere", "RollingDisk", "RollingEllipsoid", "KnifeEdge", "planar disk", "planar edge"))
    plane = kind.startswith("planar")
    up = np.array([0.0, 1.0]) if plane else np.array([0.0, 0.0, 1.0])
    r, d, words = draw.between((0.05, 0.5)), len(up), {"a": "ground", "b": "b0"}
    body = draw.body("b0", np.zeros(d), plane, size=r)
    height = r
    if kind == "RollingDisk":
        axis = draw.direction(3)
        axis[2] *= 0.7
        axis /= np.linalg.norm(axis)
        height = r * np.sqrt(1.0 - axis[2] ** 2)
        words |= {"radius": r, "axis": plain(axis)}
    elif kind == "RollingEllipsoid":
        radii = r * np.array([draw.between((0.3, 1.0)) for _ in range(3)])
        normal = so3.matrix(np.array(body.fields["orientation"])).T @ up
        height = float(np.sqrt(np.sum((radii * normal) ** 2)))
        words |= {"radii": plain(radii)}
    elif kind in ("RollingSphere", "planar disk"):
        words |= {"radius": r}
    elif kind == "KnifeEdge":
        heading = draw.between((-3.0, 3.0))
        height = 0.1
        words |= {"at": (0.1, 0.0, 0.0), "axis": (float(np.cos(heading)), float(np.sin(heading)), 0.0)}
    else:
        words |= {"at": (0.1, 0.0), "axis": plain(draw.direction(2))}
    name = {"planar disk": "RollingDisk", "planar edge": "KnifeEdge"}.get(kind, kind)
    if kind != "planar edge":
        words |= {"normal": plain(up)}
        words |= {} if kind == "KnifeEdge" else {"plane": (0.0,) * d}
        body = replace(body, fields={**body.fields, "position": plain(height * up)})
    bodies, parts = [body], [Call(name, "roll", words)]
    if kind == "KnifeEdge":
        parts.append(Call("Planar", "table", {"a": "ground", "b": "b0", "at": plain(height * up), "axis": plain(up)}))
        parts.pop() if draw.chance(0.3) else None
    if draw.chance(0.4):
        rider = draw.body("b1", height * up + 0.3 * draw.direction(d), plane)
        bodies.append(rider)
        parts.append(draw.joint("ride", body, rider))
    return Case("rolling", draw.world(plane), tuple(bodies), tuple(parts), **draw.running())


MAKERS = {"tree": tree, "loop": loop, "planar": planar, "geared": geared, "user": user, "flexible": flexible,
          "rolling": rolling, "contact": contact, "crowd": crowd}  # fmt: skip

__all__ = ["GRAVITY", "MAKERS"]
