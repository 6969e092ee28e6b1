"""Parts with friction: what they hand to the schemes, what they refuse, and what results by name make of rows."""

from types import SimpleNamespace

import numpy as np
import pytest

import genalpha as ga
from genalpha.model.results.named import Results
from genalpha.solution.files.rebuild import rebuild
from genalpha.solution.files.recipe import recipe
from genalpha.system.friction import FrictionColumns


def ball(name="ball", at=(0.0, 0.0, 0.1), **given):
    return ga.RigidBody(name, shape=ga.Sphere(0.1), density=1e3, position=at, **given)


def model_of(*parts, **options):
    model = ga.Model("m", **options)
    for part in parts:
        model.add(part)
    return model


def contract_of(model):
    system = model.assemble()
    return system.contract(0.0, system.q0, system.v0, compiled=False)


def test_elements_are_contacts_then_dry_friction():
    disc = ga.RigidBody("disc", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(2.0, 0.0, 0.0))
    pin = ga.Revolute("pin", "ground", disc, at=(2.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    parts = [
        ball(), disc, pin,
        ga.DryFriction("brake", pin, bound=4.0),
        ga.Contact("smooth", "ball", ga.Plane((0.0, 0.0, 5.0), (0.0, 0.0, -1.0))),
        ga.Contact("floor", "ball", ga.Plane(), friction=0.4, static_friction=0.6, tangential_restitution=0.5,
                   drilling_radius=0.01),
        ga.Contact("wall", "ball", ga.Plane((9.0, 0.0, 0.0), (-1.0, 0.0, 0.0)), friction=0.2),
    ]  # fmt: skip
    model = model_of(*parts)
    contract = contract_of(model)
    friction = contract.friction
    assert contract.names["slip"] == ["floor.1", "floor.2", "floor.drill", "wall.1", "wall.2"]
    assert contract.names["dry"] == ["brake.angle"]
    assert friction.contact.tolist() == [1, 2, -1]
    assert friction.first.tolist() == [0, 3, 5, 6]
    assert friction.mu.tolist() == [0.4, 0.4, 0.4, 0.2, 0.2, 4.0]
    assert np.allclose(friction.static, [1.5, 1.0, 1.0])
    assert friction.e_t.tolist() == [0.5, 0.0, 0.0]
    assert "brake" in str(model.assemble())
    assert "slips         2: floor, wall" in str(model.assemble())


def test_a_model_without_friction_knows_nothing_of_it():
    contract = contract_of(model_of(ball(), ga.Contact("floor", "ball", ga.Plane(velocity=(1.0, 0.0, 0.0)))))
    assert contract.friction is None
    assert contract.nt == 0
    assert contract.patterns["T"].size == 0
    assert "slip" not in contract.names


def test_coefficients_of_a_group_by_name():
    balls = [ball(f"b{i}", (0.3 * i, 0.0, 0.1)) for i in range(3)]
    planes = [ga.Plane(name="floor"), ga.Plane((0.0, 0.0, 9.0), (0.0, 0.0, -1.0), name="lid")]
    group = ga.ContactGroup(
        "heap", balls, planes, restitution={"floor": 0.5, "others": 0.25},
        friction={"floor": 0.4, "b1-floor": 0.1, "b2-b0": 0.3, "b0-lid": 0.0},
    )  # fmt: skip
    contract = contract_of(model_of(*balls, group))
    names = contract.names["gap"]
    rubs = dict(zip((names[i] for i in contract.friction.contact), contract.friction.mu[::2], strict=True))
    assert rubs == {"heap.b0-floor": 0.4, "heap.b1-floor": 0.1, "heap.b2-floor": 0.4, "heap.b0-b2": 0.3}
    assert dict(zip(names, contract.e, strict=True)) == {
        name: 0.5 if name.endswith("floor") else 0.25 for name in names
    }


def test_a_large_group_with_friction_watches_all_its_pairs():
    balls = [ball(f"b{i}", (0.3 * i, 0.0, 0.1)) for i in range(10)]
    system = model_of(*balls, ga.ContactGroup("heap", balls, [ga.Plane()], friction=0.3)).assemble()
    assert not system.assembly.crowds
    assert len(system.names["gap"]) == 55
    assert len(system.names["slip"]) == 110
    many = [ball(f"b{i}", (0.3 * i, 0.0, 0.1)) for i in range(80)]
    large = model_of(*many, ga.ContactGroup("heap", many, friction={"others": 0.3}))
    with pytest.raises(
        ga.InputError, match="3160 contacts are too many with friction: near pairs cannot be looked for"
    ):
        large.assemble()
    uneven = model_of(*many, ga.ContactGroup("heap", many, restitution={"others": 0.3}))
    with pytest.raises(ga.InputError, match="too many with coefficients of their own"):
        uneven.assemble()


FLOOR = ga.Plane()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"friction": -0.1}, "Contact 'c': friction = -0.1 must be a number that is not negative"),
        ({"friction": np.nan}, "friction = nan must be a number"),
        ({"friction": "much"}, "friction = 'much' must be a number"),
        ({"friction": 0.3, "static_friction": 0.2}, "static_friction = 0.2 is less than friction = 0.3"),
        ({"static_friction": 0.2}, "static_friction has no meaning without friction"),
        ({"friction": 0.3, "tangential_restitution": 1.5}, "tangential_restitution = 1.5 must be a number between −1"),
        ({"tangential_restitution": 0.5}, "tangential_restitution has no meaning without friction"),
        ({"friction": 0.3, "drilling_radius": 0.0}, "drilling_radius = 0.0 must be a positive number"),
        ({"friction": 0.3, "drilling_radius": "x"}, "drilling_radius = 'x' must be a positive number"),
        ({"drilling_radius": 0.1}, "drilling_radius has no meaning without friction"),
    ],
)
def test_wrong_coefficients_are_named(words, message):
    with pytest.raises(ga.InputError, match=message):
        ga.Contact("c", "ball", FLOOR, **words)


def test_what_only_the_model_can_know_is_named():
    drilling = {"friction": 0.3, "drilling_radius": 0.1}
    disc = ga.RigidBody("disc", mass=1.0, inertia=1.0, shape=ga.Sphere(0.1))
    flat = model_of(disc, ga.Contact("c", disc, ga.Plane((0.0, 0.0), (0.0, 1.0)), **drilling), planar=True)
    with pytest.raises(ga.InputError, match="drilling_radius has no meaning in a planar model"):
        flat.assemble()
    point = model_of(ga.PointMass("p", mass=1.0), ga.Contact("c", "p", FLOOR, **drilling))
    with pytest.raises(ga.InputError, match="needs a body that turns; neither PointMass 'p' nor Ground 'ground' does"):
        point.assemble()
    leaving = model_of(ball(), ga.Contact("c", "ball", ga.Plane(velocity=(1.0, 0.0, 0.1)), friction=0.3))
    with pytest.raises(ga.InputError, match=r"leaves the plane at 0.1 m/s; a belt runs along its plane"):
        leaving.assemble()
    short = model_of(ball(), ga.Contact("c", "ball", ga.Plane(velocity=(1.0, 0.0)), friction=0.3))
    with pytest.raises(ga.InputError, match=r"velocity = \(1.0, 0.0\) of Plane 'plane' must be 3 finite numbers"):
        short.assemble()


@pytest.mark.parametrize(
    ("friction", "message"),
    [
        ({"flor": 0.3}, "friction names 'flor', and there is no such plane or pair; say 'floor', 'a-b', 'others'"),
        ({"a": 0.3}, "friction names 'a', and there is no such plane or pair"),
        ({"a-a": 0.3}, "friction names 'a-a'"),
        ({}, "friction = {} names nothing; give a number, or one for 'others'"),
        ({"a-b": -0.3}, "friction = -0.3 of 'a-b' must be a number that is not negative"),
        (-1.0, "friction = -1.0 must be"),
    ],
)
def test_wrong_names_of_a_group(friction, message):
    with pytest.raises(ga.InputError, match=message):
        ga.ContactGroup("heap", ["a", "b"], [ga.Plane(name="floor")], friction=friction)


def test_dry_friction_wants_a_joint_with_one_coordinate():
    with pytest.raises(ga.InputError, match=r"bound = -1\.0 must be a number that is not negative"):
        ga.DryFriction("brake", "pin", bound=-1.0)
    with pytest.raises(ga.InputError, match="must be a joint or its name"):
        ga.DryFriction("brake", 3, bound=1.0)
    guide = ga.Cylindrical("guide", "ground", "ball", at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    with pytest.raises(ga.InputError, match=r"has several coordinates; say 'guide.angle' or 'guide.displacement'"):
        model_of(ball(), guide, ga.DryFriction("brake", guide, 1.0)).assemble()
    with pytest.raises(ga.InputError, match="there is no joint 'pin' in the model"):
        model_of(ball(), guide, ga.DryFriction("brake", "pin", 1.0)).assemble()


def test_parts_are_kept_in_files():
    disc = ga.RigidBody("disc", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(2.0, 0.0, 0.0))
    pin = ga.Revolute("pin", "ground", disc, at=(2.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    belt = ga.Contact("belt", "ball", ga.Plane(velocity=(1.0, 0.0, 0.0)), friction=0.4, static_friction=0.6)
    model = model_of(ball(), disc, pin, ga.DryFriction("brake", pin, 2.0), belt,
                     ga.ContactGroup("pair", ["ball", "disc"], [ga.Plane(name="lid")], friction={"lid": 0.3},
                                     each_other=False))  # fmt: skip
    with pytest.raises(ga.InputError, match="disc' has no shape"):
        model.assemble()
    model = model_of(ball(), disc, pin, ga.DryFriction("brake", pin, 2.0), belt,
                     ga.ContactGroup("pair", ["ball"], [ga.Plane(name="lid")], friction={"lid": 0.3}))  # fmt: skip
    one = contract_of(model)
    system = rebuild(recipe(model.assemble()))
    other = system.contract(0.0, system.q0, system.v0, compiled=False)
    assert np.array_equal(one.data.view(np.int64), other.data.view(np.int64))
    assert all(np.array_equal(a, b) for a, b in zip(one.friction, other.friction, strict=True))


# results


def faked(system, nt=3, **rows):
    """What results read of a solution: states that stand still, and columns of friction by name."""
    contract = system.contract(0.0, system.q0, system.v0, compiled=False)
    columns = FrictionColumns(contract.nt, contract.friction.ne)
    raw = np.zeros((nt, columns.width))
    for name, values in rows.items():
        raw[:, getattr(columns, name)] = values
    nc = contract.nc
    return SimpleNamespace(
        t=np.arange(nt), q=np.tile(system.q0, (nt, 1)), v=np.tile(system.v0, (nt, 1)), friction=raw,
        contact_force=np.full((nt, nc), 10.0), impulse=np.zeros((nt, nc)), gap=np.zeros((nt, nc)),
    )  # fmt: skip


def test_results_are_vectors_in_space():
    up = np.array([0.6, 0.0, 0.8])
    tilted = ball(at=tuple(0.1 * up), orientation=(0.8, 0.0, 0.6, 0.0), velocity=(1.6, 2.0, -1.2))
    floor = ga.Contact(
        "floor", tilted, ga.Plane((0.0, 0.0, 0.0), up), friction=0.5, static_friction=0.8, drilling_radius=0.02
    )
    system = model_of(tilted, floor, ga.Contact("smooth", "ball", ga.Plane((0, 0, 9), (0, 0, -1)))).assemble()
    contract = system.contract(0.0, system.q0, system.v0, compiled=False)
    slip = contract.evaluate("slip", 0.0, system.q0, system.v0)
    force = np.array([-1.0, -2.0, 2.0])
    sol = faked(system, slip=slip, mean=force, impulse=0.1 * force, sticks=[1.0], work=[-3.0])
    found = Results(system, sol)("floor")
    assert np.abs(found.slip - [1.6, 2.0, -1.2]).max() < 1e-15
    assert found.friction_force.shape == (3, 3)
    # the force is the generalised force of the rows: on the body, in space
    pushed = contract.matrix("T", 0.0, system.q0, system.v0)[:2].T @ force[:2]
    assert np.abs(found.friction_force - pushed[:3]).max() < 1e-15
    assert np.abs(found.friction_impulse - 0.1 * pushed[:3]).max() < 1e-15
    assert found.sticks.dtype == bool
    assert found.sticks.tolist() == [True] * 3
    assert found.friction_work.tolist() == [-3.0] * 3
    assert np.allclose(found.friction_margin, 8.0 - 3.0)
    assert np.abs(found.drilling_torque - 0.04 * up).max() < 1e-15
    assert {"friction_force", "slip", "drilling_torque"} <= set(found.quantities)
    smooth = Results(system, sol)("smooth")
    assert "slip" not in smooth.quantities
    with pytest.raises(ga.InputError, match="'smooth' has no 'friction_force'; there are"):
        _ = smooth.friction_force


def test_results_of_several_points_stand_side_by_side():
    box = ga.RigidBody("box", shape=ga.Box((0.2, 0.2, 0.2)), density=1e3, position=(0.0, 0.1), velocity=(0.7, 0.0))
    plane = ga.Plane((0.0, 0.0), (0.0, 1.0))
    system = model_of(box, ga.Contact("floor", box, plane, friction=0.5), planar=True).assemble()
    sol = faked(system, slip=0.7, mean=[-1.0, -2.0, -3.0, -4.0], sticks=[0.0, 1.0, 0.0, 1.0])
    found = Results(system, sol)("floor")
    assert found.slip.shape == (3, 4, 3)
    assert np.abs(found.slip - [0.7, 0.0, 0.0]).max() < 1e-15
    assert found.friction_force[0, :, 0].tolist() == [-1.0, -2.0, -3.0, -4.0]
    assert found.sticks[0].tolist() == [False, True, False, True]
    assert np.allclose(found.friction_margin[0], [4.0, 3.0, 2.0, 1.0])
    assert "drilling_torque" not in found.quantities


def test_results_of_dry_friction():
    disc = ga.RigidBody("disc", mass=1.0, inertia=(1.0, 1.0, 1.0), angular_velocity=(0.0, 0.0, 3.0))
    pin = ga.Revolute("pin", "ground", disc, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    system = model_of(disc, pin, ga.DryFriction("brake", pin, 2.0)).assemble()
    found = Results(system, faked(system, slip=3.0, mean=-2.0, impulse=-0.2, work=-6.0))("brake")
    assert found.effort.tolist() == [-2.0] * 3
    assert found.slip.tolist() == [3.0] * 3
    assert np.abs(found.torque - [0.0, 0.0, -2.0]).max() < 1e-15
    assert not found.force.any()
    assert np.allclose(found.rate, 3.0)
    assert np.allclose(found.power, -6.0)
    assert found.sticks.tolist() == [False] * 3
    assert found.friction_work.tolist() == [-6.0] * 3
    assert "energy" not in found.quantities


def test_schemes_without_friction_refuse_it():
    disc = ga.RigidBody("disc", mass=1.0, inertia=(1.0, 1.0, 1.0), angular_velocity=(0.0, 0.0, 3.0))
    pin = ga.Revolute("pin", "ground", disc, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    model = model_of(disc, pin, ga.DryFriction("brake", pin, 2.0))
    with pytest.raises(ga.InputError, match=r"friction .* needs GeneralizedAlpha"):
        ga.solve(model, (0.0, 0.1), method=ga.GeneralizedAlpha(formulation="P"), h=1e-3)
