"""Models of the collection, each with a number."""

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems
from genalpha.problems import andrews, andrews_model, ball_links


def solved(problem, h=None, **options):
    return ga.solve(
        problem.system(), problem.t_span, problem.q0, problem.v0, problem.method, h=h or problem.h, **options
    )


def test_andrews():
    """The published angles at 0.03 s, with order 2; the crank has turned two and a half times."""
    problem = problems.get("andrews_model")
    assert andrews_model.angles(problem.q0) == pytest.approx(andrews.START, abs=1e-15)
    errors = [andrews_model.angles(solved(problem, h, save_every=500).q[-1]) - andrews.PUBLISHED for h in (1e-5, 5e-6)]
    assert np.abs(errors[1]).max() < 3e-5
    assert np.log2(np.abs(errors[0]) / np.abs(errors[1])) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("loops", [1, 5])
def test_four_bar(loops):
    """All posts stay parallel, and the couplers level; energy is that of the start."""
    problem = problems.get("four_bar", loops=loops)
    sol = solved(problem)
    angles = np.array([sol[f"post{i}"].angle for i in range(loops + 1)])
    assert angles - angles[0] == pytest.approx(np.zeros_like(angles), abs=1e-10)
    assert sol[f"bar{loops - 1}"].angle == pytest.approx(0.0, abs=1e-10)
    assert sol.q == pytest.approx(problem.reference(sol.t).q, abs=1e-5)
    # at the top, N + 1 posts and N couplers
    assert sol.energy[0].sum() == pytest.approx((loops + 1) * (1 / 6 + 9.81 / 2) + loops * (0.5 + 9.81))


def test_slider_crank():
    """After one turn of the crank the piston is back; its stroke is twice the crank."""
    problem = problems.get("slider_crank")
    sol = solved(problem, 5e-4)
    stroke = sol["cylinder"].displacement
    assert stroke.max() - stroke.min() == pytest.approx(0.6, abs=1e-4)
    assert sol["main"].angle[-1] > 2.0 * np.pi
    assert sol["piston"].position[:, 0] == pytest.approx(0.9 + stroke, abs=1e-12)


def test_pendulum3d_keeps_its_angular_momentum():
    """About the vertical through the ball joint; and it swings as a compound pendulum of small angles would."""
    problem = problems.get("pendulum3d")
    reference = problem.reference(np.linspace(0.0, 1.0, 20))
    J = np.diag(1000.0 * ga.Box((0.2, 0.04, 0.04)).inertia)
    momenta = []
    for q, v in zip(reference.q, reference.v, strict=True):
        R = ball_links.rotation(q[None, 3:])[0]
        momenta.append((R @ (J * v[3:]) + 0.32 * np.cross(q[:3], v[:3]))[2])
    assert momenta == pytest.approx(momenta[0] * np.ones(20), abs=1e-13)


@pytest.mark.parametrize("bodies", [1, 3])
def test_chain_in_a_plane_is_the_planar_one(bodies):
    """Without spin about z the rods stay in a plane, and fall as planar links of the same numbers."""
    from genalpha.problems import chain
    from genalpha.problems.links import Links

    links, t = chain.links(bodies), np.array([0.0, 0.2, 0.4])
    upright, still = np.tile([1.0, 0.0, 0.0, 0.0], (bodies, 1)), np.zeros((bodies, 3))
    space = links.reference(upright, still, t)
    plane = Links(bodies, 0.2, links.mass, links.inertia[1], 9.81).reference(np.zeros(bodies), np.zeros(bodies), t)
    assert space.q.reshape(3, bodies, 7)[:, :, [0, 2]] == pytest.approx(
        plane.q.reshape(3, bodies, 3)[:, :, :2], abs=1e-12
    )
    assert space.lam.reshape(3, bodies, 3)[:, :, [0, 2]] == pytest.approx(plane.lam.reshape(3, bodies, 2), abs=1e-11)


def test_wrong_numbers():
    with pytest.raises(ga.InputError, match="at least one body, not 0"):
        problems.get("chain", bodies=0)
    with pytest.raises(ga.InputError, match=r"at least one loop, not 1\.5"):
        problems.get("four_bar", loops=1.5)
