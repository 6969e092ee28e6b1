"""Methods by the names that the command line and the figures use."""

from __future__ import annotations

from dataclasses import replace

from genalpha.method import SOI2, GeneralizedAlpha

NAMES = ("P", "V", "PV", "PVA", "baumgarte", "soi2")


def choose(default: GeneralizedAlpha | SOI2, name: str | None = None, rho_inf: float | None = None):
    """The method called ``name``, or the default, with another ``rho_inf`` if one is given.

    Examples
    --------
    >>> import genalpha as ga
    >>> describe(choose(ga.GeneralizedAlpha(rho_inf=0.9), "soi2"))
    'SOI2, ρ∞ = 0.9'
    """
    rho_inf = default.rho_inf if rho_inf is None else rho_inf
    if name is None or name == name_of(default):
        return replace(default, rho_inf=rho_inf)
    return SOI2(rho_inf=rho_inf) if name == "soi2" else GeneralizedAlpha(rho_inf=rho_inf, formulation=name)


def name_of(method: GeneralizedAlpha | SOI2) -> str:
    """One of `NAMES`."""
    return "soi2" if isinstance(method, SOI2) else method.formulation


def describe(method: GeneralizedAlpha | SOI2) -> str:
    """A method in words: scheme and dissipation."""
    name = "SOI2" if isinstance(method, SOI2) else method.formulation
    return f"{name}, ρ∞ = {method.rho_inf:g}"
