"""Derived expressions as Python functions with the signatures of the contract, kept on disk by content."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from genalpha.errors import InputError
from genalpha.system.block import KIND_OF, evaluator_takes_v
from genalpha.system.contract import Pattern

POSITIONS, VELOCITIES, EVERYTHING = "t, q, p, out", "t, q, v, p, out", "t, q, v, vdot, mu, p, out"
ARGUMENTS = {
    "M": POSITIONS, "f": VELOCITIES, "stiffness": EVERYTHING, "damping": EVERYTHING, "energy": "t, q, v, p",
    **{name: VELOCITIES if evaluator_takes_v(name) else POSITIONS for name in KIND_OF},
}  # fmt: skip


@dataclass(frozen=True)
class Functions:
    """What was generated: functions that fill ``out``, patterns of the matrices, and which are constant or zero."""

    functions: dict[str, Callable[..., Any]]
    patterns: dict[str, Pattern]
    constant: frozenset[str]
    zero: frozenset[str]
    sources: dict[str, str]


def generate(mechanics) -> Functions:
    """Derive and write all functions of a `derive.Mechanics`; read them from disk if that was done before."""
    from genalpha.compiled.cache import read_whole, write_whole

    file = _file(mechanics)
    text = read_whole(file)
    if text is None:
        text = json.dumps(_write(mechanics)).encode()
        # a read-only or full disk costs time, never a result
        with contextlib.suppress(OSError):
            write_whole(file, text)
    return _load(json.loads(text))


def _write(mechanics) -> dict[str, Any]:
    """Sources and patterns, as they are stored."""
    from genalpha.symbolic.derive import derive

    derived = derive(mechanics)
    stored = {"sources": {}, "patterns": {}, "constant": [], "zero": []}
    for name, output in derived.outputs.items():
        stored["sources"][name] = source(name, derived.program, output.values)
        if output.rows is not None:
            stored["patterns"][name] = [output.rows, output.cols]
        if output.constant:
            stored["constant"].append(name)
        if not any(output.values):
            stored["zero"].append(name)
    return stored


def _load(stored) -> Functions:
    functions = {}
    for name, text in stored["sources"].items():
        namespace: dict[str, Any] = {"np": np, "__name__": __name__}
        exec(compile(text, f"<{name} from SymPy>", "exec"), namespace)
        functions[name] = namespace[name]
    patterns = {
        name: Pattern(np.array(rows, dtype=np.int64), np.array(cols, dtype=np.int64))
        for name, (rows, cols) in stored["patterns"].items()
    }
    return Functions(functions, patterns, frozenset(stored["constant"]), frozenset(stored["zero"]), stored["sources"])


def _file(mechanics) -> Path:
    """Where the functions of these expressions are kept."""
    import sympy
    from sympy import srepr

    from genalpha.compiled.cache import cache_directory

    digest = hashlib.sha256(f"{sympy.__version__} {_stamp()}".encode())
    for name in ("letters", "L", "M", "f", "g", "k", "gap", "energy"):
        value = getattr(mechanics, name)
        # the order of terms is that of SymPy, which is always the same; sorting them again would take long
        digest.update(f"{name} {value if name == 'letters' else srepr(value, order='none')}\n".encode())
    if mechanics.slip:
        digest.update(f"slip {srepr(mechanics.slip, order='none')}\n".encode())
    return Path(cache_directory()) / "symbolic" / f"{digest.hexdigest()[:32]}.json"


@functools.cache
def _stamp() -> str:
    """Hash of the sources that derive and write."""
    folder = Path(__file__).parent
    texts = [(folder / f"{name}.py").read_bytes() for name in ("program", "derive", "code")]
    return hashlib.sha256(b"".join(texts)).hexdigest()


def source(name: str, program, values) -> str:
    """The text of a function that computes these values of a program."""
    printer, values = _printer(), list(values)
    lines, values = _inline(program, program.needed(values), values)
    used = {symbol for expression in [*lines.values(), *values] for symbol in expression.free_symbols} - lines.keys()
    text = [f"def {name}({ARGUMENTS[name]}):"]
    for symbol in sorted(used, key=lambda symbol: (len(symbol.name), symbol.name)):
        letter = symbol.name.rstrip("0123456789")
        if symbol.name != letter:
            text.append(f"    {symbol.name} = {letter}[{symbol.name.removeprefix(letter)}]")
    text += [f"    {symbol.name} = {_print(printer, expression)}" for symbol, expression in lines.items()]
    results = [_print(printer, value) for value in values]
    if name == "energy":
        text.append(f"    return {', '.join(results)}")
    else:
        text += [f"    out[{i}] = {result}" for i, result in enumerate(results)] or ["    return"]
    return "\n".join(text) + "\n"


LONG = 40
"""Operations up to which a line that is used once is written into the line that uses it."""


def _inline(program, needed, values):
    """Lines with those that are used once written into the line that uses them."""
    uses: dict[Any, int] = {}
    for expression in [*(program.lines[symbol] for symbol in needed), *values]:
        for symbol in expression.free_symbols:
            uses[symbol] = uses.get(symbol, 0) + 1
    kept, inlined, size = {}, {}, {}

    def insert(expression):
        once = {s: inlined[s] for s in expression.free_symbols if s in inlined}
        return expression.xreplace(once) if once else expression

    for symbol in needed:
        expression = program.lines[symbol]
        size[symbol] = 1 + sum(size[s] for s in expression.free_symbols if s in inlined)
        written = insert(expression)
        # a piece of a power would be computed as often as its exponent says
        if uses[symbol] == 1 and size[symbol] <= LONG:
            inlined[symbol] = written
        else:
            kept[symbol] = written
    return kept, [insert(value) for value in values]


def _print(printer, expression) -> str:
    text = printer.doprint(expression)
    if "Not supported" in text:
        unknown = text.splitlines()[1].removeprefix("#").strip()
        raise InputError(f"there is no numerical form of {unknown}; write it with elementary functions")
    return text


@functools.cache
def _printer():
    from sympy.printing.pycode import PythonCodePrinter

    names = {
        "sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
        "atan2": "arctan2", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "arcsinh", "acosh": "arccosh",
        "atanh": "arctanh", "exp": "exp", "log": "log", "sqrt": "sqrt", "floor": "floor", "ceiling": "ceil",
    }  # fmt: skip

    class Printer(PythonCodePrinter):
        """Scalars, NumPy's functions (they take complex numbers too), and conditional expressions."""

        _kf: ClassVar = {**PythonCodePrinter._kf, **{name: f"np.{of}" for name, of in names.items()}}
        _kc: ClassVar = {"Pi": "np.pi", "Exp1": "np.e"}

        def _print_Pow(self, expr, rational=False):
            return self._power(expr.base, expr.exp)

        def _power(self, base, exponent):
            if exponent.is_Rational and exponent.is_negative:
                return f"1.0/{self._power(base, -exponent)}"
            if exponent.is_Rational and exponent.q == 2:
                root = f"np.sqrt({self._print(base)})"
                return root if exponent.p == 1 else f"{root}**{exponent.p}"
            base = self.parenthesize(base, 100)
            if exponent == 2 and base.isidentifier():
                return f"({base}*{base})"
            if exponent.is_Integer:
                return base if exponent.p == 1 else f"{base}**{exponent.p}"
            return f"{base}**({self._print(exponent)})"

        def _print_sign(self, expr):
            return f"np.sign({self._print(expr.args[0])})"

        def _print_Heaviside(self, expr):
            x = self._print(expr.args[0])
            return f"(0.0 if {x} < 0.0 else 1.0 if {x} > 0.0 else 0.5)"

        def _print_DiracDelta(self, expr):
            return "0.0"

        def _print_Integer(self, expr):
            return f"{float(expr.p)!r}"

        def _print_Rational(self, expr):
            return f"{expr.p / expr.q!r}"

        _print_Half = _print_Rational

    return Printer({"fully_qualified_modules": True, "allow_unknown_functions": False, "strict": False})
