"""A mechanical system from functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from genalpha.contract import Contract
from genalpha.errors import InputError
from genalpha.functions import Sparse, check_arguments, is_compilable

# which functions take the velocity
TAKES_V = {
    "M": False, "f": True, "g": False, "k": True, "gap": False,
    "g_q": False, "g_t": False, "g_bias": True, "k_v": True, "k_q": True, "k_t": True,
    "f_q": True, "f_v": True, "gap_q": False, "gap_t": False, "gap_bias": True,
}  # fmt: skip

FunctionOrConstant = Callable[..., Any] | ArrayLike | Any


@dataclass(frozen=True, kw_only=True, eq=False)
class System:
    """A mechanical system  M v̇ = f + Gᵀ lam + Kᵀ psi  with constraints g = 0 and k = 0, from functions.

    The functions take ``(t, q)`` or ``(t, q, v)`` and return arrays; with ``params`` they take ``p`` behind the states. A
    function whose last argument is called ``out`` fills it instead. Constants may be given instead of functions, and
    matrices may be scipy.sparse or `Sparse`.

    Parameters
    ----------
    M : callable (t, q) -> (n, n), or array
        Mass matrix; may be nonsymmetric.
    f : callable (t, q, v) -> (n,)
        Force.
    g : callable (t, q) -> (ng,), optional
        Holonomic constraints g = 0.
    k : callable (t, q, v) -> (nk,), optional
        Nonholonomic constraints k = 0.
    g_q, g_t, g_bias : callable, optional
        G = ∂g/∂q (ng, n), ∂g/∂t (ng,), and the rest of g̈ = G v̇ + g_bias(t, q, v) (ng,).
    k_v, k_q, k_t : callable, optional
        K = ∂k/∂v (nk, n), ∂k/∂q (nk, n), ∂k/∂t (nk,).
    f_q, f_v : callable or array, optional
        ∂f/∂q, ∂f/∂v (n, n); ``f_v=0`` says that f does not depend on v.
    energy : callable (t, q, v) -> (kinetic, potential), optional
    names : mapping, optional
        Names of the entries of ``q``, ``g`` and ``k``, for messages and results: ``{"g": ["pin.x", "pin.y"]}``.
    params : array_like, optional
        Numbers that every function gets behind its states. `with_params` changes them without a new compilation.
    ng, nk : int, optional
        Numbers of constraints; needed only if g or k fill an ``out``.
    inplace : bool
        All functions fill their last argument, whatever it is called.
    compile : bool, optional
        Run compiled. None: if all functions are marked with `evaluator` or jitted. False: interpreted in any case.

    Notes
    -----
    Derivatives that are not given are computed: first ones by complex step, g_bias by the complex step at 45 degrees. A
    function that cannot take complex numbers (max, abs, comparisons, the `math` module) gets differences, and a warning
    names it.

    Examples
    --------
    A pendulum in Cartesian coordinates:

    >>> import numpy as np
    >>> import genalpha as ga
    >>> system = ga.System(
    ...     M=np.eye(2),
    ...     f=lambda t, q, v: np.array([0.0, -9.81]),
    ...     g=lambda t, q: np.array([q[0] ** 2 + q[1] ** 2 - 1.0]),
    ... )
    >>> sol = ga.solve(system, (0.0, 1.0), q0=[1.0, 0.0], v0=[0.0, 0.0], h=0.01)
    >>> bool(sol.stats.max_g < 1e-12)
    True
    """

    M: FunctionOrConstant
    f: Callable[..., Any]
    g: Callable[..., Any] | None = None
    k: Callable[..., Any] | None = None
    gap: Callable[..., Any] | None = None
    e: ArrayLike = 0.0
    g_q: FunctionOrConstant | None = None
    g_t: FunctionOrConstant | None = None
    g_bias: FunctionOrConstant | None = None
    k_v: FunctionOrConstant | None = None
    k_q: FunctionOrConstant | None = None
    k_t: FunctionOrConstant | None = None
    gap_q: FunctionOrConstant | None = None
    gap_t: FunctionOrConstant | None = None
    gap_bias: FunctionOrConstant | None = None
    f_q: FunctionOrConstant | None = None
    f_v: FunctionOrConstant | None = None
    f_lam: FunctionOrConstant | None = None
    f_psi: FunctionOrConstant | None = None
    energy: Callable[..., Any] | None = None
    names: Mapping[str, Sequence[str]] | None = None
    params: ArrayLike | None = None
    ng: int | None = None
    nk: int | None = None
    multipliers_in_f: bool = False
    inplace: bool = False
    compile: bool | None = None

    def __post_init__(self):
        if self.M is None or not callable(self.f):
            raise InputError("a system needs a mass matrix M and a force f(t, q, v)")
        for name, needs in (("g_q", "g"), ("g_t", "g"), ("g_bias", "g"), ("k_v", "k"), ("k_q", "k"), ("k_t", "k")):
            if getattr(self, name) is not None and getattr(self, needs) is None:
                raise InputError(f"{name} is given but {needs} is not")
        for name, function in self.functions().items():
            check_arguments(name, function, TAKES_V[name], self.params is not None, self.inplace)

    def functions(self) -> dict[str, Any]:
        """The given functions by name, without constants; the function inside a `Sparse`."""
        given = {name: getattr(self, name) for name in TAKES_V}
        given = {name: value.function if isinstance(value, Sparse) else value for name, value in given.items()}
        if self.multipliers_in_f:
            del given["f"]
        return {name: value for name, value in given.items() if callable(value)}

    @property
    def compiled(self) -> bool:
        """Does this system run compiled?"""
        if self.compile is not None:
            return self.compile
        return all(is_compilable(function) for function in self.functions().values())

    def with_params(self, params: ArrayLike) -> System:
        """The same system with other parameters; nothing is compiled again."""
        if self.params is None:
            raise InputError("this system was made without params; pass params=... to System first")
        if np.shape(params) != np.shape(self.params):
            raise InputError(f"params have shape {np.shape(params)}, this system takes {np.shape(self.params)}")
        return replace(self, params=params)

    def contract(self, t0: float, q0, v0) -> Contract:
        """The system as the stepper sees it: sizes and patterns are those found at (t0, q0, v0)."""
        from genalpha.bind import bind

        return bind(self, t0, q0, v0)

    def __repr__(self) -> str:
        given = [f.name for f in fields(self) if getattr(self, f.name) is not None and f.name in TAKES_V]
        return f"System({', '.join(given)}; {'compiled' if self.compiled else 'interpreted'})"
