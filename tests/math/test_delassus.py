"""Saddle-point matrices whose last rows change their columns, against dense ones."""

import numpy as np
import pytest

from genalpha.math.blocks import block_elimination
from genalpha.math.delassus import factorise_slots, integers, put_slots, slot_elimination, slot_places, substitute_slots

N, SLOTS, WIDTH = 36, 40, 6


def held(random):
    """Columns of slots: two bodies of three unknowns each, or one."""
    columns = np.full((SLOTS, WIDTH), N)
    for k in range(SLOTS):
        one, two = random.choice(N // 3, 2, replace=False)
        columns[k, :3] = 3 * one + np.arange(3)
        if k % 4:
            columns[k, 3:] = 3 * two + np.arange(3)
    return columns


@pytest.mark.agreement
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_solution(share):
    """With some rows switched off; with more rows than unknowns, of those that are consistent the motion is found."""
    random = np.random.default_rng(3)
    base = block_elimination(N, np.arange(N), np.arange(N), N, np.repeat(np.arange(N // 3), 3))
    elimination = slot_elimination(base, N, SLOTS, WIDTH, held(random), np.arange(SLOTS))
    plan, columns = elimination.plan, held(random)
    put_slots(plan, columns, random.permutation(SLOTS))  # other bodies
    A, pivots = np.zeros(elimination.size + 1), np.zeros(integers(plan), dtype=np.int64)
    masses, values = random.uniform(1.0, 2.0, N), random.standard_normal((SLOTS, WIDTH))
    active = np.arange(SLOTS) < share * SLOTS
    B = np.zeros((SLOTS, N + 1))
    np.put_along_axis(B, columns, values, axis=1)
    B = B[:, :N] * active[:, None]
    own, transposed, diagonal = slot_places(plan)
    A[base.position(np.arange(N), np.arange(N))] = masses
    A[own], A[transposed] = (factor * np.ravel(values * active[:, None]) for factor in (2.0, 3.0))
    A[diagonal] = ~active
    x, f = random.standard_normal(N), random.standard_normal(N)
    wanted = np.concatenate([f, 2.0 * B @ x])
    assert factorise_slots(plan, A, pivots) == 0
    solution = np.zeros(N + SLOTS)
    for _ in range(2):  # it is regularised; a second correction, as Newton's iteration makes one, leaves nothing
        motion, multipliers = solution[:N], solution[N:]
        b = wanted - np.concatenate([masses * motion + 3.0 * B.T @ multipliers, 2.0 * B @ motion])
        substitute_slots(plan, A, pivots, b)
        solution = solution + b
        assert 2.0 * B @ solution[:N] == pytest.approx(2.0 * B @ x, abs=1e-5)
    motion, multipliers = solution[:N], solution[N:]
    assert 2.0 * B @ motion == pytest.approx(2.0 * B @ x, abs=1e-9)
    assert masses * motion + 3.0 * B.T @ multipliers == pytest.approx(f, abs=1e-9)
    assert not np.any(multipliers[~active])
