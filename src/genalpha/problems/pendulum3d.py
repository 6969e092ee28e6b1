"""A rod on a ball joint, the smallest model in space: the rod of `chain` alone."""

from __future__ import annotations

from dataclasses import replace

from genalpha.problems import chain
from genalpha.problems.problem import Problem


def make(group: str = "R3xSO3") -> Problem:
    """The rod starts horizontally, turns about z at 1 rad/s, and falls."""
    system = chain.model(1, group, "pendulum3d").assemble()
    return replace(
        chain.make(1, group),
        name="pendulum3d",
        title="Pendulum in space",
        summary="A rod on a ball joint that falls and turns: the smallest model in space, and what one body costs.",
        source="L. D. Landau, E. M. Lifshitz, Mechanics, §14, problem 1; here with a rod instead of a point mass",
        system=lambda: system,
        t_span=(0.0, 1.0),
    )
