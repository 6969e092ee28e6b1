"""Systems from their words: the inverse of `genalpha.solution.files.recipe`, for words that may come from anybody.

A file is data and runs nothing. From its words come numbers, text, parts of models and drawings, which are classes of
this package that are listed here, expressions of SymPy (`genalpha.symbolic.words`), and functions of the problems of
this package. Functions, and classes of parts, of other modules are imported only if the caller has named the module.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from genalpha._version import __version__
from genalpha.checked import Damaged, NoWords, OldWords, count, flag, listing, mapping, stored_number, text
from genalpha.errors import FileError, InputError
from genalpha.model.model import Model
from genalpha.model.parts.beams import Flexible
from genalpha.model.parts.bodies import Part
from genalpha.model.system import ModelSystem
from genalpha.solution.files.origin import comparable, hashes
from genalpha.solution.files.recipe import place_of, room_of
from genalpha.system.functions import Sparse
from genalpha.system.system import System

MODULES = (
    "genalpha.model.parts.bodies",
    "genalpha.model.parts.joints",
    "genalpha.model.parts.rolling",
    "genalpha.model.parts.couplings",
    "genalpha.model.parts.forces",
    "genalpha.model.parts.friction",
    "genalpha.model.parts.contacts",
    "genalpha.model.parts.beams",
    "genalpha.model.parts.sections",
    "genalpha.model.parts.shapes",
    "genalpha.view.drawing",
)
"""Modules whose dataclasses words may name."""


class NotAllowed(Exception):
    """A recipe wants something of a module that the caller has not named."""

    def __init__(self, module: str):
        super().__init__(module)
        self.module = module


def read_allow(allow) -> tuple[str, ...]:
    """The argument ``allow`` of `load`."""
    names = (allow,) if isinstance(allow, str) else allow
    if not isinstance(names, Sequence) or not all(isinstance(name, str) and name for name in names):
        raise InputError(f'allow = {allow!r:.60} must name modules, like allow=["cars"]')
    return tuple(names)


def rebuild(recipe: Mapping[str, Any], allow: Sequence[str] = (), largest: int | None = None) -> System | ModelSystem:
    """A system from its `genalpha.solution.files.recipe.recipe`.

    Parameters
    ----------
    recipe : mapping
        From a file, by whomever it was written.
    allow : sequence of str
        Modules, or packages, that functions and classes of parts may come from.
    largest : int, optional
        Beams have no more elements than this: the coordinates of their system.

    Raises
    ------
    NotAllowed, OldWords, ImportError
        What the caller can do something about.
    FileError
        Any other reason, in a sentence.
    """
    reader = _Reader(allow, largest)
    try:
        kind, words = reader.only(recipe)
        return {"model": reader.model, "symbolic": reader.symbolic, "system": reader.system}[kind](words)
    except (NotAllowed, OldWords, ImportError, FileError):
        raise
    except Exception as error:  # whatever the words of a stranger lead to
        reason = f"{type(error).__name__}: {error}" if not isinstance(error, ValueError) else str(error)
        raise FileError(f"its system cannot be made again: {reason:.300}") from error


def made_again(origin, allow: Sequence[str], path, version: str) -> tuple[System | ModelSystem | None, str]:
    """The system of a file, or None and the reason why it is not made.

    Words that lead to no system are an error if this version has written them; others may have had reasons.
    """
    known = "pass the system, ga.load(path, system)"
    if origin.recipe is None:
        return None, f"its functions cannot be imported: {known}"
    try:
        found = rebuild(origin.recipe, allow, origin.q0.size)
    except NotAllowed as error:
        return None, (
            f"its functions are in the module {error.module!r}, and a file imports nothing by itself: if you trust it, "
            f'ga.load(path, allow=["{error.module}"]), or {known}'
        )
    except ImportError as error:
        return None, f"{error}: {known}"
    except OldWords as error:
        return None, f"{path} was written by genalpha {version}, and {error}: {known}"
    except FileError as error:
        if version == __version__:
            raise FileError(f"cannot read {path}: {error}") from error
        return None, f"{error}, as {path} was written by genalpha {version}: {known}"
    now = hashes(found)
    changed = now["functions"] != origin.system.get("functions") and comparable(origin.system, now)
    if changed and "symbolic" not in origin.recipe and None not in (now["functions"], origin.system.get("functions")):
        return None, f"its functions, or constants that they read, have changed since {path} was written: {known}"
    return found, ""


class _Reader:
    """Reads words; what is not among those that `recipe` writes is refused."""

    def __init__(self, allow: Sequence[str], largest: int | None):
        self.allow, self.largest = tuple(allow), largest

    @staticmethod
    def only(words) -> tuple[str, Any]:
        """The first entry of a mapping, which says of what kind it is."""
        return next(iter(mapping("what is said about a system", words).items()), ("nothing", None))

    # systems

    def system(self, words) -> System:
        given = {name: self.value(item) for name, item in mapping("a system", words).items() if name != "drawing"}
        return System(**given, drawing=self.drawing(words))

    def model(self, words) -> ModelSystem:
        given = mapping("a model", words, ("options", "parts"))
        options = {name: self.value(item) for name, item in mapping("options", given["options"]).items()}
        if not options.keys() <= inspect.signature(Model).parameters.keys():
            raise Damaged(f"a model has no options {', '.join(options):.80}")
        model = Model(**options)
        text("its name", model.name)
        for part in listing("the parts of a model", given["parts"]):
            model.add(self.value(part, model.parts))
        return model.assemble()

    def symbolic(self, words) -> System:
        from genalpha.symbolic.words import read_equations

        given = mapping("a system", words, ("equations", "params", "compile"))
        compile = None if given["compile"] is None else flag("compile", given["compile"])
        equations = read_equations(mapping("the equations", given["equations"]))
        params = [stored_number("a parameter", value) for value in listing("params", given["params"])]
        values = dict(zip(equations.params, params, strict=True))
        return equations.system(values, compile=compile, drawing=self.drawing(words, expressions=True))

    def drawing(self, words, expressions: bool = False):
        if "drawing" not in words:
            return None
        from genalpha.view.drawing import Drawing

        given = mapping("a drawing", words["drawing"], ("parts", "up", "look_from"))
        parts = [self.value(part, None, expressions) for part in listing("a drawing", given["parts"])]
        return Drawing(*parts, up=given["up"], look_from=given["look_from"])

    # values

    def value(self, words: Any, parts: Mapping[str, Part] | None = None, expressions: bool = False) -> Any:
        """The inverse of what `recipe` writes for a value."""
        if words is None or isinstance(words, str | bool | int | float):
            return words
        kind, what = self.only(words)
        match kind:
            case "part":
                return (parts or {})[text("a part", what)]
            case "array":
                return np.array(what, dtype={"f": float, "b": bool, "i": int, "u": int}[words["kind"]])
            case "list" | "tuple":
                items = [self.value(item, parts, expressions) for item in listing(kind, what)]
                return items if kind == "list" else tuple(items)
            case "mapping":
                return {key: self.value(item, parts) for key, item in mapping(kind, what).items()}
            case "expression" if expressions:
                from genalpha.symbolic.words import read_expression

                return read_expression(what)
            case "sparse":
                return Sparse(*(self.value(item) for item in listing(kind, what)))
            case "object":
                return self.object(what, mapping("fields", words.get("fields")), parts, expressions)
            case "function":
                return self.function(what)
        raise Damaged(f"there is nothing of the kind {kind!r:.40} in a system")

    def object(self, place, words, parts, expressions) -> Any:
        """An object of a class of parts, shapes, sections or drawings, from its fields."""
        module, name = _place(place)
        found = classes().get((room_of(module), name))
        if found is None:
            own = module.partition(".")[0] == "genalpha"
            found = None if own else self._import(module, name)
            if not (isinstance(found, type) and issubclass(found, Part) and dataclasses.is_dataclass(found)):
                raise Damaged(f"{module}.{name} is not a part of a model")
        fields = {key: self.value(item, parts, expressions) for key, item in words.items()}
        if issubclass(found, Flexible) and self.largest is not None:
            count("elements", fields.get("elements", 1), self.largest, 1)
        return found(**fields)

    def function(self, place) -> Any:
        """A function by its place."""
        module, name = _place(place)
        found = (
            getattr(importlib.import_module(module), name, None)
            if module in _problems()
            else self._import(module, name)
        )
        try:
            is_there = callable(found) and place_of(found) == [module, name]
        except NoWords:
            is_there = False
        if not is_there:
            raise Damaged(f"there is no function {name!r:.40} in {module:.60}")
        return found

    def _import(self, module: str, name: str) -> Any:
        if not any(module == one or module.startswith(f"{one}.") for one in self.allow):
            raise NotAllowed(module)
        found = getattr(importlib.import_module(module), name, None)
        if found is None:
            raise ImportError(f"the module {module} has no {name!r}")
        return found


def _place(place) -> tuple[str, str]:
    """Module and name, both of them names as Python has them."""
    words = [text("a place", word) for word in listing("a place", place)]
    if len(words) != 2 or not all(part.isidentifier() for part in (*words[0].split("."), words[1])):
        raise Damaged(f"{place!r:.60} is not the place of a function or a class")
    return words[0], words[1]


@cache
def classes() -> Mapping[tuple[str, str], type]:
    """The classes that words may name, by room and name; files that name their modules of old are read too."""
    return MappingProxyType({
        (room_of(module.__name__), name): found
        for module in map(importlib.import_module, MODULES)
        for name, found in vars(module).items()
        if isinstance(found, type) and dataclasses.is_dataclass(found) and found.__module__ == module.__name__
    })  # fmt: skip


@cache
def _problems() -> frozenset[str]:
    """The modules with problems of this package."""
    folder = str(Path(__file__).parents[2] / "problems")
    return frozenset(f"genalpha.problems.{module.name}" for module in pkgutil.iter_modules([folder]))
