"""Every part has force, torque, energy and power under the same names; what is not there is named."""

import numpy as np
import pytest

import genalpha as ga
from genalpha.model.units import SYSTEMS, units_of


def drag(t, states):
    return np.hstack([-0.3 * states.velocity, -0.1 * states.angular_velocity])


def turning(t):
    return (0.0, 0.2 * t, 0.1)


def swing(t):
    return 0.3 * np.sin(4.0 * t)


def hold(t, z, rate):
    return -2.0 * z - 0.1 * rate + 0.5


class Balance:
    """Forces and torques about the centre of mass of one body, from the results by name."""

    def __init__(self, sol, name):
        self.x, n = sol[name].position, len(sol.t)
        self.force, self.torque = np.zeros((n, 3)), np.zeros((n, 3))

    def add(self, force, torque, at, sign=1.0):
        self.force += sign * force
        self.torque += sign * (torque + np.cross(at - self.x, force))


@pytest.fixture(scope="module")
def sol():
    """A body with everything that pushes on it, and a slider that it carries."""
    model = ga.Model("all", gravity=(0.0, 0.0, -9.81))
    body = model.add(
        ga.RigidBody(
            "body", mass=2.0, inertia=(0.1, 0.2, 0.3), position=(0.3, 0.1, 0.0), angular_velocity=(1.0, -0.5, 2.0)
        )
    )
    slide = model.add(ga.RigidBody("slide", mass=0.5, inertia=(0.01, 0.01, 0.01), position=(0.6, 0.1, 0.0)))
    rail = model.add(ga.Prismatic("rail", body, slide, at=(0.6, 0.1, 0.0), axis=(1, 0, 0)))
    model.add(ga.Motor("motor", rail, hold))
    stiffness, damping = (300.0, 400.0, 500.0, 6.0, 7.0, 8.0), (1.0, 2.0, 3.0, 0.2, 0.1, 0.3)
    model.add(ga.Bushing("mount", model.ground, body, stiffness=stiffness, damping=damping, at=(0.0, 0.1, 0.0)))
    model.add(ga.SpringDamper("spring", model.ground, body, 50.0, 3.0, 0.4, at_a=(0.0, 1.0, 0.5), on_b=(0.0, 0.2, 0.1)))
    model.add(ga.PointForce("push", body, (1.0, 2.0, 3.0), on=(0.1, 0.0, 0.2), follows=True))
    model.add(ga.Torque("twist", body, turning))
    model.add(ga.UserForce("drag", [body], drag))
    return ga.solve(model, (0.0, 0.4), h=2e-3, project=True)


def test_newton_and_euler(sol):
    """All results of forces on a body add up to what its motion says."""
    found = Balance(sol, "body")
    found.add(np.tile([0.0, 0.0, -9.81 * 2.0], (len(sol.t), 1)), 0.0, found.x)
    for name in ("mount", "push", "twist"):
        found.add(sol[name].force, sol[name].torque, sol[name].position)
    found.add(sol["spring"].force, sol["spring"].torque, sol["spring"].ends[1])
    found.add(sol["drag"].force, sol["drag"].torque, found.x)
    at = sol["slide"].position  # the joint is at its centre
    for name in ("rail", "motor"):
        found.add(sol[name].force, sol[name].torque, at, sign=-1.0)
    assert sol["body"].force == pytest.approx(found.force, abs=1e-7)
    assert sol["body"].torque == pytest.approx(found.torque, abs=1e-7)


def test_power_is_the_rate_of_energy(sol):
    """The work of all forces is what the energy of the bodies gains, their weight included."""
    total = sum(sol[name].power for name in ("mount", "spring", "push", "twist", "drag", "motor"))
    kinetic = sol["body"].energy + sol["slide"].energy
    work = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(sol.t) * (total[1:] + total[:-1]))])
    assert kinetic - kinetic[0] == pytest.approx(work, abs=3e-4 * np.abs(kinetic).max())


def test_drives_and_gears():
    """Efforts are the size of their vectors; the powers of a gear cancel, that of a drive feeds the motion."""
    model = ga.Model("train", gravity=(0.0, 0.0, -9.81))
    for name, x, z in (("one", 0.0, 0.1), ("two", 1.0, 0.0)):
        model.add(ga.RigidBody(name, mass=1.0, inertia=(0.1, 0.2, 0.1), position=(x, 0.0, z)))
        model.add(ga.Revolute(f"pin {name}", model.ground, name, at=(x, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    model.add(ga.Gear("gear", "pin one", "pin two", ratio=-2.0))
    model.add(ga.Drive("drive", "pin one", swing))
    model.add(ga.TorsionSpring("coil", "pin two", stiffness=3.0, rest=0.1))
    sol = ga.solve(model, (0.0, 0.5), h=2e-3)
    gear, drive, coil = sol["gear"], sol["drive"], sol["coil"]
    assert gear.torque.shape == (len(sol.t), 2, 3)
    assert gear.torque[:, :, 1] == pytest.approx(gear.effort)
    assert gear.power.sum(axis=1) == pytest.approx(np.zeros(len(sol.t)), abs=1e-9)
    assert drive.torque[:, 1] == pytest.approx(drive.effort)
    assert not drive.force.any()
    assert drive.coordinate == pytest.approx(swing(sol.t), abs=1e-10)
    assert coil.energy == pytest.approx(1.5 * (sol["pin two"].angle - 0.1) ** 2)
    energy = sol["one"].energy + sol["two"].energy + coil.energy
    work = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(sol.t) * (drive.power[1:] + drive.power[:-1]))])
    assert energy - energy[0] == pytest.approx(work, abs=1e-4 * np.abs(energy).max())


def test_loads_in_a_plane():
    model = ga.Model("plane", planar=True)
    rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=0.1))
    model.add(ga.PointForce("push", rod, (0.0, 2.0), on=(0.5, 0.0), follows=True))
    model.add(ga.Torque("twist", rod, 0.3))
    model.add(ga.PointMass("load", mass=1.0, position=(0.0, 1.0)))
    model.add(ga.PointDrive("hand", "load", lambda t: (0.0, 1.0 + t * t)))
    sol = ga.solve(model, (0.0, 0.1), h=1e-2)
    assert sol["rod"].torque[:, 2] == pytest.approx(np.full(len(sol.t), 1.3))
    assert np.linalg.norm(sol["push"].force, axis=1) == pytest.approx(np.full(len(sol.t), 2.0))
    assert sol["hand"].force[:, 1] == pytest.approx(np.full(len(sol.t), 2.0))
    assert sol["hand"].power == pytest.approx(4.0 * sol.t, abs=1e-9)


def test_pushes_of_contacts():
    model = ga.Model("ball", gravity=(0.0, 0.0, -9.81))
    model.add(ga.RigidBody("ball", shape=ga.Sphere(0.1), density=1000.0, position=(0.0, 0.0, 0.1)))
    model.add(ga.Contact("floor", "ball", ga.Plane()))
    sol = ga.solve(model, (0.0, 0.1), h=1e-2)
    assert sol["floor"].push[-1] == pytest.approx([0.0, 0.0, sol["floor"].force[-1]])
    assert sol["floor"].push[-1, 2] == pytest.approx(9.81 * sol["ball"].part.mass_used, rel=1e-6)


def test_what_is_not_there(sol):
    with pytest.raises(ga.InputError, match=r"'mount' has no 'froce'; there are deformation, energy, force, .*"):
        _ = sol["mount"].froce
    with pytest.raises(AttributeError, match="did you mean 'force'"):
        _ = sol["mount"].froce
    assert not hasattr(sol["motor"], "energy")
    with pytest.raises(
        ga.InputError, match=r"no part 'railing' .*; there are body, slide, rail, .*did you mean 'rail'"
    ):
        _ = sol["railing"]
    for name in sol.system.model.parts:
        if name != "ground":
            for quantity in sol[name].quantities:
                assert len(getattr(sol[name], quantity)) > 0
            assert set(sol[name].main()) <= set(sol[name].quantities)


PREFIXES = {"": 1.0, "m": 1e-3, "µ": 1e-6, "p": 1e-12, "k": 1e3, "M": 1e6, "G": 1e9}
NAMED = {
    "dyn": 1e-5, "erg": 1e-7, "erg/s": 1e-7, "Ba": 0.1, "lbf": 4.4482216152605, "psi": 6894.757293168,
    "in lbf": 0.1129848290276, "in lbf/s": 0.1129848290276, "ft lbf": 1.3558179483314, "ft lbf/s": 1.3558179483314,
    "lbf/ft²": 47.88025898034,
}  # fmt: skip


def in_si(unit):
    """What one such unit is in N, J, W or Pa."""
    if unit in NAMED:
        return NAMED[unit]
    return next(PREFIXES[unit.removesuffix(base)] for base in ("Pa", "N", "J", "W") if unit.endswith(base))


@pytest.mark.parametrize("name", SYSTEMS)
def test_units_fit_together(name):
    """Force, energy, power and stress are what follows from length, mass and time."""
    units = units_of(name)
    m, kg, s = units.metre, units.kilogram, units.second
    assert in_si(units.force) == pytest.approx(kg * m / s**2, rel=1e-9)
    assert in_si(units.energy) == pytest.approx(kg * m**2 / s**2, rel=1e-9)
    assert in_si(units.power) == pytest.approx(kg * m**2 / s**3, rel=1e-9)
    assert in_si(units.stress) == pytest.approx(kg / m / s**2, rel=1e-9)
    assert units.gravity * m / s**2 == pytest.approx(9.80665)


def test_unknown_units():
    with pytest.raises(ga.InputError, match=r"units = 'mm-ton-s' must be one of 'SI', .*did you mean 'mm-t-s'"):
        ga.Model("m", units="mm-ton-s")
    assert ga.Model("m", units="m-kg-s").units == "SI"
