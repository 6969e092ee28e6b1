"""The state of a run as one vector of numbers: from it the run goes on to the same bits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genalpha.checked import LARGEST, Damaged, count, stored_number
from genalpha.step.contact.pairs import put_pairs
from genalpha.step.state import LOGGED, MAX_SEEN, N_SEEN, STUCK, TANGENT_AGE, WIDTH_T, WORST_PLACE

NUMBERS = (
    "rescues", "retries", "seconds", "thinned", "has_coupled", "first_end", "sampled", "n_rows", "n_log", "n_found",
    "struggle", "struggle_until", "struggle_at",
)  # fmt: skip
COUNTED = {"thinned": 1, "has_coupled": 1} | dict.fromkeys(
    ("rescues", "retries", "sampled", "n_rows", "n_log", "n_found"), LARGEST
)
"""Those among them that are whole numbers, and their largest values."""
LARGEST_INDEX = 2**62
"""Of integers; patterns of active sets take 58 bits."""
ARRAYS = ("Q", "V", "L", "S", "memory", "counts", "F", "R", "K")
"""Of runs without friction the last three are empty."""
MOST_MODES = 3
"""The largest number of a mode of friction, see `math.coulomb_tables`."""


@dataclass(frozen=True)
class Checkpoint:
    """The state of a run.

    Attributes
    ----------
    numbers : mapping
        What the driver counts: `NUMBERS`. ``n_rows``, ``n_log`` and ``n_found`` say how much of the output belongs to
        this state.
    owed : ndarray (nc + nt,)
        Impulses of contacts and of friction that no saved row has yet.
    arrays : ndarray
        The arrays of the step one after the other. They include scratch space: it is cheaper to store than to sort out.
    """

    numbers: Mapping[str, float]
    owed: NDArray[np.float64]
    arrays: NDArray[np.float64]

    def vector(self) -> NDArray[np.float64]:
        """All in one."""
        return np.concatenate([[float(self.numbers[name]) for name in NUMBERS], self.owed, self.arrays])


def pack(numbers, owed, setup, contract) -> Checkpoint:
    """The state in the arrays of a run; integers below 2⁵³ are stored as floats."""
    parts = [getattr(setup.arrays, name).ravel() for name in ARRAYS]
    if contract.candidates is not None:
        parts.insert(0, contract.candidates.vector())
    if setup.scheme.reuse:  # stiffness and damping of an older step
        parts.append(setup.arrays.J)
    return Checkpoint(numbers, np.array(owed, dtype=float), np.concatenate(parts).astype(float))


def unpack(checkpoint: Checkpoint, setup, contract):
    """Fill the arrays of a run."""
    names = ARRAYS + ("J",) * bool(setup.scheme.reuse)
    sizes = [getattr(setup.arrays, name).size for name in names]
    pairs = 0 if contract.candidates is None else contract.candidates.size
    if sum(sizes) + pairs != checkpoint.arrays.size:
        raise Damaged(f"its state has {checkpoint.arrays.size} numbers, this system has {sum(sizes) + pairs}")
    begin, elements = 0, setup.arrays.K.copy()
    if contract.candidates is not None:
        begin = contract.candidates.size
        put_pairs(contract, setup, checkpoint.arrays[:begin])
    for name in names:
        array = getattr(setup.arrays, name)
        part = checkpoint.arrays[begin : begin + array.size]
        if array.dtype.kind != "f" and not np.all(np.abs(part) <= LARGEST_INDEX):
            raise Damaged(f"its state has counts in {name!r} that are none")
        array.ravel()[:] = part.astype(array.dtype)
        begin += array.size
    _require_indices(setup.arrays, contract.nv)
    _require_elements(setup.arrays.K, elements)


def _require_indices(arrays, nv: int):
    """Compiled code does not look whether an index is within its array: what comes from a file is looked at here."""
    most = {LOGGED: arrays.log.shape[0], N_SEEN: MAX_SEEN, WORST_PLACE: max(nv - 1, 0)}
    for i, value in enumerate(arrays.counts.tolist()):
        if not (-1 if i == TANGENT_AGE else 0) <= value <= most.get(i, LARGEST_INDEX):
            raise Damaged(f"its state has {value} for the count {i}")
    if not np.all((arrays.S == 0) | (arrays.S == 1)):
        raise Damaged("its state has active sets that are none")


def _require_elements(K, elements):
    """The rows of elements are those of the system, whose arrays had ``elements``, and their modes are modes."""
    if not np.array_equal(K[: WIDTH_T + 1], elements[: WIDTH_T + 1]):
        raise Damaged("its state has rows of friction that this system has not")
    if np.any(K[STUCK:] < 0) or np.any(K[STUCK:] > MOST_MODES):
        raise Damaged("its state has modes of friction that are none")


def read_vector(vector, n_owed: int) -> Checkpoint:
    """The inverse of `Checkpoint.vector`."""
    n = len(NUMBERS)
    if vector.size < n + n_owed:
        raise Damaged(f"its state has {vector.size} numbers only")
    numbers = dict(zip(NUMBERS, vector[:n].tolist(), strict=True))
    for name, value in numbers.items():
        if name in COUNTED:
            count(name, value, COUNTED[name])
        else:
            stored_number(name, value)
    return Checkpoint(numbers, vector[n : n + n_owed], vector[n + n_owed :])
