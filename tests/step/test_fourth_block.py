"""A fourth block of constraint rows: a second family of velocity rows, with a name and multipliers of its own.

Two masses on skates slide in a plane. The blade of the first is the row of k; that of the second is a block that no
scheme has heard of. It must give what one k with both rows gives.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import genalpha as ga
from genalpha.system.block import NONHOLONOMIC, Block

SKID = Block("skid", NONHOLONOMIC, multiplier="chi", count="nskid")
Q0, V0 = np.array([0.0, 0.0, 0.3, 1.0, 0.0, -0.2]), np.array([np.cos(0.3), np.sin(0.3), 0.9, 0.5, 0.0, 0.4])
V0[3:5] = 0.5 * np.array([np.cos(0.2), -np.sin(0.2)])


@dataclass(frozen=True, kw_only=True, eq=False)
class Skaters(ga.System):
    """A `System` that also takes the rows of the second blade."""

    skid: Any = None
    blocks = (*ga.System.blocks, SKID)


@ga.evaluator
def f(t, q, v):
    """Gravity on a slope, and a spring between the two masses."""
    pull = 2.0 * (q[3:5] - q[0:2])
    return np.array([pull[0], pull[1] - 1.0, 0.1, -pull[0], -pull[1] - 1.0, -0.2 * v[5]])


@ga.evaluator
def first(t, q, v):
    """The blade of the first mass, on ice that moves."""
    return np.array([-np.sin(q[2]) * v[0] + np.cos(q[2]) * v[1] - 0.1 * np.sin(t)])


@ga.evaluator
def second(t, q, v):
    """That of the second one."""
    return np.array([-np.sin(q[5]) * v[3] + np.cos(q[5]) * v[4]])


@ga.evaluator
def both(t, q, v):
    """All rows at once."""
    return np.array([-np.sin(q[2]) * v[0] + np.cos(q[2]) * v[1] - 0.1 * np.sin(t),
                     -np.sin(q[5]) * v[3] + np.cos(q[5]) * v[4]])  # fmt: skip


@ga.evaluator
def rod(t, q):
    """The masses hang on one another, in x + y: a holonomic row before the blades."""
    return np.array([q[0] + q[1] - 2.0 * (q[3] + q[4]) + 2.0])


@ga.evaluator
def wall(t, q):
    """Contacts behind them: the first mass is inside of a ring."""
    return np.array([0.16 - q[0] ** 2 - q[1] ** 2, q[4] + 3.0])


M = np.diag([1.0, 1.0, 0.2, 2.0, 2.0, 0.3])
METHODS = {
    "PVA": ga.GeneralizedAlpha(rho_inf=0.8),
    "PV": ga.GeneralizedAlpha(rho_inf=0.8, formulation="PV"),
    "SOI2": ga.SOI2(rho_inf=0.8),
}


def skaters(compile, **rows):
    return Skaters(M=M, f=f, k=first, skid=second, names={"skid": ["right blade"]}, compile=compile, **rows)


@pytest.mark.parametrize("compile", [False, True])
@pytest.mark.parametrize("name", METHODS)
def test_a_fourth_block_is_more_rows_of_its_kind(name, compile):
    stacked = ga.System(M=M, f=f, k=both, compile=compile)
    one, two = (
        ga.solve(system, (0.0, 0.5), Q0, V0, method=METHODS[name], h=0.01) for system in (skaters(compile), stacked)
    )
    for column in ("q", "v", "vdot", "a", "psi"):
        np.testing.assert_array_equal(getattr(one, column), getattr(two, column))
    assert np.abs(one.psi).max() > 0.1
    np.testing.assert_array_equal(one.multiplier("psi"), two.psi[:, :1])
    np.testing.assert_array_equal(one.multiplier("chi"), two.psi[:, 1:])
    np.testing.assert_array_equal(one["right blade"], two.psi[:, 1])


def test_the_rows_lie_between_those_of_the_other_kinds():
    """Behind g and k, before the gaps, whose forces must not be taken for theirs."""
    v0 = V0.copy()
    v0[3:5] = v0[0:2].sum() / (2.0 * (np.cos(0.2) - np.sin(0.2))) * np.array([np.cos(0.2), -np.sin(0.2)])
    rows = {"g": rod, "gap": wall, "e": 0.5}
    stacked = ga.System(M=M, f=f, k=both, compile=False, **rows)
    one, two = (ga.solve(system, (0.0, 1.0), Q0, v0, h=0.01) for system in (skaters(False, **rows), stacked))
    assert len(one.impacts.time) > 0
    for column in ("q", "v", "lam", "psi", "lam_n", "impulse"):
        np.testing.assert_array_equal(getattr(one, column), getattr(two, column))


def test_messages_name_the_block():
    v0 = V0 + np.array([0.0, 0.0, 0.0, 0.0, 0.1, 0.0])
    with pytest.raises(ga.InconsistentInitialState, match=r"'right blade': \|skid\| = 0\.098"):
        ga.solve(skaters(False), (0.0, 0.1), Q0, v0, h=0.01)
    report = ga.check(skaters(False), 0.0, Q0, v0)
    assert [row.name for row in report.violations if not row.ok] == ["right blade"]


def test_redundant_rows_are_named():
    twice = Skaters(M=M, f=f, k=first, skid=first, compile=False)
    with pytest.warns(ga.RedundantConstraintsWarning, match=r"skid\[0\]"):
        ga.consistent_initial_state(twice, 0.0, Q0, V0)


def test_its_derivatives_are_checked_and_its_names_are_its_own():
    @dataclass(frozen=True, kw_only=True, eq=False)
    class Given(Skaters):
        skid_v: Any = None

    wrong = Given(M=M, f=f, k=first, skid=second, skid_v=lambda t, q, v: np.ones((1, 6)), compile=False)
    assert "skid_v" in ga.check(wrong, 0.0, Q0, V0).problems[0]
    with pytest.raises(ga.InputError, match="'gap' and 'skid'"):
        Skaters(M=M, f=f, skid=second, names={"skit": ["x"]})
    with pytest.raises(ga.InputError, match="there are lam, psi, chi, lam_n"):
        ga.solve(skaters(False), (0.0, 0.01), Q0, V0, h=0.01).multiplier("psy")
