"""The examples in the docstrings and in the README run as they stand."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

MODULES = [
    "check",
    "driver",
    "functions",
    "method",
    "scheme",
    "solution",
    "symbolic.adapters",
    "symbolic.lagrangian",
    "system",
    "view.drawing",
    "problems.problem",
    "reproduce.graphs",
    "reproduce.methods",
]
README = Path(__file__).parent.parent / "README.md"


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = importlib.import_module(f"genalpha.{name}")
    result = doctest.testmod(module)
    assert result.failed == 0


def test_some_examples_were_found():
    found = [doctest.DocTestFinder().find(importlib.import_module(f"genalpha.{name}")) for name in MODULES]
    assert sum(bool(test.examples) for tests in found for test in tests) >= 6


def test_readme(capsys, tmp_path, monkeypatch):
    """All Python blocks, one after the other; what they print is what the text says it does."""
    monkeypatch.chdir(tmp_path)  # they write files
    namespace = {}
    for block in re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL):
        exec(block, namespace)
    assert namespace["sol"].success
    assert namespace["moon"].success
    printed = capsys.readouterr().out.splitlines()[1]
    assert all(float(number) < 1e-12 for number in printed.split())
