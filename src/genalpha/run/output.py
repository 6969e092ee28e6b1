"""Where the rows of a run go: sampled or thinned, watched for events, into memory or into a file."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.run.events import Event, Watch
from genalpha.solution.dense import interpolate, updater
from genalpha.solution.rows import NAMES, Block, Columns


class Output:
    """Takes rows block by block.

    Parameters
    ----------
    columns : Columns
    store : Rows or RunFile
        Takes the rows that are saved.
    save_every : int
        Save every so many steps.
    t_eval : ndarray, optional
        Save at these times instead.
    events : sequence of Event
    contract : Contract
    """

    def __init__(self, columns: Columns, store, save_every: int, t_eval, events: tuple[Event, ...], contract):
        self.columns, self.store, self.t_eval, self.save_every = columns, store, t_eval, save_every
        self.update = updater(contract)
        self.watch = Watch(events, self.update)
        # whoever looks between rows needs all of them
        self.looks = bool(events) or t_eval is not None
        self.loop_every = 1 if self.looks else save_every
        self.loop_names = NAMES if self.looks else columns.chosen
        self.last: Block = {}
        self.sampled, self.owed = 0, np.zeros(contract.nc)

    def start(self, row: Block):
        """The first row."""
        self.last = row
        if self.t_eval is None:
            self.store.append(row)
        elif len(self.t_eval) and self.t_eval[0] == row["t"][0]:
            self.store.append(row)
            self.sampled = 1

    def restart(self, row: Block, sampled: int, found, owed):
        """Go on behind a row that was the last one when a run was stored."""
        self.last, self.sampled, self.watch.found = row, sampled, list(found)
        self.owed = owed

    def owing(self, row: Block) -> Block:
        """A row of the present state, with the impulses that no saved row has."""
        return {**row, "impulse": row["impulse"] + self.owed}

    def take(self, block: Block, first_step: int, jumps) -> float | None:
        """Rows of the steps from ``first_step`` on, with the times of impacts; gives the time of a terminal event."""
        if not self.looks:
            if len(block["t"]):
                self.store.append(block)
            return None
        rows = {name: np.concatenate([self.last[name], column]) for name, column in block.items()}
        stop = self.watch.look(rows, jumps) if self.watch.events else None
        if stop is not None:
            rows = self._cut(rows, stop, jumps)
        self._save(rows, first_step, stop is not None, jumps)
        self.last = {name: column[-1:].copy() for name, column in rows.items()}
        return stop

    def _cut(self, rows, stop, jumps):
        """Rows up to an event, its own state the last one."""
        n = int(np.searchsorted(rows["t"], stop, side="left"))
        final = interpolate(rows, tuple(rows), np.array([stop]), jumps, self.update)
        return {name: np.concatenate([column[:n], final[name]]) for name, column in rows.items()}

    def _save(self, rows, first_step, ended, jumps):
        """Thin the rows out, or sample between them; the first one is saved already."""
        total = self.owed + np.cumsum(rows["impulse"][1:], axis=0)
        total = np.concatenate([np.zeros((1, total.shape[1])) + self.owed, total])
        if self.t_eval is None:
            steps = np.arange(first_step, first_step + len(rows["t"]) - 1)
            keep = (
                1 + np.nonzero((steps % self.save_every == 0) | (ended & (np.arange(len(steps)) == len(steps) - 1)))[0]
            )
            saved = {name: rows[name][keep] for name in rows}
        else:
            behind = self.sampled + int(np.searchsorted(self.t_eval[self.sampled :], rows["t"][-1], side="right"))
            times = self.t_eval[self.sampled : behind]
            self.sampled = behind
            saved = interpolate(rows, tuple(rows), times, jumps, self.update)
            keep = np.searchsorted(rows["t"], times, side="right") - 1
        # impulses are sums since the row before
        if len(keep):
            saved["impulse"] = np.diff(total[keep], axis=0, prepend=np.zeros((1, total.shape[1])))
            self.owed = total[-1] - total[keep[-1]]
            self.store.append(saved)
        else:
            self.owed = total[-1]


def read_t_eval(t_eval, t0: float, t1: float):
    """The argument ``t_eval`` of `solve`: increasing times within the span."""
    if t_eval is None:
        return None
    try:
        times = np.array(t_eval, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"t_eval = {t_eval!r:.60} must be a vector of times") from None
    if times.ndim != 1 or not np.all(np.isfinite(times)):
        raise InputError(f"t_eval must be a vector of finite times, not an array of shape {times.shape}")
    if np.any(np.diff(times) <= 0.0):
        i = int(np.argmax(np.diff(times) <= 0.0))
        raise InputError(
            f"t_eval must increase, but t_eval[{i}] = {times[i]:.9g}, t_eval[{i + 1}] = {times[i + 1]:.9g}"
        )
    if len(times) and (times[0] < t0 or times[-1] > t1):
        wrong = times[0] if times[0] < t0 else times[-1]
        raise InputError(f"t_eval has t = {wrong:.9g}, outside of t_span = ({t0:.9g}, {t1:.9g})")
    return times
