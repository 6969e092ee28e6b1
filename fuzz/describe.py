"""Models as data: calls of the public interface, what their numbers mean, and the same model in another way.

A `Case` holds calls such as ``ga.Revolute("j1", "b0", "b1", at=(...), axis=(...))`` before they are made. `FIELDS` says
of every number whether it is a point, a direction or neither, and its dimension, so that a case can be turned, shifted
in space and time, and written in other units; and it can be printed as a script.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import genalpha as ga
from genalpha.math import so3

# exponents of mass, length and time
ONE, L, M, T = (0, 0, 0), (0, 1, 0), (1, 0, 0), (0, 0, 1)
RATE, SPEED, ACCELERATION = (0, 0, -1), (0, 1, -1), (0, 1, -2)
FORCE, TORQUE, INERTIA = (1, 1, -2), (1, 2, -2), (1, 2, 0)
STIFFNESS, DAMPER = (1, 0, -2), (1, 0, -1)

BODY = {"mass": ("number", M), "position": ("point", L), "velocity": ("vector", SPEED)}
JOINT = {
    "at": ("point", L), "axis": ("vector", ONE), "axis_2": ("vector", ONE), "normal": ("vector", ONE),
    "at_a": ("point", L), "at_b": ("point", L), "centre": ("point", L), "plane": ("point", L),
    "on_a": ("number", L), "on_b": ("number", L), "length": ("number", L), "radius": ("number", L),
    "radii": ("number", L), "radius_a": ("number", L), "radius_b": ("number", L),
}  # fmt: skip
LINE = {
    "start": ("point", L), "end": ("point", L), "velocity": ("vector", SPEED), "angular_velocity": ("spin", RATE),
    "across": ("vector", ONE), "viscosity": ("number", T), "rayleigh": ("number", [RATE, T]),
}  # fmt: skip
RIGID = {
    "EA": ("number", FORCE), "GA": ("number", FORCE), "EI": ("number", (1, 3, -2)), "GJ": ("number", (1, 3, -2)),
    "mass": ("number", (1, -1, 0)), "inertia": ("number", (1, 1, 0)),
}  # fmt: skip
BUSHING = [(STIFFNESS, TORQUE), (DAMPER, (1, 2, -1))]

FIELDS: dict[str, dict[str, tuple[str, Any]]] = {
    "Model": {"gravity": ("vector", ACCELERATION)},
    "RigidBody": {**BODY, "inertia": ("number", INERTIA), "orientation": ("turn", ONE),
                  "angular_velocity": ("spin", RATE), "density": ("number", (1, -3, 0))},
    "PointMass": BODY,
    "Sphere": {"radius": ("number", L)},
    "Box": {"size": ("number", L)},
    "Capsule": {"radius": ("number", L), "length": ("number", L)},
    "Cylinder": {"radius": ("number", L), "length": ("number", L)},
    "Plane": {"point": ("point", L), "normal": ("vector", ONE)},
    "SpringDamper": {**JOINT, "stiffness": ("number", STIFFNESS), "damping": ("number", DAMPER)},
    "PointForce": {"force": ("vector", FORCE), "at": ("point", L), "on": ("number", L)},
    "Torque": {"torque": ("spin", TORQUE)},
    "TorsionSpring": {"stiffness": ("number", TORQUE), "damping": ("number", (1, 2, -1))},
    "Bushing": {"stiffness": ("number", None), "damping": ("number", None), "at": ("point", L), "axes": ("axes", ONE)},
    "PointDrive": {"at": ("point", L), "on": ("number", L)},
    "Beam": LINE, "Bar": LINE, "Rigidity": RIGID,
    "GeneralizedAlpha": {"baumgarte": ("number", RATE)},
}  # fmt: skip


@dataclass(frozen=True)
class Law:
    """A function of the user's: its source, with the values of its parameters in braces, and what they mean."""

    source: str
    values: dict[str, tuple[Any, str, Any]]
    marked: bool = False

    def text(self) -> str:
        written = self.source.format(**{name: show(value) for name, (value, _, _) in self.values.items()})
        return f"ga.evaluator({written})" if self.marked else written

    def make(self):
        return eval(self.text(), {"np": np, "ga": ga})


@dataclass(frozen=True)
class Call:
    """A call of the public interface; ``dims`` are dimensions that the kind alone does not tell."""

    kind: str
    name: str | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    dims: dict[str, tuple[str, Any]] = field(default_factory=dict)

    def make(self):
        words = {key: _made(value) for key, value in self.fields.items()}
        return getattr(ga, self.kind)(*([] if self.name is None else [self.name]), **words)

    def text(self) -> str:
        words = [f"{key}={show(value)}" for key, value in self.fields.items()]
        return f"ga.{self.kind}({', '.join([repr(self.name)] * (self.name is not None) + words)})"

    def changed(self, change) -> Call:
        """With every number changed by ``change(value, how, dimension)``."""
        table, found = {**JOINT, **FIELDS.get(self.kind, {})}, {}
        if self.fields.get("follows"):  # turns with the body
            table |= {"force": ("number", FORCE), "torque": ("number", TORQUE)}
        for key, value in self.fields.items():
            how, dimension = self.dims.get(key) or table.get(key, ("none", ONE))
            if dimension is None:  # a bushing: half of its motions are rotations
                pair = BUSHING[key == "damping"]
                dimension = [*[pair[0]] * (2 if len(value) == 3 else 3), *[pair[1]] * (1 if len(value) == 3 else 3)]
            found[key] = _changed(value, how, dimension, change)
        return replace(self, fields=found)


def _made(value):
    if isinstance(value, Call | Law):
        return value.make()
    return [_made(one) for one in value] if isinstance(value, list) else value


def _changed(value, how, dimension, change):
    if isinstance(value, Call):
        return value.changed(change)
    if isinstance(value, Law):
        return replace(value, values={k: (_changed(v, h, d, change), h, d) for k, (v, h, d) in value.values.items()})
    if isinstance(value, list):
        return [_changed(one, how, dimension, change) for one in value]
    if value is None or isinstance(value, str | bool) or how == "none":
        return value
    return change(value, how, dimension)


def show(value) -> str:
    """As Python writes it."""
    if isinstance(value, Call | Law):
        return value.text()
    if isinstance(value, list):
        return f"[{', '.join(map(show, value))}]"
    if isinstance(value, np.ndarray | tuple):
        return repr(tuple(np.asarray(value).tolist()) if np.ndim(value) < 2 else np.asarray(value).tolist())
    return repr(value.item() if isinstance(value, np.generic) else value)


def plain(array):
    """Numbers as a tuple (of tuples), or a float."""
    array = np.asarray(array, dtype=float)
    if array.ndim == 0:
        return float(array)
    return tuple(plain(one) for one in array)


# ---------------------------------------------------------------- changes


def in_units(units):
    """Numbers in units in which kilogram, metre and second are these numbers."""

    def factor(dimension):
        return float(np.prod([unit**power for unit, power in zip(units, dimension, strict=True)]))

    def change(value, how, dimension):
        if isinstance(dimension, list):
            return plain(np.asarray(value) * [factor(one) for one in dimension])
        return plain(np.asarray(value, dtype=float) * factor(dimension))

    return change


def in_frame(p, shift):
    """Turned by the unit quaternion p and shifted; in a plane p is an angle."""
    planar = np.ndim(p) == 0
    R = np.array([[np.cos(p), -np.sin(p)], [np.sin(p), np.cos(p)]]) if planar else so3.matrix(p)

    def change(value, how, dimension):
        if how == "point" and planar and len(value) == 3:  # states of planar bodies have three coordinates
            return plain([*(R @ np.asarray(value[:2]) + shift), value[2]])
        if how == "point":
            return plain(R @ np.asarray(value) + shift)
        if how == "vector" or (how == "spin" and not planar):
            return plain(R @ np.asarray(value))
        if how == "axes":
            return plain(R @ np.asarray(value))
        if how == "turn":
            return float(value + p) if planar else plain(so3.multiply(p, np.asarray(value)))
        return value

    return change


def later(delay):
    """Functions of time begin later."""
    return lambda value, how, dimension: value + delay if how == "begin" else value


# ---------------------------------------------------------------- cases


@dataclass(frozen=True)
class Case:
    """A model or a system, and how it is run."""

    family: str
    model: Call
    bodies: tuple[Call, ...] = ()
    parts: tuple[Call, ...] = ()
    method: Call = field(default_factory=lambda: Call("GeneralizedAlpha"))
    h: float = 1e-3
    steps: int = 50
    t0: float = 0.0
    options: dict[str, Any] = field(default_factory=dict)
    units: tuple[float, float, float] = (1.0, 1.0, 1.0)
    compiled: bool = True

    @property
    def planar(self) -> bool:
        return bool(self.model.fields.get("planar"))

    @property
    def span(self) -> tuple[float, float]:
        return self.t0, self.t0 + self.steps * self.h

    def everything(self) -> tuple[Call, ...]:
        return (*self.bodies, *self.parts)

    def has(self, *kinds: str) -> bool:
        return any(call.kind in kinds for call in self.everything())

    @property
    def has_functions(self) -> bool:
        return any(isinstance(value, Law) for call in self.everything() for value in call.fields.values())

    @property
    def touches(self) -> bool:
        return self.has("Contact", "ContactGroup")

    def changed(self, change, **more) -> Case:
        """With every number changed."""
        calls = {name: tuple(c.changed(change) for c in getattr(self, name)) for name in ("bodies", "parts")}
        return replace(self, model=self.model.changed(change), method=self.method.changed(change), **calls, **more)

    def build(self):
        """The assembled model."""
        model = self.model.make()
        for call in self.everything():
            model.add(call.make())
        return model.assemble()

    def script(self) -> str:
        """Lines that make and run it."""
        lines = ["import numpy as np", "import genalpha as ga", "", f"model = {self.model.text()}"]
        lines += [f"model.add({call.text()})" for call in self.everything()]
        return "\n".join([*lines, self.run_line("model")])

    def run_line(self, system: str, state: str = "") -> str:
        words = [f"{key}={show(value)}" for key, value in self.options.items()]
        step = [] if "rtol" in self.options else [f"h={self.h!r}"]
        return f"sol = ga.solve({system}, {self.span!r}, {state}method={self.method.text()}, {', '.join(step + words)})"
