"""The fuzzer: a sample of its models and wrong calls, and that it sees what is wrong. `make fuzz` runs many."""

import os
import time
from dataclasses import replace

import numpy as np
import pytest

from fuzz import calls, coulomb, invariants, ranges, relations
from fuzz import run as runs
from fuzz.describe import in_units
from fuzz.draw import Draw
from fuzz.pool import each
from fuzz.sliding import Contact, Scene
from fuzz.trial import MAKERS, OK, OURS, make, trial

SEED, MODELS = 4, 24
SCENES = 10
CALL_SEED, WRONG_CALLS = 22, 120


@pytest.fixture
def few(monkeypatch):
    """Models that other tests compile run compiled, others interpreted."""
    monkeypatch.setattr(runs, "COMPILED", {(), ("gaps",)})
    monkeypatch.setattr(relations, "COMPILED", {(), ("gaps",)})


def test_a_sample_of_models(few):
    outcomes = [trial(SEED, index) for index in range(MODELS)]
    assert [f"{o.name} {o.kind} {o.what}" for o in outcomes if o.kind not in (OK, OURS)] == []
    assert sum(o.kind == OURS for o in outcomes if o.h <= 1e-3) == 0
    assert len({o.family for o in outcomes}) >= 6


def test_a_sample_of_scenes_with_friction():
    outcomes = [trial(0, index, "friction") for index in range(SCENES)]
    assert [f"{o.name} {o.kind} {o.what}" for o in outcomes if o.kind not in (OK, OURS)] == []


def test_laws_of_friction_are_looked_at():
    """A run whose forces, slips or modes are off fails."""
    case = Scene(
        "box", 2, ((1.0, 0.1),), (Contact("corner", 0, 0, 0.0, 0.0),), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 1e-2, 20,
    )  # fmt: skip
    base = runs.solve(case)
    assert [check(base) for check in coulomb.CHECKS.values()] == [""] * len(coulomb.CHECKS)
    for name, by, check, words in (
        ("lam_t", 1e-3, coulomb.cones, "lam_t over"), ("lam_t", 1e-3, coulomb.slides, "law of slip"),
        ("gap", -1e-3, coulomb.contacts, "gap is"), ("friction_work", 10.0, coulomb.works, "has driven"),
        ("vdot", 1e-3, coulomb.balance, "balance"),
    ):  # fmt: skip
        moved = runs.Run(case, _replaced(base.sol, name, by))
        assert words in check(moved), name
    assert "differ" in coulomb.alike(base, runs.solve(replace(case, gravity=(0.01, -9.81))))


def _replaced(sol, name, by):
    """A solution with one result that grows by the row, away from zero."""

    class Moved:
        def __getattr__(self, key):
            value = getattr(sol, key)
            rows = np.arange(1.0, len(value) + 1.0)[:, None] if key == name else 0.0
            return (
                value + by * rows * np.where(value < 0.0, -1.0 if name == "lam_t" else 1.0, 1.0)
                if key == name
                else value
            )

    return Moved()


def test_a_sample_of_wrong_calls():
    calls.warm()
    found = {calls.show(call): calls.attempt(call) for call in calls.chosen(WRONG_CALLS, CALL_SEED)}
    assert {call: answer for call, answer in found.items() if answer[0] not in (*calls.GOOD, calls.SLOW)} == {}


def test_models_are_always_the_same():
    for family in MAKERS:
        assert make(3, 7, family)[0].script() == make(3, 7, family)[0].script()
    assert make(3, 7)[0].script() != make(3, 8)[0].script()


def test_scripts_repeat_models(few):
    """Lines that are printed make the same run."""
    case, _ = make(0, 4, "tree")
    found = {}
    exec(case.script(), found)
    assert np.array_equal(found["sol"].q, runs.solve(case).sol.q)


def test_units_there_and_back():
    """A case in other units has other numbers, and goes back to its own."""
    for family in MAKERS:
        case, _ = make(1, 2, family)
        units = np.array(ranges.UNITS["in-lbf-s"])
        back = case.changed(in_units(units)).changed(in_units(1.0 / units))
        assert back.script() != case.changed(in_units(units)).script()
        for one, two in zip(getattr(case, "bodies", ()), getattr(back, "bodies", ()), strict=True):
            for name, value in one.fields.items():
                if isinstance(value, float | tuple) and not isinstance(
                    value[0] if isinstance(value, tuple) else 0, str
                ):
                    assert np.allclose(value, two.fields[name], rtol=1e-12)


def test_it_sees_what_is_wrong(few):
    """A run that is off by little more than the tolerances fails each check."""
    case, _ = make(0, 0, "planar")
    case = replace(case, method=replace(case.method, kind="GeneralizedAlpha", fields={}))
    base = runs.solve(case)
    assert all(check(base) == "" for check in invariants.CHECKS.values())
    heavier = [replace(b, fields={**b.fields, "mass": b.fields["mass"] * 1.05}) for b in case.bodies[:1]]
    other = runs.solve(replace(case, bodies=(*heavier, *case.bodies[1:])))
    assert "differ by" in relations.same(base, other)
    moved = runs.Run(case, _shifted(base.sol, "q", 1e-6))
    assert "|g| of" in invariants.constraints(moved)
    assert "forces on" in invariants.balance(runs.Run(case, _shifted(base.sol, "vdot", 1e-2)))
    assert relations.converge(iter((1e-3, 9e-4, 8e-4)))
    assert not relations.converge(iter((1e-3, 9e-4, 3e-4)))


def _shifted(sol, name, by):
    """A solution with one column moved."""

    class Moved:
        def __getattr__(self, key):
            value = getattr(sol, key)
            return value + by * np.arange(1.0, value.shape[1] + 1.0) if key == name else value

        def __getitem__(self, key):
            return sol.system.quantity(self, key)

    return Moved()


def test_processes_that_hang_or_crash():
    """They are counted, and the others go on."""
    assert dict(each(os._exit, [3, 4], 1, 30.0)) == {3: "crash", 4: "crash"}
    begin = time.monotonic()
    assert dict(each(time.sleep, [60.0, 0.0], 1, 4.0)) == {60.0: "hang", 0.0: None}
    assert time.monotonic() - begin < 40.0


def test_draws_do_not_depend_on_each_other():
    assert Draw(0, 1).between((0.0, 1.0)) != Draw(0, 2).between((0.0, 1.0))


def test_the_energy_of_smooth_motion_may_drift(few, monkeypatch):
    """By O(h²), where joints hold bodies that turn; a rise that stays with shorter steps is seen."""
    case, _ = make(11, 289, "contact")
    run = runs.solve(case, save_every=1)
    assert len(run.sol.impacts.time) == 0
    assert invariants.energy(run) == ""
    monkeypatch.setattr(invariants, "solve", lambda *case, **words: run)
    assert "has risen" in invariants.energy(run)


def test_the_energy_counts_from_the_first_contact(few):
    """Before it is the drift of a smooth motion, which falls to 31 % with half the steps: second order, and third."""
    case, _ = make(101, 1624, "contact")
    run = runs.solve(case, save_every=1)
    assert np.all(run.sol.impulse == 0.0)
    assert np.all(invariants.since_contact(run) == 0.0)
    assert invariants.since_start(run).max() > 1.0
    assert invariants.energy(run) == ""


def test_what_impacts_on_se3_are_worth(few):
    """Free flight has a Coriolis force there, which a late impact turns into energy: O(h)."""
    case, _ = make(101, 1553, "crowd")
    powers = []
    for group in ("SE3", "R3xSO3"):
        bodies = [replace(b, fields={**b.fields, "group": group}) if b.kind == "RigidBody" else b for b in case.bodies]
        powers.append(invariants.coriolis_of(runs.solve(replace(case, bodies=tuple(bodies), steps=1))))
    assert powers[0] > 0.0
    assert powers[1] == 0.0


def test_reactions_of_more_rows_than_coordinates_are_not_unique(few):
    """They were compared, as singular values of a tall matrix do not show its rank: 8 rows hold a body of 6."""
    case, _ = make(0, 4133)
    sol = runs.solve(replace(case, steps=1)).sol
    assert sol.lam.shape[1] > sol.v.shape[1]
    assert trial(0, 4133).kind == OK


def test_redundant_rows_of_formulation_v_miss_what_positions_have_drifted(few):
    """Off g = 0 rows that depended on others no longer do: ġ = 0 of all of them would be another system."""
    case, _ = make(200, 517)
    run = runs.solve(case)
    assert run.sol.stats.max_g > 1e-7
    assert invariants.constraints(run) == ""
    assert "|ġ| of" in invariants.constraints(runs.Run(case, _shifted(run.sol, "v", 1e-6)))
