"""Published results reproduced: a table of measured against required values, and figures.

>>> from genalpha import reproduce
>>> reproduce.names()[:4]
('spectral', 'constraints', 'soi2', 'nonholonomic')
>>> results = reproduce.measure(["spectral"])
>>> all(row.ok for result in results for row in result.rows)
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from genalpha import problems
from genalpha.errors import InputError
from genalpha.reproduce import (
    bar,
    beams,
    bodies,
    bouncing_ball,
    bouncing_pendulum,
    conditioning,
    constraints,
    cradle,
    dry_friction,
    dry_mechanisms,
    dry_orders,
    external,
    flexible_pendulum,
    iftomm,
    impact_orders,
    impact_times,
    nonholonomic,
    orders,
    pictures,
    soi2,
    spectral,
    stability,
)
from genalpha.reproduce.ahead import compiling_ahead
from genalpha.reproduce.study import Result, Study
from genalpha.reproduce.table import Row, write_csv, write_markdown

__all__ = ["Result", "Row", "Study", "draw", "get", "measure", "names", "write_gallery", "write_tables"]

_STUDIES = {
    study.name: study
    for study in (
        spectral.STUDY,
        constraints.STUDY,
        soi2.STUDY,
        nonholonomic.STUDY,
        orders.STUDY,
        conditioning.STUDY,
        pictures.CHAIN,
        pictures.SKATE,
        bouncing_ball.STUDY,
        bouncing_pendulum.STUDY,
        flexible_pendulum.STUDY,
        bar.STUDY,
        cradle.STUDY,
        impact_orders.STUDY,
        impact_times.STUDY,
        external.TEST_SET,
        external.HEAVY_TOP,
        iftomm.STUDY,
        beams.STUDY,
        bodies.TOUCHING,
        bodies.ROLLING,
        stability.STUDY,
        dry_friction.BLOCKS,
        dry_friction.BALLS,
        dry_mechanisms.RODS,
        dry_mechanisms.PILES,
        dry_mechanisms.TOYS,
        dry_orders.STUDY,
    )
}


def names() -> tuple[str, ...]:
    """The names of all studies.

    Examples
    --------
    >>> from genalpha import reproduce
    >>> "bar" in reproduce.names()
    True
    """
    return tuple(_STUDIES)


def get(name: str) -> Study:
    """The study called ``name``."""
    if name not in _STUDIES:
        raise InputError(f"there is no study {name!r}; there are {', '.join(map(repr, _STUDIES))}")
    return _STUDIES[name]


def measure(chosen: Iterable[str] = (), report: Callable[[Study], None] | None = None) -> list[Result]:
    """Compute the chosen studies, or all but those `by_name`; ``report`` is called with each before it begins.

    Examples
    --------
    >>> from genalpha import reproduce
    >>> [result] = reproduce.measure(["spectral"])
    >>> round(result.rows[0].measured, 4)
    0.9697
    """
    studies = [get(name) for name in chosen]
    if studies:
        return [_measure(study, report) for study in studies]
    studies = [study for study in _STUDIES.values() if not study.by_name]
    needed = [name for study in studies for name in study.problems]
    with compiling_ahead(dict.fromkeys([*needed, *problems.names()])):
        return [_measure(study, report) for study in studies]


def _measure(study: Study, report) -> Result:
    if report is not None:
        report(study)
    data = study.compute()
    return Result(study, data, study.rows(data))


def write_tables(results: Iterable[Result], folder: Path | str) -> list[Path]:
    """Write ``table.md`` and ``table.csv``; gives their paths."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    results = list(results)
    files = [folder / "table.md", folder / "table.csv"]
    write_markdown(files[0], [(result.study.title, result.rows) for result in results])
    write_csv(files[1], [row for result in results for row in result.rows])
    return files


def write_gallery(results: Iterable[Result], folder: Path | str) -> Path:
    """Write ``index.html``: all problems in motion, figures that were drawn before, and all rows; gives its path."""
    from genalpha.reproduce.gallery import write

    return write(results, folder)


def draw(results: Iterable[Result], folder: Path | str) -> list[Path]:
    """Draw all figures as PNG; gives their paths.

    Raises
    ------
    MissingExtra
        If matplotlib is not installed.
    """
    from genalpha.style import style

    folder, files = Path(folder), []
    with style():
        folder.mkdir(parents=True, exist_ok=True)
        for result in results:
            for name, figure in result.study.figures.items():
                files.append(folder / f"{name}.png")
                figure(result.data).savefig(files[-1])
    return files
