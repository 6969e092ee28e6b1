"""Mechanisms of the collection that loops, rolling and prescribed motions are for, each with a number."""

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems
from genalpha.problems import bricard, cam, four_bar, governor, rattleback


def solved(problem, h=None, **options):
    return ga.solve(
        problem.system(), problem.t_span, problem.q0, problem.v0, problem.method, h=h or problem.h, **options
    )


def drift(sol):
    energy = sol.energy.sum(axis=1)
    return np.abs(energy - energy[0]).max()


@pytest.mark.parametrize("formulation", ["P", "PV", "PVA"])
def test_four_bar_through_its_folded_positions(formulation):
    """IFToMM A02: two loops, 10 s. The linkage turns over five times and stays a parallelogram."""
    method = ga.GeneralizedAlpha(rho_inf=0.9, formulation=formulation)
    sol = ga.solve(four_bar.model(2), (0.0, 10.0), method=method, h=1e-3)
    assert sol.stats.max_g <= 1e-9
    assert drift(sol) < 2e-3
    assert sol["post0"].angle[-1] < -4.5 * 2.0 * np.pi
    assert sol["bar0"].angle == pytest.approx(np.zeros(10001), abs=1e-9)
    assert sol["bar1"].angle == pytest.approx(np.zeros(10001), abs=1e-9)


@pytest.mark.parametrize("formulation", ["P", "PV", "PVA"])
def test_four_bar_onto_its_folded_position(formulation):
    """Steps that would end within 1e-4 rad of it: Newton's iteration goes nowhere, and they end a little earlier."""
    method, model, moved = ga.GeneralizedAlpha(rho_inf=0.9, formulation=formulation), four_bar.model(2), 0
    for h in 0.001190555 + 5e-9 * np.arange(12):
        sol = ga.solve(model, (0.0, 0.8), method=method, h=h)
        moved += sol.stats.retries
        assert sol.stats.max_g < 1e-12
        assert sol.q[-1, [11, 14]] == pytest.approx(np.zeros(2), abs=1e-6)  # the couplers are level
    assert moved > 0 or formulation == "P"  # which fails only within 1e-7 rad, where round-off decides


@pytest.mark.parametrize("h", [2e-4, 1e-4])
def test_four_bar_past_its_folded_positions_in_short_steps(h):
    """A twentieth of a short step is not far enough from them."""
    sol = ga.solve(four_bar.model(2), (0.0, 10.0), h=h, save_every=100)
    assert sol.stats.retries > 0
    assert sol.stats.max_g < 1e-12
    assert drift(sol) < 1e-4
    assert sol["bar1"].angle == pytest.approx(np.zeros(sol.t.size), abs=1e-6)


def test_four_bar_that_ends_where_it_folds():
    """The last step cannot end there: it goes on a little, and the run says so. Round-off decides how near is there."""
    method, model = ga.GeneralizedAlpha(rho_inf=0.9), four_bar.model(2)
    for h in 0.001190555 + 1e-9 * np.arange(-10, 11):
        t1 = 600 * h
        sol = ga.solve(model, (0.0, t1), method=method, h=h)
        assert sol.success
        if sol.stats.retries:
            break
    else:
        pytest.fail("no run came near enough")
    assert sol.t[-2:] == pytest.approx([t1 - h, t1 + 0.05 * h], abs=1e-12)
    assert sol.message == f"reached t = {t1 + 0.05 * h:.9g}, just behind t = {t1:.9g}, where constraints lose rank"
    assert sol.stats.max_g < 1e-12
    chosen = ga.solve(model, (0.0, t1), method=method, h=h, t_eval=[0.5 * t1, t1])
    assert chosen.t == pytest.approx([0.5 * t1, t1])
    assert chosen.q[:, [11, 14]] == pytest.approx(np.zeros((2, 2)), abs=1e-6)  # the couplers are level


def test_mobility_when_folded():
    """On the ground there are N + 1 degrees of freedom for an instant, and rows that depend on others are named."""
    upright, flat = four_bar.model(2), ga.Model("flat", planar=True)
    for part in upright.parts.values():
        if isinstance(part, ga.RigidBody):
            number = int(part.name[-1])
            x = number + (0.5 if part.name.startswith("post") else 1.5)
            flat.add(ga.RigidBody(part.name, mass=1.0, inertia=1.0, position=(x, 0.0)))
        elif isinstance(part, ga.Revolute):
            number, letter = int(part.name[-1]), part.name[0]
            flat.add(ga.Revolute(part.name, part.a if isinstance(part.a, str) else part.a.name,
                                 part.b if isinstance(part.b, str) else part.b.name,
                                 at=(number + {"A": 0, "B": 1, "C": 2}[letter], 0.0)))  # fmt: skip
    assert "mobility      1" in str(upright.assemble())
    assert "mobility      3" in str(flat.assemble())
    assert "depends on" in str(flat.assemble())


def test_bricard():
    """IFToMM A04: one row is redundant and named; its hinges obey the closure of the loop; the energy is kept."""
    problem = problems.get("bricard")
    text = str(problem.system())
    assert "mobility      1" in text
    assert "redundant     1: hinge" in text
    with pytest.warns(
        ga.RedundantConstraintsWarning, match=r"1 of 30 .* depend on the others \(hinge\d.\w+ depends on hinge"
    ):
        sol = solved(problem)
    angles = np.array([sol[f"hinge{i}"].angle for i in range(6)])
    assert sol.stats.max_g <= 1e-10
    assert bricard.closure(angles) == pytest.approx(np.zeros(len(sol.t)), abs=1e-12)
    assert angles[2:] == pytest.approx(angles[:4], abs=1e-12)
    assert np.ptp(angles[0]) > 3.0
    assert drift(sol) < 1e-4


def test_coin():
    """It follows the exact circle with order 2, and its energy drifts with O(h²) at most; |k| is round-off."""
    problem = problems.get("rolling_coin")
    runs = [solved(problem, h) for h in (4e-3, 2e-3)]
    errors = [np.abs(sol.q - problem.reference(sol.t).q).max() for sol in runs]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.15)
    assert drift(runs[0]) / drift(runs[1]) > 3.5
    assert max(sol.stats.max_k for sol in runs) <= 1e-12
    assert np.hypot(*runs[1].q[:, :2].T) == pytest.approx(np.hypot(*problem.q0[:2]), abs=1e-4)
    assert runs[1]["rim"].force[:, 2] == pytest.approx(0.5 * 9.81, abs=1e-4)
    assert runs[1]["rim"].torque == pytest.approx(np.zeros((len(runs[1].t), 3)), abs=1e-12)


def test_rattleback():
    """Spun one way it goes on, spun the other way it turns back; without spin it rocks at the frequency of theory."""
    goes_on, turns_back = (
        ga.solve(rattleback.model(spin, 0.01), (0.0, 8.0), h=1e-3, save_every=10)["stone"].angular_velocity[:, 2]
        for spin in (5.0, -5.0)
    )
    assert goes_on.min() > 4.9
    assert turns_back.max() > 3.0
    rocking = ga.solve(rattleback.model(0.0, 1e-3, twist=0.0), (0.0, 0.5), h=2e-4)
    rate = rocking["stone"].angular_velocity[:, 0]
    i = np.nonzero(np.diff(np.sign(rate[1:])))[0] + 1
    zeros = rocking.t[i] - rate[i] * 2e-4 / (rate[i + 1] - rate[i])
    assert np.pi / np.diff(zeros).mean() == pytest.approx(rattleback.small_frequency(), rel=1e-4)
    assert rocking.stats.max_k < 1e-12


def test_governor():
    """IFToMM A05: the height of the slider, with order 2, from three coordinates; nothing turns the whole."""
    problem = problems.get("governor")
    runs = [solved(problem, h) for h in (1e-3, 5e-4)]
    exact = problem.reference(runs[0].t).q[:, 9]
    errors = [np.abs(sol["slider"].position[:: len(sol.t) // 500, 2] - exact).max() for sol in runs]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)
    assert errors[1] < 5e-6
    spin = runs[1]["shaft"].angular_velocity[-1, 2]
    beta = np.arcsin((1.0 - runs[1]["right"].position[-1, 2]) / governor.CENTRE)
    momentum = [
        governor.about_the_axis(angle)[0] * rate for angle, rate in ((governor.ANGLE, governor.SPEED), (beta, spin))
    ]
    assert momentum[1] == pytest.approx(momentum[0], rel=1e-6)


def test_cam():
    """The torque of the motor and the force between cam and follower are those that the given motion asks for."""
    sol = solved(problems.get("cam"))
    assert sol["motor"].effort == pytest.approx(cam.torque(sol.t), abs=1e-9)
    assert sol["face"].force[:, 1] == pytest.approx(-cam.contact_force(sol.t), abs=1e-8)
    assert cam.contact_force(sol.t).min() > 0.0
    assert sol["guide"].displacement == pytest.approx(0.02 * np.sin(cam.motion(sol.t)), abs=1e-14)
