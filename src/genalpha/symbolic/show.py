"""Equations of motion to read: text for a terminal, LaTeX for a notebook."""

from __future__ import annotations

from unicodedata import normalize

from sympy import Symbol, simplify, sstr
from sympy.printing.pretty.pretty_symbology import pretty_symbol

from genalpha.system.block import ALL_KINDS, KINDS, TANGENTIAL

MAX_COORDINATES = 8
MAX_OPERATIONS = 2000
SIMPLIFY_OPERATIONS = 150
DOTS = ("", "\u0307", "\u0308")


def as_text(equations) -> str:
    """One line for every coordinate and every constraint."""
    n, ng, nk, nc = equations.sizes
    counts = [(n, "coordinate"), (ng, "holonomic constraint"), (nk, "nonholonomic constraint"), (nc, "contact")]
    head = ", ".join(f"{count} {what}{'s' * (count > 1)}" for count, what in counts if count)
    params = ", ".join(str(pretty_symbol(p.name)) for p in equations.params)
    lines = [head + (f"; parameters {params}" if params else "")]
    if is_long(equations):
        return "\n".join([*lines, "  too long to print; see .M, .f, .g and .source()"])
    symbols = _symbols(equations)
    lines += [f"  {_text(left, symbols)} = {_text(right, symbols)}" for left, right in motion(equations)]
    for kind in KINDS:
        for i, row in enumerate(getattr(equations, kind.value)):
            sign, note = ("≤", f", e = {_text(equations.e[i], symbols)}") if kind.one_sided else ("=", "")
            lines.append(f"  0 {sign} {_text(row, symbols)}    ({_name(equations, kind, i)}{note})")
    for i, row in enumerate(equations.slip):
        if not row.is_zero:
            note = f"{_multiplier(equations, TANGENTIAL, i)}, mu = {_text(equations.mu[i], symbols)}"
            lines.append(f"  slip = {_text(row, symbols)}    ({note})")
    return "\n".join(lines)


def is_long(equations) -> bool:
    """Would nobody read them?"""
    if len(equations.q) > MAX_COORDINATES:
        return True
    parts = [equations.L] if equations.L is not None else [*equations.mass, *equations.forces]
    return sum(part.count_ops() for part in parts) > MAX_OPERATIONS


def motion(equations):
    """Pairs (row of M v̇, row of f + Gᵀ lam + Kᵀ psi + Nᵀ lam_n + Tᵀ lam_t)."""
    for i, _ in enumerate(equations.q):
        left = sum(equations.M[i, j] * a for j, a in enumerate(equations.vdot))
        right = equations.f[i]
        for kind in ALL_KINDS:
            of = equations.v if kind.of_velocity else equations.q
            for r, row in enumerate(getattr(equations, kind.value)):
                right += row.diff(of[i]) * Symbol(_multiplier(equations, kind, r))
        yield _shorter(left), _shorter(right)


def _shorter(expression):
    return simplify(expression) if expression.count_ops() <= SIMPLIFY_OPERATIONS else expression


def _multiplier(equations, kind, i):
    letter = kind.multiplier
    return letter if len(getattr(equations, kind.value)) == 1 else f"{letter}{i}"


def _name(equations, kind, i):
    names = equations.names.get(kind.value, ())
    multiplier = _multiplier(equations, kind, i)
    return f"{names[i]}: {multiplier}" if names else multiplier


def _symbols(equations):
    """Coordinates and their derivatives as symbols with dots, θ̇₁."""
    found = {}
    for derivatives, dot in zip((equations.q, equations.v, equations.vdot), DOTS, strict=True):
        for q, symbol in zip(equations.q, derivatives, strict=True):
            name = str(pretty_symbol(str(q.func)))
            found[symbol] = Symbol(normalize("NFC", name[0] + dot + name[1:]))
    return found | {p: Symbol(pretty_symbol(p.name)) for p in equations.params}


def _text(expression, symbols) -> str:
    return sstr(expression.xreplace(symbols), full_prec=False).replace("**", "^")


def as_latex(equations) -> str | None:
    """The same, aligned at the equals sign; None if nobody would read it."""
    from sympy.physics.vector import vlatex

    if is_long(equations):
        return None
    letters = _letters(equations)
    rows = [f"{vlatex(left)} &= {vlatex(right, symbol_names=letters)}" for left, right in motion(equations)]
    for kind in KINDS:
        sign = "\\le" if kind.one_sided else "="
        rows += [f"0 &{sign} {vlatex(row)}" for row in getattr(equations, kind.value)]
    return "$\\displaystyle\\begin{aligned}" + r"\\ ".join(rows) + "\\end{aligned}$"


def _letters(equations):
    """Multipliers as λ, ψ and λ with an index n, not as the names that they have in programs."""
    found = {}
    for kind in ALL_KINDS:
        letter, _, index = kind.multiplier.partition("_")
        letter = {"lam": "\\lambda", "psi": "\\psi"}.get(letter, letter)
        rows = getattr(equations, kind.value)
        for i in range(len(rows)):
            indices = [*([index] if index else []), *([str(i + 1)] if len(rows) > 1 else [])]
            name = f"{letter}_{{{','.join(indices)}}}" if indices else letter
            found[Symbol(_multiplier(equations, kind, i))] = name
    return found
