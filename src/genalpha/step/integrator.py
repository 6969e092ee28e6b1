"""The contract of a scheme: what driver, run, loop and files ask of it. Light: no numba until a loop is made."""

from __future__ import annotations

from typing import Any, ClassVar

from genalpha.method import in_words, options_of
from genalpha.step.state import Scheme
from genalpha.system.contract import Contract, MechanicalSystem


class Integrator:
    """The scheme behind a method.

    The methods of the package are options alone; `genalpha.step.builtin` has their integrators. A scheme of your own is
    one class, a frozen dataclass that extends this one: its fields are its options, and `solve` takes an instance of it
    as the method. docs/own_scheme.md writes one. This is what it provides:

    1. `steps` gives the two functions that the loop calls, marked by `genalpha.compiled.jit.step`. Only
       `steps` is required.

       ``advance(system, linear, data, sizes, scheme, arrays, t1, h) -> status``
           One step: reads the old rows of ``arrays`` (Q0, V0, ..., see `genalpha.step.state`), writes the new ones: Q1,
           V1, VDOT1, A_1, and MU1 if there are constraints. It leaves the old rows alone: a step that fails is made
           again. ``system`` has the evaluators of `genalpha.system.contract`; ``linear`` is passed on to
           `genalpha.step.newton`, which factorises and solves. The status is OK, or says what failed: SINGULAR,
           NOT_CONVERGED, NOT_FINITE.
       ``complete(sizes, scheme, arrays, t1, h)``
           The step counts: the new rows become the old ones, as `genalpha.step.kernels.accept` does it.

    2. `numbers` gives the numbers that they read, a `Scheme`; a field that you do not give has its default, and
       ``own_a``, ``own_b``, ``own_c`` are free for options of yours.
    3. `start` completes the state at t0, where a scheme carries more than q, v, v̇, a = v̇ and the multipliers.
    4. What it can do, as class attributes, and what it cannot do, as sentences: `refuses`, `refuses_control`,
       `refuses_pairs`.
    5. `describe` says in words what it is; `name` and `shift` are for command line and figures.

    Attributes
    ----------
    takes_constraints : bool
        Does it hold g = 0 and k = 0?
    takes_contacts : bool
        Does it hold gap ≥ 0? Then it is compiled with the linear algebra of contacts, it writes gaps, sets and forces,
        and `accept_contacts` logs what opens and closes.
    takes_multipliers_in_force : bool
        Does it use ``force`` and ``force_mu`` where a system has them instead of f?
    has_relative_impulses : bool
        Are there Λ of all rows, in L[LAM0]? They become the column Lam of a solution.
    is_of_family : bool
        Are v̇, U and W its unknowns, as in (65) of 002? Then the message of a step that fails has their residuals.
    polishes : bool
        With error control: do its constraints hold to round-off, whatever the tolerance of Newton's iteration?
    shift : float
        The time, in steps after t, that a belongs to.
    """

    takes_constraints: ClassVar[bool] = True
    takes_contacts: ClassVar[bool] = False
    takes_multipliers_in_force: ClassVar[bool] = False
    has_relative_impulses: ClassVar[bool] = False
    is_of_family: ClassVar[bool] = False
    polishes: ClassVar[bool] = False
    shift = 0.0

    @classmethod
    def steps(cls) -> tuple[Any, Any]:
        """(advance, complete); they do not depend on options, so that one loop is compiled for all of them."""
        raise NotImplementedError(f"{cls.__name__} must have a classmethod steps() that gives (advance, complete)")

    def numbers(self, contract: Contract) -> Scheme:
        """The numbers and switches of the scheme for a system."""
        return Scheme()

    def start(self, contract: Contract, setup, h: float, first_step):
        """Complete the state at t0, which has q, v, v̇, a = v̇ and the multipliers.

        Parameters
        ----------
        contract : Contract
        setup : Setup
            Its arrays are the state.
        h : float
            Size of the first step.
        first_step : callable (h)
            Makes a first step, of which no row is kept, and gives its status.
        """

    def refuses(self, system: MechanicalSystem) -> str | None:
        """Why a system cannot be integrated, None if it can; asked before anything is compiled."""
        if system.multipliers_in_f and not self.takes_multipliers_in_force:
            return "a force that contains the multipliers (multipliers_in_f=True) needs the method SOI2"
        if system.has_contacts and not self.takes_contacts:
            return 'contacts (gap) need GeneralizedAlpha with formulation "PVA" or "PVV", or MoreauJean'
        return None

    def refuses_rows(self, contract: Contract) -> str | None:
        """The same for what only the contract of a system knows: its rows of constraints."""
        if contract.ng + contract.nk and not self.takes_constraints:
            return f"{self.title} takes no constraints, and there are ng = {contract.ng} and nk = {contract.nk} of them"
        return None

    def refuses_control(self) -> str | None:
        """Why there is no error control, None if there is."""
        return f"there is no error control for {self.title}; give a step size h=..."

    def refuses_pairs(self) -> str | None:
        """Why contacts of a large group, whose pairs come and go, cannot be integrated; None if they can."""
        return (
            'near pairs of a large group need GeneralizedAlpha with formulation "PVA"; take it, or contacts one by one'
        )

    @property
    def title(self) -> str:
        """What messages call it."""
        return type(self).__name__

    @property
    def name(self) -> str:
        """What the command line and files call it."""
        return type(self).__name__

    def describe(self) -> str:
        """Name and options, in words."""
        return in_words(self.name, options_of(self))
