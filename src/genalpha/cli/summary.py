"""What a run did and how good it was."""

from __future__ import annotations

from genalpha.cli.console import duration, size
from genalpha.errors import InputError

SHOWN = 4
"""Impacts and intervals."""


def summarise(console, target, sol) -> None:
    """The table that is shown after a run."""
    from rich.table import Table

    from genalpha.reproduce.methods import describe

    stats = sol.stats
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim")
    table.add_column()
    way = "compiled" if sol.system.compiled else "interpreted"
    table.add_row("method", f"{describe(sol.method)}, {_steps_of(sol)}, {way}")
    steps = f"{stats.steps}  to t = {sol.t[-1]:g} s, {stats.newton / stats.steps:.2f} Newton iterations each"
    rejected = stats.rejected_error + stats.rejected_newton + stats.rejected_impact
    table.add_row("steps", steps + (f", {rejected} rejected" if rejected else ""))
    if stats.seconds:  # not known if a function of the user's raised an exception in the first chunk
        each, speed = duration(stats.seconds / stats.steps), (sol.t[-1] - sol.t[0]) / stats.seconds
        table.add_row("time", f"{duration(stats.seconds)}  {each} per step, {speed:.3g} × real time")
    for label, text in _quality(target.problem, sol):
        table.add_row(label, text)
    console.print(table, highlight=False)


def _steps_of(sol) -> str:
    """The step size; the mean one if steps vary."""
    span = sol.t[-1] - sol.t[0]
    return f"h = {float(f'{span / sol.stats.steps:.3g}'):g} s"


def _quality(problem, sol):
    """Constraints, contacts, errors and energy of a solution: pairs of label and text."""
    stats, has_contacts = sol.stats, sol.gap.shape[1] > 0
    if sol.lam.shape[1]:
        yield "constraints", f"|g| {stats.max_g:.1e}   |ġ| {stats.max_gdot:.1e}   |g̈| {stats.max_gddot:.1e}"
    if sol.psi.shape[1]:
        yield "nonholonomic", f"|k| {stats.max_k:.1e}"
    if has_contacts:
        yield from _contacts(sol)
    if problem is not None and problem.has_reference:
        yield "mean error" if has_contacts else "error", _errors(problem, sol)
    if problem is not None:
        yield "against" if problem.has_reference else "reference", f"[dim]{problem.reference_is}[/]"
    try:
        ledger = sol.ledger
    except InputError:  # the system has no energy
        return
    yield "energy", _energy(problem, sol, ledger)


def _contacts(sol):
    """Impacts, intervals of contact, and how well gaps are kept."""
    stats, impacts = sol.stats, sol.impacts
    if impacts.time.size:
        first = ", ".join(f"{t:.6g}" for t in impacts.time[:SHOWN])
        more = ", …" if impacts.time.size > SHOWN else ""
        yield "impacts", f"{impacts.time.size}  at t = {first}{more} s"
    else:
        yield "impacts", "none"
    for name, intervals in list(zip(_gap_names(sol), sol.contact_intervals, strict=True))[: 2 * SHOWN]:
        text = ", ".join(f"[{begin:.6g}, {end:.6g}]" for begin, end in intervals[:SHOWN])
        more = f", …  {len(intervals)} intervals" if len(intervals) > SHOWN else ""
        yield f"{name} closed", f"{text}{more}".replace("[", "\\[") or "at no time but in impacts"
    yield "penetration", f"{size(stats.penetration)} m   gap × impulse {size(stats.complementarity)} m·N·s"


def _gap_names(sol) -> list[str]:
    names = sol.system.names
    given = names.get("gap", ()) if isinstance(names, dict) else ()
    return list(given) or [f"gap\\[{i}]" for i in range(sol.gap.shape[1])]


def _errors(problem, sol):
    """The largest errors; with impacts the means over time, as a jump that comes a step late is off by all of it."""
    import numpy as np

    exact = problem.reference(sol.t)
    pairs = (("q", sol.q, exact.q), ("v", sol.v, exact.v), ("λ", sol.lam, exact.lam), ("ψ", sol.psi, exact.psi))
    measure = np.mean if problem.has_contacts else np.max
    return "   ".join(f"{symbol} {measure(np.abs(x - y)):.1e}" for symbol, x, y in pairs if x.shape[1])


def _energy(problem, sol, ledger):
    """Drift of the energy, or its first and last value and where the rest has gone."""
    import numpy as np

    from genalpha.solution.ledger import WORKS

    total = ledger.kinetic + ledger.potential
    if problem is not None and problem.conserves_energy:
        largest = np.abs([ledger.kinetic, ledger.potential]).max()
        return f"drift {np.abs(total - total[0]).max():.1e} J of {largest:.3g} J"
    first, last = (0.0 if abs(x) < 1e-14 * np.abs(total).max() else x for x in (total[0], total[-1]))
    text = f"{first:.4g} J at first, {last:.4g} J at last"
    gone = [f"{getattr(ledger, name)[-1]:.4g} J gone to {name}" for name in WORKS if np.any(getattr(ledger, name))]
    if sol.gap.shape[1]:
        gone.append(f"{ledger.impacts[-1]:.4g} J lost in impacts")
    known = np.isfinite(ledger.numerical[-1])
    gone.append(f"{ledger.numerical[-1]:.1e} J numerically" if known else "what went numerically is not known")
    return f"{text}; {', '.join(gone)}"
