"""What the joints, drives and forces of the library refuse, and in which words."""

import numpy as np
import pytest

import genalpha as ga
from genalpha.step.initial import initial_state

ROD = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}


@pytest.fixture
def model():
    model = ga.Model("m")
    model.add(ga.RigidBody("rod", position=(1.0, 0.0, 0.0), **ROD))
    model.add(ga.PointMass("bob", mass=1.0, position=(0.0, 1.0, 0.0)))
    model.add(ga.Revolute("pin", "ground", "rod", at=(0, 0, 0), axis=(0, 0, 1)))
    model.add(ga.Spherical("ball", "ground", "rod", at=(0, 0, 0)))
    model.add(ga.Cylindrical("sleeve", "ground", "rod", at=(0, 0, 0), axis=(0, 0, 1)))
    return model


PARTS = [
    (lambda: ga.Gear("g", "pin", ""), r"Gear 'g': '' must be a joint or its name, such as 'pin' or 'rail.angle'"),
    (lambda: ga.Gear("g", "pin", "sleeve.angle", ratio=0), r"ratio = 0 must not be zero; to hold a joint use a Drive"),
    (lambda: ga.Gear("g", "pin", "pni"), r"Gear 'g': there is no joint 'pni' in the model; there are 'pin', 'ball'"),
    (lambda: ga.Gear("g", "pin", "ball"), r"Spherical 'ball' has no coordinate; a Revolute, Prismatic or Cylindrical"),
    (lambda: ga.Gear("g", "pin", "sleeve"), r"several coordinates; say 'sleeve.angle' or 'sleeve.displacement'"),
    (lambda: ga.Gear("g", "pin", "pin.displacement"), r"Revolute 'pin' has no 'displacement'; it has angle"),
    (lambda: ga.Gear("g", "pin", "pin.angle", ratio=2), r"Gear 'g' couples joint 'pin' with itself; name another one"),
    (lambda: ga.Coupling("c", ["pin", "sleeve.angle", "pin"], [1, 2, 3]), r"couples joint 'pin' with itself"),
    (lambda: ga.Coupling("c", ["pin"], [1.0]), r"joints must be a list of at least two joints or their names"),
    (lambda: ga.Coupling("c", ["pin", "sleeve.angle"], [1.0, 0.0]), r"must not be zero"),
    (lambda: ga.Drive("d", "pin", 3.0), r"Drive 'd': motion must be a function of t that gives a number"),
    (lambda: ga.Drive("d", "pin", np.sin, np.cos), r"give both rate and acceleration, or neither"),
    (
        lambda: ga.Drive("d", "pin", lambda t: (t, t)),
        r"Drive 'd': motion gave the shape \(2,\) at t0 = 0, not a number",
    ),
    (lambda: ga.Drive("d", "pin", lambda t: np.nan), r"Drive 'd': motion gave NaN or inf at t0 = 0"),
    (
        lambda: ga.Drive("d", "pin", lambda t: 0.3 + t),
        r"Drive 'd': motion and model differ by 0.3 in position at t0 = 0",
    ),
    (
        lambda: ga.Drive("d", "pin", lambda t: 2.0 * t),
        r"motion and model differ by 2 in velocity .* or pass project=True",
    ),
    (lambda: ga.PointDrive("h", "ground", lambda t: (t, t, t)), r"moves the ground, which does not move; name a body"),
    (
        lambda: ga.Motor("m", "pin", 3.0),
        r"Motor 'm': law must be a function \(t, coordinate, rate\) -> torque or force",
    ),
    (lambda: ga.Motor("m", "", np.sin), r"Motor 'm': joint = '' must be a joint or its name"),
    (
        lambda: ga.Motor("m", "pin", lambda t, z, r: (1, 2)),
        r"Motor 'm': law gave the shape \(2,\) at t0 = 0, not a number",
    ),
    (lambda: ga.TorsionSpring("s", "sleeve.displacement", 1.0), r"acts on an angle, .* has none; use a SpringDamper"),
    (lambda: ga.TorsionSpring("s", "pin", -1.0), r"TorsionSpring 's': stiffness = -1.0 must not be negative"),
    (
        lambda: ga.Bushing("b", "ground", "rod", stiffness=(1, 2)),
        r"stiffness must be 6 finite numbers or a \(6, 6\) matrix",
    ),
    (lambda: ga.Bushing("b", "ground", "rod", stiffness=[-1] * 6), r"must not be negative: it would drive the motion"),
    (
        lambda: ga.Bushing("b", "ground", "bob", stiffness=[1] * 6),
        r"holds the rotation of PointMass 'bob', which has none",
    ),
    (lambda: ga.Bushing("b", "ground", "rod", axes=2 * np.eye(3)), r"perpendicular, of length 1, and right-handed"),
    (lambda: ga.Distance("d", "ground", "rod", at_b=(0, 0, 0)), r"Distance 'd': its ends coincide at t0"),
    (lambda: ga.Distance("d", "ground", "rod", at=(0, 0, 0)), r"a rod has two ends and no axis; give at_a and at_b"),
    (lambda: ga.Distance("d", "ground", "rod", length=-1), r"length = -1 must be positive; use a Spherical"),
    (lambda: ga.Universal("u", "ground", "rod", at=(0, 0, 0), axis=(1, 0, 0), axis_2=(1, 1, 0)), r"they are 45° apart"),
    (lambda: ga.RollingSphere("r", "ground", "rod"), r"RollingSphere 'r': radius = 0.0 must be positive"),
    (lambda: ga.RollingSphere("r", "ground", "rod", radius=1, at=(0, 0, 0)), r"at has no meaning here; say centre="),
    (lambda: ga.RollingDisk("r", "ground", "rod", radius=1.0), r"RollingDisk 'r' needs an axis; pass axis="),
    (lambda: ga.RollingSphere("r", "ground", "rod", radius=1.0), r"RollingSphere 'r': its points are 1 m apart at t0"),
    (lambda: ga.KnifeEdge("k", "ground", "rod", at=(0, 0, 0), axis=(0, 0, 1)), r"the blade, .* must lie in the plane"),
    (
        lambda: ga.KnifeEdge("k", "ground", "bob", at=(0, 1, 0), axis=(0, 1, 0)),
        r"holds the direction of PointMass 'bob'",
    ),
]


@pytest.mark.filterwarnings("ignore::genalpha.errors.RedundantConstraintsWarning")
@pytest.mark.parametrize(("make", "words"), PARTS, ids=[words[:30] for _, words in PARTS])
def test_refused(model, make, words):
    with pytest.raises(ga.GenalphaError, match=words):
        start(model, make)


def start(model, make):
    """A part is made and added, and accelerations are looked for."""
    model.add(make())
    system = model.assemble()
    initial_state(system.contract(0.0, system.q0, system.v0, compiled=False), 0.0, system.q0, system.v0)


def test_only_in_space():
    plane = ga.Model("plane", planar=True)
    plane.add(ga.RigidBody("rod", mass=1.0, inertia=0.1))
    plane.add(ga.Cylindrical("sleeve", "ground", "rod", at=(0, 0), axis=(1, 0)))
    with pytest.raises(ga.InputError, match="Cylindrical 'sleeve' does not exist in planar models"):
        plane.assemble()


def test_slipping_is_named():
    """A violated velocity row says which joint slips."""
    table = ga.Model("table")
    table.add(ga.RigidBody("ball", position=(0, 0, 0.5), velocity=(1.0, 0.0, 0.0), **ROD))
    with pytest.raises(ga.InconsistentInitialState, match=r"RollingSphere 'roll': its point slips at 1 m/s at t0 = 0"):
        start(table, lambda: ga.RollingSphere("roll", "ground", "ball", radius=0.5))
