"""The dense solver of contacts with Coulomb friction, against all modes one by one."""

import itertools

import numpy as np
import pytest
from contact_problems import TOLERANCE, Case, box, pile, planar, pyramid, triangle

from genalpha.math.coulomb_tables import (
    DIRECTION,
    DISK,
    FREE,
    GIVEN,
    JUMP,
    LAW,
    MODE,
    NO_SOLUTION,
    OPEN,
    SLIP,
    SOLVED,
    STICK,
)

pytestmark = pytest.mark.agreement


def mechanism(random, rows, coordinates, mu):
    """W of rows of contacts, tangential ones times μ, among bodies of unit mass."""
    J = random.standard_normal((rows, coordinates))
    J[1::2] *= mu
    return J


def brute_force(case):
    """Violations of the solutions in all modes of contacts in a plane, the best one first."""
    found = []
    for modes in itertools.product(("open", "stick", 1.0, -1.0), repeat=len(case.elements)):
        A, b = np.eye(len(case.p)), np.zeros(len(case.p))
        for (normal, t, _, _, _), mode in zip(case.elements, modes, strict=True):
            if mode == "open":
                continue
            A[normal], b[normal] = case.W[normal], -case.y0[normal]
            if mode == "stick":
                A[t], b[t] = case.W[t], -case.y0[t]
            else:
                A[t, normal], b[t] = mode, -case.base[t] - mode * max(case.base[normal], 0.0)
        p = np.linalg.lstsq(A, b, rcond=1e-11)[0]
        other = Case(case.W, case.y0, case.elements, case.base)
        other.elements[:, MODE] = [{"open": OPEN, "stick": STICK}.get(mode, SLIP) for mode in modes]
        found.append(other.violation(p))
    return sorted(found)


def test_a_block_sticks_slips_and_lifts():
    mu, W = 0.3, np.diag([1.0, 0.09])
    for speed, mode, p in ((0.2, STICK, [1.0, -2.0 / 3.0]), (2.0, SLIP, [1.0, -1.0]), (-2.0, SLIP, [1.0, 1.0])):
        case = Case(W, [-1.0, mu * speed], planar(1))
        assert case.solve() == SOLVED
        assert case.modes == [mode]
        assert case.p == pytest.approx(p, abs=1e-15)
    case = Case(W, [1.0, mu], planar(1))
    assert case.solve() == SOLVED
    assert case.modes == [OPEN]
    assert not np.any(case.p)


@pytest.mark.parametrize("law", [DISK, JUMP, GIVEN])
def test_a_matrix_that_is_not_symmetric(law):
    """As gyroscopic forces make it: y is y0 + W p, not y0 + Wᵀ p."""
    random = np.random.default_rng(5)
    for width in (1, 2, 3):
        for _ in range(20):
            A = random.standard_normal((1 + width, 1 + width))
            W = np.eye(1 + width) + 0.05 * (A - A.T)
            W[1:, 1:] *= 0.25
            y0 = np.array([-1.0, *(random.choice([0.05, 2.0]) * random.standard_normal(width))])
            direction = np.zeros(3)
            direction[:width] = y0[1:] / np.linalg.norm(y0[1:])
            case = Case(W, y0, [(0, 1, width, law)], direction=direction)
            assert case.solve() == SOLVED
            assert case.violation() < TOLERANCE


@pytest.mark.parametrize("contacts", [1, 2, 3])
@pytest.mark.parametrize("mu", [0.1, 0.7])
def test_all_modes_of_contacts_in_a_plane(contacts, mu):
    """Whenever some modes have a solution, one is found; if none is found, none is there."""
    random = np.random.default_rng(contacts)
    for _ in range(60):
        J = mechanism(random, 2 * contacts, random.integers(2, 2 * contacts + 2), mu)
        case = Case(J @ J.T, J @ random.standard_normal(J.shape[1]), planar(contacts))
        status = case.solve()
        assert (status == SOLVED) == (case.violation() < TOLERANCE)
        assert (status == SOLVED) == (brute_force(case)[0] < TOLERANCE)


@pytest.mark.parametrize("contacts", [1, 2, 3])
def test_all_modes_with_a_known_part_of_the_forces(contacts):
    random = np.random.default_rng(contacts)
    for _ in range(60):
        J = mechanism(random, 2 * contacts, random.integers(2, 2 * contacts + 2), 0.3)
        base = random.uniform(0.0, 0.3, 2 * contacts)
        case = Case(J @ J.T, J @ random.standard_normal(J.shape[1]), planar(contacts), base)
        status = case.solve()
        assert (status == SOLVED) == (case.violation() < TOLERANCE)
        assert (status == SOLVED) == (brute_force(case)[0] < TOLERANCE)


@pytest.mark.parametrize("width", [0, 1, 2, 3])
@pytest.mark.parametrize("law", [DISK, JUMP, FREE])
def test_contacts_of_every_width(width, law):
    random = np.random.default_rng(width)
    for _ in range(60):
        contacts = random.integers(1, 5)
        n = contacts * (1 + width)
        J = random.standard_normal((n, n + 2))
        elements = [(e * (1 + width), e * (1 + width) + 1, width, law) for e in range(contacts)]
        for first, last in ((e[1], e[1] + width) for e in elements):
            J[first:last] *= 0.3
        case = Case(J @ J.T, J @ random.standard_normal(n + 2), elements)
        assert case.solve() == SOLVED
        assert case.violation() < TOLERANCE
        warm = case.p.copy()
        case.y0[:] *= 1.0 + 1e-3 * random.standard_normal(n)
        assert case.solve() == SOLVED
        assert case.violation() < TOLERANCE
        assert np.linalg.norm(case.p - warm) < np.linalg.norm(warm) + 1.0


def test_a_given_direction():
    W = np.diag([1.0, 0.09, 0.09])
    case = Case(W, [-2.0, 1.0, 0.0], [(0, 1, 2, GIVEN)], direction=(0.6, -0.8, 0.0))
    assert case.solve() == SOLVED
    assert case.modes == [SLIP]
    assert case.p == pytest.approx([2.0, -1.2, 1.6], abs=1e-15)


@pytest.mark.parametrize(("speed", "mode", "force"), [(0.5, STICK, -0.5), (3.0, SLIP, -2.0), (-3.0, SLIP, 2.0)])
def test_dry_friction(speed, mode, force):
    case = Case([[1.0]], [speed], [(-1, 0, 1, DISK)], radius=2.0)
    assert case.solve() == SOLVED
    assert case.modes == [mode]
    assert case.p == pytest.approx([force], abs=1e-15)


@pytest.mark.parametrize("law", [DISK, GIVEN])
def test_dry_friction_alone_acts_on_what_nothing_else_does(law):
    """What slides without acceleration has y0 = 0, and its bound is all there is to compare with."""
    case = Case([[0.6]], [0.0], [(-1, 0, 1, law, SLIP)], radius=5.0, direction=(1.0, 0.0, 0.0))
    assert case.solve() == SOLVED
    assert case.p == pytest.approx([-5.0 if law == GIVEN else 0.0], abs=1e-15)


def test_a_paradox():
    """Painlevé: slip to the right draws the contact down the more, the harder it presses. Impacts stick."""
    W, y0 = [[1.0, 1.5], [1.5, 2.4]], [-1.0, 3.0]
    case = Case(W, y0, [(0, 1, 1, GIVEN)], direction=(1.0, 0.0, 0.0))
    assert case.solve() == NO_SOLUTION
    case = Case(W, y0, planar(1))
    assert case.solve() == SOLVED
    assert case.modes == [STICK]
    assert case.p == pytest.approx([46.0, -30.0], abs=1e-11)


def test_slip_between_paradoxes():
    """With stick the contact would pull, and in most directions friction jams it; one direction is left."""
    W = [[4.5061, -35.696, 35.309], [-35.696, 365.08, -401.86], [35.309, -401.86, 458.30]]
    case = Case(W, [-0.01606, 2.3733, -1.8421], [(0, 1, 2, DISK)])
    assert np.linalg.solve(W, -case.y0)[0] < 0.0
    (angle,) = angles_of_slip(case)
    assert case.solve() == SOLVED
    assert np.arctan2(case.y[2], case.y[1]) % (2.0 * np.pi) == pytest.approx(angle, abs=1e-4)


def angles_of_slip(case):
    """Directions of slip of one contact in space, by search: y_t is along d, and presses."""
    angle = np.linspace(0.0, 2.0 * np.pi, 100001)
    d = np.array([np.cos(angle), np.sin(angle)])
    rho = -case.y0[0] / (case.W[0, 0] - case.W[0, 1:] @ d)
    y = case.y0[1:, None] + rho * (case.W[1:, :1] - case.W[1:, 1:] @ d)
    across, along = d[0] * y[1] - d[1] * y[0], np.sum(d * y, axis=0)
    found = (across[1:] * across[:-1] <= 0.0) & (along[1:] > 0.0) & (rho[1:] > 0.0) & (rho[:-1] > 0.0)
    return angle[1:][found].tolist()


def test_directions_of_slip_in_space():
    """Against a fine search over angles."""
    random = np.random.default_rng(3)
    slips = 0
    for _ in range(100):
        J = np.diag([1.0, 0.3, 0.3]) @ random.standard_normal((3, 5))
        case = Case(J @ J.T, J @ random.standard_normal(5), [(0, 1, 2, DISK)])
        assert case.solve() == SOLVED
        if case.modes == [SLIP]:
            found, slips = angles_of_slip(case), slips + 1
            angle = np.arctan2(case.y[2], case.y[1]) % (2.0 * np.pi)
            assert np.min(np.abs(np.array(found) - angle)) < 1e-4
    assert slips > 20


@pytest.mark.parametrize("factor", [1e-9, 1e-3, 1e9])
def test_other_units(factor):
    """Of mass, W; of speed, y0; and of one row."""
    random = np.random.default_rng(4)
    for _ in range(30):
        J = random.standard_normal((6, 8)) * np.array([1.0, 0.3, 0.3, 1.0, 0.3, 0.3])[:, None]
        y0, elements = J @ random.standard_normal(8), [(0, 1, 2, DISK), (3, 4, 2, DISK)]
        case, heavy, slow = Case(J @ J.T, y0, elements), Case(factor * J @ J.T, y0, elements), None
        slow = Case(J @ J.T, factor * y0, elements)
        assert case.solve() == heavy.solve() == slow.solve() == SOLVED
        assert case.modes == heavy.modes == slow.modes
        assert factor * heavy.p == pytest.approx(case.p, rel=1e-9, abs=1e-11)
        assert slow.p / factor == pytest.approx(case.p, rel=1e-9, abs=1e-11)


def test_the_order_of_elements_does_not_matter():
    random = np.random.default_rng(5)
    for _ in range(30):
        J = random.standard_normal((9, 12)) * np.array([1.0, 0.3, 0.3] * 3)[:, None]
        y0, elements = J @ random.standard_normal(12), [(0, 1, 2, DISK), (3, 4, 2, DISK), (6, 7, 2, DISK)]
        case, other = Case(J @ J.T, y0, elements), Case(J @ J.T, y0, elements[::-1])
        assert case.solve() == other.solve() == SOLVED
        assert other.modes == case.modes[::-1]
        assert other.p == pytest.approx(case.p, abs=1e-10)


def test_static_friction_holds_more():
    W, y0 = np.diag([1.0, 1.0]), [-1.0, 1.5]
    case = Case(W, y0, planar(1), kappa=2.0)
    assert case.solve() == SOLVED
    assert case.modes == [STICK]
    assert case.p == pytest.approx([1.0, -1.5], abs=1e-15)
    case = Case(W, [-1.0, 2.5], planar(1), kappa=2.0)
    assert case.solve() == SOLVED
    assert case.modes == [SLIP]
    assert case.p == pytest.approx([1.0, -1.0], abs=1e-15)
    case = Case(W, y0, planar(1), kappa=2.0)  # it slips already, and goes on
    case.elements[0, MODE], case.numbers[0, DIRECTION] = SLIP, 1.0
    assert case.solve() == SOLVED
    assert case.modes == [SLIP]


def test_dry_friction_in_a_plane_of_two_rows():
    case = Case(np.eye(2), [3.0, 4.0], [(-1, 0, 2, DISK)], radius=2.0)
    assert case.solve() == SOLVED
    assert case.p == pytest.approx([-1.2, -1.6], abs=1e-14)
    case = Case(np.eye(2), [3.0, 4.0], [(-1, 0, 2, GIVEN)], radius=2.0, direction=(1.0, 0.0, 0.0))
    assert case.solve() == SOLVED
    assert case.p == pytest.approx([-2.0, 0.0], abs=1e-14)


def test_slip_without_the_base_is_close_to_slip_with_it():
    """What JUMP leaves out is of second order where little changes, and it finds an answer wherever DISK does."""
    random = np.random.default_rng(6)
    far = {0.1: [], 0.01: []}
    for _ in range(60):
        J = random.standard_normal((6, 7)) * np.array([1.0, 0.3, 0.3] * 2)[:, None]
        W, elements = J @ J.T, [(0, 1, 2, DISK), (3, 4, 2, DISK)]
        before = Case(W, J @ random.standard_normal(7), elements)
        assert before.solve() == SOLVED
        change = W @ random.uniform(-1.0, 1.0, 6)
        for small, found in far.items():
            cases = [Case(W, before.y + small * change, elements, before.p) for _ in range(2)]
            for law, case in zip((DISK, JUMP), cases, strict=True):
                case.elements[:, LAW], case.elements[:, MODE] = law, before.modes
                case.numbers[:] = before.numbers
                assert case.solve() == SOLVED
                assert case.violation() < TOLERANCE
            if cases[0].modes == cases[1].modes == before.modes and SLIP in before.modes:
                found.append(np.linalg.norm(cases[0].p - cases[1].p))
    assert len(far[0.01]) > 20
    assert 0.0 < np.median(far[0.01]) < 0.3 * np.median(far[0.1])


def test_slip_without_the_base_does_not_drive():
    """A contact that turns round within a step: with the base alone friction would push it on."""
    W, base = np.diag([1.0, 1.0]), [1.0, -1.0]
    case = Case(W, [0.0, -5.0], planar(1, JUMP), base)
    case.elements[0, MODE], case.numbers[0, DIRECTION] = SLIP, 1.0
    assert case.solve() == SOLVED
    assert case.p + base == pytest.approx([1.0, 1.0], abs=1e-15)
    assert case.modes == [SLIP]


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("mu", [0.3, 1.0])
@pytest.mark.parametrize("v", [(0, 0, -1, 0, 0, 0), (1, 0, -1, 0, 0, 0), (9, 0, -0.1, 0, 0, 0), (0, 0, -0.1, 0, 0, 1),
                               (1, 0.5, -0.1, 0, 0, 1), (1, 0.5, -1, 0.3, 0.2, 0.1)])  # fmt: skip
def test_a_box_on_four_corners(v, mu, width):
    """Its rows depend on one another."""
    case = box(mu, width, v)
    for _ in range(3):
        assert case.solve() == SOLVED
        assert case.misfit < 1e-12
        assert case.violation() < 1e-11
        case.y0 *= 1.001


def test_two_corners_share_a_row():
    """Two contacts with the same slip: the sum of their friction is known, and how it is shared is theirs."""
    J = np.array([[0.0, 1.0, -1.0], [0.3, 0.0, 0.0], [0.0, 1.0, 1.0], [0.3, 0.0, 0.0]])
    for v, modes in (([0.2, -1.0, 0.1], [STICK] * 2), ([3.0, -1.0, 0.1], [SLIP] * 2)):
        case = Case(J @ J.T, J @ v, planar(2))
        assert case.solve() == SOLVED
        assert case.modes == modes
        assert case.violation() < 1e-14


@pytest.mark.parametrize(("rows", "mu"), [(2, 0.3), (3, 0.3), (3, 0.5), (4, 0.3), (5, 0.3), (5, 0.5), (5, 0.8)])
def test_piles_in_a_plane(rows, mu):
    """To round-off, from nothing; 15 discs hold from μ = 0.4975 on."""
    case = pile(triangle(rows), mu, 2)
    assert case.solve() == SOLVED
    assert case.misfit < 1e-13
    assert case.violation() < 1e-13
    assert (SLIP not in case.modes) == (mu > {2: 0.27, 3: 0.44, 4: 0.48, 5: 0.4975}[rows])


@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize("mu", [0.2, 0.8])
def test_piles_in_space(mu, width):
    case = pile(pyramid(2), mu, width)
    assert case.solve() == SOLVED
    assert case.violation() < 1e-12


def test_nothing_to_do():
    case = Case(np.diag([1.0, 0.09]), [0.0, 0.0], planar(1))
    assert case.solve() == SOLVED
    assert not np.any(case.p)
    case = Case(np.zeros((2, 2)), [-1.0, 0.0], planar(1))  # two bodies that nothing moves
    assert case.solve() != SOLVED


def test_forces_that_run_away_are_no_solution():
    """Sweeps over a stack that friction jams multiply forces in every turn; what is not a number holds no law."""

    def row(x, y, mu=0.0):
        return [mu, 0.0, -mu * y] if mu else [0.0, 1.0, x]

    none, J = [0.0, 0.0, 0.0], []
    for x in (-0.5, 0.5):
        J += [[*row(x, -0.1, mu), *none, *none] for mu in (0.0, 3.0)]
    for x in (-0.4, 0.4):
        J += [[*np.negative(row(x - 0.05, 0.1, mu)), *row(x, -0.2, mu), *none] for mu in (0.0, 100.0)]
    for x in (-0.3, 0.3):
        J += [[*none, *np.negative(row(x + 0.05, 0.2)), *row(x, -0.2)]]
    masses = [0.1, 0.1, 0.1 * 0.26 / 3.0, 1.0, 1.0, 0.2 / 3.0, 10.0, 10.0, 1.3 / 3.0]
    laws = [(DISK, STICK)] * 2 + [(GIVEN, SLIP)] * 2
    elements = [
        *((2 * e, 2 * e + 1, 1, *law) for e, law in enumerate(laws)),
        (8, 9, 0, FREE, STICK),
        (9, 10, 0, FREE, STICK),
    ]
    y0 = [-9.61445312862258, 8.84683840529865, -9.61445312862258, 8.84683840529865, 0.0, -100.0, 0.0, -100.0, 0.0, 0.0]
    case = Case(np.array(J) / masses @ np.array(J).T, y0, elements, direction=(1.0, 0.0, 0.0))
    with np.errstate(all="ignore"):  # where it runs interpreted
        assert case.solve(2000) != SOLVED
    assert case.misfit > 0.1
    assert np.all(np.isfinite(case.p))
