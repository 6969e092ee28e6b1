"""Drawings: places, orientations, and what is said about bad ones."""

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems
from genalpha.math import so3
from genalpha.model.parts.shapes import along
from genalpha.model.system import ModelSystem
from genalpha.view import Body, Contact, Drawing, Joint, Line, Point, Sphere, make_scene
from genalpha.view.draw import draw
from genalpha.view.rotations import from_matrices, steady

BALL = Sphere(radius=0.1)


def turns(orientation, ball):
    """The orientations of a body along a solution."""
    return draw(Drawing(Body("b", BALL, orientation=orientation)), ball).bodies[0].orientation


def test_planar_places_get_a_zero(ball):
    tracks = draw(Drawing(Body("b", BALL, lambda t, q: (2.0 * t, q[0])), Line("l", [(0, 0), (1, 1)])), ball)
    expected = np.column_stack([2.0 * ball.t, ball.q[:, 0], np.zeros_like(ball.t)])
    assert np.array_equal(tracks.bodies[0].position, expected)
    assert tracks.lines[0].points.shape == (len(ball.t), 2, 3)


def test_angles_matrices_and_quaternions_agree(ball):
    def quaternion(t, q):
        return np.array([np.cos(t), 0.0, 0.0, np.sin(t)]) * 3.0

    def matrix(t, q):
        return [[np.cos(2 * t), -np.sin(2 * t), 0.0], [np.sin(2 * t), np.cos(2 * t), 0.0], [0.0, 0.0, 1.0]]

    angle = turns(lambda t, q: 2.0 * t, ball)
    for other in (quaternion, matrix):
        assert np.abs(turns(other, ball) - angle).max() < 1e-14
    assert np.all(np.einsum("ij,ij->i", angle[1:], angle[:-1]) > 0.0)


def test_quaternions_of_rotation_matrices():
    rng = np.random.default_rng(3)
    p = rng.normal(size=(200, 4))
    p[:4] = np.eye(4)  # half turns, where the trace is −1
    p /= np.linalg.norm(p, axis=1, keepdims=True)
    found = from_matrices(so3.matrix(p))
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    assert np.abs(np.abs(np.einsum("ij,ij->i", p, found)) - 1.0).max() < 1e-14


@pytest.mark.parametrize("axis", [(0, 0, 1), (0, 0, -1), (1, 0, 0), (1, -2, 3)])
def test_axis_of_a_pin(axis):
    turned = so3.matrix(along(axis)) @ [0.0, 0.0, 1.0]
    assert np.abs(turned - np.array(axis) / np.linalg.norm(axis)).max() < 1e-15


def test_signs_of_quaternions_are_steady():
    angle = np.linspace(0.0, 20.0, 400)
    smooth = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle, 0 * angle])
    flipped = smooth * np.where(np.arange(400) % 7 < 3, -1.0, 1.0)[:, None]
    assert np.abs(np.abs(steady(flipped)) - np.abs(smooth)).max() == 0.0
    assert np.abs(np.diff(steady(flipped), axis=0)).max() < 0.1


def test_marks_get_a_size_that_suits_the_drawing(ball):
    parts = [
        Point("p", lambda t, q: (0.0, q[0])),
        Joint("j", (0.0, 0.0), axis=(0, 1, 0)),
        Point("o", (0, 0), radius=0.5),
    ]
    p, j, o = draw(Drawing(*parts), ball).bodies
    assert p.shape.radius == pytest.approx(0.018, rel=1e-3)  # the ball falls by 1 m
    assert j.shape.length == pytest.approx(4.0 * j.shape.radius)
    assert o.shape.radius == 0.5


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (Body("b", BALL, (1.0, 2.0, 3.0, 4.0)), "'b': position has shape .4,.; it must be two or three coordinates"),
        (Body("b", BALL, lambda t, q: q), "position has shape .1,."),
        (Body("b", BALL, lambda t, q: (np.nan, 0.0)), "position is not finite at t = 0"),
        (Body("b", BALL, orientation=(1.0, 2.0)), "orientation has shape .2,.; it must be an angle about z"),
        (Body("b", BALL, orientation=np.zeros(4)), "that is not zero"),
        (Body("b", "round"), "a str is no shape"),
        (Line("l", [(0.0, 0.0)]), "at least two points"),
        (Line("l", lambda t, q: [(0.0, 0.0)] * (2 + (t > 1.0))), "as many numbers for every state"),
        (Line("l", [(0, 0), (1, 1)], value=[1.0, 2.0, 3.0]), "value has shape .3,.; it must be 2 numbers"),
        (Contact("wall", (0.0, 0.0), (1.0, 0.0)), "a Contact 'wall' but .* it has 'floor'"),
    ],
)
def test_bad_drawings_are_explained(ball, part, text):
    with pytest.raises(ga.InputError, match=text):
        make_scene(ball, Drawing(part))


def test_what_is_no_drawing():
    with pytest.raises(ga.InputError, match="not of a float"):
        Drawing(1.0)
    with pytest.raises(ga.InputError, match="two parts of the drawing are called 'p'"):
        Drawing(Point("p", (0, 0)), Point("p", (1, 1)))


def test_something_else_than_a_drawing(ball):
    with pytest.raises(ga.InputError, match="drawing must be a Drawing, not a dict"):
        make_scene(ball, {})


@pytest.mark.parametrize("problem", problems.all(), ids=lambda problem: problem.name)
def test_every_problem_has_a_drawing(problem):
    """Its parts can be drawn at the initial state, and contacts are those of the system. Models draw themselves."""
    system = problem.system()
    if isinstance(system, ModelSystem):
        assert system.model.bodies
        return
    drawing = system.drawing
    contacts = [part.name for part in drawing.parts if isinstance(part, Contact)]
    assert contacts == list(problem.names.get("gap", ()))
    for part in drawing.parts:
        for place in (getattr(part, name, None) for name in ("position", "points", "value", "orientation")):
            if callable(place):
                assert np.all(np.isfinite(np.asarray(place(0.0, problem.q0), dtype=float)))


@pytest.mark.parametrize("name", ["double_pendulum", "chain16"])
def test_links_hang_together(name):
    """The drawn joints are where the constraints hold them: at the ends of the links."""
    problem = problems.get(name)
    parts = problem.system().drawing.parts
    q = problem.reference(np.array([0.7])).q[0]
    joints = [np.array(part.position(0.7, q)) for part in parts if isinstance(part, Joint)]
    end = np.array(next(part for part in parts if isinstance(part, Point)).position(0.7, q))
    lengths = np.linalg.norm(np.diff([*joints, end], axis=0), axis=1)
    assert np.abs(joints[0]).max() < 1e-10
    assert np.abs(lengths - lengths[0]).max() < 1e-10


def test_the_disk_rolls():
    """The lowest point of the drawn disk is the point of contact, and the rim does not slip there."""
    problem = problems.get("rolling_disk")
    disk = next(part for part in problem.system().drawing.parts if isinstance(part, Body))
    t, step = 0.4, 1e-5
    q = problem.reference(np.array([t - step, t, t + step])).q

    def rim(state, point):  # a material point of the disk
        return disk.position(t, state) + np.array(disk.orientation(t, state)) @ point

    contact = np.array([*q[1, :2], 0.0])
    material = np.array(disk.orientation(t, q[1])).T @ (contact - disk.position(t, q[1]))
    assert np.linalg.norm(material) == pytest.approx(1.0)
    assert abs(material[2]) < 1e-12  # in the plane of the disk
    velocity = (rim(q[2], material) - rim(q[0], material)) / (2.0 * step)
    assert np.abs(velocity).max() < 1e-8


def test_expressions_of_a_system_from_sympy():
    """A drawing in the user's symbols is that of functions of (t, q)."""
    sympy, mechanics = pytest.importorskip("sympy"), pytest.importorskip("sympy.physics.mechanics")
    from genalpha.symbolic import lagrange

    (x, angle), length = mechanics.dynamicsymbols("x theta"), sympy.symbols("l")
    t, place = mechanics.dynamicsymbols._t, (x + length * sympy.sin(angle), -length * sympy.cos(angle))
    kinetic = sum(sympy.diff(c, t) ** 2 for c in (*place, x)) / 2
    symbols = Drawing(Line("rod", [(x, 0), place]), Body("bob", BALL, place, orientation=angle), Point("o", (0, 0)))

    def bob(t, q):
        return q[0] + 2.0 * np.sin(q[1]), -2.0 * np.cos(q[1])

    functions = Drawing(
        Line("rod", lambda t, q: [(q[0], 0.0), bob(t, q)]), Body("bob", BALL, bob, orientation=lambda t, q: q[1]),
        Point("o", (0, 0)),
    )  # fmt: skip
    system = lagrange(kinetic - place[1], [x, angle]).system({length: 2.0}, compile=False, drawing=symbols)
    sol = ga.solve(system, (0.0, 0.1), {x: 0.0, angle: 1.0}, {x: 1.0, angle: 0.0}, h=1e-2)
    one, two = make_scene(sol).tracks, draw(functions, sol)
    np.testing.assert_allclose(one.lines[0].points, two.lines[0].points, atol=1e-15)
    for a, b in zip(one.bodies, two.bodies, strict=True):
        np.testing.assert_allclose(a.position, b.position, atol=1e-15)
        np.testing.assert_allclose(a.orientation, b.orientation, atol=1e-15)
    with pytest.raises(ga.InputError, match=r"y.* is not known to this system; there are x"):
        make_scene(sol, Drawing(Point("p", (mechanics.dynamicsymbols("y"), 0))))
