"""How entries of the stiffness become blocks of the iteration matrix."""

import numpy as np

import genalpha as ga
from genalpha import problems
from genalpha.step.setup import make_setup
from genalpha.step.storage import aligned


def test_every_entry_has_one_place():
    """Blocks, other entries, and blocks that no stiffness reaches, in a rotor of beams: nothing twice, nothing lost."""
    problem = problems.get("rotor")
    contract = problem.system().contract(0.0, problem.q0, problem.v0, compiled=False)
    setup = make_setup(contract, ga.GeneralizedAlpha())
    z, Z, T = setup.sizes, setup.arrays.Z.astype(int), setup.arrays.T.astype(int)
    at = setup.elimination.position(T[0, z.end_M : z.end_S], T[1, z.end_M : z.end_S])
    wanted = set(zip(range(z.end_M, z.end_S), at.tolist(), strict=True))
    blocks = Z[:2, z.put_bare : z.put_S_blocks].T
    found = [(k + 3 * r + c, place + 4 * c + r) for k, place in blocks.tolist() for r in range(3) for c in range(3)]
    found += map(tuple, Z[:2, z.put_S_blocks : z.put_S].T.tolist())
    assert len(blocks) > 50
    assert len(found) == len(wanted)
    assert set(found) == wanted
    reached = Z[1, z.put_bare : z.put_first]
    assert len(set(reached.tolist())) == len(reached)
    every = np.sort(np.concatenate([reached, Z[1, z.put_M : z.put_bare]]))
    assert np.array_equal(every, 12 * np.arange(len(every)))


def test_rows_begin_on_cache_lines():
    A = aligned(3, 13)
    assert A.shape == (3, 16)
    assert all(row.ctypes.data % 64 == 0 for row in A)
    assert not A.any()
