"""Cases without bodies: systems of functions, interpreted and compiled, and of SymPy Lagrangians."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fuzz import laws, ranges, symbolic
from fuzz.describe import RATE, Call, plain
from fuzz.draw import GRAVITY, Draw


@dataclass(frozen=True)
class Functional:
    """A system of one of the kinds of `laws` or `symbolic`, and how it is run."""

    family: str
    kind: str
    p: tuple[float, ...]
    q0: tuple[float, ...]
    v0: tuple[float, ...]
    method: Call
    h: float = 1e-3
    steps: int = 50
    t0: float = 0.0
    options: dict[str, Any] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)
    units: tuple[float, float, float] = (1.0, 1.0, 1.0)

    planar = has_functions = False

    @property
    def span(self):
        return self.t0, self.t0 + self.steps * self.h

    @property
    def dims(self):
        """Of p and of q."""
        if self.family == "symbolic":
            return symbolic.KINDS[self.kind][1:]
        kind = laws.KINDS[self.kind]
        return kind.p, kind.q

    @property
    def touches(self):
        return self.kind in ("line", "crane")

    @property
    def conserves(self):
        return self.kind in ("double", "wire") or (self.kind in laws.KINDS and laws.KINDS[self.kind].conserves)

    def has(self, *kinds):
        return False

    def build(self):
        if self.family == "symbolic":
            return symbolic.system(self.kind, self.p)
        return laws.system(self.kind, list(self.p), self.family == "compiled", **self.more)

    def changed(self, change, **more):
        """With every number changed."""
        p, q = self.dims
        begin = [] if self.family == "symbolic" else [change(self.p[0], "begin", p[0])]
        values = [change(x, "number", d) for x, d in zip(self.p[len(begin) :], p[len(begin) :], strict=True)]
        rates = [tuple(np.add(d, RATE)) for d in q]
        return replace(
            self, p=(*begin, *values), q0=tuple(change(x, "number", d) for x, d in zip(self.q0, q, strict=True)),
            v0=tuple(change(x, "number", d) for x, d in zip(self.v0, rates, strict=True)),
            method=self.method.changed(change), **more,
        )  # fmt: skip

    def script(self):
        module = "symbolic" if self.family == "symbolic" else "laws"
        marked = {"compiled": ", marked=True"}.get(self.family, "")
        more = "".join(f", {key}={value!r}" for key, value in self.more.items())
        words = [f"{key}={value!r}" for key, value in self.options.items()]
        step = [] if "rtol" in self.options else [f"h={self.h!r}"]
        return "\n".join([
            "import genalpha as ga", f"from fuzz import {module}", "",
            f"system = {module}.system({self.kind!r}, {list(self.p)!r}{marked}{more})",
            f"sol = ga.solve(system, {self.span!r}, {list(self.q0)!r}, {list(self.v0)!r}, "
            f"method={self.method.text()}, {', '.join(step + words)})",
        ])  # fmt: skip


def functions(draw: Draw) -> Functional:
    """NumPy functions, without derivatives."""
    return _of_laws(draw, "functions")


def compiled(draw: Draw) -> Functional:
    """The same, compiled."""
    return _of_laws(draw, "compiled")


def _of_laws(draw: Draw, family: str) -> Functional:
    kind = draw.pick(laws.KINDS)
    t0 = 0.0 if draw.chance(0.7) else draw.between((-2.0, 5.0))
    p, q0, v0 = NUMBERS[kind](draw, t0)
    more = {"e": draw.pick(ranges.RESTITUTION)} if kind == "line" else {}
    return _case(draw, family, kind, p, q0, v0, laws.KINDS[kind].methods, t0, more)


def _case(draw, family, kind, p, q0, v0, methods, t0, more=None):
    name = draw.pick(methods)
    rho = draw.pick(ranges.RHO_INF)
    if name == "SOI2":
        method = Call("SOI2", None, {"rho_inf": rho})
    elif name == "MoreauJean":
        method = Call("MoreauJean", None, {"theta": draw.pick((0.5, 1.0))})
    else:
        method = Call("GeneralizedAlpha", None, {"rho_inf": rho, "formulation": name})
    return Functional(family, kind, plain(p), plain(q0), plain(v0), method, draw.pick(ranges.H),
                      draw.whole(ranges.STEPS), t0, {"project": True}, more or {})  # fmt: skip


def _mass(draw):
    return draw.log(ranges.MASS)


def _springs(draw, t0):
    m = [_mass(draw) for _ in range(3)]
    k = min(m) * draw.log(ranges.FREQUENCY) ** 2
    p = [
        t0,
        *m,
        k,
        k * draw.between((0.0, 0.5)),
        1.0,
        max(m),
        draw.between((0.5, 20.0)),
        draw.between((0.0, 1.0)) * min(m),
    ]
    return p, draw.random.uniform(-0.3, 0.3, 3), draw.random.uniform(-1.0, 1.0, 3)


def _hanging(draw, t0):
    l, r = draw.between(ranges.LENGTH), draw.between(ranges.LENGTH)
    one, two = draw.random.uniform(-3.0, 3.0, 2)
    x = np.array([l * np.sin(one), -l * np.cos(one)])
    q0 = np.array([*x, x[0] + r * np.sin(two), x[1] - r * np.cos(two)])
    return [t0, _mass(draw), _mass(draw), GRAVITY, l, r], q0, draw.random.uniform(-2.0, 2.0, 4)


def _moving(draw, t0):
    p, q0, v0 = _hanging(draw, t0)
    return [*p, draw.between((0.0, 0.3)), draw.between((0.5, 10.0))], q0, v0


def _skate(draw, t0):
    m = _mass(draw)
    p = [t0, m, 0.1 * m * draw.between((0.1, 1.0)), GRAVITY * draw.between((0.0, 1.0))]
    return p, draw.random.uniform(-1.0, 1.0, 3), draw.random.uniform(-3.0, 3.0, 3)


def _bead(draw, t0):
    x, l = draw.between((-1.0, 1.0)), draw.between((0.2, 2.0))
    return [t0, _mass(draw), GRAVITY, l], [x, x**2 / l], draw.random.uniform(-2.0, 2.0, 2)


def _line(draw, t0):
    m = [_mass(draw), _mass(draw)]
    low, apart = draw.pick((0.0, 1e-3, 0.1)), draw.pick((0.3, 0.31, 0.5))
    p = [t0, *m, GRAVITY, draw.pick((0.0, 1.0)) * min(m) * draw.log(ranges.FREQUENCY) ** 2, 0.5, 0.3, 1.0]
    return p, [low, low + apart], draw.random.uniform(-3.0, 3.0, 2) * draw.chance(0.7)


def _skew(draw, t0):
    m = _mass(draw)
    p = [t0, m, 0.5 * m, draw.between((0.5, 5.0)), 1.0, m * draw.between((1.0, 50.0)), m * draw.between((0.0, 1.0))]
    return p, draw.random.uniform(-1.0, 1.0, 2), draw.random.uniform(-1.0, 1.0, 2)


NUMBERS = {"springs": _springs, "rods": _hanging, "moving pivot": _moving, "skate": _skate, "bead": _bead,
           "line": _line, "skew": _skew}  # fmt: skip


def lagrangian(draw: Draw) -> Functional:
    """A crane with a stop, a double pendulum, a bead on a wire."""
    kind = draw.pick(symbolic.KINDS)
    m = [_mass(draw), _mass(draw)]
    l, r, a = draw.between(ranges.LENGTH), draw.between(ranges.LENGTH), GRAVITY
    x, turn, v = draw.between((-1.0, 0.2)), draw.between((-2.0, 2.0)), draw.random.uniform(-2.0, 2.0, 2)
    if kind == "crane":
        p, q0, methods = [*m, l, a, draw.between((0.0, 1.0)), 0.3], [x, turn], ("PVA", "PVV", "MoreauJean")
    elif kind == "double":
        p, q0, methods = [*m, l, r, a], [turn, draw.between((-3.0, 3.0))], ("PVA", "P", "SOI2")
    else:
        p, q0, methods = [m[0], l, a], [x, l * np.sin(x / l)], ("PVA", "P", "PV", "V", "SOI2")
    return _case(draw, "symbolic", kind, p, q0, v, methods, 0.0)


MAKERS = {"functions": functions, "compiled": compiled, "symbolic": lagrangian}
