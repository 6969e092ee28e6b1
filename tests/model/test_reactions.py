"""Reactions of every joint, drive and force against a calculation by hand: one model that has one of each."""

import numpy as np
import pytest

import genalpha as ga
from genalpha.step.initial import initial_state

g, m = 9.81, 2.0
J = np.array([0.3, 0.4, 0.5])
SLOPE = 0.4
UP, HILL = np.array([-np.sin(SLOPE), 0.0, np.cos(SLOPE)]), np.array([np.cos(SLOPE), 0.0, np.sin(SLOPE)])
BALL = 0.3


@ga.evaluator
def swing(t):
    return 1.5 * t**2


@ga.evaluator
def lift(t):
    return np.array([90.0, 0.0, 2.0 * t**2])


@ga.evaluator
def law(t, angle, rate):
    return 0.7 - 2.0 * angle - 0.1 * rate


def at(i, *offset):
    return np.array([10.0 * i, 0.0, 0.0]) + (offset or np.zeros(3))


@pytest.fixture(scope="module")
def sol():
    model = ga.Model("one of each", gravity=(0.0, 0.0, -g))
    ground = model.ground

    def body(name, position, **more):
        return model.add(ga.RigidBody(name, mass=m, inertia=J, position=position, **more))

    model.add(ga.Cylindrical("sleeve", ground, body("pipe", at(0, 0.2, 0.0, -0.5)), at=at(0), axis=(1, 0, 0)))
    shaft = body("shaft", at(1, 0.0, 0.0, -0.5))
    model.add(ga.Universal("cross", ground, shaft, at=at(1), axis=(1, 0, 0), axis_2=(0, 1, 0)))
    model.add(ga.Torque("twist", "shaft", (0.0, 0.0, 3.0)))
    model.add(ga.Planar("table", ground, body("plate", at(2, 0.1, 0.3, 0.0)), at=at(2), axis=(0, 0, 1)))
    model.add(ga.PointOnLine("wire", ground, body("bead", at(3)), at=at(3), axis=(1, 0, 0)))
    # a conical pendulum at 60 degrees
    around = np.sqrt(g / 0.5) * np.array([0.0, np.sqrt(0.75), 0.0])
    model.add(ga.PointMass("bob", mass=m, position=at(4, np.sqrt(0.75), 0.0, -0.5), velocity=around))
    model.add(ga.Distance("string", ground, "bob", at_a=at(4)))
    for name, i in (("one", 5), ("two", 6), ("arm", 7), ("wheel", 8)):
        body(name, at(i, *((0.4, 0.0, 0.0) if name == "arm" else (0.0, 0.0, 0.0))))
        axis = (0, -1, 0) if name == "arm" else (0, 0, 1)
        model.add(ga.Revolute(f"pin {name}", ground, name, at=at(i), axis=axis))
    model.add(ga.Gear("gear", "pin one", "pin two", ratio=-3.0))
    model.add(ga.Torque("push", "one", (0.0, 0.0, 5.0)))
    model.add(ga.Drive("drive", "pin arm", swing))
    model.add(ga.Motor("motor", "pin wheel", law))
    model.add(ga.TorsionSpring("coil", "pin wheel", stiffness=4.0, rest=0.25))
    model.add(ga.PointDrive("hand", body("load", at(9)), lift))
    inertia = 0.4 * m * BALL**2
    model.add(ga.RigidBody("ball", mass=m, inertia=(inertia,) * 3, position=at(10) + BALL * UP))
    model.add(ga.RollingSphere("roll", ground, "ball", radius=BALL, plane=at(10), normal=UP))
    skate = body("skate", at(11), velocity=(3.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 2.0))
    model.add(ga.KnifeEdge("blade", ground, skate, at=at(11), axis=(1, 0, 0)))
    model.add(ga.Bushing("mount", ground, body("engine", at(12)), stiffness=(900, 900, 900, 30, 30, 30)))
    return Start(model.assemble())


class Start:
    """The accelerations and reactions of a model at t = 0, without waiting for a compiled run."""

    def __init__(self, system):
        state = initial_state(system.contract(0.0, system.q0, system.v0, compiled=False), 0.0, system.q0, system.v0)
        self.system, self.t = system, np.zeros(1)
        self.q, self.v, self.vdot, self.lam, self.psi = (
            x[None] for x in (state.q, state.v, state.vdot, state.lam, state.psi)
        )

    def __getitem__(self, name):
        return self.system.quantity(self, name)


FORCES = {
    "sleeve": ((0.0, 0.0, m * g), (0.0, -0.2 * m * g, 0.0)),
    "cross": ((0.0, 0.0, m * g), (0.0, 0.0, -3.0)),
    "table": ((0.0, 0.0, m * g), (-0.3 * -m * g, -0.1 * m * g, 0.0)),
    "wire": ((0.0, 0.0, m * g), (0.0, 0.0, 0.0)),
    "string": ((-m * g * np.sqrt(3.0), 0.0, m * g), (0.0, 0.0, 0.0)),
    "roll": (m * g * (np.cos(SLOPE) * UP + 2.0 / 7.0 * np.sin(SLOPE) * HILL), (0.0, 0.0, 0.0)),
    "blade": ((0.0, m * 3.0 * 2.0, m * g), (0.0, 0.0, 0.0)),
}


@pytest.mark.parametrize("name", FORCES)
def test_joint(sol, name):
    force, torque = FORCES[name]
    assert sol[name].force[0] == pytest.approx(np.array(force), abs=1e-10)
    assert sol[name].torque[0] == pytest.approx(np.array(torque), abs=1e-10)


def test_gear(sol):
    """θ̈ (J + 9 J) = 5 Nm; the driven wheel gets J θ̈₂, and three times as much comes back."""
    back = J[2] * -3.0 * 5.0 / (10.0 * J[2])
    assert sol["gear"].effort[0] == pytest.approx([3.0 * back, back])


def test_drives(sol):
    """J φ̈ and the moment of the weight; m (a + g)."""
    assert sol["drive"].effort[0] == pytest.approx((J[1] + m * 0.4**2) * 3.0 + 0.4 * m * g)
    assert sol["arm"].acceleration[0] == pytest.approx([0.0, 0.0, 0.4 * 3.0], abs=1e-9)
    assert sol["hand"].force[0] == pytest.approx([0.0, 0.0, m * (4.0 + g)])


def test_motor_and_coil(sol):
    """A motor and a spring about the same axis."""
    assert sol["motor"].effort[0] == pytest.approx(0.7)
    assert sol["coil"].effort[0] == pytest.approx(4.0 * 0.25)
    place = sol.system.assembly.places["wheel"].v
    assert sol.vdot[0, place + 5] == pytest.approx(1.7 / J[2])
    assert sol["motor"].power[0] == 0.0


def test_bushing(sol):
    """It is 0.1 m too low and turned by 0.2 rad."""
    assert sol["mount"].deformation[0] == pytest.approx(np.zeros(6), abs=1e-12)
    moved = sol.system.q0.copy()
    place = sol.system.assembly.places["engine"]
    moved[place.q + 2] -= 0.1
    moved[place.r : place.r + 4] = np.cos(0.1), 0.0, 0.0, np.sin(0.1)
    contract = sol.system.contract(0.0, moved, sol.system.v0, compiled=False)
    force = contract.evaluate("f", 0.0, moved, sol.system.v0)[place.v : place.v + 6]
    assert force == pytest.approx([0.0, 0.0, 90.0 - m * g, 0.0, 0.0, -30.0 * 0.2])


def test_in_a_plane():
    """A cylinder rolls down a slope, a wheel is held by a rack: (2/3) g sin α, and forces that share a weight."""
    model = ga.Model("plane", gravity=(0.0, -g), planar=True)
    up, hill = (-np.sin(SLOPE), np.cos(SLOPE)), np.array([np.cos(SLOPE), np.sin(SLOPE)])
    model.add(ga.RigidBody("roller", mass=m, inertia=0.5 * m * BALL**2, position=BALL * np.array(up)))
    model.add(ga.RollingDisk("roll", model.ground, "roller", radius=BALL, normal=up))
    model.add(ga.RigidBody("pinion", mass=m, inertia=0.1, position=(5.0, 0.0)))
    model.add(ga.RigidBody("rack", mass=m, inertia=0.1, position=(5.0 + BALL, 0.0)))
    model.add(ga.Revolute("axle", model.ground, "pinion", at=(5.0, 0.0)))
    model.add(ga.Prismatic("rail", model.ground, "rack", at=(5.0 + BALL, 0.0), axis=(0.0, 1.0)))
    model.add(ga.Gear("teeth", "axle", "rail", ratio=BALL))
    sol = ga.solve(model, (0.0, 0.1), h=1e-3)
    assert sol["roller"].acceleration[0, :2] == pytest.approx(-2.0 / 3.0 * g * np.sin(SLOPE) * hill)
    assert sol["roll"].torque[0] == pytest.approx(np.zeros(3), abs=1e-12)
    effective = m + 0.1 / BALL**2
    assert sol["teeth"].effort[0] == pytest.approx([BALL * -m * g * (1 - m / effective), m * g * (1 - m / effective)])
    assert sol["rack"].position[-1, 1] == pytest.approx(-0.5 * m * g / effective * 0.01, rel=1e-6)


def test_many_turns():
    """A gear train in space over hundreds of turns: angles are exact, and the same after a restart from a file."""
    model = ga.Model("train")
    for i, name in enumerate(("one", "two")):
        spin = (0.0, 0.0, 60.0) if i == 0 else (0.0, -20.0, 0.0)
        model.add(ga.RigidBody(name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=(i, 0, 0), angular_velocity=spin))
        axis = (0, 0, 1) if i == 0 else (0, 1, 0)
        model.add(ga.Revolute(f"pin {name}", model.ground, name, at=(i, 0, 0), axis=axis))
    model.add(ga.Gear("gear", "pin one", "pin two", ratio=-1.0 / 3.0))
    model.add(ga.TorsionSpring("clock", "pin two", stiffness=1e-5, rest=-1000.0))
    sol = ga.solve(model, (0.0, 30.0), h=2e-3)
    angle = sol["pin one"].angle
    assert angle[-1] > 250.0 * 2.0 * np.pi
    assert sol["pin two"].angle == pytest.approx(-angle / 3.0, abs=1e-9)
    assert sol["clock"].coordinate == pytest.approx(sol["pin two"].angle, abs=1e-9)
    energy = sol.energy.sum(axis=1)
    assert np.ptp(energy) < 1e-6 * energy[0]


def test_bodies_that_fly():
    """Bushings between two bodies in free flight keep momentum, angular momentum and energy, without damping."""
    model = ga.Model("free")
    one = ga.RigidBody("one", mass=1.0, inertia=(0.1, 0.2, 0.15), angular_velocity=(1.0, 2.0, -1.0), group="SE3")
    two = ga.RigidBody("two", mass=2.0, inertia=(0.3, 0.2, 0.25), position=(1.0, 0.0, 0.0), velocity=(0.0, 0.5, 0.3))
    model.add(one)
    model.add(two)
    model.add(ga.Bushing("mount", one, two, stiffness=(90, 80, 70, 9, 8, 7), at=(0.4, 0.1, 0.0)))
    sol = ga.solve(model, (0.0, 2.0), h=1e-3, method=ga.GeneralizedAlpha(rho_inf=1.0))
    momentum, spin = np.zeros_like(sol["one"].position), np.zeros_like(sol["one"].position)
    for body in (one, two):
        found = sol[body.name]
        p = body.mass * found.velocity
        inertia = np.einsum("tij,j,tkj->tik", found.rotation, np.asarray(body.inertia), found.rotation)
        momentum += p
        spin += np.cross(found.position, p) + np.einsum("tij,tj->ti", inertia, found.angular_velocity)
    assert np.ptp(momentum, axis=0) == pytest.approx(np.zeros(3), abs=1e-4)
    assert np.ptp(spin, axis=0) == pytest.approx(np.zeros(3), abs=1e-4)
    assert np.ptp(sol.energy.sum(axis=1)) < 1e-3


def test_forces_on_light_links_of_heavy_bodies_balance_in_formulation_p():
    """Newton's iteration stops by velocities; what a heavy body misses is a force on light ones, which was 3e-8."""
    model = ga.Model("four-bar", planar=True, gravity=(0.0, -9.81))
    model.add(ga.RigidBody("crank", mass=0.061, inertia=6.7e-5, position=(0.0, 0.24), angular_velocity=11.8))
    model.add(ga.RigidBody("coupler", mass=28.5, inertia=0.011, position=(0.361, 0.681), angular_velocity=13.0))
    model.add(ga.RigidBody("rocker", mass=0.187, inertia=0.0027, position=(0.893, 0.441), angular_velocity=9.8))
    pins = (0.0, 0.0), (0.0, 0.48), (0.722, 0.882), (1.063, 0.0)
    names = "ground", "crank", "coupler", "rocker", "ground"
    for i, at in enumerate(pins):
        model.add(ga.Revolute(f"p{i}", names[i], names[i + 1], at=at))
    method = ga.GeneralizedAlpha(rho_inf=0.9, formulation="P")
    sol = ga.solve(model, (0.0, 1.0), method=method, h=0.01, project=True)
    contract = sol.system.contract(0.0, sol.q[0], sol.v[0], compiled=False)
    for t, q, v, vdot, lam in zip(sol.t[1:], sol.q[1:], sol.v[1:], sol.vdot[1:], sol.lam[1:], strict=True):
        M, G, f = contract.matrix("M", t, q), contract.matrix("G", t, q), contract.evaluate("f", t, q, v)
        size = np.abs(M) @ np.abs(vdot) + np.abs(f) + np.abs(G.T) @ np.abs(lam)
        assert np.all(np.abs(M @ vdot - f - G.T @ lam) <= 2e-9 * size)
