"""Does it help to do what the message of an error advises? Only runs that succeed say yes."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

import genalpha as ga
from fuzz.run import solve

PARTS = (4, 16, 64)
MAX_STEPS = 20_000
"""Of error control: a run that needs more does not count as one that arrives."""

NEAR = 0.1
"""Of the time span: two runs with different steps end at the same singularity if they end no further apart."""

REFINED = 4
"""How often a beam is given more elements: a light one that is loaded like a rope needs a hundred."""

TURNED = re.compile(r"beam '(\w+)' turns .* elements=(\d+)")

FALLEN = 0.1
"""The smallest singular value of constraint rows over that at t0, where they lose rank."""


def helps(case, error: ga.GenalphaError) -> bool:
    """Does the same model run as its message advises: with smaller steps, another formulation, without h?

    Some models come to a true singularity. Then a run with other steps must end there too, and what the errors say is
    computed once more from where the runs have ended; for beams with too few elements, more of them must help.
    """
    ends = [error]
    for advised in changed_steps(case, str(error)):
        if (found := attempt(advised)) is None:
            return True
        if TURNED.search(str(found)):
            return arrives_finer(case, str(found))
        ends.append(found)
    if "rtol" in advised.options:  # shorter steps once more
        ends.append(attempt(replace(advised, options={**advised.options, "rtol": 1e-2 * advised.options["rtol"]})))
    return is_singular([end for end in ends if isinstance(end, ga.SingularityError)], case.span)


def arrives_finer(case, words: str) -> bool:
    """Does a beam arrive with the elements that messages ask for, one after the other, and with what else they say?"""
    for _ in range(REFINED):
        name, elements = TURNED.search(words).groups()
        case, words = more_elements(case, name, int(elements)), ""
        if (first := attempt(case)) is None:
            return True
        for advised in changed_steps(case, str(first)):
            if (found := attempt(advised)) is None:
                return True
            if TURNED.search(str(found)):
                words = str(found)
                break
        if not words:
            return False
    return False


def changed_steps(case, words: str):
    """The case with smaller steps; and with error control and the formulation that the message names, if it does."""
    for parts in PARTS:
        yield replace(case, h=case.h / parts, steps=case.steps * parts)
    advised = advised_method(case.method, words)
    if "leave h out" in words:
        options = {**case.options, "rtol": 1e-4, "max_steps": MAX_STEPS}
        yield replace(case, method=advised, options=options)
    elif advised != case.method:
        yield replace(case, method=advised)


def advised_method(method, words: str):
    """The formulation or method that the message names, or the one that is there."""
    if "take GeneralizedAlpha()" in words:
        return replace(method, kind="GeneralizedAlpha", fields={})
    if named := re.search(r'take formulation "(\w+)"', words):
        kept = {key: value for key, value in method.fields.items() if key not in ("baumgarte", "formulation")}
        return replace(method, fields={**kept, "formulation": named[1]})
    return method


def more_elements(case, name: str, elements: int):
    """The case with so many elements of a beam; its last node has another number."""

    old = next(call.fields["elements"] for call in case.everything() if call.name == name)

    def renamed(key, value, call):
        if call.name == name:
            return elements if key == "elements" else value
        node = re.fullmatch(rf"{name}\.(\d+)", value) if isinstance(value, str) else None
        return f"{name}.{int(node[1]) * elements // old}" if node else value

    def moved(calls):
        return tuple(replace(call, fields={k: renamed(k, x, call) for k, x in call.fields.items()}) for call in calls)

    return replace(case, bodies=moved(case.bodies), parts=moved(case.parts))


def attempt(case) -> ga.GenalphaError | None:
    """The error of a run; None: it arrives."""
    try:
        solve(case)
    except ga.GenalphaError as error:
        return error
    except Exception as error:
        raise RuntimeError(f"as advised: {type(error).__name__}: {error}") from error
    return None


def is_singular(ends, span) -> bool:
    """Do constraints lose rank where runs with different steps have ended, and at the same time?"""
    times = [error.solution.t[-1] for error in ends]
    if len(ends) < 2 or np.ptp(times) > NEAR * (span[1] - span[0]):
        return False
    return all(_falls(error.solution) for error in ends)


def _falls(sol) -> bool:
    """Has the smallest singular value of rows that were independent at t0 fallen at the end?"""
    system = sol.system
    contract = system.contract(sol.t[0], sol.q[0], sol.v[0])
    values = []
    for row in (0, -1):
        t, q, v = sol.t[row], sol.q[row], sol.v[row]
        M, B = contract.matrix("M", t, q), np.vstack([contract.matrix("G", t, q), contract.matrix("K", t, q, v)])
        S = B @ np.linalg.solve(M, B.T)
        size = np.sqrt(np.diag(S))
        values.append(np.sqrt(np.clip(np.linalg.eigvalsh(S / np.outer(size, size)), 0.0, None))[::-1])
    place = int(np.sum(values[0] > 1e-6)) - 1
    return bool(values[1][place] <= FALLEN * values[0][place])
