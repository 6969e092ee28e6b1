"""Expressions as text and back, for files: SymPy's ``srepr``, read without evaluating anything that is not SymPy's."""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

import sympy
from sympy import Basic, Matrix, srepr
from sympy.functions.elementary.piecewise import ExprCondPair

from genalpha.errors import FileError
from genalpha.symbolic.equations import Equations


def write_expression(expression: Basic) -> str:
    """An expression as text; SymPy puts terms in order again when it is read."""
    return srepr(expression, order="none")


def read_expression(text: str) -> Any:
    """The inverse of `write_expression`: classes of SymPy with their arguments, numbers and words, nothing else."""
    found = _read(ast.parse(text, mode="eval").body)
    if not isinstance(found, Basic):
        raise FileError(f"{text[:60]!r} is not an expression")
    return found


def _read(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Tuple(elts=items):
            return tuple(map(_read, items))
        case ast.List(elts=items):
            return list(map(_read, items))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_read(operand)
        case ast.Name(id=name):
            return _known(name)
        case ast.Call(func=function, args=args, keywords=words):
            options = {word.arg: _read(word.value) for word in words if word.arg is not None}
            return _read(function)(*map(_read, args), **options)
    raise FileError(f"{ast.unparse(node)[:60]!r} is not an expression")


def _known(name: str) -> Any:
    """A class of SymPy, or one of its constants like pi."""
    found = ExprCondPair if name == "ExprCondPair" else getattr(sympy, name, None)
    if isinstance(found, Basic) or (isinstance(found, type) and issubclass(found, Basic)):
        return found
    raise FileError(f"{name!r} is not an expression of SymPy")


def write_equations(equations: Equations) -> dict[str, Any]:
    """Equations of motion as text, field by field."""
    return {field.name: _write_field(getattr(equations, field.name)) for field in dataclasses.fields(equations)}


def read_equations(words: dict[str, Any]) -> Equations:
    """The inverse of `write_equations`."""
    return Equations(**{name: _read_field(value) for name, value in words.items()})


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


def _read_field(words) -> Any:
    if not isinstance(words, dict):
        return words
    kind, what = next(iter(words.items()))
    if kind == "matrix":
        return Matrix([[read_expression(entry) for entry in row] for row in what])
    if kind == "expression":
        return read_expression(what)
    if kind == "tuple":
        return tuple(map(_read_field, what))
    return {_read_field(key): _read_field(item) for key, item in what}
