"""The phases of a step: short functions, few variables, three ways to solve the contact problem as one."""

import ast
import inspect
from pathlib import Path

import pytest

from genalpha.compiled.jit import plain
from genalpha.step.contact import coupled, piles
from genalpha.step.integrator import Alpha, Impact, Moreau, Soi2
from genalpha.step.loop import loop_of
from genalpha.step.schemes import alpha, impact, moreau, soi2

LONGEST = 50


def lines_of(function: ast.FunctionDef) -> int:
    """Lines of a function without its docstring."""
    total = function.end_lineno - function.lineno + 1
    first = function.body[0]
    return total - (first.end_lineno - first.lineno + 1 if ast.get_docstring(function) is not None else 0)


def test_functions_are_short():
    folder = Path(inspect.getfile(impact)).parents[1]
    functions = [
        node
        for path in sorted(folder.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
    ]
    assert len(functions) > 200
    assert [function.name for function in functions if lines_of(function) > LONGEST] == []


@pytest.mark.parametrize("scheme", [alpha, soi2, moreau, impact])
def test_schemes_have_one_interface(scheme):
    step = ["system", "linear", "data", "sizes", "scheme", "arrays", "t1", "h"]
    assert list(inspect.signature(scheme.advance).parameters) == step
    assert list(inspect.signature(scheme.complete).parameters) == ["sizes", "scheme", "arrays", "t1", "h"]


def test_the_nonsmooth_step_has_few_variables():
    code = impact.advance.__code__
    assert code.co_varnames[code.co_argcount :] == ("stride", "course", "sets", "scaling", "rows", "solved")


def test_three_ways_have_one_interface():
    """They take and give the same, so that `solve_contacts` need not know what they do."""
    ways = impact.solve_decoupled, coupled.solve_coupled, piles.solve_piles
    expected = ["system", "linear", "data", "sizes", "scheme", "arrays", "stride", "scaling", "course", "sets"]
    for way in (*ways, impact.solve_contacts):
        assert list(inspect.signature(way).parameters) == expected
        tree = ast.parse(inspect.getsource(way))
        given = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return)]
        calls = [node.func.id for node in given if isinstance(node, ast.Call)]
        assert set(calls) == {"Solved"}


def test_compiled_steps_have_names_of_their_own():
    """Two loops from disk in one process would otherwise share the step of the one that was loaded first."""
    loops = [plain(loop_of(kind).function) for kind in (Alpha, Impact, Moreau, Soi2)]
    steps = [inspect.getclosurevars(loop).nonlocals["one_step"] for loop in loops]
    assert len({function.__qualname__ for function in (*loops, *steps)}) == 2 * len(loops)
