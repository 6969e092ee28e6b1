"""Closed contacts that depend on one another: initial forces that push, and a box that comes to rest on its corners."""

import numpy as np
import pytest

import genalpha as ga


def random_system(seed):
    """A mass matrix, dependent gaps that are all closed, flat or curved, and a force."""
    random = np.random.default_rng(seed)
    n, nc, rank = (int(random.integers(*span)) for span in ((2, 7), (4, 9), (1, 3)))
    A = random.standard_normal((n, n))
    M, f = A @ A.T + np.eye(n), 5.0 * random.standard_normal(n)
    N = random.standard_normal((nc, rank)) @ random.standard_normal((rank, n))
    return M, N, f


@pytest.mark.parametrize("unit", [1.0, 1e6])
@pytest.mark.filterwarnings("ignore::genalpha.RedundantConstraintsWarning")
def test_initial_forces_push(unit):
    """M v̇ = f + Nᵀλ with λ ≥ 0, N v̇ ≥ 0, λᵀ N v̇ = 0: these have one v̇."""
    pushing = 0
    for seed in range(30):
        M, N, f = random_system(seed)
        system = ga.System(M=unit * M, f=lambda t, q, v, f=f: unit * f, gap=lambda t, q, N=N: N @ q)
        state = ga.consistent_initial_state(system, 0.0, np.zeros(len(M)), np.zeros(len(M)))
        rate, force = N @ state.vdot, state.lam_n / unit
        assert force.min() >= 0.0
        assert rate.min() > -1e-10
        assert np.abs(force * rate).max() < 1e-9 * (1.0 + force.max())
        assert M @ state.vdot == pytest.approx(f + N.T @ force, abs=1e-10)
        pushing += np.any(force > 0.0)
    assert pushing > 15


def test_a_flat_and_a_hollow_floor():
    """Both touch the same point of a bead that slides; one falls away below it."""
    system = ga.System(
        M=np.eye(2), f=lambda t, q, v: np.array([0.0, -10.0]),
        gap=lambda t, q: np.array([q[1], q[1] + 0.5 * q[0] ** 2]),
    )  # fmt: skip
    state = ga.consistent_initial_state(system, 0.0, [0.0, 0.0], [2.0, 0.0])
    assert state.vdot == pytest.approx([0.0, 0.0], abs=1e-12)
    assert state.lam_n == pytest.approx([10.0, 0.0], abs=1e-12)


def test_walls_that_close_in_are_named():
    system = ga.System(
        M=np.eye(2), f=lambda t, q, v: np.zeros(2), names={"gap": ["left", "right"]},
        gap=lambda t, q: np.array([q[0] - 0.5 * t**2, -q[0] - 0.5 * t**2]),
    )  # fmt: skip
    with pytest.raises(ga.ContradictoryConstraints, match="'left' and 'right' depend on each other"):
        ga.consistent_initial_state(system, 0.0, [0.0, 0.0], [0.0, 1.0])


@pytest.mark.filterwarnings("ignore::genalpha.RedundantConstraintsWarning")
def test_box_that_comes_to_rest():
    """Which of four corners carry is settled by minimum norm; here the sets went round in circles without it."""
    random = np.random.default_rng(211)
    size = tuple(random.uniform(0.2, 1.0, 3))
    orientation = random.standard_normal(4)
    random.random()
    model = ga.Model("box", gravity=(0.0, 0.0, -9.81))
    model.add(
        ga.RigidBody(
            "box",
            shape=ga.Box(size),
            density=1000.0,
            position=(0.0, 0.0, 0.5 * np.linalg.norm(size) + random.uniform(0.0, 0.5)),
            orientation=orientation / np.linalg.norm(orientation),
            velocity=random.normal(0.0, 1.0, 3),
            angular_velocity=random.normal(0.0, random.choice([0.0, 1.0, 5.0]), 3),
        )
    )
    model.add(ga.Contact("floor", "box", ga.Plane(), restitution=0.3))
    sol = ga.solve(model, (0.0, 1.0), h=5e-3)
    assert sol.gap.min() > -1e-10
    assert sol.contact_force[-1].sum() == pytest.approx(9.81 * 1000.0 * np.prod(size), rel=1e-9)


def column():
    """Four discs that tumble off one another, and a floor."""
    model = ga.Model("column", gravity=(0.0, -9.81), planar=True)
    places = [(-0.000287, 0.069227), (0.001376, 0.2211), (3.927701e-04, 0.4129058), (0.000651, 0.611169)]
    radii, masses = (0.059227, 0.082645, 0.10916, 0.089103), (1.667607, 3.072327, 1.032212, 5.833799)
    for i, (place, radius, mass) in enumerate(zip(places, radii, masses, strict=True)):
        model.add(
            ga.RigidBody(
                f"b{i}", mass=mass, inertia=0.4 * radius**2, position=place, shape=ga.Sphere(radius), velocity=(0, 0)
            )
        )
    model.add(ga.Contact("floor", "b0", ga.Plane((0.0, 0.0), (0.0, 1.0)), restitution=0.5))
    for i in range(3):
        model.add(ga.Contact(f"c{i}", f"b{i}", f"b{i + 1}", restitution=0.5))
    return model, np.array(masses)


def test_floor_carries_what_momentum_loses():
    """In every step, also after sets have changed: a contraction that other sets had tells nothing."""
    model, masses = column()
    sol = ga.solve(model, (0.0, 0.4), h=2e-3)
    momentum = sum(mass * sol[f"b{i}"].velocity[:, 1] for i, mass in enumerate(masses))
    missing = np.diff(momentum) + 9.81 * masses.sum() * np.diff(sol.t) - sol.impulse[1:, 0]
    assert np.abs(missing).max() < 1e-7 * np.abs(momentum).max()


HEAP = [
    # mass, position, velocity, radius
    (0.1037, 0.1503, 0.1406, 0.0, 0.0, 0.1183),
    (0.8393, 0.4378, 0.1534, 0.7881, 2.9087, 0.1315),
    (0.4708, 0.746, 0.1645, -3.392, 1.9925, 0.0934),
    (3.1886, 1.0243, 0.1546, 0.0, 0.0, 0.1309),
    (26.943, 0.1605, 0.454, 1.7484, 1.0347, 0.128),
    (0.2606, 0.4359, 0.4523, 0.0, 0.0, 0.1186),
    (0.0919, 0.7333, 0.4539, 0.0, 0.0, 0.0884),
    (0.7048, 1.0428, 0.4454, 0.0, 0.0, 0.0913),
    (0.8958, 0.137, 0.7344, 0.0, 0.0, 0.0914),
    (11.7233, 0.4487, 0.7441, -2.8265, -4.0057, 0.1202),
    (6.3402, 0.7341, 0.7505, 1.7667, 1.4388, 0.1271),
    (0.3737, 1.0311, 0.7484, 0.0, 0.0, 0.1313),
]


def test_forces_in_a_heap_push():
    """Which contacts of a pile carry forces is found in a few attempts: one that pulled went on into the next step."""
    model = ga.Model("heap", gravity=(0.0, -9.81), planar=True)
    for i, (mass, x, y, vx, vy, radius) in enumerate(HEAP):
        model.add(ga.PointMass(f"b{i}", mass=mass, position=(x, y), velocity=(vx, vy), shape=ga.Sphere(radius)))
    walls = [
        ga.Plane((0.0, 0.0), (0.0, 1.0), name="floor"),
        ga.Plane((0.0, 0.0), (1.0, 0.0), name="left"),
        ga.Plane((1.2483093169855293, 0.0), (-1.0, 0.0), name="right"),
    ]
    model.add(ga.ContactGroup("heap", bodies=[f"b{i}" for i in range(len(HEAP))], planes=walls))
    sol = ga.solve(model, (0.0, 0.36), method=ga.GeneralizedAlpha(rho_inf=0.5), h=1e-2)
    largest = sol.contact_force.max()
    assert sol.lam_n.min() > -1e-9 * largest
    assert sol.contact_force.min() > -1e-9 * largest


@pytest.mark.filterwarnings("ignore::genalpha.RedundantConstraintsWarning")
def test_nothing_moves_between_two_walls():
    """They contradict each other by round-off about where a ball is, which has no velocity to tell open from closed."""
    system = ga.System(
        M=np.eye(2), f=np.zeros(2), gap_q=np.array([[1.0, 0.0], [-1.0, 0.0]]), e=0.0,
        gap=lambda t, q: np.array([q[0] + 1.11e-16, -q[0] - 8.33e-17]),
    )  # fmt: skip
    sol = ga.solve(system, (0.0, 0.01), [0.0, 1.0], [0.0, 0.0], h=2e-3)
    assert sol.stats.retries == 0
    assert np.abs(sol.v).max() == 0.0
    assert sol.contact_force.min() >= 0.0
