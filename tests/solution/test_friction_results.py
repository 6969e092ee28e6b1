"""What a solution says of friction, from raw results that are made by hand: two contacts and a dry row.

The block that slides is integrated without friction, and its raw rows are put in place of those of a run.
"""

import dataclasses
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import genalpha as ga
from genalpha.errors import InputError
from genalpha.solution.export import _labels
from genalpha.solution.rows import FRICTION, Columns, Rows, columns_of, width_of_found
from genalpha.solution.solution import read_impacts
from genalpha.system import contact_log
from genalpha.system.friction import FrictionColumns, make_friction
from genalpha.system.sliding import Sliding

FRICTIONS = {
    "plane": make_friction([2, 0], 1, [0.3, 0.5], [1.0, 2.0], bounds=[2.0]),
    "space": make_friction([2, 0], [2, 3], [0.3, 0.6, 0.5, 0.5, 0.5], [1.0, 2.0], bounds=[2.0]),
}


def raw_of(friction, n=4):
    """Numbers that are all different."""
    columns = FrictionColumns(friction.nt, friction.ne)
    raw = 1.0 + np.arange(n * columns.width, dtype=float).reshape(n, columns.width)
    raw[:, columns.sticks] = np.arange(n * friction.ne).reshape(n, friction.ne) % 2
    return raw, columns


def test_contacts_in_a_plane():
    """One number for each contact; one without friction has none, and what it slides is not known."""
    friction = FRICTIONS["plane"]
    raw, columns = raw_of(friction)
    found = Sliding(friction, 3, raw)
    assert found.slip.shape == found.force.shape == found.impulse.shape == found.sticks.shape == (4, 3)
    np.testing.assert_array_equal(found.slip[:, [2, 0]], raw[:, :2])
    assert np.all(np.isnan(found.slip[:, 1]))
    assert not np.any(found.force[:, 1])
    assert not np.any(found.sticks[:, 1])
    np.testing.assert_array_equal(found.force[:, [2, 0]], raw[:, columns.mean][:, :2])
    np.testing.assert_array_equal(found.impulse[:, [2, 0]], raw[:, columns.impulse][:, :2])
    np.testing.assert_array_equal(found.sticks[:, [2, 0]], raw[:, columns.sticks][:, :2] == 1.0)
    np.testing.assert_array_equal(found.work[:, [2, 0]], raw[:, columns.work][:, :2])
    np.testing.assert_array_equal(found.lam_t, raw[:, columns.force])
    assert found.sticks.dtype == found.dry_sticks.dtype == bool


def test_contacts_in_space():
    """Two numbers for each contact, three with drilling."""
    friction = FRICTIONS["space"]
    raw, _ = raw_of(friction)
    found = Sliding(friction, 3, raw)
    assert found.slip.shape == (4, 3, 3)
    assert found.sticks.shape == (4, 3)
    np.testing.assert_array_equal(found.slip[:, 2, :2], raw[:, :2])
    np.testing.assert_array_equal(found.slip[:, 0], raw[:, 2:5])
    assert np.all(np.isnan(found.slip[:, 2, 2]))
    assert not np.any(found.force[:, 2, 2])


@pytest.mark.parametrize("name", FRICTIONS)
def test_dry_rows(name):
    """They lie behind those of contacts."""
    friction = FRICTIONS[name]
    raw, columns = raw_of(friction)
    found = Sliding(friction, 3, raw)
    np.testing.assert_array_equal(found.dry_slip, raw[:, [friction.nt - 1]])
    np.testing.assert_array_equal(found.dry_force, raw[:, columns.mean][:, -1:])
    np.testing.assert_array_equal(found.dry_sticks, raw[:, columns.sticks][:, -1:] == 1.0)


def test_margin():
    """mu N − |F|: along each axis of an ellipse, and with mu_static where it sticks."""
    friction = FRICTIONS["space"]
    columns = FrictionColumns(friction.nt, friction.ne)
    raw = np.zeros((3, columns.width))
    raw[0, columns.mean] = [0.3, 0.0, 0.5, 0.0, 0.0, 9.0]
    raw[1, columns.mean] = [0.0, 1.2, 0.3, 0.4, 0.0, 9.0]
    raw[2, columns.mean] = [0.0, 0.0, 0.3, 0.4, 1.2, 9.0]
    raw[:, columns.sticks] = [[0, 0, 1], [0, 1, 1], [1, 1, 0]]
    normal = np.full((3, 3), 2.0)
    expected = [[0.5, 0.0, 0.6], [2.0 - 0.5, 0.0, 0.0], [2.0 - 1.3, 0.0, 1.2]]
    np.testing.assert_allclose(Sliding(friction, 3, raw).margin(normal), expected, atol=1e-15)


def test_what_there_is_not():
    """Only contacts, only dry friction, and neither."""
    dry, contact = make_friction([], [], [], bounds=[2.0]), make_friction([0], 1, 0.3)
    for name in ("slip", "force", "impulse", "sticks", "work"):
        with pytest.raises(InputError, match=r"no contact of this system has friction.*dry_slip"):
            getattr(Sliding(dry, 1, raw_of(dry)[0]), name)
    with pytest.raises(InputError, match=r"this system has no dry friction.*friction_force"):
        _ = Sliding(contact, 1, raw_of(contact)[0]).dry_force
    ball = ga.System(M=np.eye(1), f=lambda t, q, v: np.array([-10.0]), gap=lambda t, q: q, e=0.5)
    sol = ga.solve(ball, (0.0, 0.6), [1.0], [0.0], h=0.01)
    for name in ("slip", "friction_force", "sticks", "dry_force", "lam_t", "friction", "friction_margin"):
        with pytest.raises(InputError, match="this system has no friction: no slip with mu, and no dry friction"):
            getattr(sol, name)
    assert sol(0.3).lam_t.shape == (0,)
    assert sol([0.3, 0.4]).lam_t.shape == (2, 0)
    np.testing.assert_array_equal(sol.impacts.tangential_impulse, np.zeros(len(sol.impacts.time)))


def test_a_wrong_attribute_lists_what_there_is():
    """And says what is near; Python's own questions are answered in a few words."""
    still = ga.solve(ga.System(M=np.eye(1), f=[0.0]), (0.0, 0.1), [1.0], [0.0], h=0.1)
    with pytest.raises(AttributeError, match=r"has no attribute 'friction_forces'; did you mean 'friction_force'\?"):
        _ = still.friction_forces
    with pytest.raises(AttributeError, match=r"no attribute 'wxyz'; there are Lam, a, .*dry_force.*vdot.*sol\[...\]"):
        _ = still.wxyz
    assert not hasattr(still, "_repr_png_")


def test_impulses_of_impacts():
    """As many for each impact as its contacts have rows of slip."""
    log = np.zeros((2, contact_log.N_LOG))
    for i in range(2):
        contact_log.put_event(log, i, 0.5, 2 * i, contact_log.IMPACT, -1.0, 0.5, 3.0)
        contact_log.put_tangent(log, i, 0.1 + i, 0.2 + i, 0.3 + i)
    assert read_impacts(log, FRICTIONS["plane"]).tangential_impulse.tolist() == [0.1, 1.1]
    assert read_impacts(log, FRICTIONS["space"]).tangential_impulse.tolist() == [[0.1, 0.2, 0.3], [1.1, 1.2, 1.3]]
    assert read_impacts(log[:, :], make_friction([0], 2, 0.3)).tangential_impulse.shape == (2, 2)
    assert read_impacts(log).tangential_impulse.shape == (2,)


# ---------------------------------------------------------------- rows, files and states


def rubbing(**given):
    """A block on a floor that moves, and a guide with dry friction."""
    options = dict(
        M=np.eye(2), f=[1.0, -10.0], gap=lambda t, q: q[1:], slip=lambda t, q, v: v[:1] - 0.25 * t, mu=0.3,
        dry=lambda t, q, v: v[:1], dry_bound=0.5, compile=False, names={"gap": ["floor"], "dry": ["guide"]},
        energy=lambda t, q, v: (0.5 * v @ v, 10.0 * q[1]),
    )  # fmt: skip
    return ga.System(**(options | given))


@pytest.fixture
def solution():
    """A run without friction, with raw rows of friction beside it."""
    system = rubbing()
    contract = system.contract(0.0, [0.0, 0.0], [1.0, 0.0])
    smooth = ga.System(M=np.eye(2), f=[1.0, -10.0], gap=lambda t, q: q[1:], names={"gap": ["floor"]})
    sol = ga.solve(smooth, (0.0, 1.0), [0.0, 0.0], [1.0, 0.0], h=0.1)
    columns = columns_of(contract, True)
    rows = Rows(columns, len(sol))
    raw = np.zeros((len(sol), columns.widths[FRICTION]))
    at = FrictionColumns(2, 2)
    raw[:, at.slip] = sol.v[:, [0, 0]] - 0.25 * np.stack([sol.t, 0.0 * sol.t], axis=1)
    raw[:, at.force], raw[:, at.mean] = [-3.0, -0.5], [-3.0, -0.5]
    raw[1:, at.impulse] = [-0.3, -0.05]
    raw[:, at.work] = -np.stack([2.0 * sol.t, 0.5 * sol.t], axis=1)
    raw[5:, at.sticks] = 1.0
    rows.append({name: sol.rows[name] for name in sol.origin.columns.chosen} | {FRICTION: raw})
    identity = {**sol.origin.system, "names": {k: list(v) for k, v in contract.names.items()}}
    identity[FRICTION] = {name: values.tolist() for name, values in contract.friction._asdict().items()}
    origin = dataclasses.replace(sol.origin, columns=columns, system=identity)
    return dataclasses.replace(sol, rows=rows, origin=origin, system=system, checkpoint=None)


def test_attributes(solution):
    """All of them, with their shapes; by name what is dry."""
    n = len(solution)
    assert solution.slip.shape == solution.friction_force.shape == solution.friction_impulse.shape == (n, 1)
    assert solution.sticks[:, 0].tolist() == [False] * 5 + [True] * 6
    np.testing.assert_array_equal(solution.dry_slip, solution.v[:, :1])
    np.testing.assert_array_equal(solution["guide"], solution.dry_force[:, 0])
    np.testing.assert_array_equal(solution.lam_t, np.tile([-3.0, -0.5], (n, 1)))
    np.testing.assert_array_equal(solution.multiplier("lam_t"), solution.lam_t[:, :1])
    np.testing.assert_array_equal(solution.multiplier("dry_force"), solution.dry_force)
    np.testing.assert_allclose(solution.friction_margin, 0.3 * solution.contact_force - 3.0)
    np.testing.assert_allclose(solution.friction_work[:, 0], -2.0 * solution.t)
    assert solution(0.33).lam_t.tolist() == [-3.0, -0.5]
    np.testing.assert_allclose(solution.table("guide").values[:, 1], -0.5)


def test_ledger(solution):
    """What friction takes; and the belt, whose velocity is 0.25 t and whose force is −3, does −∫ 3 · 0.25 t dt."""
    ledger = solution.ledger
    np.testing.assert_allclose(ledger.friction, 2.5 * solution.t)
    np.testing.assert_allclose(-ledger.drives, -3.0 * 0.25 * solution.t**2 / 2.0)
    np.testing.assert_allclose(sum(ledger), ledger.kinetic[0] + ledger.potential[0])


def test_it_can_be_sent(solution):
    """With friction, to another process."""
    again = pickle.loads(pickle.dumps(dataclasses.replace(solution, system=None)))
    np.testing.assert_array_equal(again.friction, solution.friction)
    np.testing.assert_array_equal(again.sticks, solution.sticks)


@pytest.mark.parametrize("suffix", ["h5", "npz", "csv"])
def test_files(solution, tmp_path, suffix):
    """They keep the raw results, and HDF5 what they are of."""
    path = tmp_path / f"run.{suffix}"
    solution = dataclasses.replace(solution, log=np.zeros((1, contact_log.N_LOG)))
    contact_log.put_event(solution.log, 0, 0.5, 0, contact_log.IMPACT, -1.0, 0.5, 3.0)
    contact_log.put_tangent(solution.log, 0, -0.25, 0.0, 0.0)
    solution.save(path)
    if suffix == "npz":
        np.testing.assert_array_equal(np.load(path)[FRICTION], solution.friction)
    elif suffix == "csv":
        header = path.read_text().splitlines()[0].split(",")
        assert [name for name in header if name.startswith("friction")] == [
            "friction.slip.floor", "friction.slip.guide", "friction.lam_t.floor", "friction.lam_t.guide",
            "friction.force.floor", "friction.force.guide", "friction.impulse.floor", "friction.impulse.guide",
            "friction.sticks.floor", "friction.sticks.guide", "friction.work.floor", "friction.work.guide",
        ]  # fmt: skip
    else:
        again = ga.load(path)
        np.testing.assert_array_equal(again.friction, solution.friction)
        np.testing.assert_array_equal(again.sticks, solution.sticks)
        np.testing.assert_array_equal(again.log, solution.log)
        assert again.impacts.tangential_impulse.tolist() == [-0.25]
        np.testing.assert_array_equal(again.friction_margin, solution.friction_margin)


@pytest.mark.parametrize("damage", ["contact", "first", "mu", "width"])
def test_files_that_are_damaged(solution, tmp_path, damage):
    """Elements of friction that do not fit are refused."""
    identity = {**solution.origin.system, FRICTION: dict(solution.origin.system[FRICTION])}
    columns = solution.origin.columns
    if damage == "width":
        columns = Columns({**columns.widths, FRICTION: 11}, tuple(n for n in columns.chosen if n != FRICTION))
    else:
        identity[FRICTION][damage] = {"contact": [3, -1], "first": [0, 5, 2], "mu": [0.3]}[damage]
    origin = dataclasses.replace(solution.origin, system=identity, columns=columns)
    dataclasses.replace(solution, origin=origin).save(tmp_path / "run.h5")
    with pytest.raises(ga.FileError, match="friction"):
        ga.load(tmp_path / "run.h5")


def test_columns_without_friction_are_as_before():
    """No column, no width; and a name that can be chosen only where there is friction."""
    q0, v0 = [0.0, 0.0], [1.0, 0.0]
    without = ga.System(M=np.eye(2), f=[1.0, -10.0], compile=False).contract(0.0, q0, v0)
    assert FRICTION not in columns_of(without, False).widths
    with pytest.raises(InputError, match="there is no 'friction'; choose among t, q"):
        columns_of(without, False, ("q", "friction"))
    contract = rubbing().contract(0.0, q0, v0)
    assert columns_of(contract, True).widths[FRICTION] == 4 * 2 + 2 * 2
    assert columns_of(contract, True, ("q", "friction")).chosen == ("t", "q", "friction")
    assert width_of_found(columns_of(contract, True).widths) == 1 + 1 + 2 + 2 + 1 + 12


def test_labels_have_one_for_each_number():
    """Also of contacts in space and without names."""
    friction = FRICTIONS["space"]
    names = {"gap": ["a", "b", "c"], "slip": ["c.1", "c.2", "a.1", "a.2", "a.drill"], "dry": ["guide"]}
    origin = SimpleNamespace(system={"names": names}, friction=friction)
    labels = _labels(origin, FRICTION)
    assert len(labels) == len(set(labels)) == FrictionColumns(friction.nt, friction.ne).width
    assert labels[-3:] == ["work.c", "work.a", "work.guide"]
