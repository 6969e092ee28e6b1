"""What a study is made of: what it computes, the rows it gives, the figures it draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from genalpha.reproduce.table import Row


@dataclass(frozen=True, kw_only=True)
class Study:
    """One part of the reproduced results.

    Attributes
    ----------
    name, title : str
    problems : tuple of str
        The problems it solves.
    compute : callable () -> data
        All numbers; needs no matplotlib.
    rows : callable data -> list of Row
    figures : mapping of str to callable data -> matplotlib figure
        By file name without suffix.
    by_name : bool
        Measured where it is named, as by ``verify``, and left out where all studies are, which keeps a demo short.
    """

    name: str
    title: str
    problems: tuple[str, ...] = ()
    compute: Callable[[], Any]
    rows: Callable[[Any], list[Row]] = lambda data: []
    figures: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    by_name: bool = False


@dataclass(frozen=True)
class Result:
    """A study that was computed."""

    study: Study
    data: Any
    rows: list[Row]
