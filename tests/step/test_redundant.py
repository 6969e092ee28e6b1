"""Rows that depend on others: in all units, with any factors, through folds; what they carry, when they contradict."""

import numpy as np
import pytest
from redundant_mechanisms import UNITS, motion, sweep

import genalpha as ga
from genalpha import problems
from genalpha.problems import cassie, four_bar

pytestmark = pytest.mark.filterwarnings("ignore::genalpha.errors.RedundantConstraintsWarning")
FORMULATIONS = ("P", "PV", "PVA")
AXIS = (0.0, 0.0, 1.0)


def places(sol, names):
    """Positions of bodies in the plane (nt, n, 2)."""
    return np.stack([sol[name].position[:, :2] for name in names], axis=1)


def solve(model, t1, h, formulation="PVA", **options):
    return ga.solve(model, (0.0, t1), h=h, method=ga.GeneralizedAlpha(formulation=formulation, **options))


# ---------------------------------------------------------------- factors and units


def repeated(factor, *factors):
    """A pendulum of 1 m whose constraint is there several times."""
    rows = factor * np.array([1.0, *factors])
    return ga.System(M=np.eye(2), f=lambda t, q, v: np.array([0.0, -9.81]), g=lambda t, q: rows * (q @ q - 1.0))


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("factor", [1e-9, 1e-6, 1e9])
def test_factors_of_rows(factor, formulation):
    """g = s (q·q − 1), 2 s (q·q − 1): the motion of one row; each exerts one half of its force."""
    method, start = ga.GeneralizedAlpha(formulation=formulation), ([1.0, 0.0], [0.0, 0.0])
    sol = ga.solve(repeated(factor, 2.0), (0.0, 0.3), *start, method, h=1e-2)
    one = ga.solve(repeated(1.0), (0.0, 0.3), *start, method, h=1e-2)
    assert sol.stats.max_g <= 2e-15 * factor
    np.testing.assert_allclose(sol.q, one.q, atol=1e-14)
    np.testing.assert_allclose(sol.lam[1:], one.lam[1:] / factor * [0.5, 0.25], rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_rows_that_contradict_later_in_any_unit(scale, formulation):
    """One of two equal rows begins to differ at t = 0.2: the run ends there, however small the rows are."""

    def g(t, q):
        late = np.where(np.real(t) > 0.2, t - 0.2, 0.0) ** 3
        return scale * np.array([q[0] - 1.0 + t, q[0] - 1.0 + t + late])

    system = ga.System(M=np.eye(2), f=lambda t, q, v: np.array([0.0, -1.0]), g=g)
    with pytest.raises(ga.ConvergenceError, match="contradict") as caught:
        ga.solve(system, (0.0, 1.0), [1.0, 0.0], [-1.0, 0.0], ga.GeneralizedAlpha(formulation=formulation), h=1e-2)
    assert caught.value.solution.t[-1] == pytest.approx(0.2, abs=0.03)


def test_rank_and_least_multipliers_do_not_depend_on_units():
    """Two hinges on one axis, in metres and micrometres: the same rows are redundant, the reactions are the same."""
    forces = []
    for length in (1.0, 1e6):
        model = ga.Model("door", gravity=(0.0, 0.0, -9.81 * length))
        door = ga.RigidBody(
            "door", mass=20.0, inertia=np.array([4.0, 6.0, 2.0]) * length**2, position=(0.4 * length, 0, 0)
        )
        model.add(door)
        for k, height in enumerate((-0.8, 0.5)):
            model.add(ga.Revolute(f"hinge{k}", model.ground, door, at=(0, 0, height * length), axis=AXIS))
        assert "redundant     5" in str(model.assemble())
        sol = solve(model, 0.01, 1e-3)
        forces.append(np.stack([sol[f"hinge{k}"].force for k in range(2)]) / length)
    np.testing.assert_allclose(forces[1], forces[0], atol=1e-9 * 196.2)
    np.testing.assert_allclose(forces[0].sum(axis=0)[-1], [0.0, 0.0, 196.2], atol=1e-9 * 196.2)


def test_units_of_mass_and_time_change_no_bit():
    """Powers of four are exact in floating-point numbers, and everything is compared in units of its own."""
    runs = []
    for mass, time in ((1.0, 1.0), (4.0**9, 4.0**-7)):
        model = ga.Model("loop", gravity=(0.0, -9.81 / time**2, 0.0))
        corners = np.array([(0, 0, 0), (0, 1, 0), (1.5, 1.25, 0), (1.5, 0, 0)], dtype=float)
        for i in range(3):
            at, along = 0.5 * (corners[i] + corners[i + 1]), np.abs(corners[i + 1] - corners[i]) + 2.0
            model.add(ga.RigidBody(f"rod{i}", mass=mass * (1.0 + i), inertia=mass * along, position=at))
        ends = [model.ground, *model.bodies, model.ground]
        for i in range(4):
            model.add(ga.Revolute(f"hinge{i}", ends[i], ends[i + 1], at=corners[i], axis=AXIS))
        runs.append(solve(model, 0.1 * time, 1e-3 * time).q)
    np.testing.assert_array_equal(*runs)


def test_random_mechanisms_in_other_units():
    """Ten of each hundred, see `redundant_mechanisms`."""
    ran, failed, worst = sweep(range(5, 15), ("m-kg-s", "mm-t-s", "km-t-h"))
    assert (ran, failed) == (10, [])
    assert worst <= 1e-8


@pytest.mark.slow
def test_many_random_mechanisms_in_all_units():
    assert sweep(range(15, 40))[:2] == (25, [])


@pytest.mark.parametrize("units", ["m-kg-s", "um-kg-s"])
def test_default_tolerance(units):
    """What a run with the usual tolerance gives is what a tight one gives."""
    one, two = motion(3, units), motion(3, units, tol=1e-10)
    np.testing.assert_allclose(two[0], one[0], atol=1e-8 * np.abs(one[0]).max())
    assert set(UNITS) >= {units}


# ---------------------------------------------------------------- mechanisms


def planetary(redundant):
    """A small gear of a sun, a fixed ring and three planets, teeth as factors; one planet meets the ring, or all do."""
    model, (sun, planet, ring) = ga.Model("planetary", gravity=(0.0, -9.81), planar=True), (20.0, 30.0, 80.0)

    def body(name, mass, inertia, at, spin, orbit=0.0):
        velocity = (-orbit * at[1], orbit * at[0])
        return model.add(ga.RigidBody(name, mass=mass, inertia=inertia, position=at, orientation=0.0,
                                      velocity=velocity, angular_velocity=spin))  # fmt: skip

    centre = (0.0, 0.0)
    model.add(ga.Revolute("s", model.ground, body("sun", 0.01, 5e-7, centre, 1.0 + ring / sun), at=centre))
    model.add(ga.Revolute("c", model.ground, body("carrier", 0.03, 1e-5, centre, 1.0), at=centre))
    for i in range(3):
        at = (0.025 * np.cos(2.0 * np.pi * i / 3.0), 0.025 * np.sin(2.0 * np.pi * i / 3.0))
        wheel = body(f"planet{i}", 0.02 + 0.005 * i, 2e-6, at, 1.0 - ring / planet, orbit=1.0)
        model.add(ga.Revolute(f"p{i}", "carrier", wheel, at=at))
        model.add(ga.Coupling(f"inner{i}", ["s", "c", f"p{i}"], [sun, -sun, planet]))
        if redundant or i == 0:
            model.add(ga.Coupling(f"outer{i}", ["c", f"p{i}"], [-ring, -planet]))
    return model


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_planetary_gear(formulation):
    """Two of its rows are redundant, of the size of numbers of teeth."""
    for h in (1e-2, 1e-3):
        sol, one = (solve(planetary(redundant), 0.2, h, formulation) for redundant in (True, False))
        assert sol.stats.max_g < 1e-13
        assert formulation == "P" or sol.stats.max_gdot < 1e-12
        np.testing.assert_allclose(sol.q, one.q, atol=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_spatial_four_bars_through_their_folds(formulation):
    """IFToMM A02 with bodies in space: six rows are redundant, and in a fold more. It moves as the planar one."""
    length, speed, flat = four_bar.LENGTH, four_bar.SPEED, four_bar.model(2)
    model, upright = ga.Model("A02", gravity=(0.0, -four_bar.GRAVITY, 0.0)), (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))
    inertia = four_bar.INERTIA * np.array([1e-2, 1.0, 1.0])
    for body in flat.bodies:
        spin, turn = ((0, 0, -speed / length), upright) if body.name.startswith("post") else ((0, 0, 0), (1, 0, 0, 0))
        model.add(ga.RigidBody(body.name, mass=four_bar.MASS, inertia=inertia, position=(*body.position, 0.0),
                               orientation=turn, velocity=(*body.velocity, 0.0), angular_velocity=spin))  # fmt: skip
    for joint in flat.joints:
        ends = [getattr(end, "name", end) for end in (joint.a, joint.b)]
        ends = [model.ground if end == flat.ground.name else end for end in ends]
        model.add(ga.Revolute(joint.name, *ends, at=(*joint.at, 0.0), axis=AXIS))
    sol, plane = solve(model, 2.0, 2e-3, formulation, rho_inf=0.9), solve(flat, 2.0, 2e-3, formulation, rho_inf=0.9)
    assert sol.stats.max_g < 1e-14
    assert formulation == "P" or sol.stats.max_gdot < 1e-13
    names = [body.name for body in flat.bodies]
    np.testing.assert_allclose(places(sol, names), places(plane, names), atol=1e-9)


@pytest.mark.parametrize("formulation", ["P", "PVA"])
def test_legs_of_cassie(formulation):
    """Ball joints that close planar loops, and rods with hardly any inertia about their axes: as without their rows."""
    problem, line = problems.get("cassie"), cassie.model(ball=False)
    for h in (1e-3, 2.5e-4):
        sol, one = (solve(model, 0.1, h, formulation) for model in (problem.system(), line))
        assert sol.stats.max_g < 1e-14
        assert formulation == "P" or sol.stats.max_gdot < 1e-12
        assert max(np.abs(sol[b.name].position - one[b.name].position).max() for b in line.bodies) < 1e-9
    energy = sol.energy.sum(axis=1)
    assert np.ptp(energy) < 1e-3


def test_forty_planar_loops_past_their_folds():
    """With many loops a step may not end within half a step before a fold either: then it ends behind it."""
    method = ga.GeneralizedAlpha(rho_inf=0.9)
    sol = ga.solve(four_bar.model(40), (0.0, 2.7), method=method, h=2.5e-4, save_every=100)
    assert sol.stats.retries > 0
    assert sol.stats.max_g < 1e-13
    assert np.abs(sol["bar39"].angle).max() < 1e-9


@pytest.mark.parametrize("formulation", ["P", "PV", "PVA"])
def test_least_multipliers_balance_the_forces(formulation):
    """A ball joint closes a planar loop in space: what is taken from its multipliers exerts no force."""
    model = ga.Model("loop", gravity=(0.0, 0.0, -9.81))
    for name, mass, x, z, spin in (("a", 47.0, 0.0, 0.25, 9.0), ("b", 5.0, 0.5, 0.5, 0.0), ("c", 0.5, 1.0, 0.25, 9.0)):
        speed, inertia = 0.25 * spin if name != "b" else 0.5 * 9.0, mass * np.array([0.016, 0.001, 0.016])
        model.add(ga.RigidBody(name, mass=mass, inertia=inertia, position=(x, 0.0, z), velocity=(speed, 0.0, 0.0),
                               angular_velocity=(0.0, spin, 0.0)))  # fmt: skip
    model.add(ga.Revolute("p", model.ground, "a", at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    model.add(ga.Revolute("q", "a", "b", at=(0.0, 0.0, 0.5), axis=(0.0, 1.0, 0.0)))
    model.add(ga.Spherical("r", "b", "c", at=(1.0, 0.0, 0.5)))
    model.add(ga.Revolute("s", "c", model.ground, at=(1.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    sol = solve(model, 0.3, 5e-3, formulation, rho_inf=1.0)
    contract = sol.system.contract(0.0, sol.q[0], sol.v[0], compiled=False)
    for t, q, v, vdot, lam in zip(sol.t[1:], sol.q[1:], sol.v[1:], sol.vdot[1:], sol.lam[1:], strict=True):
        inertia, force = contract.times("M", vdot, t, q), contract.evaluate("f", t, q, v)
        missing = inertia - force - contract.matrix("G", t, q).T @ lam
        assert np.abs(missing).max() < 1e-7 * np.abs(inertia).max()
