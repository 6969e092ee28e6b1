"""The command line: ``python -m fuzz [-n 1000] [--seed 0] [--model 0:17] [--family tree] [calls]``."""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

# threads of BLAS would only get in each other's way
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import genalpha as ga
from fuzz import ranges
from fuzz.describe import Case
from fuzz.invariants import formulation
from fuzz.pool import each
from fuzz.run import COMPILED, families_of, solve
from fuzz.trial import CRASH, FOREIGN, HANG, KINDS, OK, OURS, SILENT, STUCK, Outcome, by_index, make, trial

OUT = Path("out/fuzz")
WORKERS = 2
WARM = 60
"""Models of each family that are looked at to find what must be compiled."""
SHORT = 1e-3
"""Steps that nobody would call long: errors of ours with these are counted, and told."""
ALLOWED = 5e-3
"""Of models with such steps may end in an error of ours whose advice works."""


def lost(seed, index, kind, family):
    """The outcome of a model whose process did not answer."""
    case, _ = make(seed, index, family)
    what = f"no answer in {ranges.SECONDS:g} s" if kind == HANG else "the interpreter ended"
    return Outcome(seed, index, case.family, "", kind, what, case.h, 0.0, case.script())


def warm(families) -> str:
    """Compile what models of these families need, before the clock of single models runs."""
    begin, seen = time.perf_counter(), set()
    for family in families:
        for index in range(WARM):
            case, _ = make(WARM, index, family)
            key = what_compiles(case)
            if key not in seen:
                seen.add(key)
                with contextlib.suppress(ga.GenalphaError):
                    solve(replace(case, steps=2))
    return f"warmed up in {time.perf_counter() - begin:.0f} s"


def what_compiles(case):
    """What is compiled for a case: its functions, or the evaluators of its model, and the loop of its method."""
    loop = formulation(case) if formulation(case) in ("SOI2", "MoreauJean", "PVV") else "alpha"
    if isinstance(case, Case):
        with contextlib.suppress(ga.GenalphaError):
            used = families_of(case.build())
            if used in COMPILED and not case.has_functions:
                return used, loop, case.touches
        return None, loop, False
    return case.family, case.kind, loop


def tell(outcome: Outcome):
    """A failure in words, and a script that repeats it."""
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / f"{outcome.family}-{outcome.seed}-{outcome.index}.py"
    title = f"{outcome.kind} in {outcome.family} {outcome.name} ({outcome.relation}): {outcome.what}"
    repeat = f"python -m fuzz --model {outcome.name}"
    path.write_text(f'r"""{title}\n\n{repeat}\n"""\n\n{outcome.script}\n', encoding="utf-8")
    print(f"{title}\n    {repeat}    # {path}", flush=True)


def table(outcomes) -> str:
    """Counts by family and kind."""
    counts = Counter((o.family, o.kind) for o in outcomes)
    families = [f for f in ranges.FAMILIES if any((f, kind) in counts for kind in KINDS)]
    lines = [f"{'family':12}" + "".join(f"{kind:>19}" for kind in KINDS) + f"{'ms':>8}"]
    for family in [*families, "all"]:
        own = [o for o in outcomes if family in ("all", o.family)]
        numbers = [sum(o.kind == kind for o in own) for kind in KINDS]
        mean = 1e3 * sum(o.seconds for o in own) / max(1, len(own))
        lines.append(f"{family:12}" + "".join(f"{n or '':>19}" for n in numbers) + f"{mean:8.0f}")
    relations = Counter(o.relation for o in outcomes)
    looked = ", ".join(f"{name} {relations[name]}" for name in ranges.RELATIONS if relations[name])
    return "\n".join([*lines, f"relations: {looked}"])


def verdict(outcomes) -> int:
    """0: nothing silent, foreign, hanging or crashing, and few errors of ours, whose advice works."""
    bad = [o for o in outcomes if o.kind in (SILENT, FOREIGN, HANG, CRASH, STUCK)]
    short = [o for o in outcomes if o.h <= SHORT]
    ours = sum(o.kind == OURS for o in short)
    print(f"{len(bad)} failures; {ours} of {len(short)} models with h <= {SHORT:g} end in an error of ours")
    return int(bool(bad) or ours > ALLOWED * max(1, len(short)))


def repeat(name: str, family, relation) -> int:
    """One model, here and now."""
    seed, index = map(int, name.split(":"))
    outcome = trial(seed, index, family, relation)
    print(outcome.script, "\n")
    if outcome.kind == OK:
        print(f"ok ({outcome.relation}, {outcome.seconds:.2f} s)")
        return 0
    tell(outcome)
    return 1


def models(given) -> int:
    begin = time.perf_counter()
    families = [given.family] if given.family else list(ranges.FAMILIES)
    if not given.cold:
        print(warm(families), flush=True)
    function = functools.partial(by_index, seed=given.seed, family=given.family, relation=given.relation)
    outcomes = []
    indices = range(given.first, given.first + given.n)
    for index, answer in each(function, indices, min(WORKERS, given.workers), ranges.SECONDS):
        outcome = answer if isinstance(answer, Outcome) else lost(given.seed, index, answer, given.family)
        outcomes.append(outcome)
        if outcome.kind != OK and (outcome.kind != OURS or outcome.h <= SHORT):
            tell(outcome)
        if len(outcomes) % 1000 == 0:
            print(f"{len(outcomes)} models, {time.perf_counter() - begin:.0f} s", flush=True)
    print(table(outcomes))
    return verdict(outcomes)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Random models, and what must hold for them.")
    parser.add_argument("what", nargs="?", choices=("models", "calls"), default="models")
    parser.add_argument("-n", type=int, default=1000, help="how many [%(default)s]")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="index of the first one")
    parser.add_argument("--model", metavar="SEED:INDEX", help="repeat this one")
    parser.add_argument("--family", choices=list(ranges.FAMILIES), help="models of this family only")
    parser.add_argument("--relation", choices=list(ranges.RELATIONS), help="look at this relation only")
    parser.add_argument("--workers", type=int, default=WORKERS, help="processes, at most two")
    parser.add_argument("--cold", action="store_true", help="compile as models ask for it, within their time")
    given = parser.parse_args()
    if given.what == "calls":
        from fuzz.calls import main as calls

        return calls(given.n, given.seed)
    if given.model:
        return repeat(given.model, given.family, given.relation)
    return models(given)


if __name__ == "__main__":
    sys.exit(main())
