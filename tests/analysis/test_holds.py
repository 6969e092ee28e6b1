"""Can a state stand still? Known limits, forces in equilibrium within their cones, and what cannot be asked."""

import numpy as np
import pytest

import genalpha as ga
from genalpha.problems.friction import blocks, piles, planes, rods

TAN_15 = np.tan(np.pi / 12.0)


def asked(problem):
    return ga.holds(problem.system(), problem.q0)


def misfit(problem, found):
    """What is left of f + Gᵀλ + Nᵀλ_n + Tᵀλ_t, over the largest force."""
    c = problem.system().contract(0.0, problem.q0, problem.v0)
    at = (0.0, problem.q0)
    f = c.evaluate("f", *at, 0.0 * problem.v0)
    rest = f + c.matrix("N", *at).T @ found.lam_n + c.matrix("T", *at, 0.0 * problem.v0).T @ found.lam_t
    return np.abs(rest + c.matrix("G", *at).T @ found.lam).max() / np.abs(f).max()


@pytest.mark.parametrize(
    ("problem", "margin"),
    [
        (blocks.sliding_block(0.5, 0.4), np.tan(0.4) / 0.5),
        (blocks.sliding_block(0.5, 0.6), np.tan(0.6) / 0.5),
        (piles.disc_pile(2, mu=0.3), TAN_15 / 0.3),
        (piles.disc_pile(2, mu=1.0, mu_floor=0.1), TAN_15 / 0.3),
        (piles.disc_pile(2, mu=1.0), piles.TRIANGLES[2]),
        (piles.disc_pile(3, mu=1.0), piles.TRIANGLES[3]),
        (piles.disc_pile(5, mu=1.0), 0.4975079),
        (piles.capstan(ratio=1.0), 1.0),
        (planes.curved_sliding(mu=0.5), np.hypot(2.0, 4.0) / 9.81 / 0.5),
        (rods.rocking_block(phi=0.0, theta=0.3), np.tan(0.3) / 0.6),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_known_limits(problem, margin):
    """And the forces are in equilibrium, push, and use no more than half of what is left."""
    found = asked(problem)
    assert found.margin == pytest.approx(margin, rel=2e-6)
    assert found.holds == bool(found) == (found.margin <= 1.0)
    assert misfit(problem, found) < 1e-9
    assert np.all(found.lam_n >= 0.0)
    assert found.usage.max() <= max(0.5 * (found.margin + 1.0), found.margin) + 1e-8


@pytest.mark.parametrize("mu", [(0.2, 0.1), (0.3, 0.0), (0.0, 0.5), (0.4, 0.4)])
def test_ladder(mu):
    """tan φ ≥ (1 − μf μw)/(2 μf): holds 0.1 % above, and not 0.1 % below."""
    mu_floor, mu_wall = mu
    if mu_floor == 0.0:
        assert asked(rods.ladder(1.5, *mu)).margin == np.inf
        return
    limit = (1.0 - mu_floor * mu_wall) / (2.0 * mu_floor)
    for factor in (1.001, 0.999):
        assert asked(rods.ladder(np.arctan(factor * limit), *mu)).holds == (factor > 1.0)


def test_forces_of_three_discs():
    """m g/2 between the upper disc and the lower ones, 3 m g/2 on the floor; nothing between the lower two."""
    found, weight = asked(piles.disc_pile(2, mu=0.3)), 9.81
    assert found.lam_n == pytest.approx(weight * np.array([1.5, 1.5, 0.0, 0.5, 0.5]), abs=1e-9)
    assert np.abs(found.lam_t) == pytest.approx(0.5 * weight * TAN_15 * np.array([1, 1, 0, 1, 1]), abs=1e-9)


@pytest.mark.parametrize("rows", [2, 3, 4])
def test_the_floor_carries_a_pile(rows):
    found = asked(piles.disc_pile(rows, mu=1.0))
    assert found.lam_n[:rows].sum() == pytest.approx(0.5 * rows * (rows + 1) * 9.81, rel=1e-9)


def test_a_block_that_tips_holds_with_no_friction():
    """tan θ above width over height."""
    found = asked(rods.rocking_block(phi=0.0, theta=0.4))
    assert not found
    assert found.margin == np.inf
    assert np.all(np.isnan(found.lam_n))
    assert repr(found) == "Holding(does not hold, with any friction)"


def hanging(**friction):
    """A weight of 10 N on a rail, held by dry friction."""
    return ga.System(M=np.eye(1), f=np.array([-10.0]), dry=lambda t, q, v: v, **friction)


def test_dry_friction():
    found = ga.holds(hanging(dry_bound=12.5), [0.0])
    assert found.margin == pytest.approx(0.8, rel=1e-8)
    assert found.lam_t == pytest.approx([10.0], rel=1e-9)
    assert ga.holds(hanging(dry_bound=8.0), [0.0]).margin == pytest.approx(1.25, rel=1e-8)


def test_static_friction_counts():
    """A spring pulls with 3 N at a block of 9.81 N: μ = 0.25 is too little, and 0.4 is enough."""
    problem = blocks.stick_slip(belt=1e-300)
    assert ga.holds(problem.system(), [0.03, 0.0]).margin == pytest.approx(3.0 / 9.81 / 0.4, rel=1e-8)


def test_a_belt_drags():
    """Friction has its direction where the surface moves: a block stays on a belt where the spring says so."""
    problem = blocks.stick_slip(mu=0.25)
    middle = 0.25 * 9.81 / 100.0
    assert ga.holds(problem.system(), [middle, 0.0]).holds
    assert ga.holds(problem.system(), [middle, 0.0]).lam_t == pytest.approx([0.25 * 9.81], rel=1e-9)
    assert not ga.holds(problem.system(), [1.01 * middle, 0.0]).holds


def test_an_ellipse():
    """Coefficients 0.4 and 0.2: what holds along one direction slides along the other."""
    for angle, share in ((0.0, 0.75), (0.5 * np.pi, 1.5), (0.25 * np.pi, 0.3 * np.sqrt(0.5 / 0.16 + 0.5 / 0.04))):
        push = 0.3 * 9.81 * np.array([np.cos(angle), np.sin(angle)])
        puck = ga.System(
            M=np.eye(3),
            f=np.array([*push, -9.81]),
            gap=lambda t, q: q[2],
            slip=lambda t, q, v: v[None, :2],
            mu=[[0.4, 0.2]],
        )
        assert ga.holds(puck, np.zeros(3)).margin == pytest.approx(share, rel=1e-7)


def test_frictionless_and_open():
    """Without friction, on a floor and in the air."""
    ball = ga.System(M=np.eye(1), f=np.array([-1.0]), gap=lambda t, q: q)
    assert repr(ga.holds(ball, [0.0])) == "Holding(holds without friction)"
    assert ga.holds(ball, [0.1]).margin == np.inf


def test_units_do_not_matter():
    """The same pile of milligrams and millimetres."""
    small = piles.disc_pile(3, mu=0.5, r=1e-4, m=1e-9)
    assert asked(small).margin == pytest.approx(asked(piles.disc_pile(3, mu=0.5)).margin, rel=1e-7)


def test_what_cannot_be_asked():
    with pytest.raises(ga.InputError, match="needs a configuration q0"):
        ga.holds(hanging(dry_bound=1.0))
    ball = ga.System(M=np.eye(1), f=np.array([-1.0]), gap=lambda t, q: q)
    with pytest.raises(ga.InputError, match=r"gap 'gap\[0\]' is -0.1 at q0; bodies must be apart or touch"):
        ga.holds(ball, [-0.1])
    rod = ga.System(M=np.eye(1), f=np.array([-1.0]), g=lambda t, q: q - 1.0)
    with pytest.raises(ga.InputError, match=r"constraint 'g\[0\]' has g = -0.5 at rest"):
        ga.holds(rod, [0.5])


@pytest.mark.parametrize("friction", [0.4, 0.3])
def test_models(friction):
    """A box on a slope of 0.35 rad, with four corners: tan 0.35 = 0.365."""
    slope, size = 0.35, np.array([0.4, 0.2, 0.1])
    normal = np.array([np.sin(slope), 0.0, np.cos(slope)])
    turn = (np.cos(0.5 * slope), 0.0, np.sin(0.5 * slope), 0.0)
    model = ga.Model("slope", gravity=(0.0, 0.0, -9.81))
    box = ga.RigidBody(
        "box", shape=ga.Box(size), density=500.0, position=0.5 * size[2] * normal, orientation=turn
    )  # fmt: skip
    model.add(box)
    model.add(ga.Contact("floor", box, ga.Plane((0.0, 0.0, 0.0), normal), friction=friction))
    found, weight = ga.holds(model), 500.0 * 0.008 * 9.81
    assert found.margin == pytest.approx(np.tan(slope) / friction, rel=1e-6)
    assert found.holds == (friction == 0.4)
    assert found.lam_n.sum() == pytest.approx(weight * np.cos(slope), rel=1e-7)
    assert np.linalg.norm(found.lam_t.reshape(-1, 2).sum(axis=0)) == pytest.approx(weight * np.sin(slope), rel=1e-7)
