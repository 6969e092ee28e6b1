"""A mechanical system from functions."""

# pyright: reportUnnecessaryIsInstance=false, reportUnknownVariableType=false

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from genalpha.errors import InputError, ShapeError
from genalpha.inputs import Array, Values
from genalpha.system.block import DRY, FRICTION, SLIP, TANGENTIAL, within_kind
from genalpha.system.contract import Contract, MechanicalSystem
from genalpha.system.functions import (
    FORCES,
    Sparse,
    check_arguments,
    is_compilable,
    matrices,
    real_vector,
    returned,
    takes_v,
)
from genalpha.system.sliding import Sliding
from genalpha.system.slip import require_friction

FIELDS_OF_FRICTION = (
    "slip", "slip_v", "slip_q", "slip_t", "mu", "mu_static", "e_t", "dry", "dry_bound", "nt", "nd",
)  # fmt: skip

FunctionOrConstant = Callable[..., Any] | ArrayLike | Any


@dataclass(frozen=True, kw_only=True, eq=False)
class System(MechanicalSystem):
    """A mechanical system  M v̇ = f + Gᵀ lam + Kᵀ psi + Nᵀ lam_n + Tᵀ lam_t  with g = 0, k = 0, gap ≥ 0, from functions.

    The equations are theory (1) and (2).

    The functions take ``(t, q)`` or ``(t, q, v)`` and return arrays; with ``params`` they take ``p`` behind the states.
    A function whose last argument is called ``out`` fills it instead. Constants may be given instead of functions, and
    matrices may be scipy.sparse or `Sparse`. Axes of length 1 do not matter: one constraint may be returned as a
    number, its gradient as a vector.

    Parameters
    ----------
    M : callable (t, q) -> (n, n), or array
        Mass matrix; may be nonsymmetric.
    f : callable (t, q, v) -> (n,), or array
        Force.
    g : callable (t, q) -> (ng,), optional
        Holonomic constraints g = 0.
    k : callable (t, q, v) -> (nk,), optional
        Nonholonomic constraints k = 0.
    gap : callable (t, q) -> (nc,), optional
        Unilateral constraints gap ≥ 0: contacts, with impacts when they close.
    e : float or array_like (nc,)
        Coefficients of restitution in [0, 1], Newton's law: a contact that closes with the velocity −u opens with e u.
    gap_q, gap_t, gap_bias : callable, optional
        N = ∂gap/∂q (nc, n), ∂gap/∂t (nc,), and the rest of gap̈ = N v̇ + gap_bias(t, q, v) (nc,).
    slip : callable (t, q, v) -> (nc,), (nc, 2) or (nc, 3), optional
        Tangential velocities of the contacts, affine in v: one for each contact in a plane, two in space, and a third
        one for drilling friction, the radius times the spin. Where nothing slides they are all zero.
    mu : float or array_like (nc,) or (nc, 2)
        Coefficients of friction, Coulomb's law; two of a contact are those along its two slip velocities, an ellipse.
    mu_static : like mu, optional
        Of what sticks, at least mu.
    e_t : float or array_like (nc,)
        Coefficients of tangential restitution in [−1, 1]: an impact that sticks turns the slip s into −e_t s.
    slip_v, slip_q, slip_t : callable, optional
        T = ∂slip/∂v (nt, n), ∂slip/∂q (nt, n), ∂slip/∂t, with the nt rows of all contacts one behind the other.
    dry : callable (t, q, v) -> (nd,), optional
        Velocities with dry friction of a given bound, affine in v: joints, brakes, guides.
    dry_bound : float or array_like (nd,)
        Their largest friction forces or moments.
    g_q, g_t, g_bias : callable, optional
        G = ∂g/∂q (ng, n), ∂g/∂t (ng,), and the rest of g̈ = G v̇ + g_bias(t, q, v) (ng,).
    k_v, k_q, k_t : callable, optional
        K = ∂k/∂v (nk, n), ∂k/∂q (nk, n), ∂k/∂t (nk,).
    f_q, f_v : callable or array, optional
        ∂f/∂q, ∂f/∂v (n, n); ``f_v=0`` says that f does not depend on v.
    multipliers_in_f : bool
        The force is f(t, q, v, lam, psi) and contains the multipliers itself, in any nonlinear way: M v̇ = f. Nothing is
        added to it, and the sign of the multipliers is the user's. `SOI2` solves such systems.
    f_lam, f_psi : callable or array, optional
        ∂f/∂lam (n, ng), ∂f/∂psi (n, nk); they, f_q and f_v then take (t, q, v, lam, psi) as f does.
    energy : callable (t, q, v) -> (kinetic, potential), optional
    drawing : Drawing, optional
        How the system looks in the viewer: `genalpha.view.Drawing`.
    names : mapping, optional
        Names of the entries of ``q``, ``g``, ``k``, ``gap``, ``dry``, for messages and results:
        ``{"g": ["pin.x", "pin.y"]}``.
    params : array_like, optional
        A number or a vector of numbers that every function gets behind its states. `with_params` changes them without a
        new compilation.
    ng, nk, nc, nt, nd : int, optional
        Numbers of constraints, of rows of slip and of dry; needed only if g, k, gap, slip or dry fill an ``out``.
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
    f: FunctionOrConstant
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
    slip: Callable[..., Any] | None = None
    slip_v: FunctionOrConstant | None = None
    slip_q: FunctionOrConstant | None = None
    slip_t: FunctionOrConstant | None = None
    mu: ArrayLike | None = None
    mu_static: ArrayLike | None = None
    e_t: ArrayLike = 0.0
    dry: Callable[..., Any] | None = None
    dry_bound: ArrayLike | None = None
    f_q: FunctionOrConstant | None = None
    f_v: FunctionOrConstant | None = None
    f_lam: FunctionOrConstant | None = None
    f_psi: FunctionOrConstant | None = None
    energy: Callable[..., Any] | None = None
    drawing: Any = None
    names: Mapping[str, Sequence[str]] | None = None
    params: ArrayLike | None = None
    ng: int | None = None
    nk: int | None = None
    nc: int | None = None
    nt: int | None = None
    nd: int | None = None
    multipliers_in_f: bool = False
    inplace: bool = False
    compile: bool | None = None

    def __post_init__(self) -> None:
        if self.M is None or self.f is None:
            raise InputError("a system needs a mass matrix M and a force f(t, q, v)")
        require_friction(self)
        if self.has_friction:
            given = tuple(block for block in FRICTION if self.given(block.name) is not None)
            object.__setattr__(self, "blocks", (*type(self).blocks, *given))
        for name, needs in self._needs().items():
            if self.given(name) is not None and self.given(needs) is None:
                raise InputError(f"{name} is given but {needs} is not")
        for name in (*(block.name for block in self.blocks), "energy"):
            if self.given(name) is not None and not callable(self.given(name)):
                raise InputError(f"{name} must be a function, not a {type(self.given(name)).__name__}")
        for name in takes_v(self.blocks).keys() - matrices(self.blocks):
            if isinstance(self.given(name), Sparse):
                raise InputError(f"{name} is a vector; ga.Sparse is for matrices")
        if self.compile not in (None, True, False):
            raise InputError(f"compile = {self.compile!r} must be True, False, or None to decide by the functions")
        self._check_sizes()
        self._check_multipliers()
        self._check_restitution()
        with_params = self.params is not None
        if with_params:
            real_vector("params", self.params)
        for name, function in self.functions().items():
            check_arguments(name, function, self.states_of(name), with_params, self.inplace)
        if self.energy is not None:
            check_arguments("energy", self.energy, "qv", with_params, False)

    def __getstate__(self) -> dict[str, Any]:
        """For other processes; a drawing by functions that cannot go there stays, as nothing is computed from it."""
        return {**vars(self), "drawing": sendable(self.drawing)}

    def given(self, name: str) -> Any:
        """The function or constant of this name, None if there is none."""
        return getattr(self, name, None)

    def _needs(self) -> dict[str, str]:
        """What is given only together with something else."""
        rows = {name: block.name for block in self.blocks for name in (*block.derivatives, block.count)}
        return {**rows, "f_lam": "g", "f_psi": "k"}

    def _check_sizes(self):
        for name in (block.count for block in self.blocks):
            size = self.given(name)
            if size is not None and not (isinstance(size, int | np.integer) and size >= 0):
                raise InputError(f"{name} = {size!r} must be a number of constraints, 0 or more")
        if self.names is None:
            return
        keys = ["q", *(block.name for block in self.blocks if block.name != SLIP.name)]
        if not isinstance(self.names, Mapping) or not self.names.keys() <= set(keys):
            raise InputError(
                f"names = {self.names!r:.60} must be a mapping with the keys "
                f"{', '.join(map(repr, keys[:-1]))} and {keys[-1]!r}, "
                f'like {{"g": ["pin.x", "pin.y"]}}'
            )
        for kind, names in self.names.items():
            if isinstance(names, str) or not all(isinstance(name, str) for name in names):
                raise InputError(f"names[{kind!r}] must be a sequence of strings, one for every entry of {kind}")
        every = [name for names in self.names.values() for name in names]
        for name in every:
            if not name.strip() or every.count(name) > 1:
                problem = f"has {name!r} twice" if name.strip() else "has an empty name"
                raise InputError(f"names {problem}; results are found by their names: give every entry its own")

    def _check_multipliers(self):
        given = [name for name in ("f_lam", "f_psi") if getattr(self, name) is not None]
        if given and not self.multipliers_in_f:
            raise InputError(
                f"{given[0]} is given, but the force does not take the multipliers; pass multipliers_in_f=True, "
                f"or leave it out: the constraint forces Gᵀ lam + Kᵀ psi are added without it"
            )
        if self.multipliers_in_f and not self._has_rows(one_sided=False):
            raise InputError("multipliers_in_f=True needs constraints, g or k, that the multipliers belong to")
        if self.multipliers_in_f and not callable(self.f):
            raise InputError("multipliers_in_f=True needs a function f(t, q, v, lam, psi), not a constant")

    def _check_restitution(self):
        e = real_vector("e", self.e)
        if not np.all((e >= 0.0) & (e <= 1.0)):
            worst = int(np.argmax(~((e >= 0.0) & (e <= 1.0))))
            which = self._contact(worst) if np.ndim(self.e) else ""
            raise InputError(
                f"e = {e[worst]:.6g}{which} is not between 0 and 1: a coefficient of restitution is the departure "
                f"velocity over the approach velocity"
            )
        if self.has_contacts and self.multipliers_in_f:
            raise InputError("gap and multipliers_in_f=True do not go together: contact forces are added to f")

    def _contact(self, i: int) -> str:
        names = (self.names or {}).get("gap", ())
        return f" of contact {names[i]!r}" if i < len(names) else f" of contact gap[{i}]"

    def states_of(self, name: str) -> list[str]:
        """What the function ``name`` takes behind t."""
        with_multipliers = self.multipliers_in_f and name in FORCES
        return ["q"] + ["v"] * takes_v(self.blocks)[name] + ["lam", "psi"] * with_multipliers

    def functions(self) -> dict[str, Any]:
        """The given functions by name, without constants; the function inside a `Sparse`."""
        given = {name: self.given(name) for name in takes_v(self.blocks)}
        given = {name: value.function if isinstance(value, Sparse) else value for name, value in given.items()}
        return {name: value for name, value in given.items() if callable(value)}

    @property
    def has_contacts(self) -> bool:
        """Are there gaps?"""
        return self._has_rows(one_sided=True)

    @property
    def has_friction(self) -> bool:
        """Are there rows of slip, or of dry friction?"""
        return self.slip is not None or self.dry is not None

    def _has_rows(self, one_sided: bool) -> bool:
        """Is there a block of this sort?"""
        stacked = (block for block in self.blocks if block.kind != TANGENTIAL)
        return any(self.given(block.name) is not None for block in stacked if block.kind.one_sided == one_sided)

    @property
    def compiled(self) -> bool:
        """Does this system run compiled?"""
        if self.compile is not None:
            return self.compile
        return bool(self.functions()) and not self.unmarked()

    def unmarked(self) -> list[str]:
        """Names of the functions that keep the system from running compiled."""
        return [name for name, function in self.functions().items() if not is_compilable(function)]

    def arguments(self) -> list[Any]:
        """What functions get behind their states: nothing, or the parameters as a number or a vector."""
        if self.params is None:
            return []
        p = real_vector("params", self.params)
        return [float(p[0]) if np.ndim(self.params) == 0 else p]

    def with_params(self, params: ArrayLike) -> System:
        """The same system with other parameters; nothing is compiled again."""
        if self.params is None:
            raise InputError("this system was made without params; pass params=... to System first")
        if np.shape(params) != np.shape(self.params):
            raise ShapeError(f"params have shape {np.shape(params)}, this system takes {np.shape(self.params)}")
        return replace(self, params=params)

    def state(self, name: str, values: Values) -> Any:
        """q0 or v0 as a vector, from {name: value}; a vector stays as it is."""
        if not isinstance(values, Mapping):
            return values
        names = list((self.names or {}).get("q", ()))
        if set(values) != set(names):
            wrong = [f"has no value for {key!r}" for key in names if key not in values]
            wrong += [f"has {key!r}, which is not a coordinate" for key in values if key not in names]
            raise InputError(
                f"{name} {wrong[0]}; the coordinates are called {names or 'nothing: pass names to System'}"
            )
        return [values[key] for key in names]

    def quantity(self, solution: Any, key: Any) -> Any:
        """What a solution gives for ``sol[key]``: a coordinate, or what belongs to a row of g, k or gap, by name."""
        kinds = ("q", *(block.name for block in self.blocks))
        names = {name: (kind, i) for kind in kinds for i, name in enumerate((self.names or {}).get(kind, ()))}
        if key not in names:
            near = get_close_matches(str(key), names, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(map(repr, names)) or 'no names'}"
            raise InputError(f"there is no quantity {key!r} in this solution; {hint}")
        kind, i = names[key]
        if kind == "q":
            return solution.q[:, i]
        block = next(block for block in solution.blocks if block.name == kind)
        if block.name == DRY.name:
            return Sliding(solution.origin.friction, 0, solution.friction).dry_force[:, i]
        rows = solution.gap if block.kind.one_sided else getattr(solution, block.kind.multiplier)
        return rows[:, within_kind(solution.blocks, block)][:, i]

    def contract(self, t0: float, q0: Values, v0: Values) -> Contract:
        """The system as the stepper sees it: sizes and patterns are those found at (t0, q0, v0)."""
        from genalpha.system.bind import bind

        return bind(self, t0, q0, v0)

    def energies(self, t: Array, q: Array, v: Array) -> Array:
        """Kinetic and potential energy (nt, 2), from the function ``energy``."""
        if self.energy is None:
            raise InputError("this system has no energy function; pass energy=... to System")
        function, p = self.energy, self.arguments()
        rows, what = zip(t, q, v, strict=True), "two, kinetic and potential"
        found = [returned("energy", function(*row, *p), (2,), row[0], what=what) for row in rows]
        return np.array(found).reshape(-1, 2)

    def __repr__(self) -> str:
        given = [f.name for f in fields(self) if getattr(self, f.name) is not None and f.name in takes_v(self.blocks)]
        return f"System({', '.join(given)}; {'compiled' if self.compiled else 'interpreted'})"


def sendable(drawing: Any) -> Any:
    """A drawing, or None if it cannot be pickled."""
    try:
        pickle.dumps(drawing)
    except Exception:  # functions of the user's may hold anything
        return None
    return drawing
