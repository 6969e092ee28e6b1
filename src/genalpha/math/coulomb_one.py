"""One contact in a plane, or one row of dry friction: the guessed mode in closed form, if it is right.

Most steps of most runs are such problems with the right guess. What does not fit here is left to `math.coulomb`.
"""

from __future__ import annotations

from genalpha.compiled.jit import leaf
from genalpha.math.coulomb_tables import DIRECTION, DISK, GIVEN, KAPPA, LAW, MODE, NORMAL, OPEN, RADIUS, SLIP, STICK


@leaf
def solve_one(n, W, y0, base, p, elements, numbers):
    """Is the guessed mode of the only element right? Then ``p`` has its forces; see `solve_coulomb`."""
    if n > 2:
        return False
    if elements[0, NORMAL] < 0:
        return n == 1 and solve_dry(W, y0, base, p, elements, numbers)
    if elements[0, MODE] == OPEN:
        p[0], p[n - 1] = 0.0, 0.0
        return y0[0] >= 0.0
    if n == 1:
        p[0] = -y0[0] / W[0, 0] if W[0, 0] > 0.0 else 0.0
        elements[0, MODE] = STICK
        return W[0, 0] > 0.0 and p[0] + base[0] >= 0.0
    if elements[0, MODE] == STICK:
        return solve_stick(W, y0, base, p, elements, numbers)
    return solve_slip(W, y0, base, p, elements, numbers)


@leaf
def solve_dry(W, y0, base, p, elements, numbers):
    """A row of dry friction."""
    radius, d = numbers[0, RADIUS], 1.0 if numbers[0, DIRECTION] > 0.0 else -1.0
    if elements[0, MODE] == STICK:
        p[0] = -y0[0] / W[0, 0] if W[0, 0] > 0.0 else 0.0
        return W[0, 0] > 0.0 and abs(p[0] + base[0]) <= numbers[0, KAPPA] * radius
    p[0] = -radius * d - (base[0] if elements[0, LAW] == DISK else 0.0)
    if elements[0, LAW] == GIVEN:
        return True
    if elements[0, LAW] != DISK:
        p[0] = 0.0
    return (y0[0] + W[0, 0] * p[0]) * d > 0.0 and (p[0] + base[0]) * d <= 0.0


@leaf
def solve_stick(W, y0, base, p, elements, numbers):
    """A contact that sticks."""
    determinant = W[0, 0] * W[1, 1] - W[0, 1] * W[1, 0]
    if not determinant > 1e-12 * W[0, 0] * W[1, 1]:
        return False
    p[0] = (W[0, 1] * y0[1] - W[1, 1] * y0[0]) / determinant
    p[1] = (W[1, 0] * y0[0] - W[0, 0] * y0[1]) / determinant
    held = numbers[0, KAPPA] * (p[0] + max(base[0], 0.0))
    return p[0] + base[0] >= 0.0 and abs(p[1] + base[1]) <= held


@leaf
def solve_slip(W, y0, base, p, elements, numbers):
    """A contact that slides in the direction d."""
    d, law = 1.0 if numbers[0, DIRECTION] > 0.0 else -1.0, elements[0, LAW]
    known = -max(base[0], 0.0) * d - base[1] if law == DISK else 0.0
    slope = W[0, 0] - W[0, 1] * d
    if not slope > 1e-12 * W[0, 0]:
        return False
    p[0] = -(y0[0] + W[0, 1] * known) / slope
    p[1] = known - p[0] * d
    if not p[0] + base[0] >= 0.0:
        return False
    elements[0, MODE] = SLIP
    if law == GIVEN:
        return True
    slides = (y0[1] + W[1, 0] * p[0] + W[1, 1] * p[1]) * d > 0.0
    return slides and (p[1] + base[1]) * d <= 0.0
