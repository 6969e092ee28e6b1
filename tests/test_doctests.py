"""The examples in the docstrings and in the README run as they stand."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

import genalpha

MODULES = [
    "analysis.check",
    "analysis.modes",
    "analysis.statics",
    "errors",
    "method",
    "model.check",
    "model.model",
    "model.parts.beams",
    "model.parts.bodies",
    "model.parts.contacts",
    "model.parts.couplings",
    "model.parts.forces",
    "model.parts.joints",
    "model.parts.rolling",
    "model.parts.sections",
    "model.parts.shapes",
    "model.units",
    "problems",
    "problems.problem",
    "reproduce",
    "reproduce.graphs",
    "reproduce.methods",
    "reproduce.table",
    "reproduce.verify",
    "run.solve",
    "scheme",
    "solution.files.read",
    "solution.peaks",
    "solution.solution",
    "solution.statistics",
    "solution.tables",
    "symbolic.adapters",
    "symbolic.equations",
    "symbolic.lagrangian",
    "symbolic.system",
    "system.functions",
    "system.system",
    "view.drawing",
    "view.files",
    "view.pack",
    "view.page",
    "view.scene",
    "view.server",
    "view.show",
]
README = Path(__file__).parent.parent / "README.md"


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = importlib.import_module(f"genalpha.{name}")
    result = doctest.testmod(module)
    assert result.failed == 0


NO_EXAMPLE = {"__version__"}


def test_every_public_name_has_an_example():
    public = {name: getattr(genalpha, name) for name in genalpha.__all__ if name not in NO_EXAMPLE}
    assert [name for name, thing in public.items() if ">>>" not in (thing.__doc__ or "")] == []
    found = [doctest.DocTestFinder().find(importlib.import_module(f"genalpha.{name}")) for name in MODULES]
    tested = {test.name.rpartition(".")[2] for tests in found for test in tests if test.examples}
    assert set(public) - tested == {"view"}  # a module, and its example opens a browser


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
