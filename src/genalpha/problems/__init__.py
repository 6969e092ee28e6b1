"""Classical problems: system, initial state, method, exact or tight solution, citation.

The same objects serve tests, documentation, benchmarks and the command line.

Examples
--------
>>> from genalpha import problems
>>> problems.get("pendulum").h
0.002
>>> problems.get("oscillator", zeta=0.1).conserves_energy
False
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from genalpha.errors import InputError
from genalpha.problems import (
    andrews,
    andrews_model,
    bar,
    bar_model,
    bicycle,
    bouncing_ball,
    bouncing_pendulum,
    bricard,
    cable,
    cam,
    car_axis,
    cartesian_pendulum,
    cassie,
    chain,
    chain16,
    clearance,
    cradle,
    double_pendulum,
    flexible_pendulum,
    flexible_pendulum_model,
    flexible_slider_crank,
    four_bar,
    friction,
    governor,
    heavy_top,
    jay,
    jay_negrut,
    oscillator,
    pendulum,
    pendulum3d,
    rattleback,
    rolling_coin,
    rolling_disk,
    rotor,
    skate,
    slider_crank,
    spheres,
    spin_up,
    stops,
    stops_model,
)
from genalpha.problems.problem import Problem, Reference

__all__ = ["Problem", "Reference", "all", "get", "names"]

_MAKERS: dict[str, Callable[..., Problem]] = {
    module.__name__.rpartition(".")[2]: module.make
    for module in (
        oscillator,
        pendulum,
        cartesian_pendulum,
        double_pendulum,
        chain16,
        andrews,
        car_axis,
        skate,
        rolling_disk,
        jay_negrut,
        jay,
        pendulum3d,
        chain,
        heavy_top,
        slider_crank,
        four_bar,
        andrews_model,
        spin_up,
        rotor,
        bricard,
        cassie,
        governor,
        cam,
        rolling_coin,
        rattleback,
        bicycle,
        bouncing_ball,
        bouncing_pendulum,
        flexible_pendulum,
        flexible_pendulum_model,
        bar,
        bar_model,
        flexible_slider_crank,
        cable,
        cradle,
        stops,
        stops_model,
        clearance,
        spheres,
    )
} | friction.MAKERS


def names() -> tuple[str, ...]:
    """The names of all problems.

    Examples
    --------
    >>> from genalpha import problems
    >>> problems.names()[:3]
    ('oscillator', 'pendulum', 'cartesian_pendulum')
    """
    return tuple(_MAKERS)


def get(name: str, **parameters: Any) -> Problem:
    """The problem called ``name``; keyword arguments change its parameters.

    Raises
    ------
    InputError
        If there is no such problem; the message has the nearest names.

    Examples
    --------
    >>> from genalpha import problems
    >>> problems.get("oscillator", zeta=0.1)
    Problem(oscillator: Linear oscillator, n = 1)
    >>> problems.get("pendulun")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    genalpha.errors.InputError: there is no problem 'pendulun'; did you mean 'pendulum', ...
    """
    if name not in _MAKERS:
        raise InputError(f"there is no problem {name!r}; {_suggestion(name)}")
    try:
        return _MAKERS[name](**parameters)
    except TypeError as error:
        raise InputError(f"problem {name!r}: {error}") from error


def all() -> tuple[Problem, ...]:
    """All problems, with their own parameters.

    Examples
    --------
    >>> from genalpha import problems
    >>> sum(problem.has_contacts for problem in problems.all()) >= 5
    True
    """
    return tuple(make() for make in _MAKERS.values())


def _suggestion(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), _MAKERS, n=3, cutoff=0.5)
    known = ", ".join(map(repr, near or _MAKERS))
    return f"did you mean {known}?" if near else f"there are {known}"
