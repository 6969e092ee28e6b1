"""Where a solution comes from: method, steps, initial state and identity of the system, as a file keeps them."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genalpha.checked import Damaged, count, flag, listing, mapping, stored_number, text, texts
from genalpha.compiled.fingerprint import fingerprint
from genalpha.errors import FileError
from genalpha.method import SOI2, GeneralizedAlpha, Method, MoreauJean, StoredMethod
from genalpha.model.system import ModelSystem
from genalpha.scheme import Coefficients
from genalpha.solution.files.recipe import recipe
from genalpha.solution.rows import EVERY, FRICTION, NAMES, Columns
from genalpha.step.schedule import Control, Schedule, make_schedule
from genalpha.system.friction import WIDEST, Friction, FrictionColumns
from genalpha.system.functions import Sparse
from genalpha.system.system import FIELDS_OF_FRICTION, System

METHODS = {method.__name__: method for method in (GeneralizedAlpha, SOI2, MoreauJean)}


@dataclass(frozen=True, eq=False)
class Origin:
    """What a run was started with.

    Attributes
    ----------
    method, schedule, columns, save_every, t_eval
        As the run uses them.
    n_events : int
        Number of event functions.
    q0, v0 : ndarray
        As they were given.
    first_q, first_v : ndarray
        The first state, on the constraints.
    closed_at_start : ndarray of bool (nc,)
    flat : bool
        Are configurations a vector space?
    system : mapping
        What tells the system from others, `identity`.
    recipe : mapping or None
        How to make the system again, `genalpha.solution.files.recipe`.
    """

    method: Method
    schedule: Schedule | Control
    columns: Columns
    save_every: int
    t_eval: NDArray[np.float64] | None
    n_events: int
    q0: NDArray[np.float64]
    v0: NDArray[np.float64]
    first_q: NDArray[np.float64]
    first_v: NDArray[np.float64]
    closed_at_start: NDArray[np.bool_]
    flat: bool
    system: Mapping[str, Any]
    recipe: Mapping[str, Any] | None = None

    @property
    def friction(self) -> Friction | None:
        """What slides and sticks, None without friction."""
        given = self.system.get(FRICTION)
        return None if given is None else _as_friction(given)

    @property
    def nt(self) -> int:
        """Number of rows of slip."""
        return 0 if self.friction is None else self.friction.nt

    def for_file(self, system) -> Origin:
        """With a recipe of the system, which files need only."""
        return self if self.recipe is not None or system is None else dataclasses.replace(self, recipe=recipe(system))

    def words(self) -> dict[str, Any]:
        """How it was solved: all that is no array, for JSON."""
        schedule = {f.name: getattr(self.schedule, f.name) for f in dataclasses.fields(self.schedule)}
        if isinstance(schedule.get("h"), np.ndarray):
            schedule["h"] = None  # an array of its own
        return {
            "method": _method_words(self.method),
            "schedule": {"name": type(self.schedule).__name__, **schedule},
            "columns": {"widths": dict(self.columns.widths), "chosen": self.columns.chosen},
            "save_every": self.save_every, "n_events": self.n_events, "flat": self.flat,
        }  # fmt: skip

    def about_system(self) -> dict[str, Any]:
        """What is known of the system, for JSON; for large models this is long."""
        return {"system": self.system, "recipe": self.recipe}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays, by name."""
        names = ("q0", "v0", "first_q", "first_v", "closed_at_start", "t_eval")
        found = {name: getattr(self, name) for name in names}
        if isinstance(self.schedule, Schedule) and isinstance(self.schedule.h, np.ndarray):
            found["steps"] = self.schedule.h
        return {name: array for name, array in found.items() if array is not None}

    @classmethod
    def read(cls, words, content) -> Origin:
        """The inverse of `words`, with those `about_system` among them, and `arrays`, from the `Content` of a file."""
        mapping("the origin", words, ("method", "schedule", "columns"))
        columns = read_columns(words["columns"])
        schedule = _read_schedule(words["schedule"], content)
        widths = columns.widths
        sizes = {"q0": widths["q"], "v0": widths["v"], "first_q": widths["q"], "first_v": widths["v"]}
        arrays = {name: content.array(f"origin/{name}", (size,)) for name, size in sizes.items()}
        t_eval = content.array("origin/t_eval", (None,)) if content.has("origin/t_eval") else None
        if t_eval is not None and np.any(np.diff(t_eval) < 0.0):
            raise Damaged("the times in 't_eval' do not grow")
        return cls(
            method=read_method(words["method"]), schedule=schedule, columns=columns, t_eval=t_eval,
            save_every=count("save_every", words.get("save_every"), least=1),
            n_events=count("n_events", words.get("n_events"), 10**6), flat=flag("flat", words.get("flat")),
            closed_at_start=content.array("origin/closed_at_start", (widths["gap"],), "bool"),
            system=_read_identity(words.get("system"), widths), recipe=words.get("recipe"), **arrays,
        )  # fmt: skip


def read_columns(words) -> Columns:
    """Columns whose widths fit one another."""
    given = mapping("the columns", words, ("widths", "chosen"))
    widths = {name: 0 for name in NAMES}
    for name, width in mapping("the widths", given["widths"], ("t", "q", "v")).items():
        if name not in EVERY:
            raise Damaged(f"there is no column {name!r:.40}")
        widths[name] = count(f"the width of {name!r}", width, 10**9)
    n, nc = widths["v"], widths["gap"]
    wanted = {"t": 1, "vdot": n, "a": n, "lam_n": nc, "contact_force": nc, "impulse": nc}
    wrong = [name for name, width in wanted.items() if widths[name] != width]
    if widths["Lam"] not in (0, widths["lam"] + widths["psi"] + nc):
        wrong.append("Lam")
    if wrong:
        raise Damaged(f"the width {widths[wrong[0]]} of {wrong[0]!r} does not fit those of the other columns")
    chosen = tuple(texts("the chosen columns", given["chosen"]))
    if "t" not in chosen or not set(chosen) <= set(widths) or len(set(chosen)) < len(chosen):
        raise Damaged(f"the chosen columns are {chosen!r:.80}")
    return Columns(widths, chosen)


def _read_schedule(words, content) -> Schedule | Control:
    """Steps, or error control; the numbers are those that `solve` would accept."""
    options = dict(mapping("the schedule", words, ("name", "t0", "t1")))
    name, kinds = options.pop("name"), {"Control": Control, "Schedule": Schedule}
    known = {field.name: field for field in dataclasses.fields(kinds[name])} if name in kinds else {}
    missing = [key for key, field in known.items() if field.default is dataclasses.MISSING and key not in options]
    if missing or not options.keys() <= known.keys():
        raise Damaged(f"there is no schedule {name!r:.40} of {', '.join(map(str, options)):.80}")
    readers = {"int": count, "bool": flag}
    for key, value in options.items():
        if not (name == "Schedule" and key == "h" and value is None):
            options[key] = readers.get(str(known[key].type), stored_number)(key, value)
    t0, t1 = options["t0"], options["t1"]
    if not (np.isfinite(t1 - t0) and t0 < t1):
        raise Damaged(f"a run from t = {t0} to t = {t1} cannot be")
    if name == "Control":
        return Control(**options)
    if options["h"] is None:
        h = content.array("origin/steps", (options["n"],))
        if not np.all(h > 0.0) or abs(h.sum() - (t1 - t0)) > 1e-6 * (t1 - t0):
            raise Damaged(f"its steps do not lead from t = {t0} to t = {t1}")
        return Schedule(t0, t1, h, options["n"])
    found = make_schedule((t0, t1), options["h"])
    if found.n != options["n"]:
        raise Damaged(f"from t = {t0} to t = {t1} there are {found.n} steps, not {options['n']}")
    return found


def _read_identity(words, widths) -> Mapping[str, Any]:
    """What tells a system from others, as far as it has to fit the columns."""
    found = dict(mapping("the system", words, ("nq", "nv", "ng", "nk", "nc", "names")))
    sizes = {"nq": "q", "nv": "v", "ng": "lam", "nk": "psi", "nc": "gap"}
    for name, column in sizes.items():
        if count(name, found[name]) != widths[column]:
            raise Damaged(f"its system has {name} = {found[name]}, its columns have {widths[column]}")
    friction, width = None, widths.get(FRICTION, 0)
    if FRICTION in found:
        friction = _read_friction(found[FRICTION], widths["gap"])
    if width != (0 if friction is None else FrictionColumns(friction.nt, friction.ne).width):
        raise Damaged(f"the width {width} of {FRICTION!r} does not fit its elements of friction")
    found["names"] = {
        text("a name", kind): texts("names", names) for kind, names in mapping("names", found["names"]).items()
    }
    return found


def _read_friction(words, nc: int) -> Friction:
    """Elements of friction that fit one another and the contacts."""
    given = mapping("the friction", words, Friction._fields)
    for name in Friction._fields:
        for value in listing(f"{name!r} of its friction", given[name]):
            stored_number(name, value)
    found = _as_friction(given)
    n, pressed = found.ne, found.contact[: found.ne - found.nd].tolist()
    fits = len(found.first) == n + 1 and found.first[0] == 0 and found.first[-1] == found.nt
    fits = (
        fits
        and len(found.static) == len(found.e_t) == n
        and bool(np.all((found.widths > 0) & (found.widths <= WIDEST)))
    )
    if not fits or any(not 0 <= i < nc for i in pressed) or len(set(pressed)) < len(pressed):
        raise Damaged("its elements of friction do not fit one another")
    return found


def _as_friction(words: Mapping[str, Any]) -> Friction:
    integers = ("contact", "first")
    return Friction(**{
        name: np.array(words[name], dtype=np.int64 if name in integers else np.float64) for name in Friction._fields
    })  # fmt: skip


OWN = "own"
"""The name of methods that are not of this package."""


def _method_words(method) -> dict[str, Any]:
    """A method, for JSON."""
    if METHODS.get(type(method).__name__) is type(method):
        return {"name": type(method).__name__, **dataclasses.asdict(method)}
    stored = StoredMethod.of(method)
    return {"name": OWN, "class": stored.name, "options": dict(stored.options)}


def read_method(words) -> Method:
    """A method from its name and options."""
    given = mapping("the method", words, ("name",))
    if given["name"] == OWN:
        own = mapping("the method", words, ("name", "class", "options"))
        options = {text("an option", name): value for name, value in mapping("its options", own["options"]).items()}
        return StoredMethod(text("the name of the method", own["class"]), options)
    options: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
    }
    name = options.pop("name")
    if name not in METHODS:
        raise Damaged(f"there is no method {name!r:.40}")
    if options.get("coefficients") is not None:
        options["coefficients"] = Coefficients(**mapping("the coefficients", options["coefficients"]))
    return METHODS[name](**options)


def identity(system, contract) -> dict[str, Any]:
    """What tells a system from others: sizes, names, and hashes of its functions and of its numbers."""
    found: dict[str, Any] = {name: int(getattr(contract, name)) for name in ("nq", "nv", "ng", "nk", "nc")}
    found["what"] = repr(system)
    found["names"] = {kind: list(map(str, names)) for kind, names in contract.names.items()}
    if contract.friction is not None:
        found[FRICTION] = {name: values.tolist() for name, values in contract.friction._asdict().items()}
    return found | hashes(system)


HASHES = f"3, Python {sys.version_info.major}.{sys.version_info.minor}, NumPy {np.__version__}"
"""What hashes of functions depend on, besides the functions: how they are computed, and byte code."""


def hashes(system) -> dict[str, Any]:
    """Hashes of the functions of a system, and its numbers.

    A hash is None where a function reads something that cannot be hashed; then the sizes and names have to do.
    """
    if isinstance(system, System):
        names = [f.name for f in dataclasses.fields(System) if f.name not in ("params", "names", "drawing")]
        if not system.has_friction:  # as in files from before there was any
            names = [name for name in names if name not in FIELDS_OF_FRICTION]
        names += [name for name in system.functions() if name not in names]  # of blocks of its own
        each = [fingerprint(_plain(getattr(system, name))) for name in names]
        functions = None if None in each else fingerprint(*each)
        params = None if system.params is None else np.ravel(np.asarray(system.params, dtype=float)).tolist()
        return {"hashes": HASHES, "functions": functions, "params": params}
    given = _user_functions(system)
    numbers = fingerprint(system.data)
    return {"hashes": HASHES, "functions": fingerprint(tuple(given)) if given else "none", "numbers": numbers}


def _user_functions(system) -> list[Any]:
    """The functions of a model, which its numbers do not contain."""
    parts = system.model.parts.values() if isinstance(system, ModelSystem) else ()
    values = [getattr(part, field.name) for part in parts for field in dataclasses.fields(part)]
    return [value for value in values if callable(value)]


def _plain(value):
    """What the fingerprint understands."""
    if isinstance(value, Sparse):
        return _plain(value.function), value.rows, value.cols
    if value is None or callable(value) or isinstance(value, str | bool | int | float):
        return value
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return value


def require_same(stored: Mapping[str, Any], now: Mapping[str, Any], path):
    """Refuse to go on with another system."""
    for name in ("nq", "nv", "ng", "nk", "nc"):
        if stored[name] != now[name]:
            raise FileError(f"{path} was made by another system: it has {name} = {stored[name]}, this one {now[name]}")
    kinds = [("names", "names"), ("params", "parameters"), ("numbers", "numbers")]
    for kind, what in kinds + [("functions", "functions or constants")] * comparable(stored, now):
        if stored.get(kind) != now.get(kind) and None not in (stored.get(kind), now.get(kind)):
            raise FileError(f"{path} was made by another system: its {what} are not those of this one")


def comparable(stored: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Were the hashes of functions computed in the same way, or are there no functions?"""
    return stored.get("hashes") == now.get("hashes") or stored.get("functions") == now.get("functions") == "none"


def require_comparable(stored: Mapping[str, Any], now: Mapping[str, Any], path):
    """Refuse to go on where functions may be others and nobody could tell."""
    if stored.get("functions") is not None and not comparable(stored, now):
        raise FileError(
            f"{path} was written with hashes of kind {stored.get('hashes', 1)!r}, here they are {now.get('hashes')!r}: "
            f"whether its functions are those of this system cannot be told; start a run from its last state, "
            f"sol.q[-1] and sol.v[-1]"
        )
