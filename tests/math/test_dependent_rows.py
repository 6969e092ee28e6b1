"""Rows that depend on others are found in sparse matrices too, however small their own part in it is."""

import numpy as np
import pytest
from scipy.sparse import csc_array

from genalpha.math.saddle import _independent_rows_sparse, independent_rows


def rows(share, m=30, n=60):
    """Random rows, one of which repeats others but for a small part that a third one of them adds."""
    random = np.random.default_rng(3)
    B = random.standard_normal((m, n))
    B[7] = B[3] + B[5] + share * B[m - 1]
    return B


@pytest.mark.parametrize("share", [1.0, 1e-1, 1e-2, 1e-3])
def test_one_dependence_is_found(share):
    B = rows(share)
    kept, dependent = _independent_rows_sparse(csc_array(B))
    assert dependent.size == independent_rows(B)[1].size == 1
    assert np.linalg.matrix_rank(B[kept]) == len(B) - 1


def test_none_is_found_where_there_is_none():
    B = rows(1.0)
    B[7, 2] += 1e-3
    assert _independent_rows_sparse(csc_array(B))[1].size == 0


def test_many_are_found():
    B = np.vstack([rows(1e-3), rows(1e-3)[:12]])
    kept, dependent = _independent_rows_sparse(csc_array(B))
    assert dependent.size == 13
    assert np.linalg.matrix_rank(B[kept]) == 29
