"""Published and exact numbers beside ours: the rows of the reproduced studies that have a source outside this package.

>>> from genalpha.reproduce import verify
>>> verify.source_of("001-1-order-lam").kind
'printed'
>>> verify.source_of("chain16-PVA-g") is None  # a requirement of ours
True
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from genalpha.reproduce.sources import KINDS, SOURCES, Source
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row

__all__ = ["Verified", "measure", "source_of", "studies", "write"]

COLUMNS = ("id", "what", "kind", "source", "value", "ours", "error", "tolerance", "settings", "ok")


@dataclass(frozen=True)
class Verified:
    """A row and where its number comes from.

    Attributes
    ----------
    row : Row
    source : Source
    """

    row: Row
    source: Source

    @property
    def record(self) -> dict[str, object]:
        """All columns, by name."""
        row, source = self.row, self.source
        _, what, value, ours, tolerance = row.cells
        return {
            "id": row.id,
            "what": what,
            "kind": source.kind,
            "source": source.text,
            "value": value,
            "ours": ours,
            "error": f"{row.measured - row.required:.1e}" if row.relation == "=" else "",
            "tolerance": tolerance.removeprefix("± "),
            "settings": source.settings,
            "ok": row.ok,
        }


def source_of(id: str) -> Source | None:
    """The source of the row with this id; None if its number is a requirement of ours."""
    return next((source for source in SOURCES if re.fullmatch(source.rows, id)), None)


def studies() -> tuple[str, ...]:
    """The names of the studies that have such rows."""
    return tuple(dict.fromkeys(source.study for source in SOURCES))


def measure(chosen: Iterable[str] = (), report: Callable[[Study], None] | None = None) -> list[Verified]:
    """Measure the chosen studies, or all that have rows with a source; gives these rows.

    Parameters
    ----------
    chosen : iterable of str
        Names out of `studies`.
    report : callable, optional
        Called with each study before it begins.

    Returns
    -------
    list of Verified
        In the order of the sources.

    Examples
    --------
    >>> from genalpha.reproduce import verify
    >>> rows = verify.measure(["spectral"])
    >>> len(rows), all(verified.row.ok for verified in rows)
    (9, True)
    """
    from genalpha import reproduce

    results = reproduce.measure(tuple(chosen) or studies(), report)
    found = [(row, source_of(row.id)) for result in results for row in result.rows]
    rows = [Verified(row, source) for row, source in found if source is not None]
    return sorted(rows, key=lambda verified: SOURCES.index(verified.source))


def write(rows: Iterable[Verified], folder: Path | str) -> list[Path]:
    """Write ``verification.md``, ``.csv`` and ``.json``; gives their paths."""
    folder, records = Path(folder), [verified.record for verified in rows]
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"verification.{suffix}" for suffix in ("md", "csv", "json")]
    files[0].write_text("\n".join(_markdown(records)) + "\n", encoding="utf-8")
    with files[1].open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        writer.writerows(records)
    files[2].write_text(json.dumps(records, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return files


def _markdown(records) -> Iterable[str]:
    """One table per source, with its settings in the heading."""
    passed = sum(bool(record["ok"]) for record in records)
    yield f"{passed} of {len(records)} rows are within their tolerances."
    groups: dict[tuple, list] = {}
    for record in records:
        groups.setdefault((record["source"], record["settings"], record["kind"]), []).append(record)
    for (source, settings, kind), group in groups.items():
        yield f"\n**{source}** ({KINDS[kind]})\\\n{settings}\n"
        yield "| what | value | ours | error | tolerance | |"
        yield "|---|---:|---:|---:|---:|---|"
        for record in group:
            cells = [str(record[name]).replace("|", "\\|") for name in ("what", "value", "ours", "error", "tolerance")]
            yield f"| {' | '.join(cells)} | {'✓' if record['ok'] else '✗'} |"
