"""The dense solver of contacts with Coulomb friction, against all modes one by one."""

import itertools

import numpy as np
import pytest

from genalpha.math.coulomb import solve_coulomb, work_size
from genalpha.math.coulomb_tables import (
    DIRECTION,
    DISK,
    FIRST,
    FREE,
    GIVEN,
    JUMP,
    KAPPA,
    LAW,
    MODE,
    N_ELEMENT,
    N_NUMBER,
    NO_SOLUTION,
    NORMAL,
    OPEN,
    RADIUS,
    SLIP,
    SOLVED,
    STICK,
    WIDTH,
)

pytestmark = pytest.mark.agreement

TOLERANCE = 1e-11


class Case:
    """One problem; elements are (normal, first, width, law), each with a radius and κ."""

    def __init__(self, W, y0, elements, base=None, radius=0.0, kappa=1.0, direction=(0.0, 0.0, 0.0)):
        self.W, self.y0 = np.array(W, dtype=float), np.array(y0, dtype=float)
        self.base = np.zeros(len(self.y0)) if base is None else np.array(base, dtype=float)
        self.elements = np.array([(*row, OPEN)[:N_ELEMENT] for row in elements], dtype=np.int64)
        self.numbers = np.zeros((len(self.elements), N_NUMBER))
        self.numbers[:, RADIUS], self.numbers[:, KAPPA] = radius, kappa
        self.numbers[:, DIRECTION : DIRECTION + 3] = direction
        self.p = np.zeros(len(self.y0))

    def solve(self, sweeps=1000):
        n, n_el = len(self.y0), len(self.elements)
        self.status, self.misfit, self.iterations, self.sweeps = solve_coulomb(
            n, n_el, self.W, self.y0, self.base, self.p, self.elements, self.numbers,
            np.zeros(work_size(n, n_el)), 1e-12, sweeps
        )  # fmt: skip
        return self.status

    @property
    def y(self):
        return self.y0 + self.W @ self.p

    @property
    def modes(self):
        return self.elements[:, MODE].tolist()

    def violation(self, p=None):
        """The largest one, of laws that are written down once more; problems of ordinary size."""
        p = self.p if p is None else p
        return max(violation(row, numbers, self.y0 + self.W @ p, p, self.base)
                   for row, numbers in zip(self.elements, self.numbers, strict=True))  # fmt: skip


def violation(row, numbers, y, p, base):
    """Of the laws of one element in its mode."""
    normal, mode, law = row[NORMAL], row[MODE], row[LAW]
    t = slice(row[FIRST], row[FIRST] + row[WIDTH])
    found, rho = [0.0], numbers[RADIUS]
    if normal >= 0:
        if mode == OPEN:
            return max(abs(p[normal]), np.max(np.abs(p[t]), initial=0.0), -y[normal])
        found += [abs(y[normal]), -(p[normal] + base[normal])]
        rho = p[normal] + max(base[normal], 0.0)
    if row[WIDTH] == 0 or law == FREE:
        return max(*found, np.max(np.abs(p[t]), initial=0.0))
    total = p[t] + base[t]
    if mode == STICK:
        return max(*found, np.max(np.abs(y[t])), np.linalg.norm(total) - numbers[KAPPA] * rho)
    if law == GIVEN:
        d = numbers[DIRECTION : DIRECTION + row[WIDTH]]
        return max(*found, np.max(np.abs(p[t] + (p[normal] if normal >= 0 else rho) * d)))
    speed = np.linalg.norm(y[t])
    d = y[t] / speed if speed > TOLERANCE else -total / max(rho, TOLERANCE)
    slips = np.max(np.abs(total + rho * d))
    if law == JUMP:
        jump = p[t] + (p[normal] if normal >= 0 else 0.0) * d
        slips = min(slips, max(np.max(np.abs(jump)), total @ d))
    return max(*found, slips)


def planar(contacts, law=DISK):
    """Elements with one normal and one tangential row each."""
    return [(2 * e, 2 * e + 1, 1, law) for e in range(contacts)]


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


def test_a_paradox():
    """Painlevé: slip to the right draws the contact down the more, the harder it presses. Impacts stick."""
    W, y0 = [[1.0, 1.5], [1.5, 2.4]], [-1.0, 3.0]
    case = Case(W, y0, [(0, 1, 1, GIVEN)], direction=(1.0, 0.0, 0.0))
    assert case.solve() == NO_SOLUTION
    case = Case(W, y0, planar(1))
    assert case.solve() == SOLVED
    assert case.modes == [STICK]
    assert case.p == pytest.approx([46.0, -30.0], abs=1e-11)
