"""What a run did and how good it was."""

from __future__ import annotations

from genalpha.cli.console import duration, size
from genalpha.errors import InputError
from genalpha.model.model import units_in

SHOWN = 4
"""Impacts and intervals."""

ROUND_OFF = 1e-10
"""Energies below this share of the largest one are left out."""


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
    end = f"{sol.t[-1]:g} {units_in(sol.system).time}"
    steps = f"{stats.steps}  to t = {end}, {stats.newton / stats.steps:.2f} Newton iterations each"
    rejected = stats.rejected_error + stats.rejected_newton + stats.rejected_impact
    table.add_row("steps", steps + (f", {rejected} rejected" if rejected else ""))
    if stats.seconds:  # not known if a function of the user's raised an exception in the first chunk
        span = (sol.t[-1] - sol.t[0]) * units_in(sol.system).second
        each, speed = duration(stats.seconds / stats.steps), span / stats.seconds
        table.add_row("time", f"{duration(stats.seconds)}  {each} per step, {speed:.3g} × real time")
    for label, text in _quality(target.problem, sol):
        table.add_row(label, text)
    console.print(table, highlight=False)


def _steps_of(sol) -> str:
    """The step size; the mean one if steps vary."""
    span = sol.t[-1] - sol.t[0]
    return f"h = {float(f'{span / sol.stats.steps:.3g}'):g} {units_in(sol.system).time}"


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
    stats, impacts, units = sol.stats, sol.impacts, units_in(sol.system)
    if impacts.time.size:
        first = ", ".join(f"{t:.6g}" for t in impacts.time[:SHOWN])
        more = ", …" if impacts.time.size > SHOWN else ""
        yield "impacts", f"{impacts.time.size}  at t = {first}{more} {units.time}"
    else:
        yield "impacts", "none"
    closed = [(name, found) for name, found in zip(_gap_names(sol), sol.contact_intervals, strict=True) if found]
    if not closed:
        yield "closed", "only for an instant, in impacts" if impacts.time.size else "never"
    for name, intervals in closed[: 2 * SHOWN]:
        text = ", ".join(f"[{begin:.6g}, {end:.6g}]" for begin, end in intervals[:SHOWN])
        more = f", …  {len(intervals)} intervals" if len(intervals) > SHOWN else ""
        yield f"{name} closed", f"{text}{more} {units.time}".replace("[", "\\[")
    action = units.of("action").replace(" ", "·")
    yield (
        "penetration",
        (f"{size(stats.penetration)} {units.length}   gap × impulse {size(stats.complementarity)} {action}"),
    )


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

    total, unit = ledger.kinetic + ledger.potential, units_in(sol.system).energy
    if problem is not None and problem.conserves_energy:
        largest = np.abs([ledger.kinetic, ledger.potential]).max()
        return f"drift {np.abs(total - total[0]).max():.1e} {unit} of {largest:.3g} {unit}"
    first, last = (0.0 if abs(x) < 1e-14 * np.abs(total).max() else x for x in (total[0], total[-1]))
    text = f"{first:.4g} {unit} at first, {last:.4g} {unit} at last"
    works = {name: getattr(ledger, name) for name in WORKS}
    largest = max(np.abs(x).max() for x in (ledger.kinetic, ledger.potential, *works.values()))
    gone = [f"{x[-1]:.4g} {unit} gone to {name}" for name, x in works.items() if np.abs(x).max() > ROUND_OFF * largest]
    if sol.gap.shape[1]:
        gone.append(f"{ledger.impacts[-1]:.4g} {unit} lost in impacts")
    known = np.isfinite(ledger.numerical[-1])
    gone.append(f"{ledger.numerical[-1]:.1e} {unit} numerically" if known else "what went numerically is not known")
    return f"{text}; {', '.join(gone)}"
