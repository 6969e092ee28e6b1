"""What users pass: numbers that are numbers, and paths that are paths."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.errors import InputError

Array = NDArray[np.float64]
"""Real numbers."""

Values = ArrayLike | Mapping[Any, Any]
"""A state: a vector, or numbers by name or symbol."""

PathName = str | PathLike[str]
"""What names a file."""


def finite(value: Any) -> NDArray[np.float64] | None:
    """Finite real numbers as an array, or None if it is anything else: words, complex numbers, ragged lists."""
    try:
        array = np.asarray(value)
        if array.dtype.kind in "SUc":
            return None
        array = array.astype(float)
    except (TypeError, ValueError, OverflowError):
        return None
    return array if np.all(np.isfinite(array)) else None


def real(value: Any) -> float:
    """One real number, infinite ones too; nan if it is anything else, such as a word, a bool or an array of two."""
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        return np.nan
    return float(array.reshape(())) if array.dtype.kind in "iuf" and array.size == 1 else np.nan


def number(name: str, value: Any, must: str = "a finite number") -> float:
    """One finite real number; ``must`` says what else is expected of it."""
    array = finite(value)
    if array is None or array.shape not in ((), (1,)):
        raise InputError(f"{name} = {value!r:.60} must be {must}")
    return float(array.reshape(()))


def whole(name: str, value: Any, least: int) -> int:
    """A whole number, not below ``least``."""
    if not (isinstance(value, int | np.integer) and value >= least):
        raise InputError(f"{name} = {value!r:.60} must be at least {least}, a whole number")
    return int(cast(int, value))


def path_of(value: Any) -> Path:
    """A path, from a path or a word."""
    try:
        return Path(value)
    except TypeError:
        raise InputError(f"{value!r:.60} is not a path; name a file, such as 'run.h5'") from None
