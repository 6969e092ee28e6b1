"""The guard against slower code: ratios of two checkouts in turns, and what it refuses."""

from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks import guard


class Clock:
    """A checkout that takes the same time in every turn, and notes who ran when."""

    def __init__(self, name, seconds, log):
        self.name, self.seconds, self.log = name, seconds, log

    def start(self):
        self.log.append(self.name)
        return self.seconds

    @contextmanager
    def runner(self, case):
        self.log.append(f"{self.name} begins")
        yield self.start


@pytest.mark.parametrize("case", ["start", "pendulum"])
def test_ratios_of_turns(case):
    """Ours over the other's, and who begins changes."""
    log = []
    ours, base = Clock("ours", 1.5, log), Clock("base", 1.0, log)
    assert guard.ratios(ours, base, case, 2, 3) == [1.5] * 6
    turns = [name for name in log if "begins" not in name]
    assert turns == ["ours", "base", "base", "ours"] * 3
    assert log.count("ours begins") == (0 if case == "start" else 2)


def test_enough_pairs():
    assert guard.STARTS * guard.TURNS >= guard.LEAST >= 9
    assert len(guard.CASES) + 1 >= 12


def test_what_it_compares_with():
    root = Path(guard.__file__).parents[1]
    with guard.checkout_of(str(root)) as (tree, _):
        assert tree == root
    with (
        pytest.raises(SystemExit, match="neither a folder with src/genalpha nor a revision"),
        guard.checkout_of("nope"),
    ):
        pass
    with pytest.raises(SystemExit, match="there is no genalpha in"):
        guard.Checkout(root / "docs", root)
    with pytest.raises(SystemExit):
        guard.main(["HEAD", "no such case"])
