"""Compilation: what cannot be compiled, and what goes wrong in compiled functions."""

import functools
import os
import subprocess
import sys

import numba
import numpy as np
import pytest
import rover as r
import scipy.sparse as sp
from rover import rover

import genalpha as ga
from genalpha.system.compiling import essence

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


def particle(**given):
    return ga.System(**({"M": np.eye(2), "f": lambda t, q, v: -q} | given))


def solve(system, q0=(1.0, 0.0), v0=(0.0, 0.0)):
    return ga.solve(system, (0.0, 1.0), q0, v0, h=0.01)


def test_what_goes_wrong_in_compiled_functions():
    start = dict(q0=r.Q0, v0=r.V0)
    with pytest.raises(ZeroDivisionError, match="out of fuel") as caught:
        solve(rover(1.0), **start)
    assert "the run had reached t = 0.05" in caught.value.__notes__[0]
    np.testing.assert_allclose(caught.value.solution.t, [0.0, 0.01, 0.02, 0.03, 0.04, 0.05])
    with pytest.raises(ga.NonFiniteError, match=r"f gives NaN or inf at t = 0.06") as caught:
        solve(rover(2.0), **start)
    assert caught.value.solution.t[-1] == pytest.approx(0.05)
    with pytest.raises(ga.ShapeError, match=r"f returned an array of another size than at first, .* was \(3,\)"):
        solve(rover(3.0), **start)


def helper(q):
    return -q


@ga.evaluator
def uses_a_plain_function(t, q, v):
    return helper(q)


@ga.evaluator
def has_no_types(t, q, v):
    return np.array([q[0], [1.0]]) if t > 1.0 else -q


COMPILATIONS = [
    (
        uses_a_plain_function,
        r"f cannot be compiled: it uses 'helper', a function; mark helper with @ga.evaluator too \(",
    ),
    (
        has_no_types,
        r"f cannot be compiled: .*array-like.*test_compiling.py, line \d+\). Correct it, or pass compile=False",
    ),
    (
        functools.partial(lambda c, t, q, v: -c * q, 2.0),
        r"f is a partial, which cannot be compiled; write a function around it",
    ),
    (
        lambda t, q, v: sp.eye_array(2) @ q,
        r"f cannot be compiled: Unknown attribute 'eye_array' .*test_compiling.py, line \d+",
    ),
]


@pytest.mark.parametrize(("force", "message"), COMPILATIONS)
def test_compilation_errors_are_readable(force, message):
    with pytest.raises(ga.CompilationError, match=message) as caught:
        solve(particle(f=force, compile=True))
    assert len(str(caught.value)) < 500


def test_sparse_matrices_are_not_compiled():
    with pytest.raises(ga.CompilationError, match=r"M returns a scipy.sparse matrix, .*; use ga.Sparse"):
        solve(particle(M=lambda t, q: sp.eye_array(2), compile=True))


# ---------------------------------------------------------------- numba's words in short

LONG = """Failed in nopython mode pipeline (step: nopython frontend)
Failed in nopython mode pipeline (step: nopython frontend)
\x1b[1mNo implementation of function Function(<intrinsic _impl>) found for signature:

 >>> _impl(array(float64, 2d, C), array(complex128, 1d, C))

There are 2 candidate implementations:
  Rejected as the implementation raised a specific error:
    TypingError: '@' arguments must all have the same dtype
  raised from /lib/numba/np/linalg.py:623

During: typing of call at /lib/numba/np/linalg.py (644)

File "/lib/numba/np/linalg.py", line 644:
During: typing of intrinsic-call at /home/user/model.py (41)
"""


@pytest.mark.parametrize(
    ("text", "short"),
    [
        (LONG, "'@' arguments must all have the same dtype in _impl(array(float64, 2d, C), array(complex128, 1d, C)) "
               "(/home/user/model.py, line 41)"),
        ("Untyped global name 'table': Cannot determine Numba type of <class 'dict'>",
         "it uses 'table', a dict; numba cannot read objects of this kind"),
        ("", "numba fails with a RuntimeError"),
        ("Failed in nopython mode pipeline\n\nBad thing", "Bad thing"),
    ],
)  # fmt: skip
def test_essence(text, short):
    assert essence(RuntimeError(text)) == short


# ---------------------------------------------------------------- functions that use functions


@ga.evaluator
def inner(x):
    return 2.0 * x


@ga.evaluator
def outer(t, q, v):
    return -inner(inner(q))


def test_marked_functions_may_call_marked_functions():
    system = particle(f=outer, f_q=0, f_v=0)
    assert system.compiled
    contract = system.contract(0.0, np.ones(2), np.ones(2))
    np.testing.assert_array_equal(contract.evaluate("f", 0.0, np.ones(2), np.ones(2)), -4.0 * np.ones(2))


R2 = np.array([[2.0, 1.0], [1.0, 3.0]])


@numba.njit
def jitted(t, q, v):
    return -R2 @ q - v


def test_marked_jitted_and_sparse_functions_together():
    """numba multiplies a real matrix with real vectors only: the force gets differences, and a warning says so."""
    c = 3.0

    def g_q(t, q, out):
        out[0, 0] = c
        out[0, 1] = -2.0

    system = ga.System(
        M=ga.Sparse(lambda t, q: (2.0 + t, 3.0), [0, 1], [0, 1]),
        f=jitted,
        g=lambda t, q, factor=2.0: c * q[0] - factor * q[1],
        g_q=g_q,
        compile=True,
    )
    with pytest.warns(ga.DerivativeWarning, match=r"f cannot be .* complex step \(numba: .*same dtype"):
        compiled = system.contract(0.0, [2.0, 3.0], [0.0, 0.0])
    expected = ga.System(M=np.diag([2.0, 3.0]), f=lambda t, q, v: -R2 @ q - v, g=system.g)
    expected = expected.contract(0.0, [2.0, 3.0], [0.0, 0.0])
    q, v = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    for name, arguments in dict(M=(0.0, q), f=(0.0, q, v), stiffness=(0.0, q, v, v, v[:1])).items():
        if name == "M":
            np.testing.assert_array_equal(compiled.matrix(name, *arguments), expected.matrix(name, *arguments))
        else:
            a, b = compiled.evaluate(name, *arguments), expected.evaluate(name, *arguments)
            np.testing.assert_allclose(a, b, atol=1e-6)
    np.testing.assert_array_equal(compiled.matrix("G", 0.0, q), [[3.0, -2.0]])


def test_functions_from_several_processes_are_not_taken_for_one_another(tmp_path):
    """numba counts functions anew in every process: equal names of closures would be equal symbols."""
    code = """
import sys, itertools, numpy as np, genalpha as ga
from numba.core.bytecode import FunctionIdentity
for n in map(int, sys.argv[1:]):
    FunctionIdentity._unique_ids = itertools.count(10**6)
    f = lambda t, q, v: -n * q
    contract = ga.System(M=np.eye(n), f=f, f_q=0, f_v=0, compile=True).contract(0.0, np.ones(n), np.ones(n))
    print(*contract.evaluate("f", 0.0, np.ones(n), np.ones(n)))
"""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    for sizes in (["1"], ["2"], ["3"], ["2", "3"]):
        run = subprocess.run([sys.executable, "-c", code, *sizes], env=environment, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
    assert run.stdout.split("\n")[:2] == ["-2.0 -2.0", "-3.0 -3.0 -3.0"]


def test_a_global_that_changes_is_seen():
    scope = {"np": np, "c": 3.0}
    exec("def f(t, q, v): return -c * q", scope)
    for c in (3.0, 5.0):
        scope["c"] = c
        contract = particle(f=ga.evaluator(scope["f"]), f_q=0, f_v=0).contract(0.0, np.ones(2), np.ones(2))
        np.testing.assert_array_equal(contract.evaluate("f", 0.0, np.ones(2), np.ones(2)), -c * np.ones(2))


def said_by_two_starts(code, folder):
    """What a script says on stderr, with an empty cache of compiled code, and once more."""
    script, environment = folder / "script.py", {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    script.write_text(code)
    return [
        subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, env=environment).stderr
        for _ in range(2)
    ]


def test_compilation_is_announced_once_and_only_when_it_happens(tmp_path):
    code = (
        "import numpy as np, genalpha as ga\n"
        "f = ga.evaluator(lambda t, q, v: -q)\n"
        "system = ga.System(M=np.eye(1), f=f, f_q=-np.eye(1), f_v=0)\n"
        "ga.solve(system, (0, 1), [1.0], [0.0], ga.SOI2(), h=0.1)\n"  # its loop is the shortest
    )
    said = said_by_two_starts(code, tmp_path)
    assert said[0].count("compiling the functions of this system") == 1
    assert said[0].count("compiling the integration loop") == 1
    assert said[1] == ""


def test_plain_functions_wait_for_the_parts_of_a_step_and_know_it(tmp_path):
    code = (
        "import numpy as np, genalpha as ga\n"
        "system = ga.System(M=np.eye(1), f=lambda t, q, v: -q, f_q=-np.eye(1), f_v=0)\n"
        "ga.solve(system, (0, 1), [1.0], [0.0], h=0.1)\n"
    )
    said = said_by_two_starts(code, tmp_path)
    assert said[0].count("compiling the parts of a step") == 1
    assert said[1] == ""


def test_what_cannot_be_compiled_for_complex_numbers_is_remembered(tmp_path):
    """The product of a real matrix and a complex vector is such a thing; to find that out takes seconds."""
    code = (
        "import numpy as np, genalpha as ga\n"
        "A = np.array([[4.0, 1.0], [1.0, 3.0]])\n"
        "f = ga.evaluator(lambda t, q, v: -(A @ q))\n"
        "ga.System(M=np.eye(2), f=f, f_v=0).contract(0.0, np.ones(2), np.zeros(2))\n"
    )
    said = said_by_two_starts(code, tmp_path)
    assert all("f cannot be differentiated by complex step (numba: '@' arguments" in text for text in said)
    assert "compiling the functions of this system" in said[0]
    assert "compiling" not in said[1]
