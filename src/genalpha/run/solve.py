"""`ga.solve` and `ga.resume`: their arguments, and the run that they ask for."""

# pyright: reportUnnecessaryIsInstance=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from genalpha.errors import FileError, InputError
from genalpha.inputs import Array, PathName, Values, number, path_of
from genalpha.method import Method, StoredMethod, default_method
from genalpha.model.model import Model, as_system
from genalpha.model.system import ModelSystem, is_driven
from genalpha.run.run import Run
from genalpha.solution.files.read import of_another_system
from genalpha.solution.rows import Output, Rows, columns_of, read_events, read_t_eval
from genalpha.solution.solution import Solution
from genalpha.step.initial import InitialState, initial_state
from genalpha.step.integrator import Integrator, integrator_of
from genalpha.step.schedule import Control, Schedule, make_control, make_schedule, read_max_steps
from genalpha.system.contract import Contract, MechanicalSystem

if TYPE_CHECKING:
    from genalpha.solution.files.checkpoint import Checkpoint
    from genalpha.solution.files.origin import Origin

Steps = float | Sequence[float] | Callable[[float], float]
Event = Callable[..., Any]
Events = Event | Sequence[Event]


def solve(
    system: MechanicalSystem | Model,
    t_span: Sequence[float],
    q0: Values | None = None,
    v0: Values | None = None,
    method: Method | None = None,
    *,
    h: Steps | None = None,
    rtol: float = 1e-4,
    atol: float | None = None,
    h_min: float | None = None,
    h_max: float | None = None,
    impact_tol: float | None = None,
    max_steps: int | None = None,
    t_eval: ArrayLike | None = None,
    events: Events | None = None,
    save_every: int = 1,
    save: Sequence[str] | None = None,
    out: PathName | None = None,
    project: bool = False,
    vdot0: ArrayLike | None = None,
    lam0: ArrayLike | None = None,
    psi0: ArrayLike | None = None,
    progress: bool | Callable[[float], object] = False,
    throw: bool = True,
) -> Solution:
    """Integrate a mechanical system from t0 to t1.

    Parameters
    ----------
    system : System or Model
    t_span : (t0, t1)
    q0, v0 : array_like (n,) or mapping
        Initial configuration and velocity, as vectors or by name (by symbol for systems from SymPy); they must satisfy
        the constraints, or ``project=True`` moves them there. By default those of the bodies of a model; bodies that
        were given no velocity follow its drives.
    method : GeneralizedAlpha, SOI2 or MoreauJean, optional
        Default: `GeneralizedAlpha`, formulation "PVA" with rho_inf = 0.9; `SOI2` if the force contains the multipliers.
    h : float, sequence of float, or callable, optional
        Step size; all step sizes, adding up to t1 - t0; or a function of t. A last step is shortened to end at t1.
        None: error control chooses the steps (not for `MoreauJean`, "PVV" and "baumgarte").
    rtol, atol : float
        Error control: the error of a step may be atol + rtol times the size of positions and velocities, in the mean
        over all coordinates, theory (15). The error of the trajectory follows rtol^(2/3): the methods are of order 2.
        If ``atol`` is not given, what hardly moves counts as a thousandth of the whole motion, whatever the units;
        a number is added to the errors of both positions and velocities. Multipliers are not controlled.
    h_min, h_max : float, optional
        Error control: limits of the step size. A run that cannot keep its tolerance with h_min fails.
    impact_tol : float, optional
        Error control: steps in which an impact happens are shortened until the contact travels no further than this in
        them; default rtol^(2/3) times the extent of the motion. With ``inf`` impacts cost nothing, are late by up to
        a step, and may be missed.
    max_steps : int, optional
        Error control: the run ends with `TooManySteps` after so many steps; default a million. Where steps have become
        so short that it would need a thousand times as many, it ends after a few thousand of them.
    t_eval : array_like, optional
        Save at these times, between steps, instead of at the ends of steps.
    events : callable or sequence of callables, optional
        Functions of (t, q, v, lam) whose zeros are located, as in SciPy: an attribute ``terminal = True`` (or a number)
        ends the run at the first (or so many-th) zero, ``direction`` chooses rising (> 0) or falling (< 0) zeros.
    save_every : int
        Save every so many steps; the first and the last state are always saved.
    save : sequence of str, optional
        The columns to save, like ("q", "v"); default all.
    out : str or path, optional
        Write the rows to this HDF5 file while the run goes on; memory does not grow, and a run that is killed can be
        resumed. A file of this name is replaced.
    project : bool
        Project q0 and v0 onto the constraints, in the metric of the mass matrix.
    vdot0 : array_like (n,), optional
        Start from these accelerations instead of the consistent ones (to study disturbances, Brüls et al. sec. 5.3).
    lam0, psi0 : array_like, optional
        Where to look for the first multipliers of a force that contains them, if there are several.
    progress : bool or callable
        Show a line of progress, or call ``progress(t)`` now and then.
    throw : bool
        Raise when the run fails; the exception carries the partial solution as ``.solution``. False: return it.

    Returns
    -------
    Solution
        Ctrl-C ends a run early: its status is "interrupted", and what was computed is there.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> oscillator = ga.System(M=np.eye(1), f=lambda t, q, v: -4.0 * q)
    >>> sol = ga.solve(oscillator, (0.0, np.pi), [1.0], [0.0], h=np.pi / 1000)
    >>> bool(abs(sol.q[-1, 0] - 1.0) < 1e-4)
    True
    """
    system, q0, v0 = as_system(system, q0, v0)
    method = default_method(system.multipliers_in_f) if method is None else method
    integrator = _integrator_for(system, method)
    if h is None:
        _require(integrator.refuses_control())
        schedule = make_control(t_span, rtol, atol, h_min, h_max, impact_tol, max_steps)
    else:
        schedule = make_schedule(t_span, h)
    if not (isinstance(save_every, int | np.integer) and save_every >= 1):
        raise InputError(f"save_every = {save_every!r} must be a positive integer")
    t_eval, events = read_t_eval(t_eval, schedule.t0, schedule.t1), read_events(events)
    run = make_run(system, method, schedule, q0, v0, int(save_every), save, t_eval, events, out)
    run.start(q0, v0, project, vdot0, lam0, psi0, is_driven(system, v0))
    return run.go(throw, progress)


def make_run(
    system: MechanicalSystem,
    method: Method,
    schedule: Schedule | Control,
    q0: Array,
    v0: Array,
    save_every: int = 1,
    save: Sequence[str] | None = None,
    t_eval: Array | None = None,
    events: tuple[Any, ...] = (),
    out: PathName | None = None,
) -> Run:
    """A run that has not started; the arguments are those of `solve`, checked."""
    integrator = integrator_of(method, system.has_contacts, system.has_friction)
    contract = _contract(system, integrator, schedule.t0, q0, v0)
    columns = columns_of(contract, integrator.has_relative_impulses, save)
    if out is not None:
        from genalpha.solution.files.write import RunFile

        store = RunFile(path_of(out), columns)
    else:
        store = Rows(columns, _expected_rows(schedule, t_eval, save_every))
    output = Output(columns, store, save_every, t_eval, events, contract)
    return Run(system, contract, method, integrator, schedule, output)


def _expected_rows(schedule: Schedule | Control, t_eval: Array | None, save_every: int) -> int:
    if t_eval is not None:
        return len(t_eval)
    return 1024 if isinstance(schedule, Control) else schedule.n // save_every + 2


def resume(
    path: PathName,
    system: MechanicalSystem | Model | None = None,
    *,
    t_end: float | None = None,
    max_steps: int | None = None,
    events: Events | None = None,
    progress: bool | Callable[[float], object] = False,
    throw: bool = True,
    allow: Sequence[str] = (),
    method: Method | None = None,
) -> Solution:
    """Continue a run from its file, to the same bits as if it had never stopped.

    Finished, interrupted and killed runs can be continued. The file grows.

    Parameters
    ----------
    path : str or Path
        What ``out=`` of `solve`, or `Solution.save`, has written.
    system : System or Model, optional
        The system that made it. Models and equations of SymPy are made again from the file.
    t_end : float, optional
        Where to go; default the end that the run was started with.
    max_steps : int, optional
        Error control: how many steps may be made in all; default as the run was started with.
    events : callable or sequence of callables, optional
        The event functions of the run, which no file contains.
    progress, throw
        As in `solve`.
    allow : sequence of str
        Modules that the file may import its functions from, as in `load`.
    method : Method, optional
        The method of the run if it is one of your own, which no file contains.

    Raises
    ------
    FileError
        If the file was made by another system or by another version.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import genalpha as ga
    >>> oscillator = ga.System(M=np.eye(1), f=lambda t, q, v: -4.0 * q)
    >>> path = os.path.join(tempfile.mkdtemp(), "run.h5")
    >>> first = ga.solve(oscillator, (0.0, 1.0), [1.0], [0.0], h=0.01, out=path)
    >>> ga.resume(path, oscillator, t_end=2.0)
    Solution(done: t = 0 .. 2, 200 steps, 201 rows, n = 1)
    """
    from genalpha.solution.files.rebuild import read_allow
    from genalpha.solution.files.stored import words
    from genalpha.solution.files.write import RunFile

    path, allow, events = path_of(path), read_allow(allow), read_events(events)
    origin, checkpoint, solution, system = _stored(path, system, allow)
    system, _, _ = as_system(system, origin.q0, origin.v0)
    method = _method_of(origin, method, path)
    integrator = integrator_of(method, system.has_contacts, system.has_friction)
    if len(events) != origin.n_events:
        raise InputError(f"{path} belongs to a run with {origin.n_events} event functions; pass them as events=...")
    contract = _same_contract(system, integrator, origin, path)
    schedule = _continued(origin, solution, t_end, max_steps, path)
    log, found = solution.log[: int(checkpoint.numbers["n_log"])], solution.found[: int(checkpoint.numbers["n_found"])]
    store = RunFile.reopen(path, origin, checkpoint)
    output = Output(origin.columns, store, origin.save_every, origin.t_eval, events, contract)
    run = Run(system, contract, method, integrator, schedule, output)
    with store.closed_if_it_fails(), words(path, "read"):
        run.resume(replace(origin, schedule=schedule), checkpoint, log, found)
    return run.go(throw, progress)


def _stored(
    path: PathName, system: MechanicalSystem | Model | None, allow: Sequence[str]
) -> tuple[Origin, Checkpoint, Solution, Any]:
    """(origin, checkpoint, solution so far, system) of a file that can be continued."""
    from genalpha._version import __version__
    from genalpha.solution.files.read import read_file
    from genalpha.solution.files.rebuild import made_again

    origin, checkpoint, version, solution = read_file(path)
    if version != __version__:
        raise FileError(
            f"{path} was written by genalpha {version}, this is {__version__}: it can be loaded, but not continued to "
            f"the same bits; start a run from its last state, sol.q[-1] and sol.v[-1]"
        )
    if checkpoint is None:
        raise FileError(f"{path} has no state to go on from; it was made by an export, or left before the first block")
    solution.rows.require_times()
    if system is None:
        system, reason = made_again(origin, allow, path, version)
        if system is None:
            raise InputError(f"to go on with {path} needs the system; {reason.replace('ga.load', 'ga.resume')}")
    return origin, checkpoint, solution, system


def _same_contract(system: MechanicalSystem, integrator: Integrator, origin: Origin, path: PathName) -> Contract:
    """The contract of the system that made a file; refuses another one."""
    from genalpha.solution.files.origin import identity, require_comparable, require_same

    with of_another_system(path):
        contract = _contract(system, integrator, origin.schedule.t0, origin.q0, origin.v0)
    now = identity(system, contract)
    require_same(origin.system, now, path)
    require_comparable(origin.system, now, path)
    return contract


def _continued(
    origin: Origin, solution: Solution, t_end: float | None, max_steps: int | None, path: PathName
) -> Schedule | Control:
    """The schedule of a stored run, until ``t_end``."""
    t_end = origin.schedule.t1 if t_end is None else number("t_end", t_end)
    schedule = origin.schedule.until(t_end)
    if max_steps is not None and isinstance(schedule, Control):
        schedule = replace(schedule, max_steps=read_max_steps(max_steps))
    if t_end <= solution.t_last and solution.success:
        raise InputError(f"{path} has reached t = {solution.t_last:.9g} already; t_end must be larger")
    return schedule


def consistent_initial_state(
    system: MechanicalSystem | Model,
    t0: float,
    q0: Values | None = None,
    v0: Values | None = None,
    project: bool = False,
    lam0: ArrayLike | None = None,
    psi0: ArrayLike | None = None,
) -> InitialState:
    """Accelerations and multipliers that belong to (q0, v0) by theory (3): `genalpha.step.initial.InitialState`.

    Parameters
    ----------
    system : System or Model
    t0 : float
    q0, v0 : array_like (n,)
        By default those of the bodies of a model.
    project : bool
        First project q0 and v0 onto the constraints.
    lam0, psi0 : array_like, optional
        Where to look for the multipliers of a force that contains them, if there are several.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> pendulum = ga.System(
    ...     M=np.eye(2), f=lambda t, q, v: np.array([0.0, -9.81]), g=lambda t, q: np.array([q @ q - 1.0])
    ... )
    >>> ga.consistent_initial_state(pendulum, 0.0, [0.0, -1.0], [0.0, 0.0]).lam
    array([-4.905])
    """
    system, q0, v0 = as_system(system, q0, v0)
    t0 = number("t0", t0)
    return initial_state(system.contract(t0, q0, v0), t0, q0, v0, project, lam0, psi0, is_driven(system, v0))


def _integrator_for(system: MechanicalSystem, method: Method) -> Integrator:
    """The scheme of a method, if the system is one that it takes."""
    integrator = integrator_of(method, system.has_contacts, system.has_friction)
    _require(integrator.refuses(system))
    if isinstance(system, ModelSystem) and system.assembly.crowds:
        _require(integrator.refuses_pairs(), f"ContactGroup {system.assembly.crowds[0].name!r}: ")
    return integrator


def _require(refusal: str | None, prefix: str = "") -> None:
    """Raise what an integrator refuses."""
    if refusal is not None:
        raise InputError(prefix + refusal)


def _method_of(origin: Any, given: Method | None, path: PathName) -> Method:
    """The method of a stored run; one of the user's own has to be given, with the same options."""
    stored, is_own = origin.method, isinstance(origin.method, StoredMethod)
    if given is None and is_own:
        raise InputError(f"{path} was computed by a method of your own, {stored.describe()}; pass it as method=...")
    if given is not None and StoredMethod.of(given) != StoredMethod.of(stored):
        raise InputError(f"{path} was computed by another method, {stored.describe()}; pass that as method=...")
    return given if given is not None and is_own else stored


def _contract(system: MechanicalSystem, integrator: Integrator, t0: float, q0: Array, v0: Array) -> Contract:
    """The contract of a system; if that and the loop must be compiled, it happens at the same time."""
    from genalpha.compiled.jit import jit_is_on

    ahead = contextlib.nullcontext()
    if system.compiled and jit_is_on():
        from genalpha.step.loop import compiling_ahead, loop_of

        ahead = compiling_ahead(loop_of(type(integrator)))
    with ahead:
        contract = system.contract(t0, q0, v0)
    _require(integrator.refuses_rows(contract))
    return contract


__all__ = ["consistent_initial_state", "make_run", "resume", "solve"]
