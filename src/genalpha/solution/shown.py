"""A solution as the last line of a notebook's cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from genalpha.model.model import units_in
from genalpha.notebook import frame, table
from genalpha.view.files import is_drawn
from genalpha.view.page import page_of

if TYPE_CHECKING:
    from genalpha.solution.solution import Solution

FRAMES = 400
LARGEST = 8_000_000
"""Characters of a page that a notebook keeps; larger ones are saved as files."""

HEIGHT = 480


def as_html(sol: Solution) -> str:
    """The motion, or a table of what was computed."""
    if not len(sol) or not is_drawn(sol.system):
        return summary(sol)
    page = page_of([sol], frames=FRAMES)
    if len(page) > LARGEST:
        return summary(sol) + (
            f"<p>The motion takes {len(page) / 1e6:.0f} MB, too much for a notebook: "
            f'<code>sol.save_html("motion.html")</code> writes it to a file.</p>'
        )
    return frame(page, HEIGHT)


def summary(sol) -> str:
    """Steps, times, constraints and impacts."""
    stats, widths, units = sol.stats, sol.origin.columns.widths, units_in(sol.system)
    rows: list[tuple[str, object]] = [("method", sol.method.describe()), ("steps", stats.steps), ("rows", len(sol))]
    if len(sol):
        rows.insert(0, ("t", f"{sol.t[0]:.6g} to {sol.t[-1]:.6g} {units.time}"))
    if widths["lam"]:
        rows.append(("constraints", f"|g| {stats.max_g:.1e}, |ġ| {stats.max_gdot:.1e}, |g̈| {stats.max_gddot:.1e}"))
    if widths["gap"]:
        rows += [("impacts", sol.impacts.time.size), ("deepest penetration", f"{stats.penetration:.1e} {units.length}")]
    if not sol.success:
        rows.append(("message", sol.message))
    return table(rows, caption=f"Solution: {sol.status}")
