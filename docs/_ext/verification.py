"""The table of `genalpha verify`, measured when the book is built; a row that leaves its tolerance ends the build."""

from __future__ import annotations

from pathlib import Path

from sphinx.util import logging

LOG = logging.getLogger(__name__)


def measure(app) -> None:
    from run import fingerprint

    folder = Path(app.srcdir) / "_generated"
    stamp, now = folder / "package", fingerprint()
    if stamp.exists() and stamp.read_text() == now and (folder / "verification.md").exists():
        return
    from genalpha.reproduce import verify

    rows = verify.measure()
    verify.write(rows, folder)
    failed = [verified.row.id for verified in rows if not verified.row.ok]
    if failed:
        LOG.warning("verification: these rows leave their tolerances: %s", ", ".join(failed))
    else:
        stamp.write_text(now)


def setup(app) -> dict:
    app.connect("builder-inited", measure)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
