"""Groups whose pairs come and go: all pairs against near ones, restarts, results, bad input."""

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems
from genalpha.model.tables import contacts as contact_tables
from genalpha.problems.spheres import RADIUS


@pytest.fixture(scope="module")
def stack():
    return problems.get("spheres", n=12, width=2)


def solved(problem, t1=0.15, method=None, **options):
    return ga.solve(problem.system(), (0.0, t1), method=method or problem.method, h=problem.h, **options)


def test_near_pairs_are_enough(stack, monkeypatch):
    """A few spheres with all pairs watched, and with near ones only: the same motion, where sets are unique."""
    impulses = ga.GeneralizedAlpha(strategy=2)  # the others differ in when a contact enters C
    near = solved(stack, method=impulses)
    monkeypatch.setattr(contact_tables, "FEW", 10_000)
    every = solved(problems.get("spheres", n=12, width=2), method=impulses)
    assert every.gap.shape[1] == 12 * 5 + 66
    assert near.gap.shape[1] == 72
    assert np.abs(near.q - every.q).max() < 1e-9
    assert len(near.impacts.time) == len(every.impacts.time) > 20
    one = near["stack"]["ball0", "ball4"]
    two = every.gap[:, every.system.names["gap"].index("stack.ball0-ball4")]
    watched = ~np.isnan(one.gap)
    assert one.gap[watched] == pytest.approx(two[watched], abs=1e-9)
    assert two[~watched].min(initial=1.0) > 0.3 * RADIUS


def test_pairs_are_found_anew():
    """Two spheres far apart meet; the pair has a name and a past only while it is near."""
    model = ga.Model("meeting")
    for i in range(10):
        speed = (2.0, 0.0, 0.0) if i == 0 else (0.0, 0.0, 0.0)
        model.add(
            ga.RigidBody(f"b{i}", shape=ga.Sphere(0.1), density=1e3, position=(float(i), 0.0, 0.0), velocity=speed)
        )
    model.add(ga.ContactGroup("row", [f"b{i}" for i in range(10)], restitution=1.0))
    sol = ga.solve(model, (0.0, 4.0), h=1e-2)
    row = sol["row"]
    assert row.pairs == [(f"b{i}", f"b{i + 1}") for i in range(9)]
    assert row.impacts.contact.tolist() == list(range(9))
    assert np.diff(row.impacts.time) == pytest.approx(0.4, abs=0.011)
    assert sol["b9"].velocity[-1] == pytest.approx([2.0, 0.0, 0.0])
    gap = row["b4", "b3"].gap
    assert np.isnan(gap[0])
    assert np.nanmin(gap) == pytest.approx(0.0, abs=1e-12)
    assert row["b3", "b4"].impulse.sum() == pytest.approx(2.0 * model.bodies[0].mass_used)
    assert row["b0", "b9"].force.max() == 0.0
    with pytest.raises(ga.InputError, match="has no pair"):
        row["b0", "b10"]


def test_restart_to_the_same_bits(stack, tmp_path):
    whole = solved(stack, 0.15)
    path = tmp_path / "run.h5"
    solved(stack, 0.08, out=path)
    sol = ga.resume(path, stack.system(), t_end=0.15)
    for name in ("q", "v", "gap", "impulse"):
        assert np.array_equal(getattr(sol, name), getattr(whole, name)), name
    assert np.array_equal(sol.log, whole.log)
    assert ga.load(path, stack.system())["stack"].pairs == whole["stack"].pairs


def row_on_a_pin():
    """Twelve spheres, one of which is held by a joint."""
    model = ga.Model("row", gravity=(0.0, 0.0, -9.81))
    for i in range(12):
        model.add(ga.RigidBody(f"b{i}", shape=ga.Sphere(0.1), density=1e3, position=(0.3 * i, 0.0, 0.0)))
    model.add(ga.Spherical("pin", "ground", "b0", at=(0.0, 0.0, 0.2)))
    model.add(ga.ContactGroup("row", [f"b{i}" for i in range(12)]))
    return model


def test_bodies_that_are_not_free(monkeypatch):
    """A group with a jointed body watches all pairs; if there are too many, it says so."""
    system = row_on_a_pin().assemble()
    assert not system.assembly.crowds
    assert len(system.names["gap"]) == 66
    monkeypatch.setattr(contact_tables, "MANY", 50)
    with pytest.raises(
        ga.InputError, match="ContactGroup 'row': 66 contacts are too many for bodies that are not free"
    ):
        row_on_a_pin().assemble()


@pytest.mark.parametrize(
    "method", [ga.GeneralizedAlpha(newton="coupled"), ga.GeneralizedAlpha(formulation="PVV"), ga.MoreauJean()], ids=repr
)
def test_methods_that_refuse(stack, method):
    with pytest.raises(ga.InputError, match="ContactGroup 'stack': near pairs of a large group"):
        ga.solve(stack.system(), (0.0, 0.1), method=method, h=1e-3)


def test_penetration_is_named():
    model = ga.Model("heap")
    for i in range(12):
        model.add(ga.RigidBody(f"b{i}", shape=ga.Sphere(0.1), density=1e3, position=(0.19 * i, 0.0, 0.0)))
    model.add(ga.ContactGroup("heap", [f"b{i}" for i in range(12)]))
    with pytest.raises(
        ga.InconsistentInitialState, match=r"'heap.b\d+-b\d+': it penetrates by 0.01 m .*10 more contacts"
    ):
        ga.solve(model, (0.0, 1.0), h=1e-3)
