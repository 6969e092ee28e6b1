"""Constraint rows as values: what kind they are, and the blocks in which a system has them.

A *kind* is what the schemes know: at which levels its rows are enforced, and which evaluators of the contract give
them. There is one set of evaluators for each kind, whatever the system.

==============  ========================  =========  ====================================
kind            rows                      force      enforced at the levels of
==============  ========================  =========  ====================================
HOLONOMIC       g(t, q) = 0               Gᵀ lam     position, velocity, acceleration
NONHOLONOMIC    k(t, q, v) = 0            Kᵀ psi     velocity, acceleration
UNILATERAL      gap(t, q) ≥ 0             Nᵀ lam_n   position, velocity, acceleration
TANGENTIAL      slip(t, q, v)             Tᵀ lam_t   velocity, acceleration, where it sticks
==============  ========================  =========  ====================================

The first three are stacked, and are what is meant by all constraint rows. Rows of friction are apart: their forces are
bounded by those of contacts, or by given numbers, see `genalpha.system.friction`.

A *block* is a family of rows of one kind, with names and multipliers of its own. Most systems have the three of
`BLOCKS`, one of each kind; those with friction have blocks of `FRICTION` too. Several of one kind lie behind one
another: the schemes see their rows as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from unicodedata import normalize

POSITION, VELOCITY, ACCELERATION = "position", "velocity", "acceleration"


@dataclass(frozen=True)
class Kind:
    """What the schemes know of rows.

    Attributes
    ----------
    value, gradient, bias : str
        Evaluators of the contract: the rows, the values of B, the rest of their derivatives B v̇ + bias.
    rate : str or None
        The evaluator of ∂/∂t; None where the value is a velocity itself.
    multiplier : str
        The column of a solution that holds the multipliers.
    of_velocity : bool
        Value and gradient take (t, q, v); otherwise (t, q).
    one_sided : bool
        The rows are not zero but not negative, and neither are their multipliers.
    """

    value: str
    gradient: str
    rate: str | None
    bias: str
    multiplier: str
    of_velocity: bool = False
    one_sided: bool = False

    @property
    def levels(self) -> tuple[str, ...]:
        """Where the rows can be enforced."""
        return (VELOCITY, ACCELERATION) if self.of_velocity else (POSITION, VELOCITY, ACCELERATION)

    def state(self, q: Any, v: Any) -> tuple[Any, ...]:
        """What value and gradient take behind t."""
        return (q, v) if self.of_velocity else (q,)


HOLONOMIC = Kind("g", "G", "g_t", "g_bias", "lam")
NONHOLONOMIC = Kind("k", "K", None, "k_bias", "psi", of_velocity=True)
UNILATERAL = Kind("gap", "N", "gap_t", "gap_bias", "lam_n", one_sided=True)

TANGENTIAL = Kind("slip", "T", None, "slip_bias", "lam_t", of_velocity=True)

KINDS = (HOLONOMIC, NONHOLONOMIC, UNILATERAL)
"""In the order in which rows are stacked."""

ALL_KINDS = (*KINDS, TANGENTIAL)

BILATERAL = (HOLONOMIC, NONHOLONOMIC)


@dataclass(frozen=True, eq=False)
class Block:
    """A family of rows of one kind.

    Attributes
    ----------
    name : str
        In messages and results, and of the function that gives the rows of a `System`.
    kind : Kind
    multiplier : str
        The name of its multipliers in results.
    count : str
        How a `System` is told the number of rows.
    names : sequence of str
        Of the rows; as many as there are. A system has them in its contract only.
    """

    name: str
    kind: Kind
    multiplier: str
    count: str
    names: Sequence[str] = ()

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.names)

    def of(self, names: Sequence[str]) -> Block:
        """The block with these rows."""
        return replace(self, names=names)

    def symbol(self, level: str) -> str:
        """What is zero at a level: its name, with a dot for each derivative in time: g, ġ, g̈; k."""
        dots = "\u0307\u0308"[self.kind.levels.index(level) - 1 : self.kind.levels.index(level)]
        return normalize("NFC", f"{self.name[0]}{dots}{self.name[1:]}")

    @property
    def gradient(self) -> str:
        """The derivative B that users may give: g_q, k_v, gap_q."""
        return f"{self.name}_v" if self.kind.of_velocity else f"{self.name}_q"

    @property
    def derivatives(self) -> dict[str, str]:
        """The derivatives that users may give, and of what they are: q, v, t, or the second one along the motion."""
        variables = ("v", "q", "t") if self.kind.of_velocity else ("q", "t", "bias")
        return {f"{self.name}_{variable}": variable for variable in variables}


BLOCKS = (
    Block("g", HOLONOMIC, "lam", "ng"),
    Block("k", NONHOLONOMIC, "psi", "nk"),
    Block("gap", UNILATERAL, "lam_n", "nc"),
)
"""Those of every system; others are put behind the ones of their kind."""

SLIP, DRY = Block("slip", TANGENTIAL, "lam_t", "nt"), Block("dry", TANGENTIAL, "dry_force", "nd")
FRICTION = (SLIP, DRY)
"""Those of systems with friction: slip velocities of contacts, then those of dry friction with bounds of its own."""


def within_kind(blocks: Sequence[Block], block: Block) -> slice:
    """The place of a block among the rows of its kind."""
    alike = [other for other in blocks if other.kind == block.kind]
    before = [other.name for other in alike].index(block.name)
    first = sum(len(other) for other in alike[:before])
    return slice(first, first + len(block))


def stacked(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Blocks in the order of their rows: kind by kind."""
    return tuple(sorted(blocks, key=lambda block: ALL_KINDS.index(block.kind)))


KIND_OF = {name: kind for kind in ALL_KINDS for name in (kind.value, kind.gradient, kind.rate, kind.bias) if name}
"""Which evaluators of the contract belong to rows, and to which."""


def evaluator_takes_v(name: str) -> bool:
    """Does this evaluator of rows take the velocity?"""
    kind = KIND_OF[name]
    return kind.of_velocity or name == kind.bias
