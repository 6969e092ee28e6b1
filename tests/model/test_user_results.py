"""What functions of the user's give in the middle of a run is looked at as at its beginning."""

import numpy as np
import pytest

import genalpha as ga


def model_with(make):
    model = ga.Model("model")
    body = model.add(ga.RigidBody("body", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    pin = model.add(ga.Revolute("pin", model.ground, body, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)))
    model.add(make(body, pin))
    return model


def later(first, then):
    """A function of t, and of more, that gives something else from t = 0.05 on."""
    return lambda t, *states: first if t < 0.05 else then


ROW = np.zeros((1, 6))
MIDWAY = [
    (lambda body, pin: ga.UserForce("u", [body], later(ROW, ROW[0])), r"UserForce 'u': .* shape \(6,\) at t = 0.05"),
    (lambda body, pin: ga.UserForce("u", [body], later(ROW, ROW.reshape(2, 3))), r"shape \(2, 3\) at t = 0.05, not"),
    (lambda body, pin: ga.UserForce("u", [body], later(ROW, ROW + 0j)), r"numbers of type complex128 at t = 0.05"),
    (lambda body, pin: ga.UserForce("u", [body], later(ROW, ROW > 1)), r"numbers of type bool at t = 0.05"),
    (lambda body, pin: ga.UserForce("u", [body], later(ROW, None)), r"None at t = 0.05.* return statement missing"),
    (lambda body, pin: ga.UserForce("u", [body], later(ROW, "words")), r"gave 'words' at t = 0.05, not real numbers"),
    (lambda body, pin: ga.PointForce("p", body, later((0, 0, 1), 1.0)), r"PointForce 'p': .* shape \(\) at t = 0.05"),
    (lambda body, pin: ga.Torque("p", body, later((0, 0, 1), (1.0,))), r"Torque 'p': .* shape \(1,\) at t = 0.05, not"),
    (lambda body, pin: ga.Motor("m", pin, later(0.0, (1.0, 2.0))), r"Motor 'm': law gave the shape \(2,\) at t = 0.05"),
    (lambda body, pin: ga.Motor("m", pin, later(0.0, 1j)), r"Motor 'm': law gave .*complex128 at t = 0.05, not real"),
    (lambda body, pin: ga.Drive("d", pin, later(0.0, (0.0, 0.0))), r"Drive 'd': motion gave the shape \(2,\) at t = 0"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "words"), MIDWAY, ids=[words[:24] for _, words in MIDWAY])
def test_another_shape_or_kind_midway(make, words):
    system = model_with(make).assemble()
    contract = system.contract(0.0, system.q0, system.v0, compiled=False)
    arguments = (system.q0,) if "Drive" in words else (system.q0, system.v0)
    with pytest.raises(ga.InputError, match=words):
        contract.evaluate("g" if "Drive" in words else "f", 0.05, *arguments)


def test_an_array_of_another_shape_does_not_reach_compiled_code():
    model = model_with(lambda body, pin: ga.UserForce("u", [body], later(ROW, ROW[0])))
    with pytest.raises(ga.ShapeError, match=r"UserForce 'u': its function gave the shape \(6,\) at t = 0.05"):
        ga.solve(model, (0.0, 0.1), h=0.01)


def test_a_compiled_function_that_gives_fewer_rows_midway():
    @ga.evaluator
    def push(t, states):
        return np.zeros((1, 6)) if t < 0.05 else np.zeros((1, 5))

    model = model_with(lambda body, pin: ga.UserForce("u", [body], push, derivative=False))
    with pytest.raises(ga.ShapeError, match=r"UserForce 'u': .* another shape than \(1, 6\) at t = 0.05"):
        ga.solve(model, (0.0, 0.1), h=0.01)
