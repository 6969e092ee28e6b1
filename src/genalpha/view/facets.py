"""Shapes as flat faces, for pictures that are drawn without a browser."""

from __future__ import annotations

from typing import Any

import numpy as np

from genalpha.model.parts.shapes import Box, Capsule, Cone, Cylinder, Mesh, Sphere
from genalpha.view.tracks import Array

Face = tuple[int, ...]


def facets(shape: Any, sides: int) -> tuple[Array, list[Face]]:
    """Vertices (n, 3) of a shape in its own axes, and its faces: indices of their corners, seen from outside."""
    match shape:
        case Box(size=size):
            corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
            faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
            return corners * np.asarray(size, dtype=float), faces
        case Sphere(radius=radius):
            polar = np.linspace(0.0, np.pi, max(sides // 2, 4) + 1)
            return _turned(radius * np.sin(polar), -radius * np.cos(polar), sides)
        case Cylinder(radius=radius, length=length):
            half = 0.5 * length
            return _turned(np.array([0.0, radius, radius, 0.0]), np.array([-half, -half, half, half]), sides)
        case Cone(radius=radius, length=length):
            # the origin is the centre of mass, a quarter of the length above the base
            return _turned(np.array([0.0, radius, 0.0]), length * np.array([-0.25, -0.25, 0.75]), sides)
        case Capsule(radius=radius, length=length):
            polar = np.linspace(0.0, 0.5 * np.pi, max(sides // 4, 2) + 1)
            r, z = radius * np.sin(polar), -0.5 * length - radius * np.cos(polar)
            return _turned(np.append(r, r[::-1]), np.append(z, -z[::-1]), sides)
        case Mesh(vertices=vertices, faces=faces):
            return np.asarray(vertices, dtype=float), [tuple(face) for face in np.asarray(faces, dtype=int).tolist()]
    return np.zeros((0, 3)), []


def _turned(r: Array, z: Array, sides: int) -> tuple[Array, list[Face]]:
    """What a profile (r, z), from below to above, sweeps when it turns about z."""
    angle = 2.0 * np.pi * np.arange(sides) / sides
    rings = np.stack(
        [np.outer(r, np.cos(angle)), np.outer(r, np.sin(angle)), np.repeat(z[:, None], sides, axis=1)], axis=2
    )
    faces = []
    for i in range(len(r) - 1):
        for k in range(sides):
            low, high, on = i * sides, (i + 1) * sides, (k + 1) % sides
            corners = (low + k, low + on, high + on, high + k)
            faces.append(corners[1:] if r[i] == 0.0 else corners[:3] if r[i + 1] == 0.0 else corners)
    return rings.reshape(-1, 3), faces
