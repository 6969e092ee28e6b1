"""Straight-line programs against SymPy's own derivatives."""

import numpy as np
import pytest
from sympy import Max, Piecewise, Rational, Symbol, atan2, cos, exp, pi, sign, sin, sqrt, symbols, tanh

from genalpha.symbolic.code import source
from genalpha.symbolic.program import Program

Q = symbols("q0:3", real=True)
q0, q1, q2 = Q
EXPRESSIONS = [
    q0**2 * sin(q1) + q2 / q0,
    sqrt(q0**2 + q1**2) ** 3 * exp(-q2) + pi,
    (q0 * cos(q1) - q1 * cos(q0)) ** 2 / (1 + q2**2) ** Rational(3, 2),
    atan2(q1, q0) * tanh(q2) ** -2,
    (q0 + q1) * q2 - (q0 - q1) * q2 + (q0 + q1) ** 2,
    Piecewise((q0**2, q1 < 1.2), (q1, True)) * q2,
    q0**q1 + 2**q2,
    Max(q0, q1) * q2,
    abs(q0 - q1) * q2 + sign(q1) * q0,
]
POINT = np.array([0.7, 1.1, 1.9])


def value(program, results):
    """What the generated code gives."""
    namespace = {"np": np}
    exec(source("f", program, results), namespace)
    out = np.full(len(results), np.nan)
    namespace["f"](0.0, POINT, POINT, POINT, out)
    return out


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_values_and_derivatives(expression):
    program = Program()
    result = program.read(expression)
    first = [program.along([result], {q: 1})[0] for q in Q]
    second = program.jacobian(first, Q)
    expected = [expression] + [expression.diff(q) for q in Q]
    expected += [expression.diff(Q[i]).diff(Q[j]) for i, j in second]
    numbers = [float(e.subs(dict(zip(Q, POINT, strict=True)))) for e in expected]
    np.testing.assert_allclose(value(program, [result, *first, *second.values()]), numbers, rtol=2e-14, atol=1e-13)
    missing = {(i, j) for i in range(3) for j in range(3)} - second.keys()
    assert all(
        abs(float(expression.diff(Q[i], Q[j]).subs(dict(zip(Q, POINT, strict=True)))).real) < 1e-13 for i, j in missing
    )


def test_a_direction():
    program = Program()
    expression = q0 * sin(q1 * q2)
    derivative = program.along([program.read(expression)], {q0: q1, q2: Rational(3)})
    expected = q1 * expression.diff(q0) + 3 * expression.diff(q2)
    np.testing.assert_allclose(
        value(program, derivative), [float(expected.subs(dict(zip(Q, POINT, strict=True))))], rtol=1e-15
    )


def test_nothing_is_written_twice():
    program = Program()
    a = program.read(sin(q0 * q1) * q2)
    n = len(program.lines)
    assert program.read(q2 * sin(q1 * q0)) == a
    assert len(program.lines) == n


def test_what_cancels_is_gone():
    x = Symbol("v0", real=True)
    program = Program()
    a, b = program.read(x * (q0 + cos(q1))), program.read(x * (q0 - cos(q1)))
    assert program.read(a + b) == program.read(2 * x * q0)
    assert program.read(a - a) == 0


def test_derivatives_stay_short():
    """The product of 40 functions: written out, its gradient would have 40 times 40 factors."""
    n = 40
    q = symbols(f"q0:{n}", real=True)
    program, result = Program(), 1
    for symbol in q:
        result = program.read(result + sin(result * symbol))
    lines = len(program.lines)
    program.jacobian([result], q[:1])
    assert len(program.lines) < 6 * lines
