"""Elements of friction: which rows slide as one, their coefficients, and the columns of raw results."""

import dataclasses

import numpy as np
import pytest

from genalpha.errors import InputError
from genalpha.system.block import DRY, SLIP
from genalpha.system.friction import (
    FrictionColumns,
    make_friction,
    names_of_slip,
    require_coefficients,
    require_tangential_restitution,
    static_ratio,
)


def test_elements():
    """Two contacts, in space and with drilling, and two joints with dry friction."""
    friction = make_friction([2, 0], [2, 3], [0.3, 0.4, 0.5, 0.5, 0.5], [1.0, 1.5], 0.25, bounds=[2.0, 7.0])
    assert (friction.ne, friction.nt, friction.nd) == (4, 7, 2)
    assert friction.contact.tolist() == [2, 0, -1, -1]
    assert friction.first.tolist() == [0, 2, 5, 6, 7]
    assert friction.widths.tolist() == [2, 3, 1, 1]
    assert friction.is_dry.tolist() == [False, False, True, True]
    assert friction.mu.tolist() == [0.3, 0.4, 0.5, 0.5, 0.5, 2.0, 7.0]
    assert friction.static.tolist() == [1.0, 1.5, 1.0, 1.0]
    assert friction.e_t.tolist() == [0.25, 0.25, 0.0, 0.0]
    assert friction.rows(1) == slice(2, 5)
    assert friction.of_contact(4).tolist() == [1, -1, 0, -1]
    assert friction.of_contact(4).dtype == friction.contact.dtype == friction.first.dtype == np.int64
    assert all(array.flags.c_contiguous for array in friction)


def test_none_and_one():
    """Only dry friction; and a contact in a plane."""
    brake = make_friction([], [], [], bounds=[2.0])
    assert (brake.ne, brake.nt, brake.of_contact(2).tolist()) == (1, 1, [-1, -1])
    block = make_friction([0], 1, 0.3)
    assert (block.mu.tolist(), block.static.tolist(), block.first.tolist()) == ([0.3], [1.0], [0, 1])


def test_columns_lie_behind_one_another():
    """Each number of a row belongs to one column."""
    columns = FrictionColumns(nt=5, ne=3)
    row = np.arange(columns.width)
    parts = [columns.slip, columns.force, columns.mean, columns.impulse, columns.sticks, columns.work]
    assert np.concatenate([row[part] for part in parts]).tolist() == row.tolist()
    assert [row[part].size for part in parts] == [5, 5, 5, 5, 3, 3]
    assert columns.width == 4 * 5 + 2 * 3


def test_names():
    """Those of contacts, with an ending for each direction."""
    assert names_of_slip(["floor"], 1) == ["floor"]
    assert names_of_slip(["floor", "wall"], 2) == ["floor.1", "floor.2", "wall.1", "wall.2"]
    assert names_of_slip(["floor"], 3) == ["floor.1", "floor.2", "floor.drill"]


def test_static_ratio():
    """Of each element; an ellipse has one ratio."""
    assert static_ratio([[0.25], [0.5], [0.0]], [[0.5], [0.5], [0.0]]).tolist() == [2.0, 1.0, 1.0]
    assert static_ratio([[0.2, 0.4]], [[0.3, 0.6]]) == pytest.approx([1.5])
    with pytest.raises(InputError, match=r"mu_static = 0.2 of 'floor' is less than mu = 0.3.*leave it out"):
        static_ratio([[0.3]], [[0.2]], ["floor"])
    with pytest.raises(InputError, match=r"mu = 0 of 'floor' but mu_static = 0.2"):
        static_ratio([[0.0]], [[0.2]], ["floor"])
    with pytest.raises(InputError, match=r"mu_static/mu of 'floor' is 1 along one direction and 1.5 along another"):
        static_ratio([[0.2, 0.4]], [[0.3, 0.4]], ["floor"])


@pytest.mark.parametrize("value", [-0.1, np.nan, np.inf])
def test_coefficients_that_are_none(value):
    """Negative ones, and what is no number, with the name of the contact."""
    with pytest.raises(InputError, match=r"mu = .* of 'wall' must be a number that is not negative"):
        require_coefficients("mu", [0.1, value], ["floor", "wall"])
    with pytest.raises(InputError, match=r"dry_bound = .* in entry 1 must .*: it is the largest friction force"):
        require_coefficients("dry_bound", [0.1, value])
    with pytest.raises(InputError, match=r"e_t = .* is not between −1 and 1"):
        require_tangential_restitution([value - 1.0])


def test_tangential_restitution_may_be_negative():
    """From −1, where slip stays as it is, to 1, a superball."""
    require_tangential_restitution([-1.0, 0.0, 1.0])


def test_a_contract_has_coefficients_for_all_rows():
    """Rows of slip without coefficients are refused."""
    from genalpha import problems

    problem = problems.get("bouncing_ball")
    contract = problem.system().contract(0.0, problem.q0, problem.v0)
    assert (contract.nt, contract.friction) == (0, None)
    assert [block.name for block in contract.blocks] == ["g", "k", "gap"]
    blocks = (*contract.blocks, SLIP.of(["floor"]), DRY.of(["brake"]))
    with pytest.raises(InputError, match="there are 2 rows of slip, but coefficients of friction for 0"):
        dataclasses.replace(contract, blocks=blocks)
    found = dataclasses.replace(contract, blocks=blocks, friction=make_friction([0], 1, 0.3, bounds=[2.0]))
    assert (found.nt, found.m, found.names["slip"], found.names["dry"]) == (2, contract.m, ["floor"], ["brake"])
