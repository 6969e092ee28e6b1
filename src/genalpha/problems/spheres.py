"""A stack of spheres that falls into a box: many contacts that come and go."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.method import GeneralizedAlpha
from genalpha.model.model import Model
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.contacts import ContactGroup, Plane
from genalpha.model.parts.shapes import Sphere
from genalpha.problems.problem import Problem, no_reference

RADIUS, DENSITY, GRAVITY = 0.05, 1000.0, 9.81
SPACING = 1.02


def layers_of(n: int, width: int, height: float) -> tuple[np.ndarray, np.ndarray]:
    """Centres (n, 3) and radii (n,) of spheres in square layers; each is a little off its place and size."""
    random = np.random.default_rng(1)
    cell = 2.0 * RADIUS * SPACING
    index = np.arange(n)
    places = np.stack([index % width, index // width % width, index // width**2], axis=1)
    centres = cell * (places + 0.5)
    centres[:, 2] += height + 0.02 * cell * places[:, 2]
    centres[:, :2] += 0.01 * RADIUS * random.uniform(-1.0, 1.0, (n, 2))
    return centres, RADIUS * (1.0 - 0.05 * random.uniform(0.0, 1.0, n))


def model(n: int, width: int, e: float, height: float) -> Model:
    """``ball0``, ``ball1``, ... in the group ``stack``, in a box without a lid."""
    side = 2.0 * RADIUS * SPACING * width
    box = [
        Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), name="floor"),
        Plane((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), name="left"),
        Plane((side, 0.0, 0.0), (-1.0, 0.0, 0.0), name="right"),
        Plane((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), name="front"),
        Plane((0.0, side, 0.0), (0.0, -1.0, 0.0), name="back"),
    ]
    stack = Model("spheres", gravity=(0.0, 0.0, -GRAVITY))
    centres, radii = layers_of(n, width, height)
    for i in range(n):
        stack.add(RigidBody(f"ball{i}", shape=Sphere(float(radii[i])), density=DENSITY, position=centres[i]))
    stack.add(ContactGroup("stack", [f"ball{i}" for i in range(n)], box, restitution=e))
    return stack


def make(n: int = 100, width: int = 5, e: float = 0.3, height: float = 0.02) -> Problem:
    """``n`` spheres in layers of ``width`` times ``width``, let go ``height`` above the floor of a box."""
    if not (n >= 1 and width >= 1 and height >= 0.0):
        raise InputError(f"n = {n!r}, width = {width!r}, height = {height!r}: at least one sphere, above the floor")
    system = model(n, width, e, height).assemble()
    return Problem(
        name="spheres",
        title="Falling stack of spheres",
        summary="Spheres fall into a box and come to rest on each other: hundreds of contacts that come and go.",
        source="the usual test of codes for granular matter, without friction; numbers of ours",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
        t_span=(0.0, 1.0),
        h=1e-3,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=no_reference,
        reference_is="none; no sphere enters another one, and energy does not grow",
        conserves_energy=False,
    )
