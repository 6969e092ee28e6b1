"""What `check` reports."""

# pyright: reportUnknownVariableType=false, reportOperatorIssue=false

from __future__ import annotations

import math
from dataclasses import dataclass

from genalpha.model.units import SI, Units
from genalpha.notebook import of_text

STEPS_PER_PERIOD = 40
STEPS_PER_PACE = 100


def _round(h: float) -> float:
    """The next lower one of 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(h * (1.0 + 1e-9)))
    return float(f"{max(x for x in (1.0, 2.0, 5.0) if x * power <= h * (1.0 + 1e-9)) * power:.0e}")


@dataclass(frozen=True)
class Violation:
    """One row of a constraint at the initial state: level "g", "ġ" or "k", its name, its value, the largest allowed."""

    level: str
    name: str
    value: float
    limit: float

    @property
    def ok(self) -> bool:
        return abs(self.value) <= self.limit


@dataclass(frozen=True)
class Derivative:
    """A given derivative against the computed one, at its worst entry.

    Attributes
    ----------
    name : str
    error : float
        Largest difference over the largest entry, at the worst of three states.
    tolerance : float
        What the error may be, which depends on how the derivative was computed.
    how : str
        "complex step" or "differences".
    entry : str
        Names of the worst entry's row and, for a matrix, column.
    given, computed : float
        Its values.
    """

    name: str
    error: float
    tolerance: float
    how: str
    entry: str
    given: float
    computed: float

    @property
    def ok(self) -> bool:
        return self.error <= self.tolerance

    def __str__(self) -> str:
        text = f"{self.name}: relative error {self.error:.1e} against {self.how}"
        if not self.ok:
            text += f"; worst in {self.entry}: given {self.given:.9g}, computed {self.computed:.9g}"
        return text


@dataclass(frozen=True)
class Report:
    """What `check` found.

    Attributes
    ----------
    t : float
    nq, n, ng, nk, nc, nt : int
        Numbers of coordinates, velocities, holonomic and nonholonomic constraints, contacts, and rows of friction.
    compiled : bool
    why : str
        Why the system runs compiled or interpreted.
    rank : int
        Rank of the constraint gradient B = (G, K).
    redundant : tuple of str
        Rows that depend on others.
    condition : float
        Condition number of the mass matrix.
    frequency : float or None
        The fastest frequency of small motions about the state in Hz, or rate of decay over 2π; 0 if there is none, None
        if it is not known.
    pace : float or None
        The time in which the state changes by about its own size; None if it does not move.
    beat : float or None
        Frequency in Hz of forces, motions and surfaces that are functions of t; None if there are none, or if they do
        not oscillate.
    violations : tuple of Violation
        Every row of g, ġ and k at the initial state.
    derivatives : tuple of Derivative
    notes : tuple of str
        What is worth knowing.
    problems : tuple of str
        What keeps a run from starting, or makes it wrong.
    units : Units
        Of times and frequencies.
    """

    t: float
    nq: int
    n: int
    ng: int
    nk: int
    nc: int
    compiled: bool
    why: str
    rank: int
    redundant: tuple[str, ...]
    condition: float
    frequency: float | None
    pace: float | None
    beat: float | None
    violations: tuple[Violation, ...]
    derivatives: tuple[Derivative, ...]
    notes: tuple[str, ...]
    problems: tuple[str, ...]
    nt: int = 0
    units: Units = SI

    @property
    def ok(self) -> bool:
        """No problems."""
        return not self.problems

    def _repr_html_(self) -> str:
        """A table, in a notebook."""
        return of_text(str(self))

    @property
    def mobility(self) -> int:
        """Degrees of freedom: n − rank B."""
        return self.n - self.rank

    @property
    def h(self) -> float | None:
        """A step size to begin with, 1, 2 or 5 times a power of ten; None if nothing moves.

        At least 40 steps for a period of the fastest frequency, of vibrations or of what is prescribed in time; if
        nothing vibrates, at least 100 for the pace.
        """
        steps = [1.0 / (STEPS_PER_PERIOD * frequency) for frequency in (self.frequency, self.beat) if frequency]
        if self.pace and not self.frequency:
            steps.append(self.pace / STEPS_PER_PACE)
        return _round(min(steps)) if steps else None

    def _speed(self) -> str:
        hertz, second = self.units.of("frequency"), self.units.time
        if self.frequency and self.frequency >= (self.beat or 0.0):
            period = 1.0 / self.frequency
            what, steps = (
                f"fastest frequency {self.frequency:.3g} {hertz}, period {period:.3g} {second}",
                period / self.h,
            )
            return f"{what}; h = {self.h:g} {second} gives it {steps:.0f} steps"
        if self.beat:
            what = f"forces or motions that are functions of t change with about {self.beat:.2g} {hertz}"
            return f"{what}: begin with h = {self.h:g} {second}"
        what = "fastest frequency not computed" if self.frequency is None else "no vibrations at this state"
        if self.h is None:
            return f"{what}, and no motion: choose h by what is to come"
        return (
            f"{what}; it changes by its own size in about {self.pace:.2g} {second}: begin with h = {self.h:g} {second}"
        )

    def __str__(self) -> str:
        counts = {"coordinate": self.nq, "holonomic constraint": self.ng, "nonholonomic constraint": self.nk}
        sizes = [f"{n} {what}{'s' * (n > 1)}" for what, n in {**counts, "contact": self.nc}.items() if n]
        sizes += [f"{self.nt} row{'s' * (self.nt > 1)} of friction"] if self.nt else []
        if self.nq != self.n:
            sizes.insert(1, f"{self.n} velocities")
        lines = [
            f"System at t = {self.t:.9g}: {', '.join(sizes)}",
            f"  runs {self.why}",
            f"  rank of the constraints {self.rank} of {self.ng + self.nk}, degrees of freedom {self.mobility}",
            f"  condition of M {self.condition:.1e}",
            f"  {self._speed()}",
        ]
        for level in dict.fromkeys(violation.level for violation in self.violations):
            worst = max((row for row in self.violations if row.level == level), key=lambda row: abs(row.value))
            lines.append(f"  largest |{level}| {abs(worst.value):.1e} in {worst.name!r}, allowed {worst.limit:.1e}")
        lines += [f"  {derivative}" for derivative in self.derivatives]
        lines += [f"  note: {note}" for note in self.notes]
        lines += [f"  PROBLEM: {problem}" for problem in self.problems]
        return "\n".join([*lines, "  ok" if self.ok else f"  {len(self.problems)} problem(s)"])
