"""The data of a model: one vector of numbers and indices that all its evaluators read.

A model of any size and kind runs through the same compiled code; what differs is this vector. `columns` says what is in
it.
"""

from __future__ import annotations

import numpy as np

from genalpha.model.columns import HEADER, INTEGERS, SECTIONS, row_of


class Layout:
    """Collects rows, checks them, then packs them."""

    def __init__(self, kind_of_map: int):
        self._rows: dict[int, list[list[float | int]]] = {section.begin: [] for section in SECTIONS}
        self._shared: dict[int, dict[tuple, int]] = {}
        self._map, self.shared_S = kind_of_map, 0

    def add(self, section, /, **columns):
        """One row, by the names of its columns."""
        self._rows[section.begin].append(row_of(section, columns))

    def stretch(self, section, /, **columns):
        """The same for a part that may have alike ones before it: its places, and the numbers that it shares with them.

        Alike are parts with equal numbers that have no place for the same things.
        """
        k = section.step
        row, rows = row_of(section, {"parts": 1, "steps": [0] * k, **columns}), self._rows[section.begin]
        places, numbers = row[1 : 1 + k], row[1 + 2 * k :]
        if rows and rows[-1][1 + 2 * k :] == numbers:
            parts, first, steps = rows[-1][0], rows[-1][1 : 1 + k], rows[-1][1 + k : 1 + 2 * k]
            ahead = [there - here for there, here in zip(places, first, strict=True)]
            if parts == 1:
                steps = ahead
            alike = [place < 0 for place in places] == [place < 0 for place in first]
            if alike and ahead == [parts * step for step in steps]:
                rows[-1] = [parts + 1, *first, *steps, *numbers]
                return
        rows.append(row)

    def share(self, section, /, **columns) -> int:
        """One row for all that ask for equal ones; gives where it begins, seen from its section."""
        row, known = row_of(section, columns), self._shared.setdefault(section.begin, {})
        if tuple(row) not in known:
            known[tuple(row)] = sum(len(other) for other in self._rows[section.begin])
            self._rows[section.begin].append(row)
        return known[tuple(row)]

    def count(self, section) -> int:
        """Rows of a section so far."""
        return len(self._rows[section.begin])

    def pack(self) -> np.ndarray:
        """The data vector."""
        head, rows, end = [], [], HEADER
        for section in SECTIONS:
            own = self._rows[section.begin]
            head += [end, len(own)]
            rows += own
            end += sum(map(len, own))
        data = np.zeros(end)
        bits = data.view(np.int64)
        bits[:HEADER] = [*head, self._map, self.shared_S]
        entries = (entry for row in rows for entry in row)
        for place, entry in enumerate(entries, HEADER):
            (bits if isinstance(entry, INTEGERS) else data)[place] = entry
        return data
