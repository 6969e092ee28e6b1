"""What counts as closed and as no force, by round-off; and the force of a step in which a contact opens."""

import numpy as np
import pytest

import genalpha as ga
from fuzz import relations
from fuzz import run as runs
from fuzz.trial import OK, make, trial


@pytest.fixture
def few(monkeypatch):
    """Models that other tests compile run compiled, others interpreted."""
    monkeypatch.setattr(runs, "COMPILED", {(), ("gaps",)})
    monkeypatch.setattr(relations, "COMPILED", {(), ("gaps",)})


@pytest.mark.filterwarnings("ignore::genalpha.RedundantConstraintsWarning")
@pytest.mark.parametrize("angle", [0.3, 1.1, 2.3])
def test_a_ball_rests_in_a_slit_that_is_as_wide_as_it(angle):
    """The gaps of the two walls contradict each other by round-off, another one in every direction."""
    c, s = np.cos(angle), np.sin(angle)
    along, across, radius = np.array([-s, c]), np.array([c, s]), 0.1427375353340756
    for shift in (0.0, 0.7, 1.9):
        foot = shift * np.array([0.6, -0.8])
        model = ga.Model("slit", planar=True, gravity=-9.81 * along)
        for i, mass in enumerate((18.7, 0.1)):
            place = foot + (2 * i + 1) * radius * along
            model.add(ga.PointMass(f"b{i}", mass=mass, position=place, shape=ga.Sphere(radius)))
            for side in (-1.0, 1.0):
                wall = ga.Plane(point=foot + side * radius * across, normal=-side * across)
                model.add(ga.Contact(f"wall{i}{side:+g}", a=f"b{i}", b=wall, restitution=0.9))
        model.add(ga.Contact("floor", a="b0", b=ga.Plane(point=foot, normal=along), restitution=0.9))
        model.add(ga.Contact("pair", a="b1", b="b0", restitution=0.9))
        sol = ga.solve(model, (0.0, 2e-3), method=ga.GeneralizedAlpha(rho_inf=1.0), h=1e-4)
        assert np.abs(sol.v).max() < 1e-12
        assert np.allclose(sol.contact_force[-1, -2:], 9.81 * np.array([18.8, 0.1]), rtol=1e-9)


@pytest.mark.parametrize("index", [8, 325])
def test_slits_of_the_fuzzer(few, index):
    outcome = trial(7, index, relation="frame")
    assert (outcome.kind, outcome.what) == (OK, "")


def test_no_contact_pulls(few):
    """Of two walls that stop a ball one has an impulse of round-off, which is none."""
    case, _ = make(7, 305)
    sol = runs.solve(case, save_every=1).sol
    assert sol.contact_force.min() >= 0.0
    assert sol.impulse.min() >= 0.0


@pytest.mark.parametrize("rho_inf", [0.0, 0.8])
def test_the_force_of_the_step_in_which_a_contact_opens(rho_inf):
    """A mass that is pulled up by c t leaves its floor when c t = g: the floor has given ∫ (g − c t) dt = g²/2c."""
    g, c, h = 9.81, 20.0, 1e-3
    system = ga.System(M=np.eye(1), f=lambda t, q, v: np.array([c * t - g]), gap=lambda t, q: q)
    sol = ga.solve(system, (0.0, 0.6), [0.0], [0.0], method=ga.GeneralizedAlpha(rho_inf=rho_inf), h=h)
    gap, force = sol.gap[:, 0], sol.contact_force[:, 0]
    first = int(np.argmax(gap > 1e-14))
    assert abs(sol.t[first] - g / c) < 3 * h
    assert sol.lam_n[first, 0] == 0.0
    assert 0.0 < force[first] < 2.0 * c * h
    assert np.all(force[first + 1 :] == 0.0)
    assert np.all(gap[first + 1 :] > 0.0)
    assert h * force[1:].sum() == pytest.approx(g * g / (2.0 * c), abs=2.0 * c * h * h)
    assert len(sol.impacts.time) == 0
