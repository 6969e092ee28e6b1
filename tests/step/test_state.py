"""The rows of the arrays of a step: each has one line that explains it, and a place of its own."""

import inspect
import re

import numpy as np
import pytest

from genalpha.step import state
from genalpha.system import contact_log

SECTIONS = {"Q": "N_Q", "V": "N_V", "L": "N_L", "X": "N_X", "A": "N_A", "S": "N_S", "memory": "N_MEMORY",
            "counts": "N_COUNTS", "F": "N_F", "R": "N_R", "K": "N_K", "P": "N_P", "places": "N_PLACES"}  # fmt: skip
LINE = re.compile(r"^([A-Z][A-Z0-9_]*) = ([^#]*[^# ])(?:  # (.*))?$")


def rows(name):
    """(name, comment) of the lines of a section of `state`, in their order."""
    text = inspect.getsource(state)
    begin = re.search(rf"^# {name} \(", text, re.MULTILINE)
    end = re.search(rf"^{SECTIONS[name]} = ", text, re.MULTILINE)
    found = [LINE.match(line) for line in text[begin.start() : end.start()].splitlines()]
    return [(match[1], match[3]) for match in found if match and match[1] != "MAX_SEEN"]


@pytest.mark.parametrize("name", SECTIONS)
def test_every_row_has_a_place_and_a_line(name):
    """The lines count from 0 to the number of rows; a line that stands for several rows says how many."""
    place = 0
    for row, comment in rows(name):
        assert getattr(state, row) == place, row
        assert comment, f"{row} is not explained"
        several = re.match(r"(\w+) rows", comment)
        place += 1 if several is None else int(vars(state).get(several[1], several[1]))
    assert place == getattr(state, SECTIONS[name])


def test_no_other_row_is_unexplained():
    """What is a whole number in `state` is a row, the number of rows of an array, or one of a few choices."""
    known = {row for name in SECTIONS for row, _ in rows(name)} | set(SECTIONS.values())
    choices = {"N_MATRICES", "N_SETS", "LAST_STEP", "MAX_SEEN"}
    choices |= {"OK", "SINGULAR", "NOT_CONVERGED", "NOT_FINITE", "COUPLED_WANTED", "LOG_FULL", "ONCE_MORE", "REJECTED"}
    choices |= {"RESTART", "TOO_SMALL", "ENDING", "OF_POSITION", "OF_VELOCITY", "OF_ROW"}
    choices |= {"POSITION", "VELOCITY", "ACCELERATION"}
    text = inspect.getsource(state)
    aliases = {match[1] for match in map(LINE.match, text.splitlines()) if match and match[2] in known and match[3]}
    whole = {name for name, value in vars(state).items() if isinstance(value, int) and name.isupper()}
    assert whole - known - choices == aliases - known
    assert {"MA_0", "TILDE", "D"} <= aliases


def test_sets_and_matrices_have_the_same_places():
    """The matrix of a level is made with the rows of its set."""
    sets = state.SET_C, state.SET_B, state.SET_A
    assert sets == (state.DYNAMICS, state.VELOCITY_MATRIX, state.POSITION_MATRIX) == tuple(range(state.N_SETS))
    assert tuple(state.LAST_STEP + k for k in sets) == (state.LAST_C, state.LAST_B, state.LAST_A)


def test_columns_of_the_contact_log():
    """What is written is read: impacts, intervals in which a contact is closed, pairs that come into a slot."""
    log = np.zeros((4, contact_log.N_LOG))
    contact_log.put_event(log, 0, 0.25, 1, contact_log.CLOSED, -3.0, 1.5, 9.0)
    contact_log.put_event(log, 1, 0.25, 1, contact_log.IMPACT, -3.0, 1.5, 7.0)
    contact_log.put_event(log, 2, 0.75, 1, contact_log.OPENED, 0.0, 1.0, 0.0)
    log[3] = contact_log.assignments(0.5, np.array([0]), np.array([42]))[0]
    assert contact_log.is_sound(log, 2)
    assert not contact_log.is_sound(log, 1)
    hit = contact_log.of_kind(log, contact_log.IMPACT)
    assert hit.tolist() == [[0.25, 1.0, 2.0, -3.0, 1.5, 7.0, 0.0, 0.0, 0.0]]
    contact_log.put_tangent(log, 1, 0.5, -0.25, 0.0)
    assert log[1, contact_log.LOG_TANGENT :].tolist() == [0.5, -0.25, 0.0]
    assert contact_log.widened(hit[:, :6]).tolist() == hit.tolist()
    assert contact_log.of_kind(log, contact_log.ASSIGNED)[:, contact_log.LOG_KEY].tolist() == [42.0]
    assert contact_log.closed_intervals(log, 2, 0.0, 0.1, 1.0, [False, False]) == ([], [(0.25, 0.75)])
    assert contact_log.closed_intervals(log, 2, 0.0, 0.25, 1.0, [False, True]) == ([], [(0.0, 0.75)])
    log[0, contact_log.LOG_KIND] = 5.0
    assert not contact_log.is_sound(log, 2)
