"""A ball or a disk that rolls down a slope: the oldest number about rolling.

>>> from genalpha.problems import rolling_slope
>>> round(rolling_slope.acceleration("ball") / rolling_slope.GRAVITY, 4)
0.3571
"""

from __future__ import annotations

import numpy as np

from genalpha.model.model import Model
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.rolling import RollingDisk, RollingSphere

RADIUS, MASS, GRAVITY, SLOPE = 0.1, 1.5, 9.81, np.pi / 6.0

SHARE = {"ball": 0.4, "disk": 0.5}
"""Moment of inertia about the axis of rolling, over m r²."""


def acceleration(kind: str) -> float:
    """g sin α/(1 + J/(m r²))."""
    return float(GRAVITY * np.sin(SLOPE) / (1.0 + SHARE[kind]))


def model(kind: str) -> Model:
    """``"ball"`` or ``"disk"``, on a plane that falls towards x; the body is called after it."""
    slope = Model("slope", gravity=(0.0, 0.0, -GRAVITY))
    normal = np.array([np.sin(SLOPE), 0.0, np.cos(SLOPE)])
    across = SHARE[kind] * MASS * RADIUS**2
    inertia = (across, across, across) if kind == "ball" else (0.5 * across, across, 0.5 * across)
    body = slope.add(RigidBody(kind, mass=MASS, inertia=inertia, position=RADIUS * normal))
    if kind == "ball":
        slope.add(RollingSphere("rolling", slope.ground, body, radius=RADIUS, normal=normal))
    else:
        slope.add(RollingDisk("rolling", slope.ground, body, radius=RADIUS, axis=(0.0, 1.0, 0.0), normal=normal))
    return slope
