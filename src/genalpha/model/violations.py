"""What it means for a model that its initial state violates a constraint: which part, how far, what to do."""

from __future__ import annotations

import numpy as np

from genalpha.model.joints import PointRows, SlideRow

WORDS = {
    "g": ("its points are {} m apart", "its axes are off by {} rad", "position or orientation"),
    "ġ": ("its points move apart at {} m/s", "its axes turn apart at {} rad/s", "velocity or angular_velocity"),
}


def describe(system, symbol: str, values, limit: float, t: float) -> str:
    """A sentence on what is worst off; ``symbol`` is g, ġ or gap, ``values`` are those of all rows."""
    if symbol == "gap":
        return _describe_gap(system, values, limit, t)
    model, assembly = system.model, system.assembly
    sizes = {name: float(np.linalg.norm(values[rows])) for name, rows in assembly.joint_rows.items()}
    name = max(sizes, key=sizes.__getitem__)
    joint, rows = model.parts[name], assembly.joint_rows[name]
    apart = np.array([kind in (PointRows, SlideRow) for kind in assembly.row_kinds[rows]])
    distance, turn = (float(np.linalg.norm(values[rows][mask])) for mask in (apart, ~apart))
    far, off, what = WORDS[symbol]
    text = far.format(f"{distance:.3g}") if distance >= turn else off.format(f"{turn:.3g}")
    others = sum(size > limit for size in sizes.values()) - 1
    more = f" (and {others} more joint{'s' if others > 1 else ''})" if others > 0 else ""
    bodies = [body for body in map(model.name_of, (joint.a, joint.b)) if body != model.ground.name]
    return (
        f"{joint.title}: {text} at t0 = {t:.9g}, which exceeds {limit:.1g}{more}; correct {what} of "
        f"{' or '.join(map(repr, bodies))}, or pass project=True to assemble the model"
    )


def _describe_gap(system, values, limit, t) -> str:
    """A sentence on the contact that penetrates most."""
    worst, others = int(np.argmin(values)), int(np.sum(values < -limit)) - 1
    touch, ground = system.assembly.touches[worst], system.model.ground
    more = f" (and {others} more contact{'s' if others > 1 else ''})" if others > 0 else ""
    bodies = [place.body.name for place in (touch.a, touch.b) if place.body is not ground]
    return (
        f"contact {touch.name!r}: it penetrates by {-values[worst]:.3g} m at t0 = {t:.9g}, which exceeds {limit:.1g}"
        f"{more}; correct position or orientation of {' or '.join(map(repr, bodies))}, or pass project=True to move "
        f"them apart"
    )
