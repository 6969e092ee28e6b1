"""The page "write your own scheme" runs; its symplectic Euler is first order and keeps energy, in every kind of run."""

import pickle
import re
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import genalpha as ga
from genalpha.step.integrator import INTEGRATORS, Alpha, Impact, Integrator, Moreau, Soi2, integrator_of
from genalpha.step.loop import ARRAYS, loop_of, tuple_of
from genalpha.step.setup import make_setup
from genalpha.step.state import Arrays, Scheme

PAGE = Path(__file__).parents[2] / "docs" / "own_scheme.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)


def module_of_the_page():
    """The first block of the page, the scheme, as a module of its own."""
    module = types.ModuleType("own_scheme")
    sys.modules["own_scheme"] = module
    exec(compile(BLOCKS[0], str(PAGE), "exec"), vars(module))
    return module


own = module_of_the_page()
MASS, STIFFNESS = np.array([1.0, 2.0]), np.array([4.0, 2.0])
START = [1.0, 0.5], [0.0, 1.0]


def spring(compiled, **given):
    return ga.System(M=np.diag(MASS), f=lambda t, q, v: -STIFFNESS * q, compile=compiled, **given)


def exact(t):
    omega, (q0, v0) = np.sqrt(STIFFNESS / MASS), np.array(START)
    return q0 * np.cos(omega * t) + v0 / omega * np.sin(omega * t)


def energy(sol):
    return 0.5 * sol.v**2 @ MASS + 0.5 * sol.q**2 @ STIFFNESS


def solve(system, t_end=1.0, h=1e-2, method=None, **options):
    return ga.solve(system, (0.0, t_end), *START, method or own.SymplecticEuler(), h=h, **options)


def test_the_page(capsys):
    page = {"__name__": "own_scheme_page"}
    exec(compile("\n".join(BLOCKS), str(PAGE), "exec"), page)
    lines = capsys.readouterr().out.splitlines()
    ends = [float(re.search(r"theta = (.*?) .*: (.*) of", line).group(2)) for line in lines[:2]]
    assert ends[0] == pytest.approx(1.0, abs=0.02)
    assert ends[1] > 2.0
    assert lines[2] == "SymplecticEuler takes no constraints, and there are ng = 1 and nk = 0 of them"
    assert lines[3] == "there is no error control for SymplecticEuler; give a step size h=..."


def test_it_is_short():
    assert len(BLOCKS[0].splitlines()) <= 60


@pytest.mark.agreement
@pytest.mark.parametrize("varying", [False, True])
def test_interpreted_and_compiled_runs_agree(varying):
    """Also with a mass matrix that depends on q."""
    given = {"M": lambda t, q: np.diag(MASS + q**2)} if varying else {"M": np.diag(MASS)}
    one, two = (ga.System(f=lambda t, q, v: -STIFFNESS * q, compile=way, **given) for way in (False, True))
    a, b = solve(one), solve(two)
    for name in ("t", "q", "v", "vdot", "a"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def test_it_is_the_scheme():
    """Step by step what four lines of NumPy give."""
    sol, h = solve(spring(False)), 1e-2
    q, v = np.array(START)
    for i in range(sol.t.size - 1):
        v = v + h * -STIFFNESS * q / MASS
        q = q + h * v
        np.testing.assert_allclose(sol.q[i + 1], q, rtol=1e-13)
        np.testing.assert_allclose(sol.v[i + 1], v, rtol=1e-13)


def test_it_is_first_order():
    errors = [np.abs(solve(spring(False), h=h).q[-1] - exact(1.0)).max() for h in (0.02, 0.01, 0.005)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders == pytest.approx(1.0, abs=0.05)


def test_its_energy_is_bounded():
    """Over some hundred periods it stays within O(h); that of the explicit method grows by more than 10."""
    symplectic = solve(spring(True), t_end=300.0)
    drift = np.abs(energy(symplectic) / energy(symplectic)[0] - 1.0)
    assert 1e-3 < drift.max() < 0.02
    assert drift[-1000:].max() < 1.01 * drift[:1000].max()
    explicit = solve(spring(True), t_end=300.0, method=own.SymplecticEuler(theta=0.0))
    assert energy(explicit)[-1] > 10.0 * energy(explicit)[0]


def test_bodies_that_turn():
    """A free top keeps its spatial angular momentum, to first order."""
    model = ga.Model("top")
    model.add(ga.RigidBody("top", mass=1.0, inertia=(0.01, 0.02, 0.03), angular_velocity=(3.0, 0.5, 1.0)))
    errors = []
    for h in (2e-3, 1e-3):
        sol = ga.solve(model, (0.0, 1.0), method=own.SymplecticEuler(), h=h)
        reference = ga.solve(model, (0.0, 1.0), h=1e-3)
        errors.append(np.abs(sol["top"].angular_velocity[-1] - reference["top"].angular_velocity[-1]).max())
    assert 1e-6 < errors[1] < 0.6 * errors[0]


def test_what_it_refuses():
    with pytest.raises(ga.InputError, match="SymplecticEuler takes no constraints, and there are ng = 0 and nk = 1"):
        solve(spring(False, k=lambda t, q, v: v[:1]))
    with pytest.raises(ga.InputError, match=r"contacts .* need GeneralizedAlpha"):
        solve(spring(False, gap=lambda t, q: q[:1], e=0.5))
    with pytest.raises(ga.InputError, match="there is no error control for SymplecticEuler; give a step size"):
        solve(spring(False), h=None)
    with pytest.raises(ga.InputError, match="method must be a GeneralizedAlpha, a SOI2 or a MoreauJean, not a type"):
        solve(spring(False), method=own.SymplecticEuler)


def test_files(tmp_path):
    """A file has the name and the options; the run goes on to the same bits with the method that is passed."""
    system, method = spring(True), own.SymplecticEuler(theta=0.75)
    whole = solve(system, method=method)
    solve(system, t_end=0.5, method=method, out=tmp_path / "run.h5")
    loaded = ga.load(tmp_path / "run.h5", system)
    assert loaded.method.describe() == method.describe() == "SymplecticEuler, theta = 0.75"
    with pytest.raises(ga.InputError, match=r"a method of your own, SymplecticEuler, theta = 0.75; pass it as method="):
        ga.resume(tmp_path / "run.h5", system, t_end=1.0)
    for other in (own.SymplecticEuler(), ga.GeneralizedAlpha()):
        with pytest.raises(ga.InputError, match=r"computed by another method, SymplecticEuler, theta = 0.75"):
            ga.resume(tmp_path / "run.h5", system, t_end=1.0, method=other)
    resumed = ga.resume(tmp_path / "run.h5", system, t_end=1.0, method=method)
    np.testing.assert_array_equal(resumed.q, whole.q)
    np.testing.assert_array_equal(resumed.v, whole.v)
    loaded.save(tmp_path / "copy.h5")
    assert ga.load(tmp_path / "copy.h5").method == loaded.method
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(whole)).q, whole.q)


def test_the_method_of_a_file_cannot_be_changed(tmp_path):
    solve(spring(False), method=ga.GeneralizedAlpha(), out=tmp_path / "run.h5")
    with pytest.raises(ga.InputError, match=r"computed by another method, generalized-α PVA, ρ∞ = 0.9"):
        ga.resume(tmp_path / "run.h5", spring(False), t_end=2.0, method=ga.SOI2())


# ---------------------------------------------------------------- the contract


@pytest.mark.parametrize(
    ("method", "contacts", "kind"),
    [
        (ga.GeneralizedAlpha(), False, Alpha), (ga.GeneralizedAlpha(), True, Impact),
        (ga.GeneralizedAlpha(formulation="PVV"), False, Impact), (ga.GeneralizedAlpha(strategy=1), False, Impact),
        (ga.GeneralizedAlpha(formulation="P"), True, Alpha), (ga.SOI2(), False, Soi2), (ga.MoreauJean(), True, Moreau),
    ],
)  # fmt: skip
def test_methods_find_their_scheme(method, contacts, kind):
    assert type(integrator_of(method, contacts)) is kind
    assert type(method) in INTEGRATORS


def test_a_loop_is_made_once_for_all_options():
    one, two = (type(own.SymplecticEuler(theta=theta)) for theta in (0.0, 1.0))
    assert loop_of(one) is loop_of(two)
    assert not loop_of(one).with_contacts


def test_numbers_have_the_types_that_compiled_code_is_made_for():
    class Sloppy(own.SymplecticEuler):
        def numbers(self, contract):
            return Scheme(own_a=1, max_iter=np.int32(7))

    contract = spring(False).contract(0.0, *START)
    scheme = make_setup(contract, Sloppy()).scheme
    assert (type(scheme.own_a), type(scheme.max_iter)) == (float, int)
    assert scheme == Scheme(own_a=1.0, max_iter=7)


def test_a_scheme_without_steps_says_so():
    class Empty(Integrator):
        pass

    with pytest.raises(NotImplementedError, match=r"Empty must have a classmethod steps\(\)"):
        solve(spring(False), method=Empty())
    assert Empty().describe() == Empty().name == "Empty"


def test_types_are_given_for_every_array():
    tuple_of(Arrays, ARRAYS)
    with pytest.raises(TypeError, match="types of Arrays do not fit its fields: Q, extra"):
        tuple_of(Arrays, {name: kind for name, kind in ARRAYS.items() if name != "Q"} | {"extra": ARRAYS["V"]})
