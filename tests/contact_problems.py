"""Contact problems for the tests of the dense solver, and its laws, written down once more."""

import numpy as np

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
    NORMAL,
    OPEN,
    RADIUS,
    STICK,
    WIDTH,
)

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


class Bodies:
    """Bodies of mass 1 in space and their contacts; tangential rows are multiplied by μ."""

    def __init__(self, inertia):
        self.inverse = np.concatenate([[1.0, 1.0, 1.0, *(1.0 / np.broadcast_to(one, 3))] for one in inertia])
        self.rows, self.elements = [], []

    def contact(self, first, arm, second, other_arm, normal, mu, width=2, law=DISK, radius=0.1):
        """Between two bodies, or with -1 the ground; with three rows, the last one drills."""
        aside = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
        aside /= np.linalg.norm(aside)
        at = len(self.rows)
        self.elements.append((at, at + 1, width, law))
        for a, d in enumerate([normal, aside, np.cross(normal, aside), normal][: width + 1]):
            row = np.zeros(len(self.inverse))
            for body, r, sign in ((first, arm, 1.0), (second, other_arm, -1.0)):
                if body >= 0:
                    row[6 * body : 6 * body + 3] = sign * d if a < 3 else 0.0
                    row[6 * body + 3 : 6 * body + 6] = sign * (np.cross(r, d) if a < 3 else radius * d)
            self.rows.append(row if a == 0 else mu * row)

    def case(self, v):
        J = np.array(self.rows)
        return Case(J @ (self.inverse[:, None] * J.T), J @ v, self.elements)


def box(mu, width, v):
    """A box on its four lower corners."""
    bodies = Bodies([(0.1, 0.12, 0.15)])
    for x in (-0.5, 0.5):
        for y in (-0.4, 0.4):
            bodies.contact(0, np.array([x, y, -0.3]), -1, None, np.array([0.0, 0.0, 1.0]), mu, width)
    return bodies.case(np.array(v, dtype=float))


def pile(places, mu, width, speed=-0.01):
    """Spheres of diameter 1 that touch each other and the ground, and have fallen for a moment."""
    bodies = Bodies([0.1] * len(places))
    for i, place in enumerate(places):
        if place[2] < 0.6:
            bodies.contact(i, np.array([0.0, 0.0, -0.5]), -1, None, np.array([0.0, 0.0, 1.0]), mu, width)
        for j in range(i):
            d = place - places[j]
            if np.linalg.norm(d) < 1.01:
                bodies.contact(i, -0.5 * d, j, 0.5 * d, d / np.linalg.norm(d), mu, width)
    v = np.zeros(6 * len(places))
    v[2::6] = speed
    return bodies.case(v)


def triangle(rows):
    """Places of a pile in a plane."""
    return np.array([(i + 0.5 * k, 0.0, 0.5 + k * 0.75**0.5) for k in range(rows) for i in range(rows - k)])


def pyramid(layers):
    """Places of a pile in space."""
    return np.array([(i + 0.5 * k, j + 0.5 * k, 0.5 + k * 0.5**0.5)
                     for k in range(layers) for i in range(layers - k) for j in range(layers - k)])  # fmt: skip
