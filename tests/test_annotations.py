"""All public functions and methods say what they take and what they give."""

import inspect
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

# what docs/stable.md lists, and the results that `sol[...]` gives, whose classes nobody imports
MODULES = """
    genalpha genalpha.symbolic genalpha.view genalpha.problems genalpha.model.joints genalpha.solution.ledger
    genalpha.solution.solution genalpha.model.results.bodies genalpha.model.results.joints
    genalpha.model.results.forces genalpha.model.results.beams genalpha.model.results.contacts
""".split()


def public() -> Iterator[tuple[str, object]]:
    """Functions and classes of the package, each once, with the names of those that are behind classes."""
    seen: set[int] = set()
    for name in MODULES:
        module = import_module(name)
        for key in getattr(module, "__all__", [key for key in vars(module) if not key.startswith("_")]):
            value = getattr(module, key)
            if id(value) not in seen and getattr(value, "__module__", "").startswith("genalpha"):
                seen.add(id(value))
                yield f"{name}.{key}", value


def functions() -> Iterator[tuple[str, object]]:
    """All functions among them, and the methods and properties that classes of the package define."""
    seen: set[object] = set()
    for name, value in public():
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value):
            for base in value.__mro__:
                for key, method in vars(base).items():
                    one = unwrapped(method)
                    hidden = key.startswith("_") and not key.endswith("__")
                    if inspect.isfunction(one) and one not in seen and not hidden and is_written(one):
                        seen.add(one)
                        yield f"{base.__module__}.{base.__qualname__}.{key}", one


def unwrapped(method: object) -> object:
    """The function behind a property, a class method, a static method, a kept value or a wrapper."""
    for attribute in ("fget", "__func__", "func", "__wrapped__"):
        method = getattr(method, attribute, method)
    return method


def is_written(function) -> bool:
    """In a file of the package: not made by dataclasses, and not inherited from elsewhere."""
    return function.__module__.startswith("genalpha") and not function.__code__.co_filename.startswith("<")


def missing(function) -> list[str]:
    """What a function does not say: parameters without a type, and "return"."""
    signature = inspect.signature(function)
    names = [
        name
        for name, parameter in signature.parameters.items()
        if parameter.annotation is parameter.empty and name not in ("self", "cls")
    ]
    return names + ["return"] * (signature.return_annotation is signature.empty)


def test_public_functions_are_annotated():
    found = dict(functions())
    wrong = [f"{name}: {', '.join(missing(function))}" for name, function in found.items() if missing(function)]
    assert len(found) > 250
    assert wrong == []


ROOT = Path(__file__).parents[1]
HELPERS = {
    "genalpha.math.so3",
    "genalpha.model.tables.beams",
    "genalpha.model.tables.coordinates",
    "genalpha.solution.rows",
}
"""Modules whose functions solutions and results by name call, and nobody else does from outside."""


def written_in(module: str) -> str:
    """The file of a module, from the root of the checkout."""
    path = Path("src", *module.split("."))
    return (path / "__init__.py" if (ROOT / path).is_dir() else path.with_suffix(".py")).as_posix()


def test_what_defines_public_names_is_checked_strictly():
    if not (ROOT / "pyproject.toml").exists():
        pytest.skip("an installed package has no pyproject.toml")
    with (ROOT / "pyproject.toml").open("rb") as file:
        strict = tomllib.load(file)["tool"]["pyright"]["strict"]
    modules = {value.__module__ for _, value in public()} - HELPERS
    files = {written_in(module) for module in modules}
    loose = {file for file in files if not any(file == name or file.startswith(f"{name}/") for name in strict)}
    assert len(files) > 30
    assert loose == set()


def test_what_is_missing_is_seen():
    def function(a, b: int): ...

    assert missing(function) == ["a", "return"]
