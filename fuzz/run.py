"""Runs of cases: what is integrated, where everything is, and how large things are."""

from __future__ import annotations

import contextlib
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import genalpha as ga
from fuzz.describe import Case
from fuzz.functional import Functional
from fuzz.sliding import Scene
from genalpha.model.leaves.evaluators import MODULES
from genalpha.model.system import ModelSystem

COMPILED = {
    (), ("coupled_rows",), ("gaps",), ("slots",), ("beam2d",), ("beam3d",), ("rolling_rows",),
    ("counters", "coupled_rows", "joint_loads"),
}  # fmt: skip
"""Families of evaluators that run compiled. The others, and models with functions, would each be compiled for seconds;
they run interpreted, by the same leaves."""


class Interpreted(ModelSystem):
    """An assembled model whose steps run in the interpreter."""

    compiled = False

    def contract(self, t0, q0, v0, compiled=False):
        return super().contract(t0, q0, v0, False)


def families_of(system: ModelSystem) -> tuple[str, ...]:
    """The families of evaluators that a model uses."""
    used = (module for module, sections in MODULES.items() if any(system.assembly.layout.count(s) for s in sections))
    return tuple(module.rpartition(".")[2] for module in used)


def build(case, compiled: bool | None = None):
    """(system, q0, v0); by default models run compiled where that compiles nothing new."""
    system = case.build()
    if isinstance(case, Functional):
        return system, list(case.q0), list(case.v0)
    if isinstance(case, Scene):
        return system, *case.start()
    if compiled is None:
        compiled = families_of(system) in COMPILED and not case.has_functions
    if not compiled:
        system = Interpreted(system.model, system.assembly, system.data, system.q0, system.v0)
    return system, None, None


@contextlib.contextmanager
def strict():
    """Warnings of ours are for users to read, others are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=ga.GenalphaWarning)
        warnings.filterwarnings("ignore", message="First-class function type feature is experimental")
        yield


def solve(case, compiled: bool | None = None, **more):
    """Run a case."""
    with strict():
        system, q0, v0 = build(case, compiled)
        words = dict(case.options)
        if "rtol" not in words:
            words["h"] = case.h * (case.units[2] if isinstance(case, Scene) else 1.0)
        return Run(case, ga.solve(system, case.span, q0, v0, case.method.make(), **{**words, **more}))


@dataclass(frozen=True, eq=False)
class Run:
    """A case and its solution; all results are in SI units."""

    case: Any
    sol: ga.Solution

    @property
    def is_model(self) -> bool:
        return isinstance(self.case, Case)

    @cached_property
    def names(self) -> list[str]:
        return [body.name for body in self.sol.system.model.bodies]

    @cached_property
    def t(self):
        return self.sol.t / self.case.units[2]

    @cached_property
    def x(self) -> np.ndarray:
        """Places (nt, bodies, 3) in m, by the order of names; of functions the coordinates (nt, n, 1)."""
        _, length, _ = self.case.units
        if not self.is_model:
            return (self.sol.q / self._coordinates(0))[:, :, None]
        return np.stack([self.sol[name].position for name in sorted(self.names)], axis=1) / length

    @cached_property
    def v(self) -> np.ndarray:
        """Velocities (nt, bodies, 3) in m/s."""
        _, length, time = self.case.units
        if not self.is_model:
            return (self.sol.v / self._coordinates(-1))[:, :, None]
        return np.stack([self.sol[name].velocity for name in sorted(self.names)], axis=1) / length * time

    @cached_property
    def R(self) -> np.ndarray:
        """Rotations (nt, bodies, 3, 3)."""
        if not self.is_model:
            return np.zeros((len(self.sol.t), 0, 3, 3))
        return np.stack([self.sol[name].rotation for name in sorted(self.names)], axis=1)

    @cached_property
    def w(self) -> np.ndarray:
        """Angular velocities (nt, bodies, 3) in 1/s."""
        if not self.is_model:
            return np.zeros((len(self.sol.t), 0, 3))
        return np.stack([self.sol[name].angular_velocity for name in sorted(self.names)], axis=1) * self.case.units[2]

    def _coordinates(self, time):
        """One in the units of each coordinate (or of its rate)."""
        powers = np.add(np.array(self.case.dims[1], dtype=float), (0.0, 0.0, time))
        return np.prod(np.asarray(self.case.units) ** powers, axis=1)

    @cached_property
    def extent(self) -> float:
        """How far the motion and the places of the parts reach, in m."""
        points = [self.x.reshape(-1, self.x.shape[-1])]
        if not self.is_model:
            return float(np.ptp(points[0])) + float(np.abs(points[0]).max()) + 1e-3
        for call in self.case.everything():
            for name in ("at", "start", "end", "centre"):
                if call.fields.get(name) is not None:
                    at = np.asarray(call.fields[name])
                    points.append(np.append(at, np.zeros(3 - len(at)))[None] / self.case.units[1])
        points = np.concatenate(points)
        return float(np.abs(points - points.mean(axis=0)).max()) + 1e-3

    @cached_property
    def fastest(self) -> float:
        """The largest velocity of all, in m/s; rotations count with the extent."""
        turning = float(np.abs(self.w).max()) * 0.1 * self.extent if self.w.size else 0.0
        # at rest velocities are round-off: small against crossing a part of the extent within the run
        return max(float(np.abs(self.v).max()), turning) + 1e-2 * self.extent / float(np.ptp(self.t) + 1e-9)

    @property
    def has_energy(self) -> bool:
        return self.is_model or self.case.conserves

    @cached_property
    def energy(self):
        """Kinetic plus potential energy (nt,), in J."""
        mass, length, time = self.case.units
        return self.sol.energy.sum(axis=1) / (mass * length**2 / time**2)

    @cached_property
    def kinetic(self):
        mass, length, time = self.case.units
        return self.sol.energy[:, 0] / (mass * length**2 / time**2)
