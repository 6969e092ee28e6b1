"""What it means for a model that its initial state violates a constraint: which part, how far, what to do."""

from __future__ import annotations

import numpy as np

from genalpha.model.parts.couplings import Coupling, Gear
from genalpha.model.parts.joints import Joint, LengthRow, PointRows, RollRow, SlideRow
from genalpha.model.units import units_of

WORDS = {
    "g": ("its points are {} {length} apart", "its axes are off by {} rad", "position or orientation"),
    "ġ": ("its points move apart at {} {speed}", "its axes turn apart at {} {spin}", "velocity or angular_velocity"),
    "k": ("its point slips at {} {speed}", "", "velocity or angular_velocity"),
}

ASSEMBLES = " to assemble the model"


def describe(system, gap_names, symbol: str, values, limit: float, t: float) -> tuple[str, str]:
    """What is worst off, as the parts of an `InconsistentInitialState`.

    ``symbol`` is g, ġ, k or gap, ``values`` are those of all rows.
    """
    if symbol == "gap":
        return _describe_gap(system, gap_names, values, limit, t)
    model, assembly = system.model, system.assembly
    owners = assembly.k_rows if symbol == "k" else assembly.joint_rows
    sizes = {name: float(np.linalg.norm(values[rows])) for name, rows in owners.items()}
    name = max(sizes, key=sizes.__getitem__)
    part, rows = model.parts[name], owners[name]
    others = sum(size > limit for size in sizes.values()) - 1
    more = f" (and {others} more joint{'s' if others > 1 else ''})" if others > 0 else ""
    if not isinstance(part, Joint):
        return _constraint(part, symbol, sizes[name], limit, t, more)
    apart = np.full(rows.stop - rows.start, symbol == "k")
    if symbol != "k":
        apart |= [kind in (PointRows, SlideRow, LengthRow, RollRow) for kind in assembly.row_kinds[rows]]
    distance, turn = (float(np.linalg.norm(values[rows][mask])) for mask in (apart, ~apart))
    far, off, what = WORDS[symbol]
    units = {name: units_of(model.units).of(name) for name in ("length", "speed", "spin")}
    text = far.format(f"{distance:.3g}", **units) if distance >= turn else off.format(f"{turn:.3g}", **units)
    bodies = [body for body in map(model.name_of, (part.a, part.b)) if body != model.ground.name]
    return (
        f"{part.title}: {text} at t0 = {t:.9g}, which exceeds {limit:.1g}{more}; correct {what} of "
        f"{' or '.join(map(repr, bodies))}, or "
    ), ASSEMBLES


def _describe_gap(system, names, values, limit, t) -> tuple[str, str]:
    """The same for the contact that penetrates most."""
    worst, others = int(np.argmin(values)), int(np.sum(values < -limit)) - 1
    touches, ground = system.assembly.touches, system.model.ground
    more = f" (and {others} more contact{'s' if others > 1 else ''})" if others > 0 else ""
    what = "the bodies"
    if worst < len(touches):
        bodies = [place.body.name for place in (touches[worst].a, touches[worst].b) if place.body is not ground]
        what = " or ".join(map(repr, bodies))
    return (
        f"contact {names[worst]!r}: it penetrates by {-values[worst]:.3g} {units_of(system.model.units).length} at "
        f"t0 = {t:.9g}, which exceeds {limit:.1g}{more}; correct position or orientation of {what}, or "
    ), " to move them apart"


def _constraint(part, symbol, size, limit, t, more):
    """The same for a coupling or a drive."""
    what = "velocity" if symbol == "ġ" else "position"
    if isinstance(part, Coupling | Gear):
        text = f"{what} of its joints, factors times coordinates, is off by {size:.3g}"
    else:
        text = f"motion and model differ by {size:.3g} in {what}"
    return (
        f"{part.title}: {text} at t0 = {t:.9g}, which exceeds {limit:.1g}{more}; give the bodies the {what} that "
        f"belongs to it, or "
    ), ASSEMBLES
