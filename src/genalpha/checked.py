"""What a file may contain: nothing of it is believed before its kind, its shape and its size were looked at.

A file is data. It may be cut off, made by another program, or by somebody who wishes us ill: then it says that it has
terabytes of rows, that a column lies in another file, or that a count is not a number. Each reader here says what it
wants, and raises `Damaged` with a sentence if that is not what it finds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

LARGEST = 2**53
"""Counts are stored as floats."""

KINDS = {"float": np.dtype(np.float64), "bytes": np.dtype(np.uint8), "bool": np.dtype(np.bool_)}


class Damaged(ValueError):
    """Something in a file is not what it must be."""


class NoWords(Exception):
    """Something has no form that a file can keep."""


class OldWords(Exception):
    """Something in a file has a form that is not read any more."""


def stored_number(what: str, value: Any, low: float = -math.inf, high: float = math.inf) -> float:
    """A number within these limits, which may be infinite; NaN is none."""
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not is_number or not low <= float(value) <= high:
        raise Damaged(f"{what} is {value!r:.40}, not a number{_limits(low, high)}")
    return float(value)


def _limits(low: float, high: float) -> str:
    return "" if math.isinf(low) and math.isinf(high) else f" between {low:.9g} and {high:.9g}"


def count(what: str, value: Any, most: int = LARGEST, least: int = 0) -> int:
    """A whole number."""
    if stored_number(what, value, least, most) != int(value):
        raise Damaged(f"{what} is {value!r:.40}, not a whole number")
    return int(value)


def flag(what: str, value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool | np.bool_):
        raise Damaged(f"{what} is {value!r:.40}, not true or false")
    return bool(value)


def text(what: str, value: Any) -> str:
    """Text, without characters that are not to be shown: they could do something to a terminal."""
    if not isinstance(value, str):
        raise Damaged(f"{what} is a {type(value).__name__}, not text")
    return "".join(c for c in value.encode("utf-8", "replace").decode() if c.isprintable() or c in "\n\t")


def texts(what: str, value: Any) -> list[str]:
    """A list of texts."""
    return [text(f"{what}[{i}]", item) for i, item in enumerate(listing(what, value))]


def listing(what: str, value: Any) -> Sequence[Any]:
    """A list."""
    if not isinstance(value, list):
        raise Damaged(f"{what} is a {type(value).__name__}, not a list")
    return value


def mapping(what: str, value: Any, keys: Any = None) -> Mapping[str, Any]:
    """A mapping, with these keys at least."""
    if not isinstance(value, dict):
        raise Damaged(f"{what} is a {type(value).__name__}, not a mapping")
    missing = [key for key in keys or () if key not in value]
    if missing:
        raise Damaged(f"{what} has no {missing[0]!r}")
    return value


def from_json(what: str, data: Any) -> Any:
    """What JSON says; text must be text that can be written again."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{what} is no JSON: {error}") from error
    raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    if b"\\ud" in raw.lower() or not isinstance(data, bytes):
        json.dumps(value, ensure_ascii=False).encode()  # half a character cannot be
    return value


class Content:
    """An open HDF5 file, of which only plain datasets of its own are read.

    Parameters
    ----------
    file : h5py.File
    path : path
        Where it is; no dataset can be larger than the whole file.
    """

    def __init__(self, file, path):
        self.file, self.size = file, Path(path).stat().st_size

    def has(self, name: str) -> bool:
        """Is there something of this name?"""
        return self._link(self.file, name) is not None

    def _link(self, group, name: str):
        return group.get(name, getlink=True)

    def _item(self, name: str):
        """What has this name; links that lead elsewhere, into other files too, are not followed."""
        import h5py

        found = self.file
        for part in name.split("/"):
            link = self._link(found, part) if isinstance(found, h5py.Group) else None
            if link is None:
                raise Damaged(f"it has no {name!r}")
            if type(link) is not h5py.HardLink:
                raise Damaged(f"{name!r} is a link to somewhere else, which is not followed")
            found = found[part]
        return found

    def dataset(self, name: str, shape: tuple[int | None, ...], kind: str = "float", rows: int | None = None) -> Any:
        """A dataset of this shape, None: any size; of ``rows``, if they are given, it has as many at least."""
        import h5py

        found = self._item(name)
        if not isinstance(found, h5py.Dataset):
            raise Damaged(f"{name!r} is no dataset")
        if found.dtype != KINDS[kind]:
            raise Damaged(f"{name!r} has numbers of type {found.dtype}, not {KINDS[kind]}")
        fits = len(found.shape or ()) == len(shape) and found.shape is not None
        if not fits or any(want not in (None, size) for want, size in zip(shape, found.shape, strict=True)):
            wanted = ", ".join("n" if size is None else str(size) for size in shape)
            raise Damaged(f"{name!r} has the shape {found.shape}, not ({wanted})")
        if found.external or found.is_virtual:
            raise Damaged(f"the numbers of {name!r} are in another file, which is not read")
        if found.id.get_create_plist().get_nfilters():
            raise Damaged(f"{name!r} is compressed; 'h5repack -f NONE' makes a file of it that can be read")
        self._require_room(name, found, rows)
        return found

    def _require_room(self, name, found, rows) -> None:
        if rows is not None and found.shape[0] < rows:
            raise Damaged(f"{name!r} has {found.shape[0]} rows where {rows} are promised")
        n = math.prod(found.shape) if rows is None else rows * math.prod(found.shape[1:])
        if n * found.dtype.itemsize > self.size:
            raise Damaged(f"{name!r} claims {n * found.dtype.itemsize:.3g} bytes, but the file has {self.size}")

    def array(self, name: str, shape: tuple[int | None, ...], kind: str = "float") -> Any:
        """The numbers of a dataset, all of them finite."""
        found = self.dataset(name, shape, kind)[...]
        if kind == "float" and not np.all(np.isfinite(found)):
            raise Damaged(f"{name!r} has numbers that are not finite")
        return found

    def words(self, name: str) -> Any:
        """A dataset of bytes that is JSON."""
        return from_json(repr(name), bytes(self.dataset(name, (None,), "bytes")[...]))

    def attribute(self, name: str, of: str | None = None) -> Any:
        """An attribute of the file, or of a dataset in it: a number, true or false, or text."""
        attributes = (self.file if of is None else self._item(of)).attrs
        if name not in attributes:
            raise Damaged(f"it has no {name!r}")
        place = attributes.get_id(name)
        if place.shape not in ((), None) or place.get_storage_size() > self.size:
            raise Damaged(f"{name!r} is not a single value")
        value = attributes[name]
        return value.item() if isinstance(value, np.generic) else value
