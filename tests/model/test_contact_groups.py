"""Large groups on SE(3), of fast bodies, and of points."""

import numpy as np
import pytest

import genalpha as ga
from genalpha.model.tables import contacts as contact_tables
from genalpha.problems.spheres import model as stack_of


def stack(group, n=12, spin=20.0):
    """Spheres of the problem "spheres" on either group, each with a spin."""
    base, random = stack_of(n, 2, 0.3, 0.02), np.random.default_rng(3)
    model = ga.Model("stack", gravity=(0.0, 0.0, -9.81))
    for ball in base.bodies:
        model.add(
            ga.RigidBody(
                ball.name,
                shape=ball.shape,
                density=1e3,
                position=ball.position,
                group=group,
                orientation=(0.8, 0.0, 0.6, 0.0),
                angular_velocity=spin * random.uniform(-1.0, 1.0, 3),
                velocity=random.uniform(-1.0, 1.0, 3),
            )
        )
    planes = base.contacts[0].planes
    model.add(ga.ContactGroup("stack", [ball.name for ball in base.bodies], planes, restitution=0.3))
    return model


def positions(sol):
    return np.stack([sol[body.name].position for body in sol.system.model.bodies])


def test_near_pairs_are_enough_on_se3(monkeypatch):
    method = ga.GeneralizedAlpha(strategy=2)  # the others differ in when a contact enters C
    near = ga.solve(stack("SE3"), (0.0, 0.1), method=method, h=1e-3)
    assert near.gap.shape[1] == 72
    monkeypatch.setattr(contact_tables, "FEW", 10_000)
    every = ga.solve(stack("SE3"), (0.0, 0.1), method=method, h=1e-3)
    assert every.gap.shape[1] == 12 * 5 + 66
    assert np.abs(positions(near) - positions(every)).max() < 1e-9
    assert len(near.impacts.time) == len(every.impacts.time) > 20
    assert near.stats.newton < 1.3 * every.stats.newton


def test_slots_of_both_groups_agree():
    """Gap, its velocity and its acceleration are those of the space, whatever frame velocities are seen from."""
    found = []
    for group in ("R3xSO3", "SE3"):
        system = stack(group).assemble()
        contract = system.contract(0.0, system.q0, system.v0, compiled=False)
        t, q, v = 0.0, system.q0, system.v0.reshape(-1, 6)
        rate = contract.times("N", system.v0, t, q)
        # free flight: on SE(3) U̇ = −Ω × U
        vdot = np.zeros_like(v)
        if group == "SE3":
            vdot[:, :3] = -np.cross(v[:, 3:], v[:, :3])
        bend = contract.times("N", vdot.ravel(), t, q) + contract.evaluate("gap_bias", t, q, system.v0)
        found.append((contract.candidates.keys, contract.evaluate("gap", t, q), rate, bend))
    assert np.sum(found[0][0] >= 0) > 20
    for one, two in zip(*found, strict=True):
        assert one == pytest.approx(two, abs=1e-12)


def test_what_holds_a_body_on_se3():
    """A spring shares its blocks with the inertia; the body is not free all the same."""
    model = stack("SE3")
    assert len(model.assemble().assembly.crowds) == 1
    model.add(ga.SpringDamper("rope", "ground", "ball3", stiffness=1e2, damping=1.0))
    assert not model.assemble().assembly.crowds


def test_pairs_that_push_keep_their_slots():
    """More pairs are near than there are slots, and those that push are not the nearest."""
    system = stack("R3xSO3").assemble()
    contract = system.contract(0.0, system.q0, system.v0, compiled=False)
    candidates, random = contract.candidates, np.random.default_rng(1)
    crowd = candidates.crowds[0]
    for _ in range(20):
        q = system.q0.copy()
        q[crowd.x[:, None] + np.arange(3)] = random.uniform(0.5, 0.9, (12, 3))
        busy = random.uniform(size=candidates.count) < 0.5
        held = candidates.keys[busy & (candidates.keys >= 0)]
        candidates.find(0.0, q, 10.0, busy)
        keys = candidates.keys[candidates.keys >= 0]
        assert len(np.unique(keys)) == len(keys) == candidates.count
        assert np.all(np.isin(held, keys))


def fast_balls(seed):
    """Balls that cross their box in a few steps: every pair is near."""
    random = np.random.default_rng(seed)
    model = ga.Model("fast", gravity=(0.0, 0.0, -9.81))
    centres = 0.25 * np.stack(np.meshgrid([1, 2], [1, 2], [1, 2, 3], indexing="ij"), axis=-1).reshape(-1, 3)
    for i, centre in enumerate(centres):
        model.add(
            ga.RigidBody(
                f"b{i}", shape=ga.Sphere(0.1), density=1e3, position=centre, velocity=random.normal(0.0, 10.0, 3)
            )
        )
    walls = [ga.Plane(np.zeros(3), axis, name=f"low{k}") for k, axis in enumerate(np.eye(3))]
    walls += [ga.Plane(0.75 * axis, -axis, name=f"high{k}") for k, axis in enumerate(np.eye(3)[:2])]
    model.add(ga.ContactGroup("box", [f"b{i}" for i in range(len(centres))], walls, restitution=0.9))
    return model


@pytest.mark.parametrize("seed", [3, 155])
def test_fast_bodies_in_a_small_box(seed):
    sol = ga.solve(fast_balls(seed), (0.0, 0.3), h=2e-2)
    assert sol.t[-1] == 0.3
    assert np.nanmin(sol.gap) > -1e-10


@pytest.mark.parametrize("planes", [1, 8])
def test_points_have_no_radius(planes):
    """A group of points on planes: each falls as it would alone."""
    model = ga.Model("rain", gravity=(0.0, 0.0, -9.81))
    for i in range(50):
        model.add(ga.PointMass(f"p{i}", mass=1.0, position=(0.1 * i, 0.0, 0.2 + 0.01 * i)))
    floors = [ga.Plane((0.0, 0.0, -k), name=f"floor{k}") for k in range(planes)]
    model.add(ga.ContactGroup("rain", [f"p{i}" for i in range(50)], floors, restitution=0.5, each_other=False))
    sol = ga.solve(model, (0.0, 0.4), h=1e-3)
    for i in (0, 20):
        alone = ga.Model("drop", gravity=(0.0, 0.0, -9.81))
        drop = alone.add(ga.PointMass("p", mass=1.0, position=(0.0, 0.0, 0.2 + 0.01 * i)))
        alone.add(ga.Contact("floor", drop, ga.Plane(), restitution=0.5))
        one = ga.solve(alone, (0.0, 0.4), h=1e-3)
        assert sol[f"p{i}"].position[:, 2] == pytest.approx(one["p"].position[:, 2], abs=1e-9)
