"""Expressions as trees: they come back as they were, and trees of strangers make nothing but expressions."""

import json
import time

import h5py
import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import genalpha as ga
from genalpha.checked import Damaged, NoWords, OldWords
from genalpha.solution.files.rebuild import rebuild
from genalpha.solution.files.recipe import recipe
from genalpha.solution.files.stored import SYSTEM
from genalpha.symbolic import lagrange
from genalpha.symbolic.words import read_expression, write_expression
from genalpha.view import Body, Drawing, Sphere

T, X = dynamicsymbols._t, dynamicsymbols("x")
M, C = sp.symbols("m c", positive=True)
Y = sp.Function("y", real=True)(T)

EXPRESSIONS = [
    sp.Integer(-7), sp.Rational(3, 7), sp.Float("0.1"), sp.Float("1e-30", 40), sp.Float(-2.5), sp.pi, sp.E, sp.I, sp.oo,
    sp.true, M, sp.Dummy("m"), sp.Symbol("theta_{1}", real=True), X, Y, X.diff(T), Y.diff(T, 2),
    M * X.diff(T) ** 2 / 2 - C * X**2 / 2 + sp.sqrt(M) * sp.sin(X) ** sp.Rational(2, 3),
    sp.Piecewise((-M * X, X > 0), (0, True)), sp.Max(X, 0, C), sp.Abs(X) * sp.sign(X), sp.Heaviside(X - 1),
    sp.atan2(X, C) + sp.exp(-X / 3) * sp.log(C), sp.sinh(X) / sp.cosh(X), sp.floor(X), sp.Min(C, X),
    sp.And(X > 1, sp.Or(C < 2, sp.Ne(X, C))), sp.Eq(X, C), sp.Subs(sp.Derivative(X, T), T, 0), 2**X, sp.sqrt(2) * X,
    (1 + sp.sqrt(2)) ** 3 * X, sp.UnevaluatedExpr(X), sp.Mul(2, X + 1, evaluate=False), 10**30 * X,
]  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_expressions_come_back(expression):
    found = read_expression(json.loads(json.dumps(write_expression(expression))))
    assert found == expression
    assert sp.srepr(found) == sp.srepr(expression)
    assert found.free_symbols == expression.free_symbols
    assert all(a.assumptions0 == b.assumptions0 for a in found.free_symbols for b in expression.free_symbols if a == b)


def test_what_is_not_among_the_kinds_has_no_words():
    for expression in (sp.Integral(X, T), sp.besselj(0, X), sp.Lambda(M, M)):
        with pytest.raises(NoWords):
            write_expression(expression)


EVIL = "open('sprung', 'w')"


@pytest.mark.parametrize(
    "tree",
    [
        ["Symbol"], ["Symbol", "x"], ["Symbol", 5, {}], ["Symbol", "x", {"shell": True}], ["Symbol", "x", {"real": 1}],
        ["Integral", ["Symbol", "x", {}]], ["sympify", EVIL], ["parse_expr", EVIL], ["S", EVIL], ["Lambda", 1, 2],
        ["__import__", "os"], ["constant", "os"], ["constant", EVIL], ["Rational", EVIL, 1], ["Rational", 1.5, 2],
        ["Float", 0, EVIL, 0, 53], ["Float", 0, 1, 10**9, 53], ["Float", 0, 1, 0, 10**9], ["Function", EVIL], [],
        ["Function", "f", {"bases": True}, 1], {"Symbol": "x"}, None, 1.5, True, [["Symbol"]], ["Add", None],
        ["Pow", 10, 10**10], ["Pow", ["Pow", 10, 999], 999], ["Pow", ["Float", 0, 1, 0, 53], 10**9],
    ],
    ids=str,
)  # fmt: skip
def test_other_trees_are_refused(tree, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((Damaged, TypeError, ValueError)):
        read_expression(tree)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("kind", ["sin", "Add", "Pow", "Piecewise", "Derivative", "Tuple", "Max", "StrictLessThan"])
def test_text_is_never_an_argument(kind, tmp_path, monkeypatch):
    """SymPy evaluates text."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OldWords):
        read_expression([kind, EVIL, EVIL])
    assert not (tmp_path / "sprung").exists()


# ---------------------------------------------------------------- systems, and files


def system():
    equations = lagrange(M * X.diff(T) ** 2 / 2 - C * X**2 / 2, [X])
    return equations.system({M: 2.0, C: 8.0}, compile=False, drawing=Drawing(Body("bob", Sphere(0.1), (X, 0.0))))


def crafted(change):
    words = json.loads(json.dumps(recipe(system())))
    change(words["symbolic"])
    return words


def deep(n):
    tree = 1
    for _ in range(n):
        tree = ["sin", tree]
    return tree


CHANGES = {
    "text among the forces": lambda w: w["equations"].update(forces={"tuple": [EVIL]}),
    "text for a Lagrangian": lambda w: w["equations"].update(L=EVIL),
    "text in a matrix": lambda w: w["equations"].update(mass={"matrix": [[1, EVIL]]}),
    "text for other speeds": lambda w: w["equations"].update(speeds={"pairs": [[{"expression": 1}, EVIL]]}),
    "text for energies": lambda w: w["equations"].update(energy={"tuple": [EVIL, EVIL]}),
    "text for restitution": lambda w: w["equations"].update(e={"tuple": [EVIL]}),
    "conditions for forces": lambda w: w["equations"].update(
        forces={"tuple": [{"expression": ["constant", "BooleanTrue"]}]}
    ),
    "names that are none": lambda w: w["equations"].update(names={"pairs": [["q", 5]]}),
    "a field that there is not": lambda w: w["equations"].update(shell=True),
    "no equations": lambda w: w.update(equations=5),
    "text for parameters": lambda w: w.update(params=[EVIL, 1.0]),
    "parameters that are missing": lambda w: w.update(params=[1.0]),
    "a compilation": lambda w: w.update(compile=EVIL),
    "too deep": lambda w: w["equations"].update(L={"expression": deep(400)}),
    "an integral": lambda w: w["equations"].update(L={"expression": ["Integral", 1]}),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_crafted_equations_are_refused(change, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    begin = time.perf_counter()
    with pytest.raises((ga.FileError, OldWords)):
        rebuild(crafted(CHANGES[change]))
    assert time.perf_counter() - begin < 1.0
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("place", [[EVIL, 1.0], [{"list": [EVIL]}, 1.0], [{"list": [{"list": [EVIL]}, EVIL]}, EVIL]])
def test_drawings_do_not_evaluate_text(place, tmp_path, monkeypatch):
    from genalpha.view import make_scene

    def change(words):
        place_of = {"list": [{"expression": write_expression(X)}, *place]}
        words["drawing"]["parts"][0]["fields"]["position"] = place_of

    monkeypatch.chdir(tmp_path)
    found = rebuild(crafted(change))
    sol = ga.solve(found, (0.0, 0.1), [1.0], [0.0], h=1e-2)
    with pytest.raises(ga.InputError):
        make_scene(sol)
    for key in ([EVIL], (EVIL,), {EVIL}, EVIL):
        with pytest.raises(ga.InputError, match=r"is not an expression|no quantity"):
            sol[key]
    assert not (tmp_path / "sprung").exists()


def test_older_files_are_read_without_their_system(tmp_path):
    """They have expressions as text."""
    path = tmp_path / "run.h5"
    whole = ga.solve(system(), (0.0, 0.1), [1.0], [0.0], h=1e-2, out=path)
    with h5py.File(path, "r+") as file:
        words = json.loads(bytes(file[SYSTEM][...]))
        words["recipe"]["symbolic"]["equations"]["L"] = {"expression": "Symbol('m')"}
        del file[SYSTEM], words["system"]["hashes"]
        file[SYSTEM] = np.frombuffer(json.dumps(words).encode(), np.uint8)
        file.attrs["format_version"], file.attrs["genalpha"] = 2, "0.0.1"
    sol = ga.load(path)
    np.testing.assert_array_equal(sol.q, whole.q)
    with pytest.raises(
        ga.InputError, match=r"genalpha 0.0.1, and its expressions are text, .* ga.load\(path, system\)"
    ):
        sol["x"]
    np.testing.assert_array_equal(ga.load(path, system())["x"], whole["x"])
