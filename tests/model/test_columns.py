"""The data of models: rows are checked when tables are made, and leaves read them by the names of their columns."""

import ast
from pathlib import Path

import numpy as np
import pytest

import genalpha as ga
from genalpha.model import columns
from genalpha.model.columns import (
    ANCHOR,
    BALLS,
    GYROSCOPE,
    HEADER,
    INDEX,
    PAIR,
    PLANE,
    POINT,
    SECTIONS,
    SLIDE,
    Column,
    Layout,
)

FILES = sorted(Path(columns.__file__).parent.glob("*.py"))


def point(**changes):
    """The columns of a row of POINT."""
    right = {
        "row": 3, "x": 0, "r": 4, "v": 6, "sign": -1.0, "lever": np.array([0.1, 0.2, 0.3]), "G_move": 0, "G_turn": 9,
        "S": -1,
    }  # fmt: skip
    return {**right, **changes}


def test_rows_are_read_back_by_their_names():
    layout = Layout(7)
    layout.add(ANCHOR, row=1, point=[4.0, 5.0, 6.0])
    layout.add(POINT, **point(row=2))
    layout.add(POINT, **point(row=5, sign=1))
    data = layout.pack()
    bits = data.view(np.int64)
    i = bits[POINT.begin]
    assert (bits[POINT.count], bits[ANCHOR.count], bits[PAIR.count], bits[columns.MAP]) == (2, 1, 0, 7)
    assert (i, len(data)) == (HEADER + ANCHOR.width, HEADER + ANCHOR.width + 2 * POINT.width)
    assert data[i + POINT.lever : i + POINT.G_move].tolist() == [0.1, 0.2, 0.3]
    assert bits[i + POINT.row] == 2
    assert bits[i + POINT.S] == -1
    # a whole number in a column of numbers is a number, not its bits
    assert data[i + POINT.width + POINT.sign] == 1.0


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"lever": np.zeros(2)}, "column POINT.lever is 3 wide, and 2 entries were given"),
        ({"lever": np.zeros((2, 3))}, "column POINT.lever is 3 wide, and 6 entries were given"),
        ({"sign": (1.0, 2.0)}, "column POINT.sign is 1 wide, and 2 entries were given"),
        ({"r": 4.0}, r"column POINT.r holds indices, and \[4.0\] were given"),
        ({"sing": 1.0}, "a row of POINT must give each of row, x, r, .*; missing or unknown: sing"),
    ],
)
def test_wrong_rows_are_refused(changes, text):
    with pytest.raises(ga.ShapeError, match=text):
        Layout(0).add(POINT, **point(**changes))


def test_missing_columns_are_refused():
    given = point()
    del given["S"]
    with pytest.raises(ga.ShapeError, match=r"a row of POINT must give each of .*; missing or unknown: S$"):
        Layout(0).add(POINT, **given)


def test_wrong_parts_and_stretches_are_refused():
    body = {"x": 0, "r": -1, "v": 0}
    row = {"row": 0, "one": body, "distance": 1.0, "normal": np.zeros(3), "N": 0, "dimension": 3}
    Layout(0).add(PAIR, two=body, **row)
    with pytest.raises(ga.ShapeError, match="a row of CENTRE must give each of x, r, v; missing or unknown: q"):
        Layout(0).add(PAIR, two={**body, "q": 0}, **row)
    places = {"r": 0, "v": 0, "C_turn": 0, "C_move": -1, "S": -1}
    Layout(0).stretch(GYROSCOPE, **places, mass=1.0, inertia=np.ones(6), gravity=np.zeros(3))
    with pytest.raises(ga.ShapeError, match=r"column GYROSCOPE.inertia is 6 wide, and 9 entries were given"):
        Layout(0).stretch(GYROSCOPE, **places, mass=1.0, inertia=np.ones((3, 3)), gravity=np.zeros(3))


def test_columns_follow_one_another():
    """Those of a section fill its rows, and headers do not overlap."""
    for section in SECTIONS:
        end = 0
        for name, column in section.columns.items():
            assert getattr(section, name) == end
            end += (column.size or 0) if isinstance(column, Column) else column.width
        assert end == section.width
    places = [place for section in SECTIONS for place in (section.begin, section.count)]
    assert places == list(range(columns.MAP))


def test_leaves_of_slides_read_planes_and_balls():
    """One leaf reads several sections where their columns are the same."""
    assert [(name, getattr(PLANE, name), getattr(BALLS, name)) for name in SLIDE.columns] == [
        (name, getattr(SLIDE, name), getattr(SLIDE, name)) for name in SLIDE.columns
    ]
    assert columns.LINE.columns == columns.DISCS.columns


# In compiled code i is where a row begins, and what is read of it has a name: data[i + POINT.sign]. A number only leads
# on within a vector: from its name, data[i + POINT.lever + 2], or from p, where a vector begins, data[p + 2].


def terms(node):
    """Those of a sum."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        return [*terms(node.left), *terms(node.right)]
    return [node]


def size_of(column: ast.Attribute) -> int:
    """How wide a column is; 1 of what is in the header."""
    section = getattr(columns, ast.unparse(column.value))
    found = section.columns.get(column.attr, INDEX) if isinstance(section, tuple) else INDEX
    return found.size if isinstance(found, Column) else found.width


def is_unnamed(index) -> bool:
    """Is this the place of a column, or of a section, by its number?"""
    parts = terms(index)
    number = sum(part.value for part in parts if isinstance(part, ast.Constant))
    named = [part for part in parts if isinstance(part, ast.Attribute)]
    if named:
        return number >= size_of(named[-1])
    names = {name.id for name in ast.walk(index) if isinstance(name, ast.Name)}
    constant = any(name.isupper() for name in names) and len(list(ast.walk(index))) > 2
    return constant or ast.unparse(index) == "i" or (number > 0 and names != {"p"})


def unnamed(source: str) -> list[str]:
    """Where a source reads or writes the data of a model, or goes to the next row, by a number."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("data", "bits", "data.view(np.int64)"):
            wrong = not isinstance(node.slice, ast.Slice | ast.Tuple) and is_unnamed(node.slice)
        else:
            wrong = isinstance(node, ast.AugAssign) and ast.unparse(node.target) == "i" and is_number(node.value)
        if wrong:
            found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found


def is_number(node) -> bool:
    """Is it a number, or a sum of names without a section?"""
    return not any(isinstance(part, ast.Attribute) for part in terms(node))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_leaves_read_columns_by_their_names(path):
    assert unnamed(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "line",
    [
        "data[i + 5]", "bits[i]", "bits[i + 2] + 1", "data[5 + i]", "bits[2 * POINT + 1]", "bits[2 * POINT]",
        "data.view(np.int64)[2 * POINT]", "data[i - 1]", "data[i + POINT.lever + 3]", "data[i + POINT.sign + 1]",
        "data[i + 1 + k]", "data[k + 1]", "bits[e + 3]", "i += 11", "i += HEAD + SIZE", "data[MAP + 1]",
    ],
)  # fmt: skip
def test_unnamed_columns_are_found(line):
    assert len(unnamed(line)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "data[i + POINT.lever]", "data[i + POINT.lever + 2]", "data[p + 1]", "bits[POINT.begin]", "bits[first + 2 * j]",
        "data[i + BUSHING.stiffness + 6 * j + k]", "bits[i + PAIR.one + CENTRE.v]", "data.view(np.int64)[POINT.count]",
        "i += POINT.width", "data[j]", "bits[i + first]", "bits[MAP]", "data[p]",
    ],
)  # fmt: skip
def test_named_columns_are_left_alone(line):
    assert unnamed(line) == []
