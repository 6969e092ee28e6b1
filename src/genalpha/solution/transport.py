"""Solutions that go to other processes: the system travels packed, and is made again when somebody asks for it.

Compiled functions stay at home: what needs them is compiled, or found on disk, where it is used.
"""

from __future__ import annotations

import functools
import pickle
from typing import Any

import numpy as np

from genalpha.errors import InputError


def packed(system: object) -> bytes:
    """A system as bytes."""
    try:
        return pickle.dumps(system)
    except Exception as error:  # functions of the user's may hold anything
        raise InputError(
            f"it stayed in the process that computed the solution, as it cannot be pickled ({error}); "
            f"use functions that are defined at the top of a module"
        ) from error


def unpacked(data: bytes) -> Any:
    """The inverse of `packed`."""
    try:
        return pickle.loads(data)
    except Exception as error:
        raise InputError(f"the system of a solution from another process cannot be made here: {error}") from error


def update_of(system: Any, origin: Any) -> Any:
    """The update (q0, Δ) -> q1 of configurations, from a contract that is made when it is wanted; None if it is a plus.

    Parameters
    ----------
    system : System or ModelSystem, or None
    origin : Origin
    """
    from genalpha.solution.dense import updater

    if system is None or origin.flat:
        return None

    @functools.cache
    def made():
        return updater(system.contract(origin.schedule.t0, origin.q0, origin.v0)) or np.add

    return lambda q0, delta: made()(q0, delta)
