"""Methods by the names that the command line and the figures use."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from genalpha.errors import InputError
from genalpha.method import SOI2, GeneralizedAlpha, Method, MoreauJean

NAMES = ("P", "V", "PV", "PVA", "PVV", "baumgarte", "soi2", "moreau")


def choose(default: Method, name: str | None = None, rho_inf: float | None = None, **options) -> Any:
    """The method called ``name``, or the default, with another ``rho_inf`` and other options that are not None.

    Raises
    ------
    InputError
        If an option is not one of the method.

    Examples
    --------
    >>> import genalpha as ga
    >>> describe(choose(ga.GeneralizedAlpha(rho_inf=0.9), "soi2"))
    'SOI2, ρ∞ = 0.9'
    """
    chosen = _named(default, name, rho_inf)
    options = {key: value for key, value in options.items() if value is not None}
    if options and chosen.name != "PVA":
        raise InputError(f"only the method PVA has a choice of {' and '.join(options)}, not {describe(chosen)}")
    return replace(chosen, **options)


def _named(default, name, rho_inf) -> Method:
    """The method with this name; ρ∞ is the default's where both have one."""
    chosen = default if name in (None, default.name) else _made(name, getattr(default, "rho_inf", None))
    if rho_inf is None:
        return chosen
    if not hasattr(chosen, "rho_inf"):
        raise InputError(f"the method {chosen.name} has no rho_inf")
    return replace(chosen, rho_inf=rho_inf)


def _made(name, rho_inf) -> Method:
    if name == "moreau":
        return MoreauJean()
    options = {} if rho_inf is None else {"rho_inf": rho_inf}
    return SOI2(**options) if name == "soi2" else GeneralizedAlpha(formulation=name, **options)


def describe(method: Method) -> str:
    """A method in words; most are of the generalized-α family, which need not be said."""
    return method.describe().removeprefix("generalized-α ")
