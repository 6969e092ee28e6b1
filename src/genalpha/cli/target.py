"""What a command works on: a problem of the collection by name, or a Python file that defines a model or a system."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from genalpha.cli.failures import where
from genalpha.errors import GenalphaError, InputError, MissingExtra

if TYPE_CHECKING:
    from genalpha.problems.problem import Problem
    from genalpha.system.contract import MechanicalSystem

EXTRAS = {"sympy": "symbolic", "matplotlib": "plot"}
SETTINGS = ("q0", "v0", "t_span", "h", "method")


@dataclass(frozen=True)
class Target:
    """A system with all that a run needs, and the problem that it comes from, if it comes from one.

    ``settings`` are those of q0, v0, t_span, h and method that are known.
    """

    title: str
    source: str
    system: MechanicalSystem
    settings: dict[str, Any]
    problem: Problem | None = None

    @property
    def state(self) -> dict[str, Any]:
        """q0 and v0, if they are given; models have them by themselves."""
        return {name: self.settings[name] for name in ("q0", "v0") if name in self.settings}

    def span(self, t_end: float | None) -> tuple[float, float]:
        """The interval, with another end if one is given."""
        t0, t1 = self.settings.get("t_span", (0.0, None))
        end = t1 if t_end is None else t_end
        if end is None:
            raise InputError(f"{self.title}: until when? Pass --t-end, or define t_span = (0.0, 10.0) in the file")
        return t0, end


class TargetName(click.ParamType):
    """The word on the command line; the shell completes problems of the collection and files."""

    name = "target"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from genalpha import problems

        known = [CompletionItem(name) for name in problems.names() if name.startswith(incomplete)]
        return known or [CompletionItem(incomplete, type="file")]


def find(name: str) -> Target:
    """The problem or the file called ``name``."""
    from genalpha import problems

    if name not in problems.names() and (name.endswith(".py") or Path(name).is_file()):
        return from_file(Path(name))
    if name not in problems.names() and Path(f"{name}.py").is_file():
        raise InputError(f"there is no problem {name!r}, but a file {name}.py: did you mean that?")
    problem = problems.get(name)
    settings = {key: getattr(problem, key) for key in SETTINGS}
    return Target(problem.title, problem.source, problem.system(), settings, problem)


def from_file(path: Path) -> Target:
    """What a Python file defines."""
    if path.suffix in (".h5", ".hdf5"):
        raise InputError(f"{path} is a result file: 'genalpha view {path}' shows it, ga.load reads it in Python")
    if path.suffix != ".py":
        raise InputError(f"{path} is not a Python file: its name does not end with .py")
    from genalpha.model.model import Model
    from genalpha.model.system import ModelSystem
    from genalpha.system.contract import MechanicalSystem

    names = execute(path)
    kind = next((kind for kind in ("model", "system") if kind in names), None)
    if kind is None:
        raise InputError(f"{path.name} defines neither 'model' nor 'system'; {_near(names)}")
    given = names[kind]
    system = given.assemble() if isinstance(given, Model) else given
    if not isinstance(system, MechanicalSystem):
        hint = "; pass it the parameters, equations.system({...})" if type(given).__name__ == "Equations" else ""
        raise InputError(f"{path.name}: {kind} is {_article(given)}, not a ga.Model or a ga.System{hint}")
    settings = {key: names[key] for key in SETTINGS if key in names}
    missing = [key for key in ("q0", "v0") if key not in settings and not isinstance(system, ModelSystem)]
    if missing:
        raise InputError(f"{path.name} defines no {' and no '.join(missing)}, the initial state of its system")
    return Target(path.name, _first_line(names.get("__doc__")), system, settings)


def execute(path: Path) -> dict[str, Any]:
    """The names that a Python file defines; whatever goes wrong in it is one sentence with its line."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is no Python file: it is not text") from error
    names: dict[str, Any] = {"__name__": path.stem, "__file__": str(path)}
    sys.path.insert(0, str(path.resolve().parent))
    try:
        exec(compile(text, str(path), "exec"), names)
    except SyntaxError as error:
        line = f": {error.text.strip()}" if error.text else ""
        raise InputError(f"{path.name}, line {error.lineno}: {error.msg}{line}") from error
    except MissingExtra:
        raise
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        extra = f": pip install 'genalpha[{EXTRAS[package]}]'" if package in EXTRAS else ""
        raise InputError(f"{where(error)}the package {package} is not installed{extra}") from error
    except GenalphaError as error:
        raise InputError(f"{where(error)}{error}") from error
    except SystemExit as error:
        raise InputError(f"{path.name} ends by itself, with sys.exit({error.code})") from error
    except Exception as error:
        raise InputError(f"{where(error)}{type(error).__name__}: {error}") from error
    finally:
        sys.path.pop(0)
    return names


def _near(names) -> str:
    from difflib import get_close_matches

    own = [name for name in names if not name.startswith("_")]
    near = get_close_matches("model", own, n=1) + get_close_matches("system", own, n=1)
    if near:
        return f"did you mean {near[0]!r}? Call it model or system"
    return "assign one of them: model = ga.Model(...), or system = ga.System(...) with q0, v0"


def _article(value) -> str:
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def _first_line(text) -> str:
    return (text or "").strip().partition("\n")[0]
