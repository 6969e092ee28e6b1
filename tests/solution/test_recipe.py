"""Systems from their words."""

import importlib
import json
from dataclasses import fields, is_dataclass

import h5py
import numpy as np
import pytest
from test_dense import top
from test_files import BOUNCING, require_same, solve

import genalpha as ga
from genalpha import problems
from genalpha.solution.files.origin import identity
from genalpha.solution.files.rebuild import MODULES, classes, rebuild
from genalpha.solution.files.recipe import recipe, shows
from genalpha.solution.files.stored import SYSTEM
from genalpha.view import Body, Drawing, Line, Sphere

MODELS = ("heavy_top", "slider_crank", "four_bar", "andrews_model")
FUNCTIONS = ("bouncing_pendulum", "jay_negrut", "bar")


def place(t, q):
    return q


def brake(t, states):
    return -0.1 * np.hstack([states.velocity, states.angular_velocity])


def again(system):
    """A system from its words, through JSON."""
    return rebuild(json.loads(json.dumps(recipe(system))), allow=["test_recipe"])


@pytest.mark.parametrize("name", MODELS + FUNCTIONS)
def test_a_system_comes_back(name):
    """The same numbers, names and functions, by their hashes."""
    problem = problems.get(name)
    system = problem.system()
    found = again(system)
    one, two = (identity(x, x.contract(0.0, problem.q0, problem.v0)) for x in (system, found))
    assert one == two
    assert one["functions"] is not None


def test_all_parts_of_a_model_come_back():
    model = ga.Model("all", gravity=(0.0, 0.0, -9.81), map="cayley")
    mesh = ga.Mesh([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)], [(0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)])
    rod = model.add(ga.RigidBody("rod", shape=mesh, density=1.0, group="SE3", velocity=np.array([1.0, 2.0, 3.0])))
    bob = model.add(ga.PointMass("bob", mass=2.0, position=(1.0, 0.0, 0.0)))
    model.add(ga.Revolute("pin", model.ground, rod, at=(0.0, 0.0, 0.0), axis=(0, 1, 0)))
    model.add(ga.SpringDamper("spring", rod, "bob", stiffness=10.0, at_a=[0.5, 0.0, 0.0]))
    model.add(ga.UserForce("brake", [rod, bob], brake))
    found = again(model.assemble()).model
    assert list(found.parts) == list(model.parts)
    assert (found.name, found.map, found.planar) == ("all", "cayley", False)
    for name, part in model.parts.items():
        for field in fields(part):
            one, two = getattr(part, field.name), getattr(found.parts[name], field.name)
            assert type(one) is type(two)
            if isinstance(one, str | float | np.ndarray | tuple | None):
                np.testing.assert_array_equal(one, two)
    assert found.parts["pin"].b is found.parts["rod"]
    assert found.parts["brake"].function is brake
    np.testing.assert_array_equal(found.parts["rod"].shape.vertices, mesh.vertices)


OF_OLD = {
    "RigidBody": "bodies", "PointMass": "bodies", "Box": "shapes", "Sphere": "shapes", "Revolute": "joints",
    "SpringDamper": "forces", "Contact": "contacts", "Plane": "contacts", "Drive": "couplings", "Beam": "beams",
    "Section": "sections", "Material": "sections", "RollingDisk": "rolling", "Spherical": "joints",
    "Rigidity": "sections",
}  # fmt: skip
"""The modules of genalpha.model that files of genalpha 0.1.0 name for these classes."""


def test_files_may_name_the_modules_of_old(tmp_path):
    """The first files named a class by its module, and modules have moved since."""
    model = ga.Model("old")
    rod = model.add(ga.RigidBody("rod", shape=ga.Box((1.0, 0.1, 0.1)), density=1.0, position=(0.5, 0.0, 0.0)))
    model.add(ga.Revolute("pin", model.ground, rod, at=(0.0, 0.0, 0.0), axis=(0, 1, 0)))
    model.add(ga.SpringDamper("spring", model.ground, rod, stiffness=10.0, at_b=[0.5, 0.0, 0.0]))
    model.add(ga.Contact("floor", rod, ga.Plane((0.0, 0.0, -2.0), (0.0, 0.0, 1.0))))
    path = tmp_path / "old.h5"
    sol = ga.solve(model, (0.0, 0.02), h=0.01, out=path)
    with h5py.File(path, "r+") as file:
        words = bytes(file[SYSTEM][...]).decode()
        assert words.count('["genalpha.model", ') == 6
        for name, module in OF_OLD.items():
            words = words.replace(f'["genalpha.model", "{name}"]', f'["genalpha.model.{module}", "{name}"]')
        assert '["genalpha.model", ' not in words
        del file[SYSTEM]
        file[SYSTEM] = np.frombuffer(words.encode(), np.uint8)
    found = ga.load(path)
    assert isinstance(found.system.model.parts["pin"], ga.Revolute)
    assert np.array_equal(found["pin"].force, sol["pin"].force)


def test_classes_of_a_room_have_names_of_their_own():
    """Or the name would not tell which of them is meant."""
    modules = [importlib.import_module(name) for name in MODULES]
    own = [cls for m in modules for cls in vars(m).values() if is_dataclass(cls) and cls.__module__ == m.__name__]
    assert len(own) == len(classes()) > 50


def test_what_cannot_be_imported_has_no_words():
    model = problems.get("four_bar").system().model
    model.add(ga.UserForce("brake", [model.bodies[0]], lambda t, states: np.zeros((1, 6))))
    assert recipe(model.assemble()) is None
    assert recipe(ga.System(M=np.eye(1), f=lambda t, q, v: -q)) is None


def test_drawings_come_back_if_their_functions_can_be_imported():
    options = {"M": np.eye(2), "f": np.zeros(2)}
    drawing = Drawing(Body("ball", Sphere(0.1), place, trace=True), Line("rod", [(0, 0), (1, 0)]), up=(0, 0, 1))
    words = recipe(ga.System(**options, drawing=drawing))
    assert shows(words)
    found = again(ga.System(**options, drawing=drawing)).drawing
    assert (found.up, found.look_from) == (drawing.up, None)
    assert found.parts[0].position is place
    assert found.parts[0].shape == Sphere(0.1)
    assert found.parts[1].points == [(0, 0), (1, 0)]
    words = recipe(ga.System(**options, drawing=Drawing(Body("ball", Sphere(0.1), lambda t, q: q))))
    assert words is not None
    assert not shows(words)
    assert not shows(None)


def test_equations_come_back(tmp_path):
    """Systems from SymPy, with a drawing in their symbols; the file alone gives quantities, goes on, and is shown."""
    from sympy import Piecewise, Rational, cos, pi, sin, symbols
    from sympy.physics.mechanics import dynamicsymbols

    from genalpha.symbolic import lagrange
    from genalpha.view import make_scene

    t, (x, angle), m = dynamicsymbols._t, dynamicsymbols("x theta"), symbols("m", positive=True)
    place = x + sin(angle), -cos(angle)
    kinetic = sum(c.diff(t) ** 2 for c in (*place, x)) * m / 2 - Rational(3, 7) * m * sin(x) ** 2 * pi + 0.5 * place[1]
    push = Piecewise((-m * x, x > 0), (0, True))
    equations = lagrange(kinetic, [x, angle], gaps={"stop": 1 - x}, e=0.5, forces={x: push})
    system = equations.system({m: 2.0}, compile=False, drawing=Drawing(Body("bob", Sphere(0.1), place)))
    found = again(system)
    assert found.equations.L == equations.L
    assert found.equations.forces == equations.forces
    assert found.equations.gap == equations.gap
    assert shows(recipe(system))
    start = {x: 0.0, angle: 1.0}, {x: 1.0, angle: 0.0}
    whole = ga.solve(system, (0.0, 0.2), *start, h=1e-2)
    ga.solve(system, (0.0, 0.1), *start, h=1e-2, out=tmp_path / "run.h5")
    sol = ga.resume(tmp_path / "run.h5", t_end=0.2)
    np.testing.assert_array_equal(sol.q, whole.q)
    np.testing.assert_array_equal(ga.load(tmp_path / "run.h5")[angle.diff(t)], whole.v[:, 1])
    assert make_scene(ga.load(tmp_path / "run.h5")).tracks.bodies[0].name == "bob"


# ---------------------------------------------------------------- files


def test_models_go_on(tmp_path):
    whole = ga.solve(top(), (0.0, 0.2), h=1e-3)
    ga.solve(top(), (0.0, 0.1), h=1e-3, out=tmp_path / "run.h5")
    require_same(ga.resume(tmp_path / "run.h5", t_end=0.2), whole)  # the model is made again from the file
    loaded = ga.load(tmp_path / "run.h5")
    np.testing.assert_array_equal(loaded(0.1234).q, whole(0.1234).q)
    np.testing.assert_array_equal(loaded["body"].velocity, whole["body"].velocity)
    np.testing.assert_array_equal(ga.load(tmp_path / "run.h5", top())(0.1234).q, whole(0.1234).q)


def test_systems_that_cannot_be_imported_have_to_be_passed(tmp_path, monkeypatch):
    monkeypatch.setattr("genalpha.solution.files.origin.recipe", lambda system: None)  # as with functions of a script
    whole = ga.solve(top(), (0.0, 0.02), h=1e-3)
    ga.solve(top(), (0.0, 0.01), h=1e-3, out=tmp_path / "run.h5")
    with pytest.raises(ga.InputError, match="cannot be imported: pass the system"):
        ga.resume(tmp_path / "run.h5", t_end=0.02)
    with pytest.raises(ga.InputError, match="the system is needed"):
        ga.load(tmp_path / "run.h5")(0.00123)
    require_same(ga.resume(tmp_path / "run.h5", top(), t_end=0.02), whole)


def test_some_rows_are_read_without_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr("genalpha.solution.files.stored.SLAB", 64)
    whole = solve(BOUNCING, 0.5, out=tmp_path / "run.h5")
    wanted = np.array([0, 1, 63, 64, 65, 128, 300, 500])
    rows = ga.load(tmp_path / "run.h5").rows
    for name in ("t", "q", "psi", "gap"):
        np.testing.assert_array_equal(rows.take(name, wanted), whole.rows[name][wanted])
    np.testing.assert_array_equal(rows.take("q", wanted[:0]), whole.q[:0])
    assert "q" not in rows._read
