"""Joints and forces of the library: are they what they should be, and do their reactions bear what they must?"""

import numpy as np
import pytest

import genalpha as ga

AT, AXIS = (0.5, 0.2, 0.1), (1.0, 2.0, -0.5)
ONE = ga.RigidBody(
    "one", mass=1.0, inertia=(0.1, 0.2, 0.15), position=(0.3, 0.1, 0.0), orientation=(0.8, 0.0, 0.6, 0.0)
)
TWO = ga.RigidBody("two", mass=2.0, inertia=(0.3, 0.2, 0.25), position=(1.3, 0.1, 0.2))
BOB = ga.PointMass("bob", mass=1.0, position=(0.5, 0.6, 0.1))
PIN = ga.Revolute("pin", ONE, TWO, at=AT, axis=AXIS)
HINGE = ga.Revolute("hinge", "ground", ONE, at=AT, axis=AXIS)
RAIL = ga.Prismatic("rail", "ground", TWO, at=AT, axis=AXIS)
SLEEVE = ga.Cylindrical("sleeve", ONE, TWO, at=AT, axis=AXIS)


@ga.evaluator
def swing(t):
    return 0.3 * np.sin(2.0 * t)


def swing_rate(t):
    return 0.6 * np.cos(2.0 * t)


def swing_acceleration(t):
    return -1.2 * np.sin(2.0 * t)


@ga.evaluator
def law(t, z, rate):
    return 3.0 - 2.0 * np.sin(z) - 0.5 * rate**3


SPATIAL = [
    SLEEVE,
    ga.Cylindrical("pipe", "ground", TWO, at=AT, axis=AXIS),
    ga.Universal("cross", ONE, TWO, at=AT, axis=AXIS),
    ga.Universal("arms", ONE, TWO, at=AT, axis=(0.0, 0.0, 1.0), axis_2=(1.0, 1.0, 0.0)),
    ga.Planar("table", ONE, TWO, at=AT, axis=AXIS),
    ga.PointOnLine("slot", ONE, TWO, at=AT, axis=AXIS),
    ga.PointOnLine("wire", ONE, BOB, at=BOB.position, axis=AXIS),
    ga.Distance("rod", ONE, TWO, on_a=(0.1, 0.2, 0.3), on_b=(0.0, -0.1, 0.2)),
    ga.Distance("string", "ground", BOB),
    ga.Gear("gear", HINGE, PIN, ratio=-2.0),
    ga.Gear("rack", HINGE, RAIL, ratio=0.1),
    ga.Coupling("screw", ["sleeve.angle", "sleeve.displacement"], [0.1, 1.0]),
    ga.Drive("drive", PIN, swing),
    ga.Drive("feed", RAIL, swing, rate=swing_rate, acceleration=swing_acceleration),
    ga.PointDrive("hand", ONE, lambda t: (0.1, 0.2 * t, t**2), on=(0.1, 0.0, 0.2)),
    ga.TorsionSpring("coil", PIN, stiffness=5.0, damping=0.4, rest=0.7),
    ga.Motor("motor", HINGE, law),
    ga.Motor("pusher", "sleeve.displacement", law),
    ga.Bushing("mount", ONE, TWO, stiffness=(9, 8, 7, 3, 2, 1), damping=np.diag([1, 2, 3, 4, 5, 6]) + 0.3, at=AT),
    ga.RollingSphere("ball", "ground", ONE, radius=0.3),
    ga.RollingDisk("coin", TWO, ONE, radius=0.5, axis=(1.0, 0.2, 0.1)),
    ga.RollingEllipsoid("stone", TWO, ONE, radii=(0.1, 0.2, 0.3), centre=(0.3, 0.2, 0.3)),
    ga.KnifeEdge("skate", TWO, ONE, at=AT, axis=(1.0, 2.0, 0.0)),
    ga.Bushing("foot", "ground", ONE, stiffness=(9, 8, 7, 3, 2, 1)),
]


@pytest.fixture(scope="module")
def space():
    model = ga.Model("space")
    for part in (ONE, TWO, BOB, SLEEVE):
        model.add(part)
    return model


@pytest.mark.parametrize("part", SPATIAL, ids=lambda part: part.name)
def test_in_space(part, space):
    report = ga.check_contribution(part, space if part.name in ("screw", "pusher") else None, throw=True)
    assert report.ok
    assert len(report.findings) >= 2


@pytest.fixture(scope="module")
def plane():
    model = ga.Model("plane", planar=True)
    model.add(ga.RigidBody("one", mass=1.0, inertia=0.1, position=(0.3, 0.1), orientation=0.3))
    model.add(ga.RigidBody("two", mass=1.0, inertia=0.1, position=(1.3, 0.1), orientation=-0.3))
    model.add(ga.PointMass("bob", mass=1.0, position=(0.5, 0.6)))
    model.add(ga.Revolute("pin", "one", "two", at=(0.5, 0.2)))
    model.add(ga.Prismatic("rail", "ground", "one", at=(0.5, 0.2), axis=(1.0, 2.0)))
    return model


PLANAR = [
    ga.PointOnLine("slot", "one", "two", at=(0.5, 0.2), axis=(1.0, 2.0)),
    ga.PointOnLine("wire", "ground", "bob", at=(0.5, 0.6), axis=(1.0, 2.0)),
    ga.Distance("rod", "one", "two", on_a=(0.1, 0.2)),
    ga.Distance("string", "bob", "two"),
    ga.Gear("rack", "pin", "rail", ratio=0.1),
    ga.Drive("drive", "pin", swing),
    ga.PointDrive("hand", "bob", lambda t: (0.1, 0.2 * t)),
    ga.TorsionSpring("coil", "pin", stiffness=5.0, damping=0.4, rest=0.7),
    ga.Motor("motor", "rail", law),
    ga.RollingDisk("wheel", "one", "two", radius=0.1),
    ga.KnifeEdge("skate", "ground", "one", at=(0.1, 0.2), axis=(1.0, 0.2)),
    ga.Bushing("mount", "one", "two", stiffness=(9, 8, 7), damping=(1, 2, 3), at=(0.1, 0.0)),
]


@pytest.mark.parametrize("part", PLANAR, ids=lambda part: part.name)
def test_in_a_plane(part, plane):
    assert ga.check_contribution(part, plane, throw=True).ok
