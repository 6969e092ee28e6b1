"""Models with friction against exact motions: in a plane and in space, in both groups, on planes that move."""

import numpy as np
import pytest

import genalpha as ga

G = 9.81


def spun_ball(planar, group="R3xSO3"):
    """Backspin: it slides, then rolls."""
    n = 2 if planar else 3
    model = ga.Model("backspin", gravity=(0.0, -G) if planar else (0.0, 0.0, -G), planar=planar)
    body = {"position": (0.0, 0.1), "inertia": 0.004, "angular_velocity": 10.0}
    if not planar:
        body = {"position": (0.0, 0.0, 0.1), "inertia": (0.004,) * 3, "angular_velocity": (0.0, -10.0, 0.0)}
        body["group"] = group
    ball = model.add(ga.RigidBody("ball", mass=1.0, shape=ga.Sphere(0.1), velocity=(2.0, 0.0, 0.0)[:n], **body))
    up = (0.0, 1.0) if planar else (0.0, 0.0, 1.0)
    model.add(ga.Contact("floor", ball, ga.Plane((0.0, 0.0, 0.0)[:n], up), friction=0.2))
    return model


@pytest.mark.parametrize(("planar", "group"), [(True, ""), (False, "R3xSO3"), (False, "SE3")])
def test_backspin(planar, group):
    """v = 8/7 from t = 0.436872 on, x(1) = 1.330088: in a plane, in space, in both groups."""
    for h in (4e-3, 2e-3):
        sol = ga.solve(spun_ball(planar, group), (0.0, 1.0), h=h)
        late = 0.2 * G * h * h / 8.0  # it begins to roll within a step
        turns = 6.0 * h * h if group == "SE3" else 0.0  # there forces are averaged in the frame of the ball
        assert abs(sol["ball"].position[-1, 0] - 1.330087998502) < 1.01 * late + turns
    floor, rolls, slides = sol["floor"], sol.t > 0.44, (sol.t > 0.0) & (sol.t < 0.43)
    assert floor.sticks[rolls].all()
    assert not floor.sticks[slides].any()
    assert np.abs(floor.slip[rolls]).max() < 1e-13
    most = 1e-3 if group == "SE3" else 1e-12
    assert np.abs(floor.friction_force[slides] - [-0.2 * G, 0.0, 0.0]).max() < most
    assert np.abs(floor.friction_margin[slides]).max() < most
    assert floor.friction_work[-1] == pytest.approx(-9.0 / 7.0, rel=1e-4)


@pytest.mark.parametrize("group", ["R3xSO3", "SE3"])
def test_a_ball_rolls_down(group):
    """a = 5/7 g sin θ, and a friction force of 2/7 m g sin θ."""
    model = ga.Model("slope", gravity=(G * np.sin(0.5), 0.0, -G * np.cos(0.5)))
    ball = ga.RigidBody("ball", mass=1.0, inertia=(0.004,) * 3, shape=ga.Sphere(0.1), position=(0.0, 0.0, 0.1),
                        group=group)  # fmt: skip
    model.add(ball)
    model.add(ga.Contact("floor", ball, ga.Plane(), friction=0.2))
    sol = ga.solve(model, (0.0, 0.4), h=1e-3)
    pull = G * np.sin(0.5)
    assert sol["ball"].position[-1, 0] == pytest.approx(5.0 / 14.0 * pull * 0.16, rel=5e-5)
    assert np.abs(sol["floor"].friction_force[1:, 0] + 2.0 / 7.0 * pull).max() < 2e-4
    assert np.abs(sol["floor"].slip).max() < 1e-13


def test_a_ball_rolls_on_a_ball():
    """7/5 φ̈ = g/R sin φ: tangents that turn with the point of contact, and stay perpendicular to the push."""
    from scipy.integrate import solve_ivp

    start, radius = 0.2, 1.1
    exact = solve_ivp(
        lambda t, y: [y[1], 5.0 / 7.0 * G / radius * np.sin(y[0])], (0.0, 0.4), [start, 0.0], rtol=1e-12, atol=1e-13
    ).y[0, -1]
    errors = []
    for h in (4e-3, 2e-3):
        model = ga.Model("balls", gravity=(0.0, 0.0, -G))
        ball = ga.RigidBody("ball", mass=1.0, inertia=(0.004,) * 3, shape=ga.Sphere(0.1),
                            position=(radius * np.sin(start) * 0.6, radius * np.sin(start) * 0.8,
                                      radius * np.cos(start)))  # fmt: skip
        model.add(ball)
        model.add(ga.Contact("touch", ball, model.ground, radius_b=1.0, friction=0.9))
        sol = ga.solve(model, (0.0, 0.4), h=h)
        x, y, z = sol["ball"].position[-1]
        errors.append(abs(np.arctan2(0.6 * x + 0.8 * y, z) - exact))
        assert abs(0.8 * x - 0.6 * y) < 1e-13
    assert sol["touch"].sticks.all()
    assert errors[1] < 2e-6
    assert errors[1] < 0.3 * errors[0]
    touch = sol["touch"]
    assert np.abs(np.sum(touch.friction_force * touch.direction, axis=1)).max() < 1e-12


def test_a_turntable_carries_away():
    """A point placed at rest on a disc that turns at 2 rad/s; a plane that moves with a driven body."""
    errors = []
    for h in (4e-3, 2e-3):
        model = ga.Model("turntable", gravity=(0.0, 0.0, -G))
        disc = model.add(ga.RigidBody("disc", mass=1.0, inertia=(1.0, 1.0, 1.0), angular_velocity=(0.0, 0.0, 2.0)))
        pin = model.add(ga.Revolute("pin", model.ground, disc, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)))
        model.add(ga.Drive("drive", pin, lambda t: 2.0 * t, rate=lambda t: 2.0, acceleration=lambda t: 0.0))
        point = model.add(ga.PointMass("point", 1e-3, position=(1.0, 0.0, 0.0)))
        model.add(ga.Contact("top", point, ga.Plane(body=disc), friction=0.3))
        sol = ga.solve(model, (0.0, 1.0), h=h)
        errors.append(np.abs(sol["point"].position[-1, :2] - [0.496576654654, 1.158900219496]).max())
    assert errors[1] < 1e-5
    assert errors[1] < 0.3 * errors[0]
    # the force is what the point feels
    force = sol["top"].friction_force
    assert np.abs(np.linalg.norm(force[1:], axis=1) - 0.3 * 1e-3 * G).max() < 1e-8


def test_a_belt_sticks_like_a_floor():
    """A block on a belt is carried without any slip, and stops where a spring balances static friction."""
    model = ga.Model("belt", gravity=(0.0, -G), planar=True)
    block = model.add(ga.PointMass("block", 1.0, velocity=(0.2, 0.0)))
    model.add(ga.Contact("belt", block, ga.Plane((0.0, 0.0), (0.0, 1.0), velocity=(0.2, 0.0)), friction=0.3))
    sol = ga.solve(model, (0.0, 0.5), h=1e-2)
    assert sol["belt"].sticks.all()
    assert sol["block"].position[-1, 0] == pytest.approx(0.1, abs=1e-15)
    assert np.abs(sol["belt"].slip).max() < 1e-15


def test_a_brake_stops_a_disc():
    """ω0 = 3, a = M/J = 4: 1.125 rad, then it holds; and the work is the energy."""
    model = ga.Model("brake")
    disc = model.add(ga.RigidBody("disc", mass=1.0, inertia=(1.0, 1.0, 0.5), angular_velocity=(0.0, 0.0, 3.0)))
    pin = model.add(ga.Revolute("pin", model.ground, disc, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)))
    model.add(ga.DryFriction("brake", pin, bound=2.0))
    sol = ga.solve(model, (0.0, 1.0), h=1e-3)
    brake = sol["brake"]
    assert sol["pin"].angle[-1] == pytest.approx(1.125, abs=1e-6)
    assert brake.sticks[sol.t > 0.752].all()
    assert not brake.sticks[(sol.t > 0.0) & (sol.t < 0.748)].any()
    assert np.abs(brake.torque[5:740] - [0.0, 0.0, -2.0]).max() < 1e-12
    assert brake.friction_work[-1] == pytest.approx(-2.25, rel=1e-9)


def test_balls_that_hit_keep_their_momentum():
    """Impulses on both are opposite and have one line of action: linear and angular momentum stay."""
    for planar in (True, False):
        n = 2 if planar else 3
        model = ga.Model("billiard", planar=planar)
        for name, at, rate, spin in (
            ("a", (-0.3, 0.05, 0.02), (2.0, 0.0, 0.0), (3.0, -2.0, 20.0)),
            ("b", (0.3, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
        ):
            inertia, spin = (0.004, spin[2]) if planar else ((0.004,) * 3, spin)
            model.add(ga.RigidBody(name, mass=1.0, inertia=inertia, shape=ga.Sphere(0.1), position=at[:n],
                                   velocity=rate[:n], angular_velocity=spin))  # fmt: skip
        model.add(ga.Contact("hit", "a", "b", friction=0.25, restitution=0.5, tangential_restitution=0.3))
        sol = ga.solve(model, (0.0, 0.3), h=1e-3)
        assert len(sol.impacts.time) == 1
        spins = {name: sol[name].angular_velocity.reshape(len(sol.t), -1) for name in "ab"}
        momentum = sum(sol[name].velocity for name in "ab")
        turning = sum(
            0.004 * spins[name][:, -1] + np.cross(sol[name].position, sol[name].velocity)[:, 2] for name in "ab"
        )
        assert np.abs(momentum - momentum[0]).max() < 1e-14
        assert np.abs(turning - turning[0]).max() < 1e-3  # the impact is felt up to a step late
        change = sol["a"].velocity[-1] - sol["a"].velocity[0]
        pushed = sol["hit"].friction_impulse.sum(axis=0) + (sol["hit"].impulse[:, None] * sol["hit"].direction).sum(0)
        assert np.abs(change - pushed).max() < 1e-13
        assert sol.ledger.friction[-1] > 0.0


def test_three_discs_hold():
    """The pile holds from μ = tan 15° between discs and 0.0893164 on the floor on; forces are those of statics."""
    r = 0.1
    rise = np.sqrt(3.0) * r
    model = ga.Model("pile", gravity=(0.0, -G), planar=True)
    discs = [
        model.add(ga.RigidBody(f"d{i}", mass=1.0, inertia=0.5 * r * r, shape=ga.Cylinder(r, r), position=at))
        for i, at in enumerate(((-r, r), (r, r), (0.0, r + rise)))
    ]
    floor = ga.Plane((0.0, 0.0), (0.0, 1.0), name="floor")
    model.add(ga.ContactGroup("pile", discs, [floor], friction={"floor": 0.0895, "others": 0.2682}))
    sol = ga.solve(model, (0.0, 0.5), h=2e-3)
    pile = sol["pile"]
    assert np.abs(sol.q[-1] - sol.q[0]).max() < 1e-8
    found = dict(zip(pile.names, zip(pile.force[-1] / G, pile.friction_force[-1] / G, strict=True), strict=True))
    assert found["pile.d0-floor"][0] == pytest.approx(1.5, abs=1e-6)
    assert np.linalg.norm(found["pile.d0-floor"][1]) == pytest.approx(0.133974596, abs=1e-6)
    assert found["pile.d0-d2"][0] == pytest.approx(0.5, abs=1e-6)
    assert np.linalg.norm(found["pile.d1-d2"][1]) == pytest.approx(0.133974596, abs=1e-6)
