"""What users pass where numbers, names and paths are expected: refused with a sentence of ours."""

from pathlib import Path

import numpy as np
import pytest

import genalpha as ga
from genalpha.inputs import finite, number, path_of, whole


@pytest.mark.parametrize("value", ["1", b"1", 1j, np.nan, -np.inf, None, {}, [[1.0], [1.0, 2.0]], object(), len, ["a"]])
def test_not_numbers(value):
    assert finite(value) is None
    with pytest.raises(ga.InputError, match=r"size = .* must be a finite number"):
        number("size", value)


@pytest.mark.parametrize("value", [1, 1.0, np.float32(1.0), np.array([1.0]), np.array(1), [1]])
def test_numbers(value):
    assert number("size", value) == 1.0


def test_whole_numbers():
    assert whole("max_iter", np.int64(3), 2) == 3
    for value in (1, 2.5, "3", None, np.nan):
        with pytest.raises(ga.InputError, match=r"max_iter = .* must be at least 2, a whole number"):
            whole("max_iter", value, 2)


def test_paths():
    assert path_of("run.h5") == Path("run.h5")
    with pytest.raises(ga.InputError, match=r"1.0 is not a path; name a file"):
        path_of(1.0)


CALLS = [
    lambda: ga.Sphere("big"),
    lambda: ga.Sphere((1.0, 2.0)),
    lambda: ga.Box(("a", "b", "c")),
    lambda: ga.Mesh("corners", [[0, 1, 2]]),
    lambda: ga.Mesh(np.eye(4, 3), [[0.5, 1, 2]]),
    lambda: ga.Material(E=1.0, density=1.0, poisson="steel"),
    lambda: ga.Section(A=1.0, Iy=1.0, Iz=1.0, reach="far"),
    lambda: ga.GeneralizedAlpha(tol="small"),
    lambda: ga.GeneralizedAlpha(max_iter=np.nan),
    lambda: ga.GeneralizedAlpha(baumgarte=20.0),
    lambda: ga.GeneralizedAlpha(coefficients={}),
    lambda: ga.MoreauJean(theta=None),
    lambda: ga.Model(gravity="down"),
    lambda: ga.Model(name=None),
    lambda: ga.RigidBody("b", shape=ga.Sphere(1.0), density="heavy"),
    lambda: ga.PointMass("b", 1.0, shape="round"),
    lambda: ga.Coupling("c", 1, [1.0, 2.0]),
    lambda: ga.Gear("g", "a", "b", ratio=b"1"),
    lambda: ga.Model().add(ga.SpringDamper("s", {}, "b")),
]


@pytest.mark.parametrize("call", CALLS)
def test_refused(call):
    with pytest.raises(ga.InputError):
        call()


@pytest.mark.parametrize("given", [{"velocity": {}}, {"velocity": (None,) * 3}, {"position": [[1.0, 2.0], [3.0]]}])
def test_states_of_bodies(given):
    model = ga.Model()
    model.add(ga.RigidBody("b", mass=1.0, inertia=(1.0, 1.0, 1.0), **given))
    with pytest.raises(ga.InputError, match="must be 3 finite numbers"):
        model.assemble()


def test_words_are_no_expressions():
    from sympy.physics.mechanics import dynamicsymbols

    from genalpha.symbolic import lagrange

    x = dynamicsymbols("x")
    for given in ({"L": "x"}, {"L": x, "dissipation": (1.0, 2.0)}, {"L": x, "g": [object()]}, {"L": x, "gaps": 1}):
        with pytest.raises(ga.InputError):
            lagrange(q=[x], **given)
