"""The architecture: a level imports only lower ones, and `import genalpha` stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import genalpha

ROOT = Path(genalpha.__file__).parent

LEVELS = {
    "_version": 0, "errors": 0, "math": 0, "scheme": 0, "method": 0, "style": 0, "jit": 0, "views": 0, "reference": 0,
    "linking": 0, "cache": 0, "fingerprint": 0, "inputs": 0,
    "contract": 1, "signatures": 1, "functions": 1, "calls": 1, "differentiate": 1, "system": 1, "pieces": 1,
    "block": 1, "chain": 1, "compiling": 1, "bind": 1, "schedule": 1, "contact_log": 1,
    "step": 2, "model": 2, "symbolic": 2,
    "dense": 3, "rows": 3, "events": 3, "output": 3, "solution": 3, "origin": 3, "checkpoint": 3, "files": 3,
    "stored": 3, "tally": 3, "export": 3, "progress": 3, "recover": 3, "run": 3, "driver": 3, "check": 3, "report": 3,
    "plot": 3, "levels": 3, "ledger": 3, "pairs": 3, "view": 3, "recipe": 3, "tangents": 3, "statics": 3, "modes": 3,
    "transport": 3, "variation": 3, "spectrum": 3, "pace": 3, "checked": 0, "rebuild": 3, "balance": 3, "causes": 3,
    "problems": 4, "reproduce": 4,
    "cli": 5,
}  # fmt: skip


def edges():
    """(importing file, its level's name, imported name) for every import of the package, lazy ones included."""
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("genalpha"):
                names = node.module.split(".")[1:2] or [alias.name for alias in node.names]
                for name in names:
                    yield path, parts[0], name
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.startswith("genalpha."):
                        yield path, parts[0], alias.name.split(".")[1]


def test_every_file_has_a_level():
    files = {path.relative_to(ROOT).with_suffix("").parts[0] for path in ROOT.rglob("*.py")} - {"__init__", "__main__"}
    assert files == set(LEVELS)


def test_a_level_imports_only_lower_ones():
    wrong = [
        f"{path.relative_to(ROOT)} imports {target}"
        for path, source, target in edges()
        if source in LEVELS and target in LEVELS and source != target and LEVELS[target] > LEVELS[source]
    ]
    assert wrong == []


def test_models_never_see_the_steppers():
    """system, bind and the like describe; they do not integrate."""
    assert [str(p) for p, source, target in edges() if LEVELS.get(source) == 1 and target in ("step", "driver")] == []


@pytest.mark.parametrize("module", ["genalpha", "genalpha.cli", "genalpha.problems"])
def test_import_is_light(module):
    heavy = ["numba", "llvmlite", "scipy", "sympy", "matplotlib", "h5py", "rich"]
    code = f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_public_names_are_complete():
    for name in genalpha.__all__:
        assert hasattr(genalpha, name)
