"""Structure by numbers: long functions, many arguments, and how many modules a walk takes.

`python tests/walks.py` prints the walks, `python tests/test_house.py` the functions.
"""

import ast
import sys
from pathlib import Path

import pytest
from walks import measured

import genalpha

ROOT = Path(genalpha.__file__).parent

LINES, ARGUMENTS = 50, 10
"""A function is long with more lines, docstring included, and wide with more arguments."""

FEW = 6
"""So many functions may be long, and so many wide."""

ENTRIES = {
    ("run/solve.py", "solve"),
    ("run/solve.py", "resume"),
    ("analysis/check.py", "check"),
    ("analysis/modes.py", "linearize"),
    ("analysis/statics.py", "equilibrium"),
    ("symbolic/lagrangian.py", "lagrange"),
    ("view/scene.py", "make_scene"),
    ("view/show.py", "save_html"),
    ("view/show.py", "open_view"),
    ("view/video.py", "save_video"),
    ("cli/run.py", "run"),
    ("math/coulomb.py", "solve_coulomb"),
}
"""Entry points whose options are documented one by one: their lines are docstrings, their arguments what users say."""

OPENED = {"gap": 20, "joint": 12}
"""Modules to open on a walk."""


def functions():
    """(file, name, lines, arguments) of every function of the package."""
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                given = node.args
                count = len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs)
                count += (given.vararg is not None) + (given.kwarg is not None)
                lines = node.end_lineno - node.lineno + 1
                yield path.relative_to(ROOT).as_posix(), node.name, lines, count


def longest() -> list[str]:
    return [f"{file}:{name} {n}" for file, name, n, _ in functions() if n > LINES and (file, name) not in ENTRIES]


def widest() -> list[str]:
    return [f"{file}:{name} {n}" for file, name, _, n in functions() if n > ARGUMENTS and (file, name) not in ENTRIES]


def test_few_functions_are_long():
    assert len(longest()) <= FEW, longest()


def test_few_functions_take_many_arguments():
    assert len(widest()) <= FEW, widest()


def test_entry_points_are_there_and_documented():
    found = {}
    for file, name in ENTRIES:
        (node,) = [
            node
            for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
            if isinstance(node, ast.FunctionDef) and node.name == name
        ]
        found[file, name] = ast.get_docstring(node) or ""
    undocumented = {key for key, text in found.items() if "Parameters\n" not in text} - {("cli/run.py", "run")}
    assert undocumented == set()


@pytest.mark.parametrize("walk", OPENED)
def test_walks_are_short(walk):
    opened, _ = measured(walk)
    assert len(opened) <= OPENED[walk], opened


if __name__ == "__main__":
    for title, found in (("long", longest()), ("wide", widest())):
        sys.stdout.write(f"{title}, {len(found)} beyond entry points:\n  " + "\n  ".join(found) + "\n")
