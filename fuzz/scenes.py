"""Random scenes with friction."""

from __future__ import annotations

import numpy as np

from fuzz.describe import Call
from fuzz.draw import GRAVITY, Draw
from fuzz.sliding import Contact, Floor, Scene

MU = (0.0, 1e-3, 0.1, 0.3, 0.6, 1.0, 3.0, 100.0)
E = (0.0, 0.0, 0.0, 0.3, 0.8, 1.0)
E_T = (0.0, 0.0, 0.0, 0.5, 1.0, -0.5)
H = (2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 1e-4)


def coefficients(draw: Draw, wide=1):
    mu = draw.pick(MU)
    if wide > 1 and draw.chance(0.3):
        mu = [mu] * wide
        mu[0] = 0.5 * mu[0]
    elif wide > 1:
        mu = [mu] * wide
    static = draw.pick((1.0, 1.0, 1.0, 1.3, 2.0)) if np.all(np.asarray(mu) > 0) else 1.0
    return {"mu": mu, "static": static, "e": draw.pick(E), "e_t": draw.pick(E_T)}


def floor(draw: Draw, angle=0.0, moving=0.4):
    moves = draw.chance(moving)
    return Floor(
        angle,
        0.0,
        draw.pick((0.0, 0.5, -2.0)) if moves else 0.0,
        draw.pick((0.0, 1e-3, 1e-2)) if moves else 0.0,
        draw.pick((10.0, 50.0)),
    )


def rates(draw: Draw, d):
    if draw.chance(0.3):
        return [0.0] * d
    return list(draw.random.uniform(-3.0, 3.0, d) * draw.pick((1.0, 1.0, 0.1, 1e-4)))


def box(draw: Draw):
    """A box with two corners on a floor, lying, hovering or standing on one corner."""
    a, b, m = draw.between((0.1, 1.0)), draw.between((0.1, 1.0)), draw.pick((0.01, 1.0, 30.0))
    tilt = draw.pick((0.0, 0.0, 0.2, -0.3, 0.7))
    corners = [(-a, -b), (a, -b), (a, b), (-a, b)][: draw.pick((2, 4))]
    own = coefficients(draw)
    contacts = [Contact("corner", 0, 0, x, y, **(own if draw.chance(0.7) else coefficients(draw))) for x, y in corners]
    low = min(np.sin(tilt) * x + np.cos(tilt) * y for x, y in corners)
    height = -low + draw.pick((0.0, 0.0, 0.02, 1e-6))
    slope = draw.pick((0.0, 0.0, 0.2, 0.5))
    g = (GRAVITY * np.sin(slope), -GRAVITY * np.cos(slope))
    v0 = rates(draw, 3)
    if height <= -low and draw.chance(0.7):
        v0 = [v0[0], 0.0, 0.0]
    return {
        "d": 2,
        "masses": ((m, m * (a * a + b * b) / 3.0),),
        "contacts": tuple(contacts),
        "gravity": g,
        "q0": (0.0, height, tilt),
        "v0": tuple(v0),
        "floors": (floor(draw),),
    }


def rod(draw: Draw):
    """A rod on a floor, may be against a wall: ladders, and Painlevé's."""
    l, phi, m = 1.0, draw.pick((0.3, 0.9, 1.0, 1.3, 1.5)), draw.pick((1.0, 5.0))
    contacts = [Contact("corner", 0, 0, -l, 0.0, **coefficients(draw))]
    floors = [floor(draw)]
    if draw.chance(0.6):
        floors.append(floor(draw, 0.5 * np.pi))  # its normal is -x
        contacts.append(Contact("corner", 0, 1, l, 0.0, **coefficients(draw)))
        q0 = (-np.cos(phi), np.sin(phi), phi)
    else:
        q0 = (0.0, np.sin(phi), phi)
    v0 = [0.0, 0.0, 0.0]
    if draw.chance(0.6):
        v0 = [draw.pick((-3.0, 3.0, 0.1)), draw.pick((0.0, 0.0, -1.0)), draw.pick((0.0, 0.0, 1.0))]
    return {
        "d": 2,
        "masses": ((m, m * l * l / 3.0),),
        "contacts": tuple(contacts),
        "q0": q0,
        "v0": tuple(v0),
        "floors": tuple(floors),
    }


def discs(draw: Draw):
    """One to three discs on a floor and on each other."""
    n, r = draw.whole((1, 3)), 0.1
    at = [(0.0, r), (2.0 * r * draw.pick((1.0, 1.0, 1.01)), r), (r, r + np.sqrt(3.0) * r)][:n]
    if n == 2 and draw.chance(0.5):
        at[1] = (0.0 if draw.chance(0.3) else 0.01, 3.0 * r)
    lift = draw.pick((0.0, 0.0, 0.0, 0.05))
    bodies, q0, v0, contacts = [], [], [], []
    for i, (x, y) in enumerate(at):
        m = draw.pick((1.0, 1.0, 0.1, 10.0))
        bodies.append((m, draw.pick((0.5, 0.4)) * m * r * r))
        q0 += [x, y + lift, 0.0]
        v0 += rates(draw, 3) if draw.chance(0.5) else [0.0] * 3
        contacts.append(Contact("round", i, 0, r=r, **coefficients(draw)))
    for i in range(n):
        for j in range(i):
            contacts.append(Contact("rounds", i, j, r, r, **coefficients(draw)))
    slope = draw.pick((0.0, 0.0, 0.3))
    return {
        "d": 2,
        "masses": tuple(bodies),
        "contacts": tuple(contacts),
        "q0": tuple(q0),
        "v0": tuple(v0),
        "gravity": (GRAVITY * np.sin(slope), -GRAVITY * np.cos(slope)),
        "floors": (floor(draw),),
    }


def stack(draw: Draw):
    """Two or three boxes on each other."""
    n, contacts, bodies, q0, v0, height = draw.whole((2, 3)), [], [], [], [], 0.0
    speed, below = rates(draw, 1)[0], 0.0
    for i in range(n):
        a, b = 0.5 - 0.1 * i, draw.pick((0.1, 0.2))
        m = draw.pick((1.0, 1.0, 0.1, 10.0))
        bodies.append((m, m * (a * a + b * b) / 3.0))
        q0 += [draw.pick((0.0, 0.05)), height + b, 0.0]
        v0 += [speed if draw.chance(0.7) else 0.0, 0.0, 0.0]
        own = coefficients(draw)
        for x in (-a, a):
            if i == 0:
                contacts.append(Contact("corner", 0, 0, x, -b, **own))
            else:
                contacts.append(Contact("top", i, i - 1, x, -b, below, **own))
        below = b
        height += 2.0 * b
    slope = draw.pick((0.0, 0.0, 0.2))
    return {
        "d": 2,
        "masses": tuple(bodies),
        "contacts": tuple(contacts),
        "q0": tuple(q0),
        "v0": tuple(v0),
        "gravity": (GRAVITY * np.sin(slope), -GRAVITY * np.cos(slope)),
        "floors": (floor(draw, 0.0, 0.3),),
    }


def balls(draw: Draw):
    """One or two balls, or points, in space."""
    n, r = draw.whole((1, 2)), draw.pick((0.1, 0.1, 0.0))
    drill = draw.pick((0.0, 0.0, 0.02))
    wide = 3 if drill else 2
    bodies, q0, v0, contacts = [], [], [], []
    for i in range(n):
        m = draw.pick((1.0, 0.1, 10.0))
        bodies.append((m, 0.4 * m * max(r, 0.05) ** 2))
        q0 += [
            0.3 * i if r == 0.0 or draw.chance(0.5) else 2.0 * r * i,
            0.1,
            r + draw.pick((0.0, 0.0, 0.0, 0.03)),
            0.0,
            0.0,
            0.0,
        ]
        v0 += [*rates(draw, 2), draw.pick((0.0, 0.0, -1.0)), *(5.0 * np.array(rates(draw, 3)))]
        contacts.append(Contact("round", i, 0, r=r, **coefficients(draw, wide)))
    if n == 2 and r > 0.0:
        contacts.append(Contact("rounds", 1, 0, r, r, **coefficients(draw, wide)))
    slope = draw.pick((0.0, 0.0, 0.3))
    floors = Floor(0.0, 0.0, draw.pick((0.0, 0.0, 0.5)), draw.pick((0.0, 0.0, 1e-3)), 30.0, draw.pick((0.0, 0.0, 2.0)))
    return {
        "d": 3,
        "masses": tuple(bodies),
        "contacts": tuple(contacts),
        "q0": tuple(q0),
        "v0": tuple(v0),
        "gravity": (GRAVITY * np.sin(slope), 0.0, -GRAVITY * np.cos(slope)),
        "floors": (floors,),
        "drill": drill,
    }


def sliders(draw: Draw):
    """Masses with dry friction, no contacts."""
    n = draw.whole((1, 2))
    dry = [(3 * i, -1 if i == 0 else 0, draw.pick((0.0, 0.5, 2.0, 50.0))) for i in range(n)]
    if draw.chance(0.4):
        dry.append((2, -1, draw.pick((0.1, 5.0))))
    return {
        "d": 2,
        "masses": tuple((draw.pick((1.0, 0.2)), 0.1) for _ in range(n)),
        "contacts": (),
        "gravity": (0.0, 0.0),
        "q0": tuple([0.0] * 3 * n),
        "v0": tuple(rates(draw, 3 * n)),
        "dry": tuple(dry),
    }


KINDS = {"box": box, "rod": rod, "discs": discs, "stack": stack, "balls": balls, "sliders": sliders}


def friction(draw: Draw) -> Scene:
    """Any of these, with springs, pushes, dry friction and constraints."""
    kind = draw.pick(tuple(KINDS), (3, 3, 3, 2, 3, 1))
    words = KINDS[kind](draw)
    width = 3 if words["d"] == 2 else 6
    n = width * len(words["masses"])
    _loads(draw, words, n, width)
    if kind in ("discs", "stack", "balls", "sliders") and draw.chance(0.25):
        _holds(draw, words, width)
    if n >= 6 and draw.chance(0.2):
        _ties(draw, words, n, width)
    method = {"rho_inf": draw.pick((0.0, 0.5, 0.8, 0.9, 1.0))}
    if draw.chance(0.2):
        method["strategy"] = 2
    if draw.chance(0.1):
        method["formulation"] = "PVV"
    if draw.chance(0.15):
        method["start"] = draw.pick(("lunk-simeon", "shifted"))
    words["q0"], words["v0"] = (tuple(float(x) for x in words[key]) for key in ("q0", "v0"))
    words["gravity"] = tuple(float(x) for x in words.get("gravity", (0.0, -GRAVITY)))
    return Scene(
        kind, **words, h=draw.pick(H), steps=draw.whole((8, 30)), method=Call("GeneralizedAlpha", None, method)
    )


def _loads(draw: Draw, words, n, width):
    """Springs, pushes, dry friction."""
    mass = words["masses"][0][0]
    if draw.chance(0.3):
        i = draw.whole((0, n - 1))
        size = words["masses"][i // width][0 if i % width < words["d"] else 1]
        at = float(words["q0"][i] + draw.pick((0.0, 0.02)))
        words["springs"] = ((i, size * draw.log((10.0, 1e4)), size * draw.pick((0.0, 2.0)), at),)
    if draw.chance(0.3):
        words["push"] = ((0, mass * draw.pick((1.0, 5.0, 20.0)), draw.pick((0.0, 5.0, 40.0))),)
    if not words.get("dry") and draw.chance(0.2):
        words["dry"] = ((draw.whole((0, n - 1)), -1, draw.pick((0.0, 0.01, 1.0)) * mass),)


def _holds(draw: Draw, words, width):
    """The last body is pinned, or on a rod; rows may be doubled."""
    last, v0 = len(words["masses"]) - 1, list(words["v0"])
    if draw.chance(0.4) and words["d"] == 2:
        words["pins"] = ((last, 0.3, 0.2),)
        v0[width * last : width * (last + 1)] = [0.0] * width
    elif draw.chance(0.5):
        words["rods"] = ((last, float(words["q0"][width * last] + 0.3), 1.0),)
        v0[width * last : width * last + 2] = [0.0, 0.0]
    words["v0"], words["doubled"] = tuple(v0), draw.chance(0.3)


def _ties(draw: Draw, words, n, width):
    """A row of velocities: bodies go together, or one rolls."""
    i, j = (0, width) if n > width and draw.chance(0.6) else (0, 2 if words["d"] == 2 else 4)
    c, v0 = draw.pick((1.0, 0.5, -1.0, 0.1)), list(words["v0"])
    v0[i] = c * v0[j]
    words["ties"], words["v0"] = ((i, j, c),), tuple(v0)


MAKERS = {"friction": friction}
