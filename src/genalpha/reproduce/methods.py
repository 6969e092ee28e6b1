"""Methods by the names that the command line and the figures use."""

from __future__ import annotations

from dataclasses import replace

from genalpha.errors import InputError
from genalpha.method import NAMES, SOI2, GeneralizedAlpha, Method, MoreauJean, describe, name_of

__all__ = ["NAMES", "choose", "describe", "name_of"]


def choose(default: Method, name: str | None = None, rho_inf: float | None = None, **options):
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
    if options and name_of(chosen) != "PVA":
        raise InputError(f"only the method PVA has a choice of {' and '.join(options)}, not {describe(chosen)}")
    return replace(chosen, **options)


def _named(default, name, rho_inf) -> Method:
    if name == "moreau" or isinstance(default, MoreauJean):
        if rho_inf is not None:
            raise InputError("the method moreau has no rho_inf")
        return MoreauJean()
    rho_inf = default.rho_inf if rho_inf is None else rho_inf
    if name is None or name == name_of(default):
        return replace(default, rho_inf=rho_inf)
    return SOI2(rho_inf=rho_inf) if name == "soi2" else GeneralizedAlpha(rho_inf=rho_inf, formulation=name)
