"""The battery for joints and forces: everything of the library passes, and what is wrong does not."""

from dataclasses import dataclass

import numpy as np
import pytest

import genalpha as ga
from genalpha.model.parts.joints import DotRow, PointRows, SlideRow

ONE = ga.RigidBody(
    "one", mass=1.0, inertia=(0.1, 0.2, 0.15), position=(0.3, 0.1, -0.2), orientation=(0.8, 0.2, -0.4, 0.4)
)
TWO = ga.RigidBody("two", mass=1.0, inertia=(0.1, 0.2, 0.15), position=(1.0, 0.3, 0.1), group="SE3")
BOB = ga.PointMass("bob", mass=1.0, position=(0.7, 0.7, 0.1))
AT, AXIS = (0.5, 0.2, 0.1), (1.0, 2.0, -0.5)
PULL = {"stiffness": 10.0, "damping": 2.0, "length": 0.3}


def wind(t, states):
    """A force of the surroundings."""
    out = np.zeros((1, 6))
    out[0, 0] = 1.0 - states.velocity[0, 0]
    return out


def gas(t, states):
    """A force between two bodies."""
    line = states.position[1] - states.position[0]
    return np.array([[*line, *states.angular_velocity[0]], [*(-line), 0.0, 0.0, 0.0]])


SPATIAL = [
    ga.Spherical("spherical", ONE, TWO, at=AT),
    ga.Revolute("revolute", ONE, TWO, at=AT, axis=AXIS),
    ga.Prismatic("prismatic", ONE, TWO, at=AT, axis=AXIS),
    ga.Fixed("fixed", ONE, TWO, at=AT),
    ga.Revolute("hinge", "ground", TWO, at=AT, axis=AXIS),
    ga.Prismatic("slide", ONE, "ground", at=AT, axis=AXIS),
    ga.Spherical("eye", ONE, BOB, at=(0.7, 0.7, 0.1)),
    ga.SpringDamper("spring", ONE, TWO, on_a=(0.1, 0.2, 0.3), **PULL),
    ga.SpringDamper("wall", "ground", TWO, on_b=(0.1, 0.2, 0.3), **PULL),
    ga.SpringDamper("string", BOB, ONE, on_b=(0.1, 0.2, 0.3), **PULL),
    ga.PointForce("push", ONE, (1.0, 2.0, 3.0), on=(0.1, 0.0, 0.2)),
    ga.PointForce("thrust", TWO, (1.0, 2.0, 3.0), on=(0.1, 0.0, 0.2), follows=True),
    ga.Torque("twist", ONE, (1.0, 2.0, 3.0)),
    ga.Torque("motor", TWO, (1.0, 2.0, 3.0), follows=True),
]


@pytest.mark.parametrize("part", SPATIAL, ids=lambda part: part.name)
def test_library(part):
    report = ga.check_contribution(part, throw=True)
    assert report.ok
    assert report.findings
    assert str(report).startswith(f"{part.title}: all is well")


@pytest.fixture(scope="module")
def plane():
    model = ga.Model("plane", planar=True)
    model.add(ga.RigidBody("one", mass=1.0, inertia=0.1, position=(0.3, 0.1), orientation=0.3))
    model.add(ga.RigidBody("two", mass=1.0, inertia=0.1, position=(1.3, 0.1), orientation=-0.3))
    model.add(ga.PointMass("bob", mass=1.0, position=(0.5, 0.6)))
    return model


PLANAR = [
    ga.Revolute("revolute", "one", "two", at=(0.5, 0.2)),
    ga.Revolute("eye", "one", "bob", at=(0.5, 0.6)),
    ga.Revolute("hinge", "ground", "two", at=(0.0, 0.0)),
    ga.Prismatic("prismatic", "one", "two", at=(0.5, 0.2), axis=(1.0, 2.0)),
    ga.Prismatic("slide", "one", "ground", at=(0.5, 0.2), axis=(1.0, 2.0)),
    ga.Fixed("fixed", "one", "two", at=(0.5, 0.2)),
    ga.SpringDamper("spring", "one", "two", on_a=(0.1, 0.2), **PULL),
    ga.SpringDamper("string", "one", "bob", on_a=(0.1, 0.2), **PULL),
    ga.SpringDamper("wall", "ground", "bob", **PULL),
    ga.PointForce("push", "one", (1.0, 2.0), on=(0.1, 0.0)),
    ga.PointForce("weight", "bob", (1.0, 2.0)),
    ga.Torque("motor", "one", 1.0),
]


@pytest.mark.parametrize("part", PLANAR, ids=lambda part: part.name)
def test_planar_library(part, plane):
    assert ga.check_contribution(part, plane, throw=True).ok
    assert "one" in plane.parts
    assert part.name not in plane.parts


def test_functions():
    """A force between bodies is indifferent to the frame; one of the surroundings is not, which is only a note."""
    between = ga.check_contribution(ga.UserForce("gas", [ONE, TWO], gas))
    assert between.ok
    assert [finding.name for finding in between.findings] == ["power", "frame"]
    outside = ga.check_contribution(ga.UserForce("wind", [ONE], wind))
    assert outside.ok
    assert "depends on the frame" in outside.notes[0]


@dataclass(frozen=True, eq=False)
class PointInSlot(ga.Joint):
    """A point of b stays in a plane of a."""

    labels = ("across",)
    needs_axis = True

    def rows(self, spot):
        return [SlideRow(spot.E_a.T[2])]


def test_a_joint_of_rows():
    """A point mass may slide in it, too."""
    for other in (TWO, BOB):
        assert ga.check_contribution(PointInSlot("slot", ONE, other, at=other.position, axis=AXIS), throw=True).ok


def test_what_is_wrong_is_found(monkeypatch):
    """As if the last row of g were another one than that of G and g_bias."""
    from genalpha.model import check

    joint = ga.Revolute("revolute", ONE, TWO, at=AT, axis=AXIS)
    original = check.Variant.complex

    def wrong(self, name, size, *arguments):
        out = original(self, name, size, *arguments)
        out[-1] *= 1.5
        return out

    monkeypatch.setattr(check.Variant, "complex", wrong)
    report = ga.check_contribution(joint)
    assert not report.ok
    assert "WRONG" in str(report)
    assert "revolute.axis_2" in str(report)
    with pytest.raises(ga.GenalphaError, match="something is wrong"):
        ga.check_contribution(joint, throw=True)


def test_a_joint_that_does_not_add_up():
    @dataclass(frozen=True, eq=False)
    class Short(ga.Joint):
        labels = ("x", "y", "z", "more")

        def rows(self, spot):
            return [PointRows()]

    @dataclass(frozen=True, eq=False)
    class Pointless(ga.Joint):
        labels = ("turn",)

        def rows(self, spot):
            return [DotRow(spot.E_a.T[0], spot.E_b.T[1])]

    with pytest.raises(ga.InputError, match=r"Short 'j' has 3 rows and 4 labels: x, y, z, more"):
        ga.check_contribution(Short("j", ONE, TWO, at=AT))
    with pytest.raises(ga.InputError, match=r"Pointless 'j' holds the direction of PointMass 'bob', which has none"):
        ga.check_contribution(Pointless("j", ONE, BOB, at=BOB.position))


def test_bad_input():
    with pytest.raises(ga.InputError, match="a contact or dry friction, not a RigidBody"):
        ga.check_contribution(ONE)  # pyright: ignore
    with pytest.raises(ga.InputError, match=r"body 'rod' is only a name; pass model=\.\.\., which has it"):
        ga.check_contribution(ga.Spherical("s", "rod", ONE, at=AT))


@pytest.mark.parametrize("group", ["R3xSO3", "SE3"])
@pytest.mark.parametrize("ends", [("one", "two"), ("ground", "two"), ("bob", "two"), ("ground", "bob"), ("bob", "bib")])
def test_stiffness_of_springs(group, ends):
    """Against differences along q ∘ exp(Δ): exact for point masses; with lever arms all but their own turning."""
    model = ga.Model("m")
    for name, place in (("one", (0.0, 0.2, 0.1)), ("two", (1.0, -0.1, 0.3))):
        model.add(ga.RigidBody(name, mass=1.0, inertia=(1.0, 1.0, 1.0), position=place, group=group))
    for name, place in (("bob", (0.5, 1.0, 0.2)), ("bib", (0.2, -1.0, 0.1))):
        model.add(ga.PointMass(name, mass=1.0, position=place))
    model.add(ga.SpringDamper("spring", *ends, stiffness=20.0, damping=3.0, length=0.8))
    system = model.assemble()
    contract = system.contract(0.0, system.q0, system.v0)
    n, d = contract.nv, 1e-6
    rest = np.zeros(n)
    mu = np.zeros(0)

    def force(delta, v):
        q = np.zeros(contract.nq)
        contract.evaluators.update(system.q0, delta, contract.data, q)
        return contract.evaluate("f", 0.0, q, v)

    C = contract.matrix("damping", 0.0, system.q0, rest, rest, mu)
    exact = np.stack([(force(rest, d * e) - force(rest, -d * e)) / (2 * d) for e in np.eye(n)], axis=1)
    assert -C == pytest.approx(exact, abs=1e-7)
    K = contract.matrix("stiffness", 0.0, system.q0, rest, rest, mu)
    exact = np.stack([(force(d * e, rest) - force(-d * e, rest)) / (2 * d) for e in np.eye(n)], axis=1)
    plain = [i for place in system.assembly.places.values() if place.v >= 0 for i in range(place.v, place.v + 3)]
    moves = [i for i in plain if group == "R3xSO3" or i >= 12]
    assert -K[np.ix_(moves, moves)] == pytest.approx(exact[np.ix_(moves, moves)], abs=1e-6)
    assert np.abs(exact).max() > 1.0
