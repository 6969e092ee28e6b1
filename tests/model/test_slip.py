"""Slip velocities of models: their gradients, their rates, other frames and units; what rolls does not slip."""

import numpy as np
import pytest

import genalpha as ga
from genalpha.math import so3
from genalpha.model.testbed import Variant

TURNED = tuple(so3.exp([0.3, -0.5, 0.4]))


def body(name, planar, group="R3xSO3", **given):
    """A body that lies aslant."""
    if planar:
        return ga.RigidBody(name, mass=2.0, inertia=0.3, **{"position": (0.3, 0.4), "orientation": 0.5, **given})
    start = {"position": (0.3, -0.2, 0.4), "orientation": TURNED, "group": group}
    return ga.RigidBody(name, mass=2.0, inertia=(0.1, 0.2, 0.25), **{**start, **given})


def contacts(planar):
    """Contacts of all kinds, and the bodies that they are between."""
    n = 2 if planar else 3
    point, normal, belt = (0.1, 0.2, 0.3)[:n], (0.6, 0.8, 1.2)[:n], (0.8, -0.6, 0.0)[:n]
    spin = {} if planar else {"drilling_radius": 0.02}
    a, b = "a", "b"
    floor, moving = ga.Plane(point, normal), ga.Plane(point, normal, body=b)
    at = {"on_a": (0.1, -0.2, 0.3)[:n], "radius_a": 0.1}
    other = {"on_b": (-0.2, 0.1, 0.15)[:n], "radius_b": 0.3}
    return {
        "point on floor": ga.Contact("c", a, floor, on_a=(0.1, -0.2, 0.3)[:n], friction=0.3),
        "ball on floor": ga.Contact("c", a, floor, friction=0.3, **at, **spin),
        "belt": ga.Contact("c", a, ga.Plane(point, normal, velocity=belt), friction=0.3, **at),
        "ball on plane of body": ga.Contact("c", a, moving, friction=0.3, **at, **spin),
        "belt on body": ga.Contact("c", a, ga.Plane(point, normal, body=b, velocity=belt), friction=0.3, **at),
        "balls": ga.Contact("c", a, b, friction=0.3, **at, **other, **spin),
        "ball and ground": ga.Contact("c", a, "ground", friction=0.3, **at, **other),
        "inside": ga.Contact("c", a, b, friction=0.3, inside=True, **at, **other, **spin),
    }


NAMES = list(contacts(False))
GROUPS = [("plane", True, ""), ("SO3", False, "R3xSO3"), ("SE3", False, "SE3")]


def variant(name, planar, group, **given):
    part = contacts(planar)[name]
    bodies = [body("a", planar, group, **given)]
    held = [side if isinstance(side, str) else side.name for side in part.sides]
    if "b" in held:
        bodies.append(body("b", planar, group, position=(-0.1, 0.5, 0.2)[: 2 if planar else 3]))
    elif "ground" in held:
        bodies.append(ga.model.parts.bodies.Ground("ground"))
    return Variant(part, bodies, planar)


def each(test):
    cases = [(name, planar, group) for name in NAMES for _, planar, group in GROUPS]
    ids = [f"{name}-{kind}" for name in NAMES for kind, _, _ in GROUPS]
    return pytest.mark.parametrize(("name", "planar", "group"), cases, ids=ids)(test)


@each
def test_gradient_is_the_derivative_with_respect_to_v(name, planar, group):
    found = variant(name, planar, group)
    contract = found.contract
    assert contract.nt == (1 if planar else 2 if found.part.drilling_radius is None else 3)
    for q, v in found.states():
        T = contract.matrix("T", 0.0, q, v)
        steps = [found.complex("slip", contract.nt, q + 0j, v + 1e-20j * e) for e in np.eye(contract.nv)]
        exact = np.stack(steps, axis=1).imag / 1e-20
        assert np.abs(T - exact).max() < 1e-14 * np.abs(exact).max() + 1e-15
        # affine in v
        rest = contract.evaluate("slip", 0.0, q, 0.0 * v)
        assert np.abs(contract.evaluate("slip", 0.0, q, v) - T @ v - rest).max() < 1e-13


@each
def test_bias_is_the_rest_of_the_derivative_in_time(name, planar, group):
    found = variant(name, planar, group)
    contract = found.contract
    for q, v in found.states():
        bias = contract.evaluate("slip_bias", 0.0, q, v)
        exact = found.complex("slip", contract.nt, found.along(q, v, 1e-20j), v + 0j).imag / 1e-20
        assert np.abs(bias - exact).max() < 1e-12 * max(1.0, np.abs(exact).max())
