"""What functions compute, as a hash: their byte code, and everything that it reads, followed as far as it goes.

A name that a function looks up is followed through its attributes as the byte code does: of ``consts.K`` the number
counts, of ``helpers.force(q)`` the function with all that it reads in turn. The standard library and the packages that
numba knows stay as they are while their version does, and are taken by name. Something that is read in another way, or
whose content cannot be told (a module that is passed on, an object with a lock), has no fingerprint; neither has the
function that reads it.
"""

from __future__ import annotations

import dataclasses
import dis
import enum
import functools
import hashlib
import sys
import sysconfig
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["fingerprint"]

PACKAGES = frozenset({"numpy", "numba", "llvmlite", "scipy", "sympy", "mpmath"})
"""What is known by its version, besides the standard library."""

NOTHING = types.NoneType | types.EllipsisType
NUMBERS = NOTHING | bool | int | float | complex | str | bytes | np.generic | np.dtype | range | slice
BUILTINS = types.BuiltinFunctionType | type(np.dot) | types.MethodDescriptorType
LOADS = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"})
FREE = frozenset({"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"})
ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
BETWEEN = frozenset({"EXTENDED_ARG", "PUSH_NULL", "CACHE"})


class Unknown(Exception):
    """Something that has no fingerprint."""


def fingerprint(*values) -> str | None:
    """Hash of functions and everything they read, or None if they read something that cannot be hashed."""
    writer = _Writer()
    try:
        for value in values:
            writer.put(value)
    except Unknown:
        return None
    return writer.digest.hexdigest()


class _Writer:
    """Feeds values to a hash; what was met before is written by its number, so that circles end."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.seen: dict[int, tuple[int, Any]] = {}  # with the value: what is alive keeps its id

    def word(self, *words) -> None:
        """Some words, with their lengths, so that no two sequences of them look alike."""
        for word in words:
            data = word if isinstance(word, bytes) else str(word).encode("utf-8", "surrogatepass")
            self.digest.update(b"%d:" % len(data) + data)

    def put(self, value) -> None:
        """Any value by its content."""
        write = _writer_of(type(value))
        # two numbers or arrays that are equal, and one that is used twice, are the same
        if write is _Writer.number:
            return self.number(value)
        if write is _Writer._array:
            return self._array(value)
        if id(value) in self.seen:
            return self.word("again", self.seen[id(value)][0])
        self.seen[id(value)] = len(self.seen), value
        if write is not None:
            return write(self, value)
        if isinstance(getattr(value, "py_func", None), types.FunctionType):
            return self._jitted(value)
        if dataclasses.is_dataclass(value):
            return self._instance(value)
        raise Unknown(type(value))

    def number(self, value) -> None:
        """Numbers, words and the like."""
        self.word(type(value).__name__, repr(value))

    def _array(self, value) -> None:
        if value.dtype.hasobject:
            raise Unknown(value.dtype)
        self.word("array", value.dtype.str, value.shape, value.flags.c_contiguous, value.flags.f_contiguous)
        self.word(value.tobytes())

    def _sequence(self, value) -> None:
        self.word(type(value).__qualname__, len(value))
        items = sorted(value, key=repr) if isinstance(value, frozenset | set) else value
        for item in items:
            self.put(item)
        if type(value).__module__ != "builtins":
            self.put(type(value))

    def _mapping(self, value) -> None:
        self.word("mapping", len(value))
        for key, item in value.items():
            self.put(key)
            self.put(item)

    def _module(self, value) -> None:
        if not is_known(value.__name__):
            raise Unknown(value)  # whoever has it may read anything of it
        self.word("module", *_title(value.__name__))

    def _ufunc(self, value) -> None:
        homes = (sys.modules.get(name) for name in ("numpy", "scipy.special"))
        home = next((home for home in homes if getattr(home, value.__name__, None) is value), None)
        if home is None:  # one that the user has made
            raise Unknown(value)
        self.word("ufunc", *_title(home.__name__), value.__name__)

    def _builtin(self, value) -> None:
        owner = getattr(value, "__self__", None)
        module = getattr(value, "__module__", None) or ""
        self.word("builtin", *_title(module), getattr(value, "__qualname__", value.__name__))
        if owner is not None and not isinstance(owner, types.ModuleType):
            self.put(owner)

    def _method(self, value) -> None:
        self.word("method")
        self.put(value.__func__)
        self.put(value.__self__)

    def _partial(self, value) -> None:
        self.word("partial")
        for part in (value.func, value.args, value.keywords):
            self.put(part)

    def _property(self, value) -> None:
        self.word(type(value).__name__)
        for name in ("fget", "func", "__func__"):
            self.put(getattr(value, name, None))

    def _jitted(self, value) -> None:
        """A function that is compiled, or marked for it, with the options that it is compiled with."""
        self.word("jitted")
        options = getattr(value, "targetoptions", None) or {}
        self.word(*(f"{name}={options[name]!r}" for name in sorted(options)))
        self.put(value.py_func)

    def _function(self, value) -> None:
        home = value.__globals__.get("__name__") or ""
        if is_known(home) and not value.__closure__:
            return self.word("known", *_title(home), value.__qualname__)
        code = value.__code__
        self.word("function", _code(code))
        self.put(value.__defaults__)
        self.put(value.__kwdefaults__)
        cells = dict(zip(code.co_freevars, value.__closure__ or (), strict=True))
        for is_free, name, *attributes in _reads(code):
            self.word(name, *attributes)
            if is_free:
                self._cell(cells[name], attributes)
            elif name in value.__globals__:
                self.follow(value.__globals__[name], attributes)
        return None

    def _cell(self, cell, attributes) -> None:
        try:
            value = cell.cell_contents
        except ValueError:  # it will be filled later
            raise Unknown(cell) from None
        self.follow(value, attributes)

    def follow(self, value, attributes) -> None:
        """What a chain of attributes leads to, or the last thing on the way that is to be taken as a whole."""
        for i, name in enumerate(attributes):
            if isinstance(value, types.ModuleType) and is_known(value.__name__):
                return self.word("known", *_title(value.__name__), *attributes[i:])
            found = _attribute(value, name)
            if found is _NONE:
                break
            value = found
        return self.put(value)

    def _class(self, value) -> None:
        """A class by its members, as far as they are the user's; what `dataclass` writes follows from the fields."""
        self.word("class", value.__module__, value.__qualname__)
        if is_known(value.__module__):
            return self.word(*_title(value.__module__))
        if isinstance(value, enum.EnumMeta):
            return self._mapping({member.name: member.value for member in value})  # pyright: ignore
        for base in value.__mro__[1:]:
            self.word(base.__module__, base.__qualname__)
        for base in value.__mro__:
            for name, member in sorted(vars(base).items()) if not is_known(base.__module__) else ():
                if not _is_written_by_python(name, member):
                    self.word(name)
                    self.put(member)
        return None

    def _enum(self, value) -> None:
        self.put(type(value))
        self.word(value.name)

    def _instance(self, value) -> None:
        """A dataclass or a namespace by its fields."""
        self.put(type(value))
        names = [f.name for f in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else sorted(vars(value))
        for name in names:
            self.word(name)
            self.put(getattr(value, name, None))


_WRITERS = (
    (enum.Enum, _Writer._enum),
    (NUMBERS, _Writer.number),
    (np.ndarray, _Writer._array),
    (tuple | list | set | frozenset, _Writer._sequence),
    (dict | types.MappingProxyType, _Writer._mapping),
    (types.FunctionType, _Writer._function),
    (types.ModuleType, _Writer._module),
    (np.ufunc, _Writer._ufunc),
    (BUILTINS, _Writer._builtin),
    (type, _Writer._class),
    (types.MethodType, _Writer._method),
    (functools.partial, _Writer._partial),
    (property | staticmethod | classmethod | functools.cached_property, _Writer._property),
    (types.SimpleNamespace, _Writer._instance),
)
"""What is written how; the first that fits."""


@functools.lru_cache(maxsize=2**10)
def _writer_of(kind: type):
    return next((write for kinds, write in _WRITERS if issubclass(kind, kinds)), None)


# ---------------------------------------------------------------- attributes

_NONE = object()


def _attribute(value, name: str) -> Any:
    """What reading an attribute gives, if that runs no code of the user's and asks for nothing but this attribute."""
    if isinstance(value, types.ModuleType | enum.EnumMeta):
        return getattr(value, name, _NONE)
    if isinstance(value, type):
        found = next((vars(base)[name] for base in value.__mro__ if name in vars(base)), _NONE)
        return _NONE if hasattr(type(found), "__get__") else found
    kind = type(value)
    if hasattr(value, "py_func") or kind.__getattribute__ is not object.__getattribute__ or is_known(kind.__module__):
        return getattr(value, name) if isinstance(value, types.SimpleNamespace) and hasattr(value, name) else _NONE
    return getattr(value, "__dict__", {}).get(name, _NONE)


def _is_written_by_python(name: str, member) -> bool:
    """Members of a class that say nothing beyond its name, its bases and its other members."""
    if isinstance(member, types.FunctionType):
        return member.__code__.co_filename == "<string>" or is_known(member.__globals__.get("__name__") or "")
    if isinstance(member, types.MemberDescriptorType | types.GetSetDescriptorType):
        return True
    is_field = type(member).__module__ == "_collections"  # of a named tuple
    return is_field or name == "_abc_impl" or (name.startswith("__") and name.endswith("__"))


@functools.cache
def is_known(module: str) -> bool:
    """Is a module of the standard library, or of a package that is told by its version?"""
    root = module.partition(".")[0]
    if root in PACKAGES:
        return True
    if root not in sys.stdlib_module_names or root == "__main__":
        return False
    # a user's file may have the name of a module in the library
    place = getattr(sys.modules.get(root), "__file__", None)
    homes = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
    return place is None or any(Path(place).is_relative_to(home) for home in homes if home)


def _title(module: str) -> tuple[str, str]:
    root = sys.modules.get(module.partition(".")[0])
    return module, str(getattr(root, "__version__", ""))


# ---------------------------------------------------------------- byte code


@functools.lru_cache(maxsize=2**12)
def _code(code: types.CodeType) -> bytes:
    """Hash of a piece of byte code and of its constants, which never change; with those of functions inside."""
    writer = _Writer()
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    writer.word(code.co_code, code.co_exceptiontable, names, counts)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            writer.word(_code(constant))
        else:
            writer.put(constant)
    return writer.digest.digest()


@functools.lru_cache(maxsize=2**12)
def _reads(code: types.CodeType) -> tuple[tuple[Any, ...], ...]:
    """What byte code reads from outside: (is it a free variable, its name, the attributes behind it).

    Functions inside are included; what they take from the function around them is not from outside.
    """
    found = {path for path in _paths(code) if not path[0] or path[1] in code.co_freevars}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= {path for path in _reads(constant) if not path[0] or path[1] in code.co_freevars}
    return tuple(sorted(found))


def _paths(code: types.CodeType) -> Iterator[tuple[Any, ...]]:
    path: tuple[Any, ...] = ()
    before: tuple[Any, ...] = (None, None)
    for instruction in dis.get_instructions(code):
        name, argument = instruction.opname, instruction.argval
        if name in BETWEEN:
            continue
        if path and name in ATTRIBUTES:
            path += (argument,)
        else:
            if path:
                yield path
            path = (name in FREE, argument) if name in LOADS or name in FREE else ()
        if name == "IMPORT_NAME" and not (before[0] == 0 and is_known(argument)):  # 0: not relative to a package
            raise Unknown(argument)
        before = before[1], argument
    if path:
        yield path
