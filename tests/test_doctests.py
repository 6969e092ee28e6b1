"""The examples in the docstrings run as they stand; those of the README are in test_book.py."""

import doctest
import importlib

import pytest

import genalpha

MODULES = [
    "analysis.check",
    "analysis.holds",
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
    "model.parts.friction",
    "model.parts.joints",
    "model.parts.rolling",
    "model.parts.sections",
    "model.parts.shapes",
    "model.units",
    "problems",
    "problems.friction",
    "problems.friction.exact",
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
