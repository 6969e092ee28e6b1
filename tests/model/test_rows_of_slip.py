"""Slip velocities of models: their gradients, their rates, other frames and units; what rolls does not slip."""

from dataclasses import replace

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


@each
def test_slip_is_that_of_the_points_in_contact(name, planar, group):
    """The norm of the tangential rows is that of the relative velocity along the surface, measured in space."""
    from genalpha.model.places import point_velocities
    from genalpha.model.results.contacts import lines
    from genalpha.model.results.slips import tangents

    found = variant(name, planar, group)
    contract, touch, n = found.contract, found.system.assembly.touches[0], 1 if planar else 2
    rub = found.system.assembly.slips.rubs[0]
    for q, v in found.states():
        centre, _, normal = lines(touch, q[None], planar)
        at = centre - touch.radius * normal
        apart = np.subtract(*(point_velocities(place, q[None], v[None], at, planar) for place in (touch.a, touch.b)))[0]
        belt = getattr(found.part.b, "velocity", None)
        if belt is not None:
            belt = np.append(belt, 0.0)[:3]
            place = touch.b
            if place.v >= 0:
                start = np.eye(3)
                start[: len(place.position), : len(place.position)] = place.rotation
                from genalpha.model.places import rotations

                belt = rotations(place, q[None], planar)[0] @ start.T @ belt
            apart = apart - belt
        along = apart - (apart @ normal[0]) * normal[0]
        axes = tangents(rub, touch, q[None], normal, planar)[0, :n]
        assert np.abs(axes @ normal[0]).max() < 1e-14
        assert np.abs(axes @ axes.T - np.eye(n)).max() < 1e-13
        slip = contract.evaluate("slip", 0.0, q, v)
        assert np.abs(slip[:n] @ axes - along).max() < 1e-13


def model_of(*parts, **options):
    model = ga.Model("m", **options)
    for part in parts:
        model.add(part)
    system = model.assemble()
    return system, system.contract(0.0, system.q0, system.v0, compiled=False)


def test_what_rolls_does_not_slip():
    ball = ga.RigidBody("ball", shape=ga.Sphere(0.2), density=1e3, position=(1.0, 2.0, 0.2), velocity=(0.4, -0.6, 0.0),
                        angular_velocity=(3.0, 2.0, 7.0), orientation=TURNED)  # fmt: skip
    floor = ga.Contact("floor", ball, ga.Plane(), friction=0.3, drilling_radius=0.01)
    system, contract = model_of(ball, floor)
    assert np.abs(contract.evaluate("slip", 0.0, system.q0, system.v0) - [0.0, 0.0, 0.07]).max() < 1e-15
    # ω × along the floor keeps rolling: no acceleration, no change of slip
    assert np.abs(contract.evaluate("slip_bias", 0.0, system.q0, system.v0)).max() < 1e-15


def test_a_belt_drags():
    """What stands still slips backwards on it."""
    block = ga.RigidBody("block", shape=ga.Box((0.2, 0.2, 0.2)), density=1e3, position=(0.0, 0.0, 0.1))
    belt = ga.Contact("belt", block, ga.Plane(velocity=(0.5, 0.25, 0.0)), friction=0.3)
    system, contract = model_of(block, belt)
    slip = contract.evaluate("slip", 0.0, system.q0, system.v0).reshape(8, 2)
    assert np.abs(slip - [-0.5, -0.25]).max() < 1e-15
    assert contract.names["slip"][:3] == ["belt.1.1", "belt.1.2", "belt.2.1"]


def test_a_body_carries_its_belt():
    """Turned by 90° with its body, a belt along x runs along y."""
    wagon = ga.RigidBody("wagon", mass=1.0, inertia=(1.0, 1.0, 1.0))
    point = ga.PointMass("point", mass=1.0, position=(0.0, 0.0, 0.0))
    plane = ga.Plane(body="wagon", velocity=(0.5, 0.0, 0.0))
    system, contract = model_of(wagon, point, ga.Contact("on", point, plane, friction=0.3))
    q = system.q0.copy()
    q[3:7] = so3.exp([0.0, 0.0, 0.5 * np.pi])
    v = system.v0.copy()
    v[6:9] = (0.0, 0.5, 0.0)  # as fast as the belt
    assert np.abs(contract.evaluate("slip", 0.0, q, v)).max() < 1e-15


def test_planar_is_spatial_in_a_plane():
    """Discs and balls, on a line and on one another, with the same motion."""
    random = np.random.default_rng(4)
    for inside in (False, True):
        found = []
        move = random.uniform(-1.0, 1.0, (2, 3))
        for planar in (True, False):
            n = 2 if planar else 3
            bodies = [
                ga.RigidBody(name, mass=1.0, inertia=1.0 if planar else (1.0, 1.0, 1.0), position=at[:n],
                             velocity=(*rate[:2], 0.0)[:n],
                             angular_velocity=rate[2] if planar else (0.0, 0.0, rate[2]))
                for name, at, rate in zip("ab", ((0.3, 0.4, 0.0), (-0.2, 0.1, 0.0)), move, strict=True)
            ]  # fmt: skip
            parts = [
                ga.Contact("line", "a", ga.Plane((0.0, -1.0, 0.0)[:n], (0.6, 0.8, 0.0)[:n], body="b"), friction=0.3,
                           on_a=(0.1, 0.2, 0.0)[:n], radius_a=0.1),
                ga.Contact("discs", "a", "b", friction=0.3, on_a=(0.1, 0.2, 0.0)[:n], radius_a=0.1,
                           on_b=(0.2, -0.1, 0.0)[:n], radius_b=0.4, inside=inside),
            ]  # fmt: skip
            system, contract = model_of(*bodies, *parts, planar=planar)
            values = [contract.evaluate(name, 0.0, system.q0, system.v0) for name in ("slip", "slip_bias")]
            width = 1 if planar else 2
            found.append([np.linalg.norm(value.reshape(2, width)[k]) for value in values[:1] for k in range(2)])
            rates = values[1].reshape(2, width)
            # ṡ along s, which is a scalar whatever the axes are
            sizes = values[0].reshape(2, width)
            found[-1] += [float(rates[k] @ sizes[k]) for k in range(2)]
        assert np.abs(np.subtract(*found)).max() < 1e-14


def test_tangents_turn_smoothly_along_a_motion():
    """A ball that goes around another one, at an angle: forces by components must not jump."""
    big = ga.RigidBody("big", mass=1.0, inertia=(1.0, 1.0, 1.0))
    small = ga.RigidBody("small", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(1.0, 0.0, 0.0))
    touch = ga.Contact("touch", small, big, radius_a=0.5, radius_b=0.5, friction=0.3)
    system, contract = model_of(big, small, touch)
    T = []
    for angle in np.linspace(-3.0, 3.0, 2001):
        q = system.q0.copy()
        q[7:10] = np.cos(angle), np.sin(angle) * np.cos(0.3), np.sin(angle) * np.sin(0.3)
        T.append(contract.matrix("T", 0.0, q, system.v0)[:, 6:9])
    T = np.array(T)
    assert np.abs(np.einsum("tij,tkj->tik", T, T) - np.eye(2)).max() < 1e-13
    assert np.abs(np.diff(T, axis=0)).max() < 1.01 * 6.0 / 2000  # the least turn there is


def test_other_units():
    """Lengths in mm and masses in t: slip in mm/s, the gradient of rotations in mm."""
    found = []
    for unit in (1.0, 1e3):
        a, b = (
            ga.RigidBody(name, mass=1.0, inertia=(1.0, 1.0, 1.0), position=unit * np.array(at),
                         velocity=unit * np.array((0.3, -0.2, 0.5)), angular_velocity=(0.4, 0.3, -0.7))
            for name, at in zip("ab", ((0.3, 0.4, 0.1), (-0.2, 0.1, 0.3)), strict=True)
        )  # fmt: skip
        at = {"on_a": unit * np.array((0.1, 0.2, 0.3)), "radius_a": 0.1 * unit, "radius_b": 0.2 * unit}
        contact = ga.Contact("c", a, b, friction=0.3, drilling_radius=0.05 * unit, **at)
        system, contract = model_of(a, b, contact)
        state = (0.0, system.q0, system.v0)
        T = contract.matrix("T", *state).reshape(3, 4, 3)
        T[:2, 1::2] /= unit
        T[2] /= unit
        found.append(np.concatenate([
            contract.evaluate("slip", *state) / unit, contract.evaluate("slip_bias", *state) / unit, T.ravel(),
        ]))  # fmt: skip
    assert np.abs(np.subtract(*found)).max() < 1e-14


def test_nodes_of_a_beam_rub():
    beam = ga.Beam("beam", (0.0, 0.0, 0.1), (1.0, 0.0, 0.1), elements=2,
                   section=ga.Rigidity(EA=1e4, GA=1e4, EI=1.0, GJ=1.0, mass=1.0, inertia=0.1),
                   velocity=(0.0, 0.3, 0.0))  # fmt: skip
    model = ga.Model("m")
    model.add(beam)
    for node in beam.nodes:
        model.add(ga.Contact(f"floor {node.name}", node, ga.Plane(), radius_a=0.1, friction=0.2))
    system = model.assemble()
    contract = system.contract(0.0, system.q0, system.v0, compiled=False)
    slip = contract.evaluate("slip", 0.0, system.q0, system.v0).reshape(3, 2)
    assert np.abs(slip - [0.0, 0.3]).max() < 1e-15
    assert contract.friction.contact.tolist() == [0, 1, 2]


@pytest.mark.parametrize("group", ["R3xSO3", "SE3"])
def test_dry_friction_slips_as_its_joint_moves(group):
    spin = np.array([0.36, 0.48, 0.8])
    turned = ga.RigidBody("a", mass=1.0, inertia=(1.0, 1.0, 1.0), group=group, orientation=TURNED,
                          angular_velocity=tuple(2.5 * spin), velocity=tuple(0.7 * spin))  # fmt: skip
    guide = ga.Cylindrical("guide", "ground", turned, at=(0.0, 0.0, 0.0), axis=spin)
    brakes = [ga.DryFriction("brake", "guide.angle", 2.0), ga.DryFriction("seal", "guide.displacement", 3.0)]
    system, contract = model_of(turned, guide, *brakes)
    assert np.abs(contract.evaluate("slip", 0.0, system.q0, system.v0) - [2.5, 0.7]).max() < 1e-14
    assert contract.names["dry"] == ["brake.angle", "seal.displacement"]
    assert contract.friction.mu.tolist() == [2.0, 3.0]
    assert contract.friction.is_dry.all()


@pytest.mark.agreement
@pytest.mark.parametrize("planar", [False, True])
def test_compiled_is_interpreted(planar):
    """All kinds of rows of slip in one model."""
    n = 2 if planar else 3
    parts = [replace(part, name=f"c{i}") for i, part in enumerate(contacts(planar).values())]
    pin = ga.Revolute("pin", "a", "b", at=(0.1, 0.0, 0.2)[:n], **({} if planar else {"axis": (0.6, 0.0, 0.8)}))
    rail = ga.Prismatic("rail", "ground", "b", at=(0.0, 0.0, 0.0)[:n], axis=(0.6, 0.8, 0.0)[:n])
    brakes = [ga.DryFriction("brake", pin, 2.0), ga.DryFriction("guide", rail, 2.0)]
    other = body("b", planar, "SE3", position=(-0.1, 0.5, 0.2)[:n])
    system, plain = model_of(body("a", planar), other, pin, rail, *parts, *brakes, planar=planar)
    compiled = system.contract(0.0, system.q0, system.v0)
    v = np.random.default_rng(2).uniform(-1.0, 1.0, system.v0.size)
    for name in ("slip", "T", "slip_bias"):
        one, two = (contract.evaluate(name, 0.3, system.q0, v) for contract in (plain, compiled))
        assert one.size > 0
        assert np.abs(one - two).max() < 1e-14 * np.abs(one).max()
