"""Straight-line programs: expressions as lists of short assignments, and their derivatives as more of them.

An expression is taken apart into lines ``x7 = x2*x5``, ``x8 = sin(q1)``, each with one operation on symbols and
numbers, and no line is written twice. A derivative is found line by line with the chain rule, so that it shares
everything with what it is a derivative of: its size is a small multiple of that of the program, where the derivative of
a written out expression may be many times as long.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sympy import Add, Derivative, Expr, Mul, Number, Pow, S, Subs, Symbol, sympify
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.function import AppliedUndef

from genalpha.errors import InputError


class Program:
    """Assignments in the order in which they can be evaluated.

    ``lines`` maps every symbol to its expression. What is not a line is an input.
    """

    def __init__(self):
        self.lines: dict[Symbol, Expr] = {}
        self._names: dict[Expr, Symbol] = {}
        self._read: dict[Expr, Expr] = {}
        self._partials: dict[Symbol, list[tuple[Symbol, Expr]]] = {}

    def read(self, expression) -> Expr:
        """Take an expression apart; gives what stands for it: a symbol, a number, or a number times a symbol."""
        expression = sympify(expression)
        if expression.is_Symbol or isinstance(expression, Number):
            return expression
        if expression not in self._read:
            _require_known(expression)
            if expression.is_Piecewise:
                whole = expression.func(*((self.read(value), condition) for value, condition in expression.args))
            else:
                whole = expression.func(*map(self.read, expression.args)) if expression.args else expression
            self._read[expression] = self._name(whole)
        return self._read[expression]

    def _name(self, expression: Expr) -> Expr:
        """A symbol for an expression of one operation."""
        if expression.is_Mul:
            expression = Mul(*map(self._factor, expression.args))
        elif expression.is_Add:
            expression = self._collect(expression)
        if expression.is_Symbol or isinstance(expression, Number):
            return expression
        factor, rest = expression.as_coeff_Mul() if expression.is_Mul else (S.One, expression)
        if rest.is_Symbol:
            return expression
        if factor is not S.One:
            # numbers stay in front: sums of equal terms collapse by themselves
            return Mul(factor, self._name(rest))
        if expression not in self._names:
            symbol = Symbol(f"x{len(self.lines)}", real=True)
            self._names[expression] = symbol
            self.lines[symbol] = expression
        return self._names[expression]

    def _written_out(self, symbol: Expr, kind) -> Expr:
        """The line behind a symbol if it is of this kind: products are equal however they came about."""
        line = self.lines.get(symbol)
        return line if isinstance(line, kind) else symbol

    def _factor(self, symbol: Expr) -> Expr:
        """The same for a factor; powers with a number above are factors too."""
        line = self._written_out(symbol, (Mul, Pow))
        return symbol if line.is_Pow and not line.exp.is_Number else line

    def _collect(self, expression: Expr) -> Expr:
        """A sum without sums among its terms, and c*(a + b) - c*(a + d) as c*(b - d): much cancels in mechanics."""
        groups: dict[Expr, list[Expr]] = {}
        for term in Add.make_args(self._flat(expression)):
            number, symbol = term.as_coeff_Mul()
            factors = Mul.make_args(self._written_out(symbol, Mul))
            sums = [factor for factor in factors if isinstance(self.lines.get(factor), Add)]
            if len(sums) == 1:
                others = Mul(*(factor for factor in factors if factor is not sums[0]))
                groups.setdefault(others, []).append(number * sums[0])
            else:
                groups.setdefault(S.One, []).append(term)
        terms = groups.pop(S.One, [])
        for factor, sums in groups.items():
            terms.append(self._name(factor * (self._name(Add(*sums)) if len(sums) > 1 else sums[0])))
        return Add(*terms)

    def _flat(self, expression: Expr) -> Expr:
        """A sum with the sums among its terms written out."""
        pairs = [term.as_coeff_Mul() for term in expression.args]
        return Add(*(number * part for number, term in pairs for part in Add.make_args(self._written_out(term, Add))))

    def needed(self, results: Iterable[Expr]) -> list[Symbol]:
        """The lines that these results are made of, in order."""
        found, ahead = set(), [symbol for result in results for symbol in result.free_symbols]
        while ahead:
            symbol = ahead.pop()
            if symbol not in found:
                found.add(symbol)
                if symbol in self.lines:
                    ahead.extend(self.lines[symbol].free_symbols)
        return [symbol for symbol in self.lines if symbol in found]

    def inputs(self, results: Iterable[Expr]) -> set[Symbol]:
        """The inputs that these results depend on."""
        results = list(results)
        symbols = {s for line in self.needed(results) for s in self.lines[line].free_symbols}
        return (symbols | {s for result in results for s in result.free_symbols}) - self.lines.keys()

    def along(self, results: Sequence[Expr], direction: Mapping[Symbol, Expr]) -> list[Expr]:
        """Derivatives of results along a direction {input: expression}."""
        rate = dict(direction)
        for symbol in self.needed(results):
            terms = [(partial, rate[at]) for at, partial in self._partial(symbol) if at in rate]
            if terms:
                derivative = self._sum(terms)
                if derivative is not S.Zero:
                    rate[symbol] = derivative
        return [self._linear(result, rate) for result in results]

    def jacobian(self, results: Sequence[Expr], inputs: Sequence[Symbol]) -> dict[tuple[int, int], Expr]:
        """Derivatives of results with respect to inputs that are not zero, row by row."""
        columns = [self.along(results, {symbol: S.One}) for symbol in inputs]
        found = {(i, j): column[i] for j, column in enumerate(columns) for i in range(len(results))}
        return {entry: value for entry, value in sorted(found.items()) if value is not S.Zero}

    def _linear(self, result, rate):
        factor, symbol = result.as_coeff_Mul()
        return self.read(factor * rate[symbol]) if symbol in rate else S.Zero

    def _sum(self, terms):
        return self._name(Add(*(self._name(Mul(partial, rate)) for partial, rate in terms)))

    def _partial(self, line: Symbol) -> list[tuple[Symbol, Expr]]:
        """(symbol, derivative of the line with respect to it) for the symbols of a line."""
        if line not in self._partials:
            expression = self.lines[line]
            self._partials[line] = [(s, self.read(_derivative(expression, s))) for s in _symbols(expression)]
        return self._partials[line]


def _symbols(expression):
    return sorted(expression.free_symbols, key=lambda symbol: symbol.name)


def _derivative(expression: Expr, symbol: Symbol) -> Expr:
    """Of an expression with one operation; sums, products and powers by hand, which is many times faster."""
    if expression.is_Add:
        return Add(*(term.as_coeff_Mul()[0] for term in expression.args if symbol in term.free_symbols))
    if expression.is_Mul:
        factors = [factor for factor in expression.args if symbol in factor.free_symbols]
        if len(factors) == 1:
            others = (other for other in expression.args if other is not factors[0])
            return Mul(*others, _derivative(factors[0], symbol))
    if expression.is_Symbol:
        return S.One
    if expression.is_Pow and expression.base == symbol and expression.exp.is_Number:
        return expression.exp * Pow(symbol, expression.exp - 1)
    return expression.diff(symbol)


def _require_known(expression):
    if isinstance(expression, AppliedUndef | Derivative | Subs | ExprWithLimits):
        raise InputError(
            f"{expression} is neither a coordinate, nor a velocity, nor a known function; "
            f"add it to q, or put an expression in its place"
        )
