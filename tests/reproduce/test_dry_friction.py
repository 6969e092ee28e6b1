"""Rows of verification for dry friction, interpreted; toys take too long for that."""

from dataclasses import replace

import pytest

from genalpha import reproduce
from genalpha.reproduce import dry_friction, dry_mechanisms, dry_orders, verify
from genalpha.reproduce.measure import solve_problem


def interpreted(problem, method=None, **options):
    """As `solve_problem`, in plain Python."""
    system = replace(problem.system(), compile=False)
    return solve_problem(replace(problem, system=lambda: system), method, **options)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["friction_blocks", "friction_balls", "friction_rods", "friction_orders"])
def test_rows(name, monkeypatch):
    for module in (dry_friction, dry_mechanisms, dry_orders):
        monkeypatch.setattr(module, "solve_problem", interpreted)
    [result] = reproduce.measure([name])
    assert [row for row in result.rows if not row.ok] == []
    assert [row.id for row in result.rows if verify.source_of(row.id) is None] == []
