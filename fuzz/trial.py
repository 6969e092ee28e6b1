"""One model: made, run, checked; what came of it."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass

import genalpha as ga
from fuzz import coulomb, families, functional, invariants, ranges, relations, scenes
from fuzz.advice import helps
from fuzz.draw import Draw
from fuzz.run import solve

MAKERS = {**families.MAKERS, **functional.MAKERS, **scenes.MAKERS}

OK, SILENT, FOREIGN, HANG, CRASH, OURS, STUCK = (
    "ok", "silent error", "foreign exception", "hang", "crash", "error of ours", "advice fails",
)  # fmt: skip
KINDS = (OK, SILENT, FOREIGN, HANG, CRASH, OURS, STUCK)
"""What can come of a model: an error of ours is one whose advice works."""

ALIKE = ("units", "frame", "order", "shift", "door", "file", "turn")
"""Relations between runs that are the same but for round-off: one cannot fail where the other runs."""


@dataclass
class Outcome:
    """Of a model: its family, the relation that was looked at, what came of it, and words."""

    seed: int
    index: int
    family: str = ""
    relation: str = ""
    kind: str = OK
    what: str = ""
    h: float = 0.0
    seconds: float = 0.0
    script: str = ""

    @property
    def name(self) -> str:
        return f"{self.seed}:{self.index}"


def make(seed: int, index: int, family: str | None = None):
    """(case, draw): the same for the same numbers; what is drawn later belongs to the relation."""
    draw = Draw(seed, index)
    chosen = draw.pick(ranges.FAMILIES, [weight for weight, _ in ranges.FAMILIES.values()])
    return MAKERS[family or chosen](draw), draw


def choose(case, draw: Draw) -> str:
    """One relation that the case can be asked for."""
    if case.family == "friction":
        return draw.pick(ranges.FRICTION, [weight for weight, _ in ranges.FRICTION.values()])
    names = [name for name in ranges.RELATIONS if relations.applies(name, case)]
    return draw.pick(names, [ranges.RELATIONS[name][0] for name in names])


def trial(seed: int, index: int, family: str | None = None, relation: str | None = None) -> Outcome:
    """Make a model, run it, and look at what it must keep and at one relation."""
    begin, outcome = time.perf_counter(), Outcome(seed, index)
    try:
        case, draw = make(seed, index, family)
        outcome.family, outcome.h, outcome.script = case.family, case.h, case.script()
        try:
            _look(case, draw, outcome, relation)
        except ga.GenalphaError as error:
            outcome.kind, outcome.what = OURS, f"{type(error).__name__}: {error}"
            if outcome.relation in ALIKE:
                outcome.kind, outcome.what = STUCK, f"fails where the model itself runs: {outcome.what}"
            elif isinstance(error, ga.InputError) or not helps(case, error):
                outcome.kind = STUCK
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        outcome.kind = FOREIGN
        outcome.what = f"{type(error).__name__}: {error} ({where.filename.rpartition('/')[2]}:{where.lineno})"
    outcome.seconds = time.perf_counter() - begin
    return outcome


def by_index(index: int, seed: int, family: str | None, relation: str | None) -> Outcome:
    """What worker processes call."""
    return trial(seed, index, family, relation)


def _look(case, draw, outcome, relation):
    every = 1 if case.touches else max(1, case.steps // 10)
    base = solve(case, save_every=every)
    laws = coulomb if case.family == "friction" else invariants
    for name, check in laws.CHECKS.items():
        outcome.relation = name
        if wrong := check(base):
            outcome.kind, outcome.what = SILENT, wrong
            return
    outcome.relation = relation or choose(case, draw)
    asked = coulomb.RELATIONS if case.family == "friction" else relations.CHECKS
    if wrong := asked[outcome.relation](case, base, draw):
        outcome.kind, outcome.what = SILENT, wrong
