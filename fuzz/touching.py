"""Random models with contacts, as `Case`s."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fuzz import ranges
from fuzz.describe import Call, Case, L, plain
from fuzz.draw import Draw


def _up(plane):
    return np.array([0.0, 1.0]) if plane else np.array([0.0, 0.0, 1.0])


def _ball(draw, name, position, radius, plane, moving=True):
    """A disc or a sphere: a rigid body, or a point mass with a shape."""
    point = draw.chance(0.5)
    body = draw.body(name, position, plane, point, size=radius, moving=moving)
    return replace(body, fields={**body.fields, "shape": Call("Sphere", None, {"radius": radius})})


def _plane(point, normal, **more):
    return Call("Plane", None, {"point": plain(point), "normal": plain(normal), **more})


def contact(draw: Draw) -> Case:
    """One of the kinds below."""
    plane = draw.chance(0.4)
    kinds = [balls, box, pendulum, stack, wedge, seesaw, bearing]
    bodies, parts = draw.pick(kinds)(draw, plane)
    running = draw.running(touches=True)
    running["options"] = {"project": True} if any(part.kind != "Contact" for part in parts) else {}
    return Case("contact", draw.world(plane, gravity=draw.chance(0.85)), tuple(bodies), tuple(parts), **running)


def balls(draw, plane):
    """Balls beside each other that fall on a plane and hit each other."""
    n, d, e, up = draw.whole((1, 4)), 2 if plane else 3, draw.pick(ranges.RESTITUTION), _up(plane)
    bodies, radii = [], []
    for i in range(n):
        r = draw.between((0.05, 0.2))
        place = 0.45 * i * np.eye(d)[0] + up * (r + draw.pick((0.0, 1e-3, 0.01, 0.1)))
        bodies.append(_ball(draw, f"b{i}", place, r, plane, moving=draw.chance(0.7)))
        radii.append(r)
    floor = _plane(np.zeros(d), up)
    parts = [Call("Contact", f"floor{i}", {"a": f"b{i}", "b": floor, "restitution": e}) for i in range(n)]
    other = draw.pick(ranges.RESTITUTION) if draw.chance(0.3) else e
    parts += [Call("Contact", f"pair{i}", {"a": f"b{i}", "b": f"b{i + 1}", "restitution": other}) for i in range(n - 1)]
    return bodies, parts


def box(draw, plane):
    """A box with corners, or a capsule, that falls askew or lies flat."""
    up, flat = _up(plane), draw.chance(0.4)
    size = np.array([draw.between((0.1, 0.5)) for _ in range(3)])
    capsule = not plane and draw.chance(0.3)
    shape = Call("Capsule", None, {"radius": float(size[0]), "length": float(size[2])}) if capsule else \
        Call("Box", None, {"size": plain(size)})  # fmt: skip
    body = draw.body("b0", 0.0 * up, plane, size=float(size.min()), moving=draw.chance(0.6))
    if flat:
        half = (size[0] if capsule else 0.5 * size[2]) if not plane else 0.5 * size[1]
        turn = 0.0 if plane else (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0) if capsule else (1.0, 0.0, 0.0, 0.0)
        where = half * up
    else:
        turn, where = (
            body.fields["orientation"],
            (float(np.linalg.norm(size)) * (1.0 + capsule) + draw.pick((0.0, 0.01, 0.1))) * up,
        )
    body = replace(body, fields={**body.fields, "position": plain(where), "orientation": plain(turn), "shape": shape})
    return [body], [
        Call("Contact", "floor", {"a": "b0", "b": _plane(0.0 * up, up), "restitution": draw.pick(ranges.RESTITUTION)})
    ]


def pendulum(draw, plane):
    """A tree whose last body has a point that hits a plane just below."""
    bodies, parts = draw.tree(draw.whole((1, 3)), plane, points=0.0, free=0.0)
    body, up = bodies[-1], _up(plane)
    at = np.asarray(body.fields["position"])
    normal = draw.direction(len(up))
    depth = draw.pick((0.0, 1e-3, 0.02))
    words = {"a": body.name, "b": _plane(at - depth * normal, normal), "at": plain(at),
             "restitution": draw.pick(ranges.RESTITUTION)}  # fmt: skip
    return bodies, [*parts, Call("Contact", "stop", words)]


def stack(draw, plane):
    """Balls on top of each other between walls, all touching or nearly so."""
    up, n, r = _up(plane), draw.whole((2, 4)), draw.between((0.05, 0.2))
    side, e = np.eye(len(up))[0], draw.pick(ranges.RESTITUTION)
    slack, lean = draw.pick((0.0, 0.0, 1e-4, 1e-2)), draw.pick((0.0, 0.0, 0.3))
    bodies, x = [], r * up
    for i in range(n):
        bodies.append(_ball(draw, f"b{i}", x, r, plane, moving=draw.chance(0.2)))
        tilt = lean * (-1.0) ** i
        x = x + (2.0 * r + slack) * (np.cos(tilt) * up + np.sin(tilt) * side)
    parts = [Call("Contact", "floor", {"a": "b0", "b": _plane(0.0 * up, up), "restitution": e})]
    parts += [Call("Contact", f"pair{i}", {"a": f"b{i + 1}", "b": f"b{i}", "restitution": e}) for i in range(n - 1)]
    reach = r + (2.0 * r + slack) * np.sin(lean) + draw.pick((0.0, 1e-3))
    walls = ((-r * side - (reach - r) * side * 0.0, side), (reach * side, -side))
    for k, (point, normal) in enumerate(walls):
        parts += [
            Call("Contact", f"wall{k}{i}", {"a": f"b{i}", "b": _plane(point, normal), "restitution": e})
            for i in range(n)
        ]
    return bodies, parts


def wedge(draw, plane):
    """A ball in a groove of two inclined planes."""
    up, r = _up(plane), draw.between((0.05, 0.3))
    side, e = np.eye(len(up))[0], draw.pick(ranges.RESTITUTION)
    slopes = [draw.between((0.2, 1.3)) for _ in range(2)]
    normals = [np.cos(a) * up + s * np.sin(a) * side for a, s in zip(slopes, (1.0, -1.0), strict=True)]
    # as far from both planes through the origin: the gap of both
    gap = draw.pick((0.0, 1e-3, 0.05))
    centre = np.linalg.solve(np.array([[n @ side, n @ up] for n in normals]), [r + gap, r + gap])
    body = _ball(draw, "b0", centre[0] * side + centre[1] * up, r, plane, moving=draw.chance(0.5))
    return [body], [
        Call("Contact", f"side{k}", {"a": "b0", "b": _plane(0.0 * up, n), "restitution": e})
        for k, n in enumerate(normals)
    ]


def seesaw(draw, plane):
    """A plank on a pin with balls on it."""
    up = _up(plane)
    side, e, n = np.eye(len(up))[0], draw.pick(ranges.RESTITUTION), draw.whole((1, 3))
    plank = draw.body("plank", 0.0 * up, plane, size=1.0, moving=False)
    level = 0.0 if plane else (1.0, 0.0, 0.0, 0.0)
    plank = replace(plank, fields={**plank.fields, "orientation": level})
    axis = {} if plane else {"axis": (0.0, 1.0, 0.0)}
    parts, bodies = [Call("Revolute", "pin", {"a": "ground", "b": "plank", "at": plain(0.0 * up), **axis})], [plank]
    for i in range(n):
        r = draw.between((0.05, 0.2))
        at = (i - 0.5 * (n - 1)) * 0.5 * side + (0.05 + r + draw.pick((0.0, 1e-3, 0.1))) * up
        bodies.append(_ball(draw, f"b{i}", at, r, plane, moving=False))
        top = _plane(0.05 * up, up, body="plank")
        parts.append(Call("Contact", f"on{i}", {"a": f"b{i}", "b": top, "restitution": e}))
    return bodies, parts


def bearing(draw, plane):
    """A pin in a bearing with clearance."""
    up, r = _up(plane), draw.between((0.05, 0.2))
    clearance, e = r * draw.log((1e-3, 0.3)), draw.pick(ranges.RESTITUTION)
    body = _ball(draw, "b0", draw.between((0.0, 1.0)) * clearance * draw.direction(len(up)), r, plane)
    ring = {
        "a": "b0",
        "b": "ground",
        "radius_b": r + clearance,
        "inside": True,
        "restitution": e,
        "on_b": (0.0,) * len(up),
    }
    return [body], [Call("Contact", "ring", ring, {"on_b": ("point", L)})]


def crowd(draw: Draw) -> Case:
    """A contact group above a floor, between walls or without."""
    plane, n = draw.chance(0.4), draw.whole(ranges.CROWD)
    up = _up(plane)
    d, r, bodies = len(up), draw.between((0.05, 0.15)), []
    width = 4 if plane else 2
    for i in range(n):
        cell = (
            np.array([i % width, i // width]) if plane else np.array([i % width, (i // width) % width, i // width**2])
        )
        gap = draw.pick((0.0, 0.02, 0.1)) * r
        place = cell * (2.2 * r) + r * (1.0 + 0.2 * draw.random.random(d)) + gap * up
        bodies.append(_ball(draw, f"b{i}", place, r * draw.between((0.6, 1.0)), plane, moving=draw.chance(0.5)))
    planes = [_plane(np.zeros(d), up, name="floor")]
    if draw.chance(0.6):
        side = np.eye(d)[0]
        planes += [_plane(np.zeros(d), side, name="left"), _plane((width * 2.2 + 0.5) * r * side, -side, name="right")]
    words = {"bodies": [body.name for body in bodies], "planes": planes, "restitution": draw.pick(ranges.RESTITUTION)}
    words |= {"each_other": False} if draw.chance(0.1) else {}
    running = draw.running(touches=True)
    running["options"] = {}
    running["method"] = Call("GeneralizedAlpha", None, {"rho_inf": draw.pick(ranges.RHO_INF)})
    model = draw.world(plane, gravity=draw.chance(0.9))
    return Case("crowd", model, tuple(bodies), (Call("ContactGroup", "heap", words),), **running)
