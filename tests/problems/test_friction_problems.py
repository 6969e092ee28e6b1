"""Problems with dry friction: derivatives, laws that references obey, and numbers computed elsewhere."""

from dataclasses import replace

import numpy as np
import pytest

import genalpha as ga
from genalpha.problems import friction
from genalpha.problems.friction import blocks, guide, impacts, piles, planes, rods, rolling, tippe, toys
from genalpha.problems.friction.events import BACK, FORTH, OPEN, STICK, follow, interpreted
from genalpha.problems.friction.exact import slide

ALL = tuple(make() for make in friction.MAKERS.values() if make is not tippe.tippe_top)  # it is a model
each = pytest.mark.parametrize("problem", ALL, ids=lambda problem: problem.name)
GIVEN = ("gap_q", "gap_t", "gap_bias", "slip_v", "slip_q", "slip_t", "f_q", "f_v")


def contract(problem, **changes):
    return replace(problem.system(), compile=False, **changes).contract(0.0, problem.q0, problem.v0)


def generic(problem):
    random = np.random.default_rng(7)
    return 0.3, *(x + random.uniform(-0.2, 0.2, x.size) for x in (problem.q0, problem.v0))


# ---------------------------------------------------------------- definitions


@each
def test_fields(problem):
    c = contract(problem)
    assert all(isinstance(text, str) and text for text in (problem.title, problem.summary, problem.source))
    assert problem.system().compiled
    assert len(problem.names["q"]) == c.nq == problem.v0.size
    assert len(problem.names["gap"]) == c.nc == len(np.unique(c.friction.contact))
    assert problem.name in friction.MAKERS


@each
def test_given_derivatives(problem):
    """They equal computed ones."""
    t, q, v = generic(problem)
    given, found = contract(problem), contract(problem, **dict.fromkeys(GIVEN))
    for name, state in (("N", (t, q)), ("T", (t, q, v))):
        assert given.matrix(name, *state) == pytest.approx(found.matrix(name, *state), abs=1e-12)
    for name, state in (("gap_t", (t, q)), ("gap_bias", (t, q, v)), ("slip_bias", (t, q, v))):
        assert given.evaluate(name, *state) == pytest.approx(found.evaluate(name, *state), abs=1e-8)


@each
def test_energy(problem):
    """½ vᵀM v, and a potential whose slope is minus the force without its parts that depend on v."""
    t, q, v = generic(problem)
    c = contract(problem)
    assert problem.energy(t, q, v)[0] == pytest.approx(0.5 * v @ c.matrix("M", t, q) @ v, rel=1e-12)
    if problem.name == "capstan":
        return  # its pulls have no potential
    way = np.random.default_rng(3).uniform(-1.0, 1.0, q.size)
    forth, back = (problem.energy(t, q + s * 1e-5 * way, v)[1] for s in (1.0, -1.0))
    assert (forth - back) / 2e-5 == pytest.approx(-c.evaluate("f", t, q, 0.0 * v) @ way, rel=1e-6, abs=1e-8)


@each
def test_initial_state(problem):
    c = contract(problem)
    assert np.all(c.evaluate("gap", 0.0, problem.q0) >= -1e-15)
    assert np.abs(c.evaluate("g", 0.0, problem.q0)).max(initial=0.0) < 1e-15


# ---------------------------------------------------------------- references

SMOOTH = (
    blocks.sliding_block(),
    blocks.sliding_block(0.5, 0.6, 0.0),
    blocks.sliding_block(0.5, 0.4, -2.0),
    blocks.friction_oscillator(),
    blocks.friction_oscillator(x0=-0.123),
    blocks.stick_slip(),
    planes.curved_sliding(),
    planes.turntable(),
    planes.turntable(turning=True, r=0.7),
    rolling.backspin(),
    rolling.backspin(theta=0.5, speed=0.0, spin=0.0),
    rolling.backspin(theta=0.9),
    rolling.billiard(),
    rolling.billiard(speed=(0, 0), omega=(0, 0, 5), drilling=0.01),
    rods.ladder(),
)


@pytest.mark.parametrize("problem", SMOOTH, ids=lambda problem: problem.name)
def test_references_obey_the_laws(problem):
    """q̇ = v and M v̇ = f + Nᵀλ_n + Tᵀλ_t by differences; friction in its cone, against the slip where there is one."""
    c, step = contract(problem), 1e-4
    weights = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / step
    checked = 0
    for t in np.linspace(*problem.t_span, 23)[1:-1]:
        around = problem.reference(t + step * np.arange(-4, 5))
        q, v, vdot = around.q[4], around.v[4], weights @ around.v
        if np.abs(np.diff(around.v, 3, axis=0)).max() > 1e-7 or np.abs(np.diff(around.lam_t, axis=0)).max() > 1e-2:
            continue  # a change of modes is near
        lam_n, lam_t = around.lam_n[4], around.lam_t[4]
        force = c.evaluate("f", t, q, v) + c.matrix("N", t, q).T @ lam_n + c.matrix("T", t, q, v).T @ lam_t
        assert weights @ around.q == pytest.approx(v, abs=1e-8)
        assert c.matrix("M", t, q) @ vdot == pytest.approx(force, abs=1e-7)
        slip = c.evaluate("slip", t, q, v)
        for e in range(c.friction.ne):
            rows, mu = c.friction.rows(e), c.friction.mu[c.friction.rows(e)][0]
            size, limit = np.linalg.norm(slip[rows]), mu * lam_n[c.friction.contact[e]]
            assert np.linalg.norm(lam_t[rows]) <= limit * c.friction.static[e] + 1e-9
            if size > 1e-9:
                assert lam_t[rows] == pytest.approx(-limit * slip[rows] / size, abs=1e-9)
        checked += 1
    assert checked > 12


def test_slide_reverses():
    """A block thrown up a steep slope comes back with less."""
    way, s, r = slide([0.0, 0.1, 0.2, 1.0], -1.0, 9.0, 1.0)
    assert s == pytest.approx([-1.0, 0.0, 0.8, 7.2])
    assert way == pytest.approx([0.0, -0.05, -0.01, 3.19])
    assert r[[0, 2]] == pytest.approx([1.0, -1.0])


# ---------------------------------------------------------------- numbers computed elsewhere


def state(problem, t):
    reference = problem.reference([t])
    return reference.q[0], reference.v[0]


def test_numbers_of_blocks():
    assert blocks.sliding_block(0.5, 0.4, 0.0).reference([1.0]).lam_t[0, 0] == pytest.approx(-3.820193938, abs=1e-9)
    assert blocks.sliding_block(0.5, 0.6, 0.0).reference([1.0]).vdot[0, 0] == pytest.approx(1.490871473, abs=1e-9)
    stopping = blocks.sliding_block()
    assert state(stopping, 2.0)[0][0] == pytest.approx(1.529051988, abs=1e-9)
    assert state(stopping, 1.019367992 - 1e-6)[1][0] > 0.0
    assert state(stopping, 1.019367993)[1][0] == 0.0
    assert state(blocks.friction_oscillator(), np.pi / 2)[0][0] == pytest.approx(-0.0019, abs=1e-15)
    t = np.linspace(0.0, 1.3, 130001)
    belt = blocks.stick_slip().reference(t)
    assert belt.q[:, 0].min() == pytest.approx(-0.000305046818, abs=1e-9)
    assert belt.q[:, 0].max() == pytest.approx(0.049355046818, abs=1e-9)
    changes = t[1:][np.diff(belt.v[:, 0] == 0.2)]
    assert changes == pytest.approx([0.14715, 0.648604819424, 0.648604819424 + 0.14715, 2 * 0.648604819424], abs=1.1e-5)


def test_numbers_of_planes():
    q, v = state(planes.curved_sliding(), 0.8)
    assert q[:2] == pytest.approx([2.127429654205, 0.438950369449], abs=1e-12)
    assert v[:2] == pytest.approx([2.387011715913, 1.731324500698], abs=1e-12)
    q, v = state(planes.turntable(), 1.0)
    assert q[:2] == pytest.approx([0.496576654654, 1.158900219496], abs=1e-12)
    assert v[:2] == pytest.approx([-1.626905894785, 1.432087279897], abs=1e-12)
    with pytest.raises(ga.InputError, match="rate² r <= μ g"):
        planes.turntable(turning=True, r=0.7358)


def test_numbers_of_balls():
    q, v = state(rolling.backspin(), 1.0)
    assert (q[0], v[0]) == (pytest.approx(1.330087998502, abs=1e-12), pytest.approx(8.0 / 7.0))
    rolls = rolling.backspin(theta=0.5, speed=0.0, spin=0.0).reference([1.0])
    assert rolls.vdot[0, 0] == pytest.approx(5.0 / 7.0 * 9.81 * np.sin(0.5))
    assert rolls.lam_t[0, 0] == pytest.approx(-2.0 / 7.0 * 9.81 * np.sin(0.5))
    q, v = state(rolling.billiard(), 1.0)
    assert q[:2] == pytest.approx([1.386577097794, -0.011185751838], abs=1e-12)
    assert v[:2] == pytest.approx([8.0 / 7.0, -3.0 / 14.0], abs=1e-12)
    assert rolling.billiard().reference([0.56868, 0.56866]).lam_t[:, 0] == pytest.approx([0.0, -1.5072502], abs=1e-6)
    stop = 0.4 * 0.1**2 * 5.0 / (0.2 * 0.01 * 9.81)
    spin = rolling.billiard(speed=(0, 0), omega=(0, 0, 5), drilling=0.01).reference([0.99 * stop, 1.01 * stop]).v[:, 5]
    assert spin == pytest.approx([0.05, 0.0])


@pytest.mark.parametrize(("e_t", "before", "after"), [(0, 2, 0), (0, 8, 2.645), (0.6, 2, -1.2), (0.6, 8, 2.645)])
def test_numbers_of_impacts(e_t, before, after):
    u, v, spin, push, drag = impacts.struck(-3.0, before, 0.0, 0.3, 0.7, e_t)
    assert v - spin == pytest.approx(after)
    assert drag == pytest.approx(2.0 / 7.0 * (after - before))
    assert (u, push) == (pytest.approx(2.1), pytest.approx(5.1))


def test_superball():
    problem = impacts.superball()
    hits = problem.impact_times()
    assert hits[0] == pytest.approx(np.sqrt(1.0 / 9.81))
    after = problem.reference(hits[:2] + 1e-9).v[:, [0, 2]] * [1.0, 0.1]
    assert after == pytest.approx(np.array([[3 / 7, 10 / 7], [1.0, 0.0]]))
    energy = [sum(problem.energy(0.0, *state(problem, t))) for t in np.linspace(0.0, 2.0, 9)]
    assert energy == pytest.approx([energy[0]] * 9)


def test_numbers_of_a_ball_that_stays():
    """Capobianco's example 10.1; its spin counts the other way round."""
    slow, fast = (impacts.superball(0.2, 0.0, 0.0, 0.0, spin, 0.9) for spin in (-1.0, -5.0))
    assert fast.impact_times() == pytest.approx([0.428352936878], abs=1e-12)
    after = fast.reference([0.428352936879, 1.1])
    assert after.v[0, 0] - 0.1 * after.v[0, 2] == pytest.approx(2.058500382458, abs=1e-9)
    assert (after.q[1, 0], after.v[1, 0]) == (pytest.approx(-0.871342861304, abs=1e-12), pytest.approx(-10.0 / 7.0))
    after = slow.reference([1.1])
    assert (after.q[0, 0], after.v[0, 0]) == (pytest.approx(-0.191899160892, abs=1e-12), pytest.approx(-2.0 / 7.0))


def test_numbers_of_rods():
    q, v = state(rods.ladder(), 0.5)
    assert (q[2], v[2]) == (pytest.approx(0.766888538106, abs=1e-11), pytest.approx(-1.109042456039, abs=1e-11))
    jam = rods.painleve()
    (_, v), (q1, v1) = state(jam, 0.0), state(jam, 0.3)
    assert v == pytest.approx([-1.593165191, 1.022959605, 1.893309716], abs=1e-9)
    assert jam.energy(0, jam.q0, v)[0] - jam.energy(0, jam.q0, jam.v0)[0] == pytest.approx(-2.110252213, abs=1e-9)
    assert (q1[2], v1[2]) == (pytest.approx(1.437882085, abs=1e-9), pytest.approx(1.175438223, abs=1e-9))
    kane = rods.painleve(0.9, 0.6, (0.5, -1.0, 0.0), 0.9)
    _, v = state(kane, 0.0)
    assert v == pytest.approx([0.923966830, 0.166785062, -1.179541796], abs=1e-9)
    assert kane.energy(0, kane.q0, v)[0] == pytest.approx(0.625 + 0.047652454, abs=1e-9)


def motion(problem, t1):
    return follow(interpreted(problem.system(), problem.q0, problem.v0), problem.q0, problem.v0, t1)


@pytest.mark.parametrize(("mu", "leaves"), [((0.2, 0.1), 0.678864066762), ((0.0, 0.0), 0.431257297524)])
def test_the_ladder_leaves_the_wall(mu, leaves):
    first, second, *_ = motion(rods.ladder(1.0, *mu), 0.7).phases
    assert (first.modes, second.modes) == ((FORTH, BACK), (FORTH, OPEN))
    assert second.t == pytest.approx(leaves, abs=1e-10)


def test_numbers_of_blocks_on_corners():
    assert rods.rocking_block().impact_times() == pytest.approx(
        [0.258040640057, 0.635676845909, 0.93259987416], abs=1e-10
    )
    found = rods.rocking_block(0.4, 0.2, 0.3, 0.0, 0.45).reference([0.5])
    assert found.q[0, 0] == pytest.approx(0.202124508426, abs=1e-12)
    assert found.lam_n[0] == pytest.approx([3.754189081, 5.079196993], abs=1e-9)


def test_numbers_of_the_slider():
    problem = guide.slider_with_play()
    found = problem.reference([0.005, 0.01]).q
    assert found[0] == pytest.approx([0.576050583878, -0.272879463824, 0.0], abs=1e-11)
    assert found[1] == pytest.approx([0.94796132, -0.41462420, 0.0], abs=1e-8)
    hits = problem.impact_times()
    assert hits[:4] == pytest.approx([0.0026925028, 0.0056123632, 0.0074750562, 0.0084217679], abs=1e-10)
    assert hits[-1] == pytest.approx(0.0091456, abs=1e-7)


def test_numbers_of_the_woodpecker():
    problem = toys.woodpecker()
    found = motion(problem, 0.12)
    assert found([0.1])[0, :3] == pytest.approx([-0.00705933034, 0.02072476904, 0.00752887681], abs=1e-11)
    times = [phase.t for phase in found.phases]
    assert times[1:6] == pytest.approx(
        [0.0216363141, 0.0612139312, 0.0670233981, 0.0778779923, 0.0809888054], abs=1e-10
    )
    assert [phase.modes[1] for phase in found.phases[:4]] == [BACK, STICK, BACK, OPEN]
    assert [kinds[0] > 0.0 for _, kinds, *_ in found.impacts[:2]] == [False, True]


@pytest.mark.slow
def test_the_woodpecker_comes_down_in_equal_jerks():
    problem = toys.woodpecker()
    t = np.linspace(0.0, 1.0, 4001)
    found = problem.reference(t[[1200, 4000]])
    assert found.q[0] == pytest.approx([-0.04132741608, -0.10344827586, -0.34237385511], abs=1e-10)
    assert found.q[1, 0] == pytest.approx(-0.128167823668, abs=1e-10)
    period = np.diff(problem.impact_times()[0::5])
    assert period[-2:] == pytest.approx(toys.PERIOD, abs=1e-4)  # it comes nearer from both sides in turn


def test_sizes_of_piles():
    for rows in (2, 3, 4):
        problem = piles.disc_pile(rows)
        assert len(problem.names["gap"]) == rows + 3 * rows * (rows - 1) // 2
        assert np.abs(contract(problem).evaluate("gap", 0.0, problem.q0)).max() < 1e-15
    assert piles.belt_ratio(0.3, 8, np.pi) == pytest.approx(2.601049711, abs=1e-9)
    assert piles.belt_friction(2.601049711, 8, np.pi) == pytest.approx(0.3, abs=1e-9)
    assert piles.belt_ratio(0.3, 10**5, np.pi) == pytest.approx(np.exp(0.3 * np.pi), rel=1e-8)


@pytest.mark.parametrize(
    ("make", "parameters", "message"),
    [
        (blocks.sliding_block, {"mu": -0.1}, "mu = -0.1"),
        (blocks.friction_oscillator, {"mu": 0.0}, "must be positive"),
        (blocks.stick_slip, {"mu": 0.5}, "mu_static > mu"),
        (rolling.backspin, {"r": 0.0}, "r > 0"),
        (impacts.superball, {"gravity": 0.0}, "fall > 0"),
        (rods.ladder, {"phi": 2.0}, "phi = 2.0"),
        (rods.rocking_block, {"phi": 0.7}, "phi = 0.7"),
        (piles.disc_pile, {"rows": 0}, "rows = 0"),
        (piles.capstan, {"nodes": 1}, "nodes = 1"),
    ],
)
def test_wrong_parameters(make, parameters, message):
    with pytest.raises(ga.InputError, match=message):
        make(**parameters)


def test_events_need_a_row_of_slip_for_each_contact():
    problem = planes.curved_sliding()
    with pytest.raises(ga.InputError, match="one row of slip each"):
        follow(interpreted(problem.system(), problem.q0, problem.v0), problem.q0, problem.v0, 1.0)


def test_numbers_of_the_tippe_top():
    """By Euler angles and by quaternions, of two other codes."""
    problem = tippe.tippe_top()
    found = problem.reference([0.5, 1.0, tippe.TOUCHES])
    assert tippe.inclination(found.q) == pytest.approx([0.518010146, 1.572591417, 2.448432746], abs=1e-8)
    assert found.q[1, :2] == pytest.approx([-0.07497617, 0.01754425], abs=1e-8)
    assert found.q[2, 2] + tippe.ABOVE * np.cos(2.448432746) == pytest.approx(tippe.STEM, abs=1e-10)
    shape = tippe._shape()
    assert np.abs(shape.offset).max() < 1e-4  # the picture is where the body is
