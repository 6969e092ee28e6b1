"""What results by name share: the part and its quantities; the reactions of all joints, Gᵀλ + Kᵀψ, in one pass."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportMissingParameterType=false, reportUntypedFunctionDecorator=false
# pyright: reportAttributeAccessIssue=false, reportFunctionMemberAccess=false

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from genalpha.compiled.jit import jit_is_on, leaf, plain
from genalpha.compiled.views import viewed
from genalpha.errors import InputError
from genalpha.inputs import Array
from genalpha.system.compiling import VECTOR, signatures

if TYPE_CHECKING:
    from genalpha.model.places import Place
    from genalpha.model.system import ModelSystem

ABOUT = ("part", "planar", "quantities")
"""Attributes that are not results."""


class NoResult(InputError, AttributeError):
    """A part has no result of this name."""


@dataclass(frozen=True)
class PartResult:
    """Results of the part ``name`` of a model, along a solution or at other states that have its columns.

    ``force`` and ``torque`` are vectors in space, on body b of what connects two, ``effort`` is what acts along a
    coordinate of a joint; ``energy`` is stored, ``power`` is given to the motion. ``quantities`` lists what there is.
    """

    system: ModelSystem = field(repr=False)
    solution: Any = field(repr=False)
    name: str

    @property
    def part(self) -> Any:
        """The part of the model."""
        return self.system.model.parts[self.name]

    @property
    def planar(self) -> bool:
        """Is the model planar?"""
        return self.system.model.planar

    def place_of(self, body: Any) -> Place:
        """Where a body of the model is among the coordinates."""
        return self.system.assembly.places[self.system.model.name_of(body)]

    @property
    def quantities(self) -> tuple[str, ...]:
        """The names of all results of this part."""
        kinds = (property, cached_property)
        found = {name for one in type(self).__mro__ for name, value in vars(one).items() if isinstance(value, kinds)}
        absent = {*ABOUT, *self._absent()}
        return tuple(sorted(name for name in found if not name.startswith("_") and name not in absent))

    def _absent(self) -> tuple[str, ...]:
        """Results of other parts of this kind that this one has not."""
        return ()

    def main(self) -> tuple[str, ...]:
        """The results that say most about it, for figures."""
        return self.quantities[:1]

    def dimension(self, quantity: str) -> str | tuple[str, ...]:
        """What a result is, for its unit; several where its columns differ: see `genalpha.model.units.Units.of`."""
        return DIMENSIONS.get(quantity, "")

    def items(self, quantity: str) -> list[str]:
        """The names of what a result has a column for, if it is that of several: of points, joints, bodies."""
        return []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "name" not in vars(self):
            raise AttributeError(f"a {type(self).__name__} has no attribute {name!r}")
        raise self.no_result(name)

    def no_result(self, name: str) -> NoResult:
        """What there is instead of a result that there is not."""
        near = get_close_matches(name, self.quantities, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return NoResult(f"{self.name!r} has no {name!r}; there are {', '.join(self.quantities)}{hint}")


DIMENSIONS = {
    "position": "length", "velocity": "speed", "acceleration": "acceleration", "angular_velocity": "spin",
    "angle": "angle", "rate": "spin", "displacement": "length", "speed": "speed",
    "force": "force", "torque": "torque", "moment": "torque", "tension": "force", "push": "force",
    "energy": "energy", "kinetic_energy": "energy", "potential_energy": "energy", "power": "power",
    "gap": "length", "gap_velocity": "speed", "impulse": "impulse", "length": "length", "tip": "length", "s": "length",
    "ends": "length", "friction_force": "force", "slip": "speed", "friction_impulse": "impulse",
    "friction_margin": "force", "friction_work": "energy", "drilling_torque": "torque",
}  # fmt: skip
"""Of results by name: what they are, for their units."""


Table = NDArray[np.int64]

ENTRY, ROW, COLUMN = range(3)
"""Rows of a table: an entry of G or K, the multiplier it belongs to, and the column of the reactions it is added to."""

FEW = 100
"""Up to so many rows nobody waits for compiled evaluators, which a solution may come without."""


@leaf
def add_reactions(G, K, rows, data, tables, values, out):
    """Add Gᵀλ + Kᵀψ to ``out``, (nt, columns); G and K are evaluated once in every row.

    ``rows`` are t, q, v, lam, psi; ``tables`` and ``values``, space to evaluate them, are those of G and of K.
    """
    (t, q, v, lam, psi), (of_G, of_K), (G_values, K_values) = rows, tables, values
    q, v, lam, psi, out = viewed(q), viewed(v), viewed(lam), viewed(psi), viewed(out)
    data, G_values, K_values = viewed(data), viewed(G_values), viewed(K_values)
    for i in range(t.size):
        if of_G.shape[1] > 0:
            G(t[i], q[i], data, G_values)
        for j in range(of_G.shape[1]):
            out[i, of_G[COLUMN, j]] += G_values[of_G[ENTRY, j]] * lam[i, of_G[ROW, j]]
        if of_K.shape[1] > 0:
            K(t[i], q[i], v[i], data, K_values)
        for j in range(of_K.shape[1]):
            out[i, of_K[COLUMN, j]] += K_values[of_K[ENTRY, j]] * psi[i, of_K[ROW, j]]


@functools.cache
def _compiled() -> Any:
    """`add_reactions` for any G and K: it takes them as function pointers."""
    if not jit_is_on():
        return add_reactions
    matrix, table = types.Array(types.float64, 2, "C"), types.Array(types.int64, 2, "C")
    kinds, function = signatures(), types.FunctionType
    rows = types.Tuple((VECTOR, matrix, matrix, matrix, matrix))
    tables, values = types.UniTuple(table, 2), types.UniTuple(VECTOR, 2)
    add_reactions.compile((function(kinds.G), function(kinds.K), rows, VECTOR, tables, values, matrix))
    add_reactions.disable_compile()
    return add_reactions


@dataclass(frozen=True)
class Reactions:
    """Reactions of all joints of a model along a solution, evaluated when the first of them is wanted."""

    system: Any = field(repr=False)
    solution: Any = field(repr=False)

    def of(self, name: str) -> Array:
        """Reaction (nt, nv) of a joint on the body that `side` names, as its equations of motion have it."""
        return self._all[:, self._columns[name]]

    def side(self, name: str) -> int:
        """The body whose reactions are computed: 1 is b, 0 is a if b is the ground."""
        return int(self._places(name)[1].v >= 0)

    def _places(self, name: str) -> list[Any]:
        model, joint = self.system.model, self.system.model.parts[name]
        return [self.system.assembly.places[model.name_of(body)] for body in (joint.a, joint.b)]

    @functools.cached_property
    def _columns(self) -> dict[str, slice]:
        """Where the reactions of a joint are among those of all."""
        columns, end = {}, 0
        for joint in self.system.model.joints:
            begin, end = end, end + self._places(joint.name)[self.side(joint.name)].nv
            columns[joint.name] = slice(begin, end)
        return columns

    def _table(self, pattern, rows) -> Table:
        """Which entries of a matrix go into which column of the reactions."""
        found = [np.zeros((3, 0), dtype=np.int64)]
        for name, columns in self._columns.items():
            place, own = self._places(name)[self.side(name)], rows[name]
            keep = (pattern.rows >= own.start) & (pattern.rows < own.stop)
            keep &= (pattern.cols >= place.v) & (pattern.cols < place.v + place.nv)
            entries = np.flatnonzero(keep)
            found.append(np.array([entries, pattern.rows[keep], pattern.cols[keep] - place.v + columns.start]))
        return np.ascontiguousarray(np.hstack(found), dtype=np.int64)

    @functools.cached_property
    def _all(self) -> Array:
        """Reactions (nt, columns) of all joints."""
        sol, tables = self.solution, self.system.assembly
        rows = tuple(np.ascontiguousarray(x) for x in (sol.t, sol.q, sol.v, sol.lam, sol.psi))
        out = np.zeros((len(sol.t), sum(own.stop - own.start for own in self._columns.values())))
        if out.size == 0:
            return out
        many = len(sol.t) > FEW
        contract = self.system.contract(0.0, self.system.q0, self.system.v0, compiled=many)
        G, K = contract.patterns["G"], contract.patterns["K"]
        add = _compiled() if many else plain(add_reactions)
        add(
            contract.evaluators.G, contract.evaluators.K, rows, contract.data,
            (self._table(G, tables.joint_rows), self._table(K, tables.k_rows)), (np.zeros(G.size), np.zeros(K.size)),
            out,
        )  # fmt: skip
        return out
