"""The state of a run as one vector of numbers: from it the run goes on to the same bits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genalpha.pairs import put_pairs

NUMBERS = (
    "rescues", "retries", "seconds", "thinned", "has_coupled", "first_end", "sampled", "n_rows", "n_log", "n_found",
)  # fmt: skip
ARRAYS = ("Q", "V", "L", "S", "memory", "counts")


@dataclass(frozen=True)
class Checkpoint:
    """The state of a run.

    Attributes
    ----------
    numbers : mapping
        What the driver counts: `NUMBERS`. ``n_rows``, ``n_log`` and ``n_found`` say how much of the output belongs to
        this state.
    owed : ndarray (nc,)
        Impulses that no saved row has yet.
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
    begin = 0
    if contract.candidates is not None:
        begin = contract.candidates.size
        put_pairs(contract, setup, checkpoint.arrays[:begin])
    for name in names:
        array = getattr(setup.arrays, name)
        array.ravel()[:] = checkpoint.arrays[begin : begin + array.size].astype(array.dtype)
        begin += array.size


def read_vector(vector, nc: int) -> Checkpoint:
    """The inverse of `Checkpoint.vector`."""
    n = len(NUMBERS)
    return Checkpoint(dict(zip(NUMBERS, vector[:n].tolist(), strict=True)), vector[n : n + nc], vector[n + nc :])
