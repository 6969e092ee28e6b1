"""Views of arrays in compiled code: they read and write the same memory as the array."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numba import njit

from genalpha.compiled.jit import jit_is_on
from genalpha.compiled.views import make_matrix, viewed, whole

compiled = pytest.mark.skipif(not jit_is_on(), reason="views exist in compiled code only")


@compiled
def test_vectors():
    @njit
    def run(x):
        v = viewed(x)
        part = v[2:5]
        part[0] = 10.0
        v[0] = v.size + part.size
        beyond = v[4:100]  # a slice ends where the array does
        return v[2], part[1], part.shape[0], beyond.size, v[3:].size, v[:2].size

    x = np.arange(6.0)
    assert run(x) == (10.0, 3.0, 3, 2, 3, 2)
    assert x.tolist() == [9.0, 1.0, 10.0, 3.0, 4.0, 5.0]


@compiled
def test_matrices():
    @njit
    def run(x):
        v = viewed(x)
        row = v[1]
        row[0] = -1.0
        v[0, 2] = 7.0
        part = v[1, 1:3]
        return v.shape, v.size, row.size, part[0], part.size, v[0, 2]

    x = np.arange(12.0).reshape(3, 4)
    assert run(x) == ((3, 4), 12, 4, 5.0, 2, 7.0)
    assert x[1, 0] == -1.0
    assert x[0, 2] == 7.0


@compiled
def test_other_types_of_the_same_memory():
    @njit
    def run(x):
        v = viewed(x)
        v.view(np.int64)[1] = 12
        M = make_matrix(v, 2, 3)
        M[1, 2] = 4.5
        array = whole(v)
        return M.shape, array.sum() - array[1], array.size

    x = np.zeros(6)
    assert run(x) == ((2, 3), 4.5, 6)
    assert x.view(np.int64)[1] == 12
    assert x[5] == 4.5


def test_plain_python_gives_the_array():
    x = np.arange(3.0)
    assert viewed(x) is x
    assert whole(x) is x


BOUNDS = """
import numpy as np
from numba import njit
from genalpha.compiled.views import viewed

@njit
def run(x, i):
    v = viewed(x)
    return v[i]

try:
    run(np.zeros(3), 3)
except IndexError:
    print("refused")
"""


@compiled
def test_bounds_are_checked_if_wanted(tmp_path):
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", BOUNDS], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.strip() == "refused"
