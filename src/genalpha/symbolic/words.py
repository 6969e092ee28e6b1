"""Expressions as trees of words and back, for files.

A node is a list: its kind, then what it is made of. Numbers of SymPy are kept by their integers, symbols by their names
and assumptions, everything else by its arguments. Kinds are looked up in a table and nowhere else, and arguments are
expressions that were read before, never text: SymPy evaluates text that it is given.
"""

from __future__ import annotations

import dataclasses
import inspect
from functools import cache
from typing import Any

import sympy
from sympy import Basic, Dummy, Expr, Float, Integer, Matrix, Number, Pow, Rational, S, Symbol
from sympy.core.assumptions import _assume_defined
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.functions.elementary.piecewise import ExprCondPair

from genalpha.checked import Damaged, NoWords, OldWords, count, listing, mapping, text
from genalpha.symbolic.equations import OF_FRICTION, Equations

CONSTANTS = (
    "Pi", "Exp1", "ImaginaryUnit", "Infinity", "NegativeInfinity", "ComplexInfinity", "NaN", "GoldenRatio",
    "EulerGamma", "Catalan", "BooleanTrue", "BooleanFalse",
)  # fmt: skip

AS_THEY_ARE = ("Derivative", "Subs", "Tuple", "ExprCondPair", "UnevaluatedExpr")
"""Nodes that SymPy does not evaluate."""

EVALUATED = (
    "Add", "Mul", "Pow", "Mod", "Abs", "sign", "Max", "Min", "Piecewise", "Heaviside", "DiracDelta", "floor", "ceiling",
    "exp", "log", "LambertW", "sin", "cos", "tan", "cot", "sec", "csc", "sinc", "asin", "acos", "atan", "acot", "asec",
    "acsc", "atan2", "sinh", "cosh", "tanh", "coth", "sech", "csch", "asinh", "acosh", "atanh", "acoth", "asech",
    "acsch", "erf", "erfc", "re", "im", "conjugate", "arg", "And", "Or", "Not", "Xor", "ITE",
    *(relation.__name__ for relation in (sympy.Eq, sympy.Ne, sympy.Lt, sympy.Le, sympy.Gt, sympy.Ge)),
)  # fmt: skip
"""Nodes that were evaluated before they were written; they are not once more."""

LARGEST_POWER = 1000
"""Of numbers: a power of powers would be a number that no memory holds."""


@cache
def _kinds() -> dict[str, type]:
    names = {name: getattr(sympy, name) for name in (*AS_THEY_ARE, *EVALUATED) if name != "ExprCondPair"}
    return {**names, "ExprCondPair": ExprCondPair}


# ---------------------------------------------------------------- writing


def write_expression(expression: Basic) -> Any:
    """An expression as a tree."""
    if isinstance(expression, Integer):
        return int(expression)
    if isinstance(expression, Rational):
        return ["Rational", int(expression.p), int(expression.q)]
    if isinstance(expression, Float):
        sign, mantissa, exponent, _ = expression._mpf_
        return ["Float", sign, int(mantissa), int(exponent), expression._prec]
    if isinstance(expression, Dummy):
        return ["Dummy", expression.name, expression.dummy_index, _assumptions(expression)]
    if type(expression) is Symbol:
        return ["Symbol", expression.name, _assumptions(expression)]
    name = type(expression).__name__
    if not expression.args and name in CONSTANTS and expression is getattr(S, name, None):
        return ["constant", name]
    arguments = [write_expression(argument) for argument in expression.args]
    if isinstance(expression, AppliedUndef):
        return ["Function", name, dict(expression.func._kwargs), *arguments]
    if _kinds().get(name) is not type(expression):
        raise NoWords
    return [name, *arguments]


def _assumptions(symbol) -> dict[str, bool]:
    """What was said about a symbol when it was made."""
    given = getattr(symbol, "_assumptions_orig", None)
    return dict(symbol._assumptions.generator if given is None else given)


# ---------------------------------------------------------------- reading


def read_expression(tree: Any) -> Basic:
    """The inverse of `write_expression`."""
    if isinstance(tree, str):
        raise OldWords("its expressions are text, which is not read any more")
    if isinstance(tree, int) and not isinstance(tree, bool):
        return Integer(tree)
    kind, *rest = listing("an expression", tree) or [None]
    if kind in _ATOMS:
        return _ATOMS[kind](*rest)
    if kind == "Function":
        name, assumptions, *arguments = rest
        return _function(name, assumptions)(*map(read_expression, arguments))
    if not isinstance(kind, str) or kind not in _kinds():
        raise Damaged(f"{kind!r:.60} is not an expression")
    arguments = [read_expression(argument) for argument in rest]
    if kind == "Pow":
        _require_size(*arguments)
    made = _kinds()[kind]
    return made(*arguments) if kind in AS_THEY_ARE else made(*arguments, evaluate=False)


def _rational(p, q) -> Basic:
    return Rational(_whole(p), _whole(q))


def _float(sign, mantissa, exponent, precision) -> Basic:
    parts = count("a sign", sign, 1), _whole(mantissa), _whole(exponent)
    if abs(parts[2]) > 10**5:
        raise Damaged(f"the exponent {exponent} of a number is too large")
    return Float(parts, precision=count("a precision", precision, 10**4, 1))


def _whole(value) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise Damaged(f"{value!r:.40} is not a whole number")
    return value


def _symbol(name, assumptions) -> Basic:
    return Symbol(text("a symbol", name), **_read_assumptions(assumptions))


def _dummy(name, index, assumptions) -> Basic:
    return Dummy(text("a symbol", name), dummy_index=_whole(index), **_read_assumptions(assumptions))


def _function(name, assumptions):
    return UndefinedFunction(text("a function", name), **_read_assumptions(assumptions))


def _constant(name) -> Basic:
    if name not in CONSTANTS:
        raise Damaged(f"{name!r:.60} is not an expression")
    return getattr(S, name)


_ATOMS = {"Rational": _rational, "Float": _float, "Symbol": _symbol, "Dummy": _dummy, "constant": _constant}


def _read_assumptions(words) -> dict[str, bool]:
    given = mapping("assumptions", words)
    for name, value in given.items():
        if name not in _assume_defined or not isinstance(value, bool):
            raise Damaged(f"nothing can be assumed like {name!r:.40} = {value!r:.40}")
    return dict(given)


def _require_size(base: Basic, exponent: Basic) -> None:
    """Refuse powers of numbers that would fill all memory as soon as somebody evaluates them."""
    if (
        not (base.free_symbols or exponent.free_symbols)
        and _growth(Pow(base, exponent, evaluate=False)) > LARGEST_POWER
    ):
        raise Damaged("it has a power of numbers that is too large")


def _growth(expression: Basic) -> float:
    inside = max(map(_growth, expression.args), default=1.0)
    if not isinstance(expression, Pow):
        return inside
    exponent = expression.exp
    return inside * max(1.0, abs(float(exponent)) if isinstance(exponent, Number) else LARGEST_POWER)


# ---------------------------------------------------------------- equations


def write_equations(equations: Equations) -> dict[str, Any]:
    """Equations of motion as words, field by field."""
    names = [field.name for field in dataclasses.fields(equations)]
    given = [name for name in names if name not in OF_FRICTION or getattr(equations, name)]
    return {name: _write_field(getattr(equations, name)) for name in given}


def _write_field(value) -> Any:
    if isinstance(value, Matrix):
        return {"matrix": [[write_expression(value[i, j]) for j in range(value.cols)] for i in range(value.rows)]}
    if isinstance(value, Basic):
        return {"expression": write_expression(value)}
    if isinstance(value, tuple | list):
        return {"tuple": [_write_field(item) for item in value]}
    if isinstance(value, dict):
        return {"pairs": [[_write_field(key), _write_field(item)] for key, item in value.items()]}
    return value


def read_equations(words) -> Equations:
    """The inverse of `write_equations`; every field is of the kind that it has to be."""
    fields = {name: _read_field(value) for name, value in words.items()}
    if not fields.keys() <= inspect.signature(Equations).parameters.keys():
        raise Damaged(f"equations have no {', '.join(fields):.80}")
    for name, value in fields.items():
        if not _KINDS_OF_FIELDS[name](value):
            raise Damaged(f"{name!r} of the equations is not what it has to be")
    return Equations(**fields)


def _read_field(words) -> Any:
    if not isinstance(words, dict):
        return words
    kind, what = next(iter(words.items()))
    if kind == "matrix":
        return Matrix([[_expression(entry) for entry in listing("a row", row)] for row in listing("a matrix", what)])
    if kind == "expression":
        return read_expression(what)
    if kind == "tuple":
        return tuple(_read_field(item) for item in listing("a tuple", what))
    return {_read_field(key): _read_field(item) for key, item in listing("pairs", what)}


def _expression(tree) -> Expr:
    found = read_expression(tree)
    if not isinstance(found, Expr):
        raise Damaged("an entry of a matrix is not an expression")
    return found


def _are_expressions(value) -> bool:
    return isinstance(value, tuple) and all(isinstance(item, Expr) for item in value)


def _are_names(value) -> bool:
    return isinstance(value, dict) and all(
        isinstance(kind, str) and isinstance(names, tuple) and all(isinstance(name, str) for name in names)
        for kind, names in value.items()
    )


_KINDS_OF_FIELDS = {
    **dict.fromkeys(("q", "forces", "g", "k", "gap", "e", *OF_FRICTION), _are_expressions),
    "t": lambda value: isinstance(value, Symbol),
    "L": lambda value: value is None or isinstance(value, Expr),
    "mass": lambda value: value is None or isinstance(value, Matrix),
    "names": _are_names,
    "energy": lambda value: value is None or (_are_expressions(value) and len(value) == 2),
    "speeds": lambda value: isinstance(value, dict) and _are_expressions((*value, *value.values())),
}
