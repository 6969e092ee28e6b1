"""Wrong calls: every public function with one argument wrong, missing, unknown, or in the wrong order.

Each must get an error of genalpha's own, or Python's own word that an argument is missing or unknown, within a second.
"""

from __future__ import annotations

import contextlib
import functools
import io
import time
import traceback
import warnings
from collections import Counter

import numpy as np

import genalpha as ga
from fuzz.catalogue import CALLS, NEVER_RIGHT
from fuzz.pool import each
from fuzz.tries import WRONG

SECONDS, LIMIT = 1.0, 60.0
WORDS = ("unexpected keyword argument", "required positional argument", "required keyword-only argument",
         "positional argument", "multiple values for argument")  # fmt: skip
OURS, PYTHON, FOREIGN, ACCEPTED, SLOW, HANG, CRASH = (
    "ours", "Python's own", "foreign exception", "accepted", "slow", "hang", "crash",
)  # fmt: skip
GOOD = (OURS, PYTHON)


@functools.cache
def arguments(label: str) -> dict:
    """Of a call; some are made when they are wanted, because they need SymPy."""
    given = CALLS[label][1]
    return given() if callable(given) else given


def wrong_calls():
    """All of them: (label, argument, position of the wrong value or a word)."""
    for label in CALLS:
        for name, (_, kind) in arguments(label).items():
            for i in range(len(WRONG[kind])):
                yield label, name, i
        yield label, "", "unknown"
        yield label, "", "order"


def words_of(call) -> tuple[tuple, dict]:
    """The arguments of a wrong call."""
    label, name, what = call
    given = arguments(label)
    right = {key: value for key, (value, _) in given.items() if not (label in NEVER_RIGHT and value is None)}
    if what == "unknown":
        return (), {**right, "no_such_argument": 1.0}
    if what == "order":
        return (*reversed(list(right.values())), 1.0, 2.0), {}
    return (), {**right, name: WRONG[given[name][1]][what]}


def show(call) -> str:
    """As one would write it."""
    positional, named = words_of(call)
    words = [f"{x!r:.60}" for x in positional]
    words += [f"{key}={value!r:.60}" for key, value in named.items() if call[1] in (key, "")]
    return f"{call[0]}({', '.join(words)})"


def attempt(call) -> tuple[str, str]:
    """(what came of it, words)."""
    function = CALLS[call[0]][0]
    positional, named = words_of(call)
    begin = time.perf_counter()
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            function(*positional, **named)
        found = ACCEPTED, ""
    except ga.GenalphaError as error:
        found = OURS, str(error)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        kind = PYTHON if isinstance(error, TypeError) and any(w in str(error) for w in WORDS) else FOREIGN
        found = kind, f"{type(error).__name__}: {error!s:.100} ({where.filename.rpartition('/')[2]}:{where.lineno})"
    return (SLOW, f"{time.perf_counter() - begin:.1f} s") if time.perf_counter() - begin > SECONDS else found


def chosen(n: int, seed: int) -> list:
    """n of all wrong calls, at random; all of them in the end."""
    calls = list(wrong_calls())
    order = np.random.default_rng(seed).permutation(len(calls))
    return [calls[i] for i in order[:n]]


def warm():
    """What is compiled or imported by the first call is not counted."""
    for label in CALLS:
        with contextlib.suppress(Exception):
            attempt((label, "", "unknown"))
            function, given = CALLS[label][0], {key: value for key, (value, _) in arguments(label).items()}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function(**given)


def work(call):
    """In a worker process."""
    if call == "warm":
        warm()
        return OURS, ""
    return attempt(call)


def main(n: int, seed: int) -> int:
    """Try, tell and count."""
    counts: Counter = Counter()
    calls = chosen(n, seed)
    for call, found in each(work, ["warm", *calls], 1, LIMIT):
        if call == "warm":
            continue
        kind, words = found if isinstance(found, tuple) else (found, "")
        counts[kind] += 1
        if kind not in GOOD:
            print(f"{kind}: {show(call)} {words}", flush=True)
    total = sum(counts.values())
    print(", ".join(f"{kind} {count}" for kind, count in counts.items()), f"of {total} wrong calls")
    return int(any(counts[kind] for kind in counts if kind not in GOOD))
