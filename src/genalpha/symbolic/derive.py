"""From the expressions of a mechanical system to those of the contract: exact derivatives, and where they are zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sympy import Add, Expr, S, Symbol

from genalpha.errors import InputError
from genalpha.symbolic.program import Program
from genalpha.system.block import KINDS, TANGENTIAL


@dataclass(frozen=True)
class Letters:
    """The symbols of all expressions: what users write is replaced by these."""

    n: int
    n_params: int
    m: int  # rows of g, k and gap

    t = Symbol("t", real=True)

    def _symbols(self, letter, count):
        return [Symbol(f"{letter}{i}", real=True) for i in range(count)]

    @property
    def q(self):
        return self._symbols("q", self.n)

    @property
    def v(self):
        return self._symbols("v", self.n)

    @property
    def vdot(self):
        return self._symbols("vdot", self.n)

    @property
    def mu(self):
        return self._symbols("mu", self.m)

    @property
    def p(self):
        return self._symbols("p", self.n_params)


@dataclass(frozen=True)
class Mechanics:
    """A mechanical system in `Letters`.

    Either a Lagrangian L is given, and f has the forces that do not follow from it, or the mass matrix M, the whole
    force f, and kinetic and potential energy, if they are known.
    """

    letters: Letters
    f: Sequence[Expr]
    L: Expr | None = None
    M: Sequence[Sequence[Expr]] | None = None
    g: Sequence[Expr] = ()
    k: Sequence[Expr] = ()
    gap: Sequence[Expr] = ()
    energy: Sequence[Expr] = ()
    slip: Sequence[Expr] = ()


@dataclass
class Output:
    """What one evaluator gives: the values of a vector, or those of a matrix on a pattern."""

    values: list[Expr]
    rows: list[int] | None = None
    cols: list[int] | None = None
    constant: bool = False  # depends on parameters alone


@dataclass
class Derived:
    """What all evaluators give by name, and the program that computes them."""

    program: Program
    outputs: dict[str, Output] = field(default_factory=dict)


def derive(mechanics: Mechanics) -> Derived:
    """Everything that the contract asks for."""
    program, z = Program(), mechanics.letters
    found = Derived(program)
    motion = {z.t: S.One, **dict(zip(z.q, z.v, strict=True))}  # d/dt at constant v

    def vector(name, values):
        found.outputs[name] = Output(list(values))

    def matrix(name, entries):
        values = list(entries.values())
        constant = not program.inputs(values) & {z.t, *z.q}
        found.outputs[name] = Output(values, [i for i, _ in entries], [j for _, j in entries], constant)

    f, M, inertia = _dynamics(program, mechanics, motion)
    _require_mass_of_position(program, mechanics, M)
    matrix("M", _with_diagonal(M, z.n))
    vector("f", f)
    residual = [[a, -b] for a, b in zip(inertia, f, strict=True)]  # terms of M v̇ − f − Gᵀ lam − Kᵀ psi − Nᵀ lam_n
    first = 0
    for kind in KINDS:
        rows = [program.read(row) for row in getattr(mechanics, kind.value)]
        entries = program.jacobian(rows, z.v if kind.of_velocity else z.q)
        vector(kind.value, rows)
        matrix(kind.gradient, entries)
        rates = program.along(rows, motion)
        if kind.rate is None:
            vector(kind.bias, rates)
        else:
            vector(kind.rate, program.along(rows, {z.t: S.One}))
            vector(kind.bias, program.along(rates, motion))
        for (i, j), value in entries.items():
            residual[j].append(program.read(-value * z.mu[first + i]))
        first += len(rows)
    if mechanics.slip:  # stiffness and damping know nothing of friction
        rows = [program.read(row) for row in mechanics.slip]
        vector(TANGENTIAL.value, rows)
        matrix(TANGENTIAL.gradient, program.jacobian(rows, z.v))
        vector(TANGENTIAL.bias, program.along(rows, motion))
    residual = [program.read(Add(*terms)) for terms in residual]
    matrix("stiffness", program.jacobian(residual, z.q))
    matrix("damping", program.jacobian(residual, z.v))
    if mechanics.L is not None:
        vector("energy", _energy(program, mechanics))
    elif mechanics.energy:
        vector("energy", [program.read(part) for part in mechanics.energy])
    return found


def _with_diagonal(M, n):
    return dict(sorted({**{(i, i): S.Zero for i in range(n)}, **M}.items()))


def _dynamics(program, mechanics, motion):
    """(f, M, M v̇) of M v̇ = f."""
    z = mechanics.letters
    forces = [program.read(force) for force in mechanics.f]
    to_vdot = dict(zip(z.v, z.vdot, strict=True))
    if mechanics.L is None:
        M = {(i, j): program.read(entry) for i, row in enumerate(mechanics.M) for j, entry in enumerate(row)}
        M = {entry: value for entry, value in M.items() if value is not S.Zero}
        inertia = [S.Zero] * z.n
        for (i, j), value in M.items():
            inertia[i] = program.read(inertia[i] + value * z.vdot[j])
        return forces, M, inertia
    L = program.read(mechanics.L)
    momenta = [program.along([L], {v: S.One})[0] for v in z.v]
    from_L = [program.along([L], {q: S.One})[0] for q in z.q]
    rates = program.along(momenta, motion)
    f = [program.read(a + b - c) for a, b, c in zip(from_L, forces, rates, strict=True)]
    return f, program.jacobian(momenta, z.v), program.along(momenta, to_vdot)


def _require_mass_of_position(program, mechanics, M):
    wrong = program.inputs(M.values()) & set(mechanics.letters.v)
    if wrong:
        raise InputError(
            "the mass matrix depends on velocities: the kinetic energy must be quadratic in them; expand or simplify "
            "it first if it is and only does not look so"
        )


def _energy(program, mechanics):
    """Kinetic and potential energy: the terms quadratic in v, and minus those without v.

    Their sum is Jacobi's integral v·∂L/∂v − L, which is conserved if L does not depend on time.
    """
    z = mechanics.letters
    L = program.read(mechanics.L)
    at_rest = program.read(mechanics.L.xreplace(dict.fromkeys(z.v, S.Zero)))
    power = program.read(sum(v * program.along([L], {v: S.One})[0] for v in z.v))
    return [program.read(power - L + at_rest), program.read(-at_rest)]
