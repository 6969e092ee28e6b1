"""Families of evaluators: those of rigid models, and further ones for models that have more.

All models share one set of compiled functions. What only some models have is a family of its own, in a module that is
imported, and compiled into the evaluators, if one of its sections of the data is used.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from importlib import import_module

from genalpha.compiled.jit import jit_is_on
from genalpha.model.columns import (
    BALLS,
    BAR,
    BEAM,
    BUSHING,
    COIL,
    COUNTER,
    DISCS,
    EDGE,
    LINE,
    PAIR,
    PLANAR_BEAM,
    PLANE,
    ROLL,
    TERM,
)
from genalpha.system.contract import Evaluators

Family = Mapping[str, Callable]
"""Evaluators by their names. They come after those of the families before: a force or a matrix of forces is added to
what is there, rows and their gradients are written where they belong. Values of the stiffness that only beams have come
last, and are not cleared before."""

MODULES: dict[str, tuple[int, ...]] = {
    "genalpha.model.leaves.contacts": (PLANE, BALLS, LINE, DISCS),
    "genalpha.model.leaves.pairs": (PAIR,),
    "genalpha.model.leaves.counters": (COUNTER,),
    "genalpha.model.leaves.couplings": (TERM,),
    "genalpha.model.leaves.joint_forces": (COIL, BUSHING),
    "genalpha.model.leaves.rolling": (ROLL, EDGE),
    "genalpha.model.leaves.beams": (BEAM,),
    "genalpha.model.leaves.planar_beams": (PLANAR_BEAM, BAR),
}
"""Modules that have a ``FAMILY``, and the sections that it reads."""


def evaluators_of(layout, jit: bool = True) -> Evaluators:
    """The evaluators for the data of a model, ready to be compiled; not so without ``jit``."""
    used = (module for module, sections in MODULES.items() if any(layout.count(section) for section in sections))
    return _evaluators(tuple(used), jit)


@functools.cache
def _evaluators(modules: tuple[str, ...], jit: bool) -> Evaluators:
    from genalpha.model.leaves.evaluators import ABSENT, EVALUATORS

    chains = {name: [] if function in ABSENT else [function] for name, function in EVALUATORS._asdict().items()}
    for module in modules:
        for name, function in import_module(module).FAMILY.items():
            chains[name].append(function)
    return EVALUATORS._replace(**{name: _chained(chain, jit) for name, chain in chains.items() if chain})


def _chained(functions, jit):
    """One function that calls all of them."""
    first, *others = functions
    for second in others:
        first = _one_after_the_other(first, second, jit)
    return first


def _one_after_the_other(first, second, jit):
    return THEN[first.__code__.co_argcount](wrapped(first, jit), wrapped(second, jit))


def wrapped(function, jit: bool):
    """What a closure calls: the function, jitted where it will be compiled; as it is if it has been."""
    if not (jit and jit_is_on()):
        return function
    from genalpha.system.compiling import is_compiled, jitted

    return function if is_compiled(function) else jitted(getattr(function, "py_func", function))


def _of_position(first, second):
    def both(t, q, data, out):
        first(t, q, data, out)
        second(t, q, data, out)

    return both


def _of_velocity(first, second):
    def both(t, q, v, data, out):
        first(t, q, v, data, out)
        second(t, q, v, data, out)

    return both


def _of_motion(first, second):
    def both(t, q, v, vdot, mu, data, out):
        first(t, q, v, vdot, mu, data, out)
        second(t, q, v, vdot, mu, data, out)

    return both


THEN = {4: _of_position, 5: _of_velocity, 7: _of_motion}
"""By the number of arguments."""
