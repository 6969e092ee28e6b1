"""Systems as words: what a file keeps so that a system can be made again from it, by `genalpha.solution.files.rebuild`.

Functions and classes are kept by module and name, numbers as they are, SymPy's expressions as trees, everything else
by its fields. Parts and drawings of this package are kept by room and name: their modules may move. What cannot be
imported again (a lambda, a function of a script) has no words; neither has a system that
contains it.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from genalpha.checked import NoWords
from genalpha.model.model import Model
from genalpha.model.parts.bodies import Part
from genalpha.model.system import ModelSystem
from genalpha.system.functions import Sparse
from genalpha.system.system import System

ROOMS = ("genalpha.model", "genalpha.view")
"""Packages whose classes files name by package and name, wherever in it they are."""


def recipe(system) -> dict[str, Any] | None:
    """A system as words; None if something of it cannot be imported again."""
    try:
        if isinstance(system, ModelSystem):
            return {"model": _write_model(system.model)}
        if type(system) is System:
            return {"system": _write_system(system)}
        return {"symbolic": _write_symbolic(system)} if "genalpha.symbolic" in sys.modules else None
    except NoWords:
        return None


def shows(recipe: Mapping[str, Any] | None) -> bool:
    """Does a recipe say how its system looks?"""
    return recipe is not None and ("model" in recipe or any("drawing" in words for words in recipe.values()))


def _write_system(system: System) -> dict[str, Any]:
    given = {field.name: getattr(system, field.name) for field in dataclasses.fields(system)}
    defaults = {field.name: field.default for field in dataclasses.fields(system)}
    drawing = given.pop("drawing")
    found = {name: _write(value) for name, value in given.items() if value is not None and value is not defaults[name]}
    return found | _write_drawing(drawing)


def _write_symbolic(system) -> dict[str, Any]:
    """Equations of SymPy, the values of their parameters, and how they are run."""
    from genalpha.symbolic.system import SymbolicSystem
    from genalpha.symbolic.words import write_equations

    if not isinstance(system, SymbolicSystem):
        raise NoWords
    words = {"equations": write_equations(system.equations), "compile": system.compile}
    return words | {"params": np.asarray(system.params, dtype=float).tolist()} | _write_drawing(system.drawing)


def _write_drawing(drawing) -> dict[str, Any]:
    """A drawing as an entry of its own; none if it cannot be imported again, as nothing is computed from it."""
    if drawing is None:
        return {}
    try:
        parts = [_write(part) for part in drawing.parts]
    except NoWords:
        return {}
    return {"drawing": {"parts": parts, "up": drawing.up, "look_from": drawing.look_from}}


def _write_model(model: Model) -> dict[str, Any]:
    options = {name: _write(getattr(model, name)) for name in inspect.signature(Model).parameters}
    parts = [part for part in model.parts.values() if part is not model.ground]
    return {"options": options, "parts": [_write_object(part, model.parts) for part in parts]}


def _write(value, parts: Mapping[str, Part] | None = None) -> Any:
    """A value as JSON; bodies that a part of a model refers to are written by name."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Part) and parts is not None and parts.get(value.name) is value:
        return {"part": value.name}
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fiub":
        return {"array": value.tolist(), "kind": value.dtype.kind}
    if isinstance(value, list | tuple):
        return {type(value).__name__: [_write(item, parts) for item in value]}
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {"mapping": {key: _write(item, parts) for key, item in value.items()}}
    if _is_expression(value):
        from genalpha.symbolic.words import write_expression

        return {"expression": write_expression(value)}
    if isinstance(value, Sparse):
        return {"sparse": [_write(item) for item in (value.function, value.rows, value.cols)]}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _write_object(value, parts)
    if callable(value):
        return {"function": place_of(value)}
    raise NoWords


def _is_expression(value) -> bool:
    """Is it one of SymPy's? Where SymPy was not imported there are none."""
    return "sympy" in sys.modules and isinstance(value, sys.modules["sympy"].Basic)


def _write_object(value, parts) -> dict[str, Any]:
    given = [field.name for field in dataclasses.fields(value) if field.init]
    fields = {name: _write(getattr(value, name), parts) for name in given}
    module, name = place_of(type(value))
    return {"object": [room_of(module), name], "fields": fields}


def room_of(module: str) -> str:
    """The room that a module is in, if it is one of those that files name; else the module."""
    return next((room for room in ROOMS if module == room or module.startswith(f"{room}.")), module)


def place_of(value) -> list[str]:
    """Module and name of something that can be imported."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
    importable = module in sys.modules and module != "__main__" and name.isidentifier()
    if not importable or getattr(sys.modules[module], name, None) is not value:
        raise NoWords
    return [str(module), name]
