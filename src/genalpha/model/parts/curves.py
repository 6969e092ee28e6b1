"""Lines that beams follow: points, tangents, lengths, and axes of sections along them."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportReturnType=false, reportArgumentType=false, reportAttributeAccessIssue=false

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from genalpha.errors import InputError
from genalpha.inputs import Array, number

Curve = Callable[[Any], ArrayLike]
"""Points over s from 0 to 1; complex s is tried too."""
Twist = float | Callable[[float], float]

FINE = 16
"""Pieces of an element in which axes are carried along a curve."""


STEP = 1e-30
"""Of derivatives by complex step."""

STANDS = 1e-10
"""Tangents over the largest coordinate that are nothing but the round-off of differences."""

AGREES = 1e-6
"""How well they agree with differences, relatively, if a curve takes complex numbers; differences are not better."""


@dataclass(frozen=True)
class Line:
    """A curve over s from 0 to 1: ``point`` gives its points, in a plane or in space, ``slope`` dx/ds where known."""

    point: Callable[[float], Array]
    dimension: int
    straight: bool
    slope: Callable[[float], Array] | None = None

    @classmethod
    def of(cls, title: str, start: ArrayLike | None, end: ArrayLike | None, curve: Curve | None) -> Line:
        """A straight line, or a curve."""
        if curve is not None:
            if start is not None or end is not None:
                raise InputError(f"{title}: give start and end, or a curve, not both")
            return _curved(title, curve)
        ends = [_point(title, name, x) for name, x in (("start", start), ("end", end))]
        if len(ends[0]) != len(ends[1]):
            raise InputError(f"{title}: start has {len(ends[0])} and end has {len(ends[1])} coordinates")
        if not np.linalg.norm(ends[1] - ends[0]) > 0.0:
            raise InputError(f"{title}: start and end coincide; a beam has a length")
        along = ends[1] - ends[0]
        return cls(partial(_between, ends[0], along), len(along), True, partial(_always, along))

    def points(self, s: Array) -> Array:
        return np.array([self.point(float(x)) for x in s])

    def tangent(self, s: float) -> Array:
        """dx/ds."""
        if self.slope is not None:
            return self.slope(s)
        # the derivative of the polynomial through seven points, all of them on the curve
        step = 4e-3
        offsets = step * np.arange(-3, 4)
        offsets = offsets + max(0.0, -(s + offsets[0])) - max(0.0, s + offsets[-1] - 1.0)
        powers = np.vander(offsets / step, increasing=True)
        weights = np.linalg.solve(powers.T, np.eye(7)[1]) / step
        return weights @ self.points(s + offsets)

    def evenly(self, n: int) -> Array:
        """n + 1 parameters."""
        return np.linspace(0.0, 1.0, n + 1)

    def lengths(self, n: int) -> Array:
        """Arc lengths between them."""
        if self.straight:
            return np.full(n, np.linalg.norm(self.tangent(0.0)) / n)
        x, w = np.polynomial.legendre.leggauss(10)
        pieces = []
        for a, b in pairwise(self.evenly(n)):
            speeds = [np.linalg.norm(self.tangent(0.5 * (a + b) + 0.5 * (b - a) * y)) for y in x]
            pieces.append(0.5 * (b - a) * float(w @ np.array(speeds)))
        return np.array(pieces)


def _point(title: str, name: str, x: Any) -> Array:
    try:
        value = np.array(x, dtype=float).reshape(-1)
    except (TypeError, ValueError):
        value = np.zeros(0)
    if len(value) not in (2, 3) or not np.all(np.isfinite(value)):
        raise InputError(f"{title}: {name} = {x!r} must be three finite numbers, two in planar models")
    return value


def _curved(title: str, curve: Curve) -> Line:
    if not callable(curve):
        raise InputError(f"{title}: curve must be a function of s from 0 to 1")
    for s in (0.0, 0.5, 1.0):
        _point(title, f"curve({s:g})", curve(s))
    line = Line(partial(_on, curve), np.size(curve(0.0)), False)
    stations = np.linspace(0.0, 1.0, 33)
    tangents = np.array([line.tangent(s) for s in stations])
    if not np.all(np.linalg.norm(tangents, axis=1) > STANDS * np.abs(line.points(stations)).max()):
        raise InputError(f"{title}: the curve stands still somewhere; points must move on as s grows")
    slope = partial(_slope, curve)
    return replace(line, slope=slope) if _gives(slope, stations, tangents) else line


# the functions of a line have names, as models go to other processes


def _between(start: Array, along: Array, s: float) -> Array:
    return start + s * along


def _always(along: Array, s: float) -> Array:
    return along


def _on(curve: Curve, s: float) -> Array:
    return np.asarray(curve(s), dtype=float).reshape(-1)


def _slope(curve: Curve, s: float) -> Array:
    return np.asarray(curve(complex(s, STEP))).reshape(-1).imag / STEP


def _gives(slope: Callable[[float], Array], stations: Array, tangents: Array) -> bool:
    """Is this the derivative? Not if the curve does not take complex numbers, or forgets what is imaginary."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = np.array([slope(float(s)) for s in stations])
        except Exception:  # a user's function may raise anything
            return False
    return found.shape == tangents.shape and np.abs(found - tangents).max() <= AGREES * np.abs(tangents).max()


def planar_angles(line: Line, s: Array) -> Array:
    """Angles of the tangents; they change by less than half a turn from one node to the next."""
    tangents = np.array([line.tangent(float(x)) for x in s])
    return np.unwrap(np.arctan2(tangents[:, 1], tangents[:, 0]))


def triads(title: str, line: Line, s: Array, across: Array | None, twist: Twist) -> Array:
    """Axes of the sections (n, 3, 3), tangent, y and z as columns: carried along without turning, then twisted."""
    fine = np.unique(np.concatenate([np.linspace(a, b, 2 if line.straight else FINE + 1)
                                     for a, b in pairwise(s)]))  # fmt: skip
    tangents = np.array([line.tangent(float(x)) for x in fine])
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    y, axes = _across(_first_axis(title, tangents[0], across), tangents[0]), []
    for i, t in enumerate(tangents):
        if i > 0 and not line.straight:
            y = _across(_carried(y, tangents[i - 1], t), t)
        turn = twist(float(fine[i])) if callable(twist) else twist
        angle = number(f"{title}: twist", turn, "an angle, or a function of s that gives one")
        angle *= 1.0 if callable(twist) else float(fine[i])
        turned = np.cos(angle) * y + np.sin(angle) * np.cross(t, y)
        axes.append(np.column_stack([t, turned, np.cross(t, turned)]))
    return np.array(axes)[np.searchsorted(fine, np.asarray(s) - 1e-12)]


def _first_axis(title: str, t: Array, across: Array | None) -> Array:
    if across is not None:
        side = across - (across @ t) * t
        if not np.linalg.norm(side) > 1e-6 * np.linalg.norm(across):
            raise InputError(f"{title}: across = {across.tolist()} is along the beam; give a direction across it")
        return side / np.linalg.norm(side)
    side = np.cross([0.0, 0.0, 1.0], t)
    return side / np.linalg.norm(side) if np.linalg.norm(side) > 1e-6 else np.array([0.0, 1.0, 0.0])


def _across(y: Array, t: Array) -> Array:
    """The direction of what y has across t."""
    y = y - (y @ t) * t
    return y / np.linalg.norm(y)


def _carried(y: Array, a: Array, b: Array) -> Array:
    """y turned as a is turned to b, the shortest way."""
    axis, cosine = np.cross(a, b), float(a @ b)
    return cosine * y + np.cross(axis, y) + axis * (axis @ y) / (1.0 + cosine)
