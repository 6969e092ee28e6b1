"""Forces that push: complementarity for matrices of any rank, and proofs that there are none."""

import numpy as np
import pytest

from genalpha.math.one_sided import forces_that_push


@pytest.mark.parametrize("unit", [1.0, 1e9, 1e-9])
@pytest.mark.parametrize("rank", [1, 2, 4])
def test_complementarity(rank, unit):
    random, pushing = np.random.default_rng(rank), 0
    for _ in range(50):
        A = random.standard_normal((6, rank))
        D, d = unit * A @ A.T, unit * A @ random.standard_normal(rank)  # consistent: A y = −d has a solution
        force = forces_that_push(D, d)
        assert force is not None
        rate = D @ force + d
        assert force.min() >= 0.0
        assert rate.min() > -1e-12 * unit * (1.0 + np.abs(D / unit) @ force).max()
        assert np.abs(force * rate).max() < 1e-12 * unit * (1.0 + force.max()) ** 2
        pushing += np.any(force > 0.0)
    assert pushing > 20


def test_equal_rows_that_ask_for_different_accelerations():
    """The faster one opens."""
    force = forces_that_push(np.ones((2, 2)), np.array([-3.0, -2.0]))
    assert force == pytest.approx([3.0, 0.0], abs=1e-12)


def test_walls_that_close_in():
    D = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    assert forces_that_push(D, np.array([-1.0, 0.5, -1.0])) is None
    assert forces_that_push(D, np.array([-1.0, 2.0, -1.0])) == pytest.approx([1.0, 0.0, 1.0], abs=1e-12)
