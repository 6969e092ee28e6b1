"""How entries of matrices become blocks of the iteration matrix."""

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems
from genalpha.math.linear import Leaves
from genalpha.step.newton import put_correction, put_dynamics
from genalpha.step.setup import make_setup
from genalpha.step.state import DYNAMICS, KEEP_EXACT, SOLUTION, VELOCITY_MATRIX
from genalpha.step.tables import aligned
from genalpha.step.values import Scaling, Stride

pytestmark = pytest.mark.agreement


def setup_of(name, **parameters):
    problem = problems.get(name, **parameters)
    contract = problem.system().contract(0.0, problem.q0, problem.v0, compiled=False)
    return make_setup(contract, ga.GeneralizedAlpha(formulation="P"))


def test_every_entry_has_one_place():
    """Blocks and other entries of the stiffness, in a rotor of beams: nothing twice, nothing lost."""
    setup = setup_of("rotor")
    z, Z, T = setup.sizes, setup.arrays.Z.astype(int), setup.arrays.T.astype(int)
    at = setup.elimination.position(T[0, z.end_M : z.end_S], T[1, z.end_M : z.end_S])
    wanted = set(zip(range(z.end_M, z.end_S), at.tolist(), strict=True))
    blocks = Z[:2, z.put_M : z.put_S_blocks].T
    found = [(k + 3 * r + c, place + 4 * c + r) for k, place in blocks.tolist() for r in range(3) for c in range(3)]
    found += map(tuple, Z[:2, z.put_S_blocks : z.put_S].T.tolist())
    assert len(blocks) > 50
    assert len(found) == len(wanted)
    assert set(found) == wanted
    first = Z[1, z.put_M : z.put_onto].tolist()
    assert len(first) == len(set(first))
    assert set(first) == set(blocks[:, 1].tolist())


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("chain", {"bodies": 5}), ("four_bar", {"loops": 2}), ("rotor", {}), ("slider_crank", {}), ("bricard", {})],
)
def test_a_matrix_that_is_made_is_the_one_that_is_added_up(name, parameters):
    """Over the remains of the one before, with random numbers; the solution shows the factors."""
    setup, random = setup_of(name, **parameters), np.random.default_rng(11)
    z, arrays = setup.sizes, setup.arrays
    arrays.counts[KEEP_EXACT] = 1  # all of them equilibrated, not only those that follow suspicious factors
    assert z.put_B_rest > z.put_F
    assert (z.put_B_blocks > z.put_stiff) == (name in ("chain", "rotor", "bricard"))
    added, rhs, solutions = z._replace(put_B_rest=z.put_F), random.uniform(-1.0, 1.0, arrays.X.shape[1]), []
    stride = Stride(t1=0.0, h=0.0, slope=0.0, lag=0.0, ratio=0.0, c7=1e-3, c8=1e-3, c9=0.0, to_velocity=0.0)
    scaling = Scaling(r=0.7, r_row=0.9, shared=False)
    for _ in range(2):
        arrays.J[z.end_M : z.end_C] = 0.1 * random.uniform(-1.0, 1.0, z.end_C - z.end_M)
        arrays.J[z.end_C :] = random.uniform(-1.0, 1.0, z.end_F - z.end_C)
        for sizes in (z, added):
            put_dynamics(Leaves, sizes, setup.scheme, arrays, DYNAMICS, stride, scaling)
            put_correction(Leaves, sizes, arrays, VELOCITY_MATRIX, 0.7)
            for matrix in (DYNAMICS, VELOCITY_MATRIX):
                arrays.X[SOLUTION] = rhs
                Leaves.substitute(arrays.plan, arrays.A, matrix, arrays.pivots, arrays.X, SOLUTION)
                solutions.append(arrays.X[SOLUTION].copy())
    assert np.all(np.isfinite(solutions))
    for k in (0, 1, 4, 5):
        assert np.array_equal(solutions[k], solutions[k + 2])
    assert not np.allclose(solutions[0], solutions[4])


def test_rows_begin_on_cache_lines():
    A = aligned(3, 13)
    assert A.shape == (3, 16)
    assert all(row.ctypes.data % 64 == 0 for row in A)
    assert not A.any()
