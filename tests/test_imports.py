"""The architecture: rooms and modules import only what lies below them, and `import genalpha` stays light.

Imports in functions count as all others do. Those for the type checker are never run, and do not count.
"""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import genalpha

ROOT = Path(genalpha.__file__).parent

LEVELS = (
    ("_version", "errors", "compiled"),
    ("inputs", "checked", "scheme", "math"),
    ("method", "style", "notebook"),
    ("system",),
    ("step", "model", "symbolic"),
    ("solution", "view"),
    ("run", "analysis"),
    ("problems", "reproduce"),
    ("cli",),
)
"""Rooms and modules of the top level, from the ground up: what imports another one is on its level or above."""

APART = {("step", "model"), ("model", "step"), ("symbolic", "model"), ("model", "symbolic"), ("step", "symbolic")}
"""On one level, and yet they do not know each other: models are described, steps are made."""

LAYERS = ("parts", "leaves", "tables", "results")
"""Of models, from the ground up; they mirror each other by file name."""

MIRRORED = {"bodies", "joints", "forces", "contacts", "beams", "friction"}

ORDER = {
    "compiled": (
        "cache cosines fingerprint lanes linking powers views",
        "jit reference",
    ),
    "math": (
        "coulomb_tables differences interface least plan saddle so3",
        "blocks coulomb_newton coulomb_one one_sided rescue se3",
        "coulomb_local delassus",
        "coulomb",
        "linear",
    ),
    "system": (
        "block contact_log differentiate friction",
        "contract sliding",
        "compiling",
        "functions",
        "pieces slip",
        "bind",
        "system",
    ),
    "step": (
        "scales schedule state tables",
        "consistency contact.approach contact.friction contact.kernels contact.pairs contact.slots diagnose kernels "
        "values",
        "contact.initial newton projection sizes",
        "contact.problem control initial schemes.alpha",
        "contact.residuals schemes.soi2",
        "contact.coupled contact.levels contact.piles contact.sets",
        "schemes.impact schemes.moreau",
        "schemes.friction schemes.moreau_friction",
        "integrator",
        "loop setup",
    ),
    "model": (
        "columns leaves.matrices leaves.stretches parts.coefficients parts.curves parts.sections parts.shapes "
        "results.part summary units",
        "leaves.angles leaves.bodies leaves.joints leaves.planar_contacts parts.bodies tables.pairs",
        "leaves.beam_strains leaves.contacts leaves.forces leaves.pairs leaves.planar_beams leaves.planar_friction "
        "leaves.planar_joints leaves.screws leaves.states parts.beams parts.contacts parts.joints "
        "tables.sizes",
        "joints leaves.beam_matrices leaves.bushings leaves.coordinates leaves.evaluators leaves.rolling "
        "parts.couplings parts.forces parts.rolling tables.beams",
        "leaves.beams leaves.counters leaves.couplings leaves.drives leaves.friction leaves.joint_forces "
        "parts.friction places results.beams results.works violations",
        "leaves.motors leaves.user_forces results.loads results.slips tables.coordinates",
        "results.contacts tables.friction",
        "results.joints tables.contacts tables.forces tables.joints",
        "results.forces results.friction tables.bodies",
        "results.bodies tables.assembly",
        "results.named",
        "system",
        "model",
        "testbed",
        "check",
    ),
    "solution": (
        "dense files.checkpoint files.recipe levels named shown statistics",
        "rows transport",
        "files.origin files.stored ledger",
        "files.rebuild files.write plot tables",
        "export peaks",
        "report_content",
        "report_html report_pdf",
        "report",
        "solution",
        "files.read",
    ),
    "view": (
        "drawing serve server tracks",
        "facets rotations rows rubbing",
        "beams planes",
        "model",
        "quantities",
        "draw",
        "scene",
        "pack video",
        "files",
        "page",
        "show",
    ),
    "run": (
        "causes progress",
        "recover",
        "run",
        "solve",
    ),
    "analysis": (
        "cones pace report tangents",
        "balance check variation",
        "spectrum statics",
        "holds modes",
    ),
}
"""Modules of rooms, from the ground up: those of a line know nothing of each other."""

LAZY = 245
"""Imports in functions; fewer are better."""

INSIDES = re.compile(r"llvmlite|numba\.(?!types\b|errors\b|typed\b)|numba\._")
"""What numba does not promise to keep."""


class Import:
    """One name that a module imports."""

    def __init__(self, target: str, line: int, lazy: bool, typed: bool):
        self.target, self.line, self.lazy, self.typed = target, line, lazy, typed


def imports(text: str) -> list[Import]:
    """All imports in a source: of modules, and of names, as module.name."""
    found = []

    def visit(node, lazy, typed):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                found.extend(Import(alias.name, child.lineno, lazy, typed) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                found.extend(Import(f"{child.module}.{alias.name}", child.lineno, lazy, typed) for alias in child.names)
            is_lazy = lazy or isinstance(child, ast.FunctionDef | ast.Lambda)
            is_typed = typed or (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test))
            visit(child, is_lazy, is_typed)

    visit(ast.parse(text), False, False)
    return found


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("genalpha", *(parts[:-1] if parts[-1] == "__init__" else parts)))


SOURCES = {name_of(path): path.read_text(encoding="utf-8") for path in sorted(ROOT.rglob("*.py"))}
IMPORTS = {name: imports(text) for name, text in SOURCES.items()}


def module_of(target: str) -> str:
    """The module that a name is imported from."""
    return target if target in SOURCES else target.rpartition(".")[0]


def edges(lazy_too=True):
    """(importing module, imported module, line) within the package."""
    for name, found in IMPORTS.items():
        for one in found:
            if one.target.partition(".")[0] == "genalpha" and not one.typed and (lazy_too or not one.lazy):
                yield name, module_of(one.target), one.line


def room(name: str) -> str:
    """The room of a module, or the module itself on the top level."""
    return name.split(".")[1] if "." in name else "genalpha"


def levels() -> dict[str, int]:
    return {name: level for level, names in enumerate(LEVELS) for name in names}


def test_the_top_level_is_a_short_list():
    files = {path.stem for path in ROOT.glob("*.py")} - {"__init__"}
    rooms = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert files | rooms == set(levels()) | {"__main__"}
    assert len(files) <= 10


def test_a_room_imports_only_lower_ones():
    order = levels()
    wrong = [
        f"{name}:{line} imports {target}"
        for name, target, line in edges()
        if room(name) in order and room(target) in order and order[room(target)] > order[room(name)]
    ]
    assert wrong == []


def test_models_steps_and_equations_do_not_know_each_other():
    wrong = [f"{name}:{line} imports {to}" for name, to, line in edges() if (room(name), room(to)) in APART]
    assert wrong == []


def test_imports_in_functions_are_seen():
    """The tests above can fail: what they read finds an import wherever it stands."""
    text = "class A:\n    def f(self):\n        if self:\n            from genalpha.step import state, loop\n"
    found = imports(text + "        import genalpha.run\n")
    assert [(one.target, one.lazy) for one in found] == [
        ("genalpha.step.state", True), ("genalpha.step.loop", True), ("genalpha.run", True)
    ]  # fmt: skip
    assert [one.typed for one in imports("if TYPE_CHECKING:\n    from genalpha import view\n")] == [True]


def test_layers_of_models_are_ordered():
    def layer(name):
        words = name.split(".")[1:3]
        return LAYERS.index(words[1]) if len(words) == 2 and words[0] == "model" and words[1] in LAYERS else None

    wrong = [
        f"{name}:{line} imports {target}"
        for name, target, line in edges()
        if None not in (layer(name), layer(target)) and layer(target) > layer(name)
    ]
    assert wrong == []


def test_layers_of_models_mirror_each_other():
    for layer in LAYERS:
        assert {path.stem for path in (ROOT / "model" / layer).glob("*.py")} >= MIRRORED


@pytest.mark.parametrize("place", ORDER)
def test_modules_of_a_room_are_ordered(place):
    """A module imports only those that stand before it in its room, and none beside it."""
    order = {module: level for level, words in enumerate(ORDER[place]) for module in words.split()}
    prefix = f"genalpha.{place}."
    there = {name.removeprefix(prefix) for name in SOURCES if name.startswith(prefix)} - packages(place)
    assert there == set(order)
    wrong = [
        f"{name}:{line} imports {target}"
        for name, target, line in edges()
        if (a := order.get(name.removeprefix(prefix))) is not None and name.startswith(prefix)
        and (b := order.get(target.removeprefix(prefix))) is not None and target.startswith(prefix) and b >= a
    ]  # fmt: skip
    assert wrong == []


def packages(place: str) -> set[str]:
    """Folders inside of a room."""
    return {
        path.parent.relative_to(ROOT / place).as_posix().replace("/", ".")
        for path in (ROOT / place).glob("**/__init__.py")
    }


def test_no_modules_import_each_other():
    """No cycles, however long; packages that list the names of their modules are left out."""
    doors = {name_of(path) for path in ROOT.rglob("__init__.py")}
    below: dict[str, set[str]] = {}
    for name, target, _ in edges():
        if name not in doors and target not in doors and name != target:
            below.setdefault(name, set()).add(target)
    done: set[str] = set()

    def walk(name, path):
        assert name not in path, " > ".join((*path[path.index(name) :], name))
        if name not in done:
            for target in sorted(below.get(name, ())):
                walk(target, (*path, name))
            done.add(name)

    for name in sorted(below):
        walk(name, ())


def test_imports_in_functions_are_few():
    """They are there so that `import genalpha` stays light, and for what few people use."""
    found = {
        (name, one.line)
        for name, all_of in IMPORTS.items()
        for one in all_of
        if one.lazy and one.target.startswith("genalpha.")
    }
    assert len(found) <= LAZY


def test_the_insides_of_numba_are_in_one_room():
    wrong = [
        f"{name}:{one.line} imports {one.target}"
        for name, found in IMPORTS.items()
        for one in found
        if INSIDES.match(one.target) and not name.startswith("genalpha.compiled.") and not is_public(one.target)
    ]
    assert wrong == []


def is_public(target: str) -> bool:
    """Names of numba itself, like numba.njit."""
    return target.count(".") == 1 and target.startswith("numba.") and target != "numba.core"


def test_numba_is_bounded_and_the_lock_is_inside():
    project = tomllib.loads((ROOT.parents[1] / "pyproject.toml").read_text())["project"]
    (wanted,) = [one for one in project["dependencies"] if one.startswith("numba")]
    low, high = re.fullmatch(r"numba>=0\.(\d+),<0\.(\d+)", wanted).groups()
    for lock in ROOT.parents[1].glob("requirements*.lock"):
        (locked,) = re.findall(r"^numba==0\.(\d+)\.", lock.read_text(), flags=re.MULTILINE)
        assert int(low) <= int(locked) < int(high)


@pytest.mark.parametrize("module", ["genalpha", "genalpha.cli", "genalpha.problems"])
def test_import_is_light(module):
    heavy = ["numba", "llvmlite", "scipy", "sympy", "matplotlib", "h5py", "rich"]
    code = f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_public_names_are_complete():
    for name in genalpha.__all__:
        assert hasattr(genalpha, name)
