"""Beams against Exudyn, and against themselves as they grow.

The method is that of `benchmarks.rigid`: the same beam on a pin, swinging under its weight, the same elements, index-3
constraints, ρ∞ = 0.8 and h = 1 ms, in one process, in turns; the smallest CPU times count. Times are compared at an
equal error of the tip: of each program the fastest tolerance whose *solver error*, the distance of the tip from where
the same scheme puts it with a tight tolerance after 0.2 s, is below `ERROR`. Exudyn's fastest run of all, which
`benchmarks.rigid` compares with and which here leaves errors ten times as large, has a row of its own.
"""

import numpy as np

import genalpha as ga
from benchmarks.rigid import RHO_INF, H, Times, grow, ours

ERROR, ERROR_STEPS = 2e-8, 200
TOLERANCES = (1e-7, 1e-6, 1e-5, 1e-4)
LENGTH, WIDTH, E, RHO, GRAVITY = 2.0, 0.01, 1e7, 1000.0, 9.81
SECTION, RUBBER = ga.Section.rectangle(WIDTH, WIDTH), ga.Material(E=E, density=RHO)

# (what, planar, elements, steps, repetitions, bar, goal)
CASES = (
    ("planar beam, 8 elements", True, 8, 10_000, 12, 12.0, 15.0),
    ("planar beam, 64 elements", True, 64, 3000, 8, 12.0, 15.0),
    ("planar beam, 512 elements", True, 512, 1500, 6, 12.0, 15.0),
    ("3D beam, 8 elements", False, 8, 3000, 6, 8.0, 12.0),
    ("3D beam, 64 elements", False, 64, 800, 5, 8.0, 12.0),
    ("3D beam, 512 elements", False, 512, 150, 4, 8.0, 12.0),
)


def model(elements, planar):
    """A beam along x on a pin, or on a ball joint."""
    z = () if planar else (0.0,)
    pendulum = ga.Model("beam", planar=planar, gravity=(0.0, -GRAVITY) if planar else (0.0, 0.0, -GRAVITY))
    beam = pendulum.add(
        ga.Beam(
            "beam", (0.0, 0.0, *z), (LENGTH, 0.0, *z), elements=elements, section=SECTION, material=RUBBER,
            mass="consistent",
        )
    )  # fmt: skip
    joint = ga.Revolute if planar else ga.Spherical
    pendulum.add(joint("pin", pendulum.ground, beam.nodes[0], at=(0.0, 0.0, *z)))
    return pendulum.assemble()


def beams():
    """Rows (what, minimum, maximum, unit, bar, goal, floor): Exudyn's time over ours."""
    from benchmarks import peer, peer_beams

    for what, planar, elements, n_steps, repetitions, bar, goal in CASES:
        system, build = model(elements, planar), peer_beams.planar if planar else peer_beams.spatial

        def exudyn(tolerance, build=build, elements=elements):
            return lambda n: peer.run(lambda: build(elements), n, H, RHO_INF, tolerance, sparse=elements > 8)

        def genalpha(tolerance, system=system):
            return lambda n: ours(system, n, "P", tolerance)

        tight = exudyn(1e-8 if planar else 1e-7)(ERROR_STEPS)[1]
        exact = genalpha(1e-11)(ERROR_STEPS)[1]
        errors = {t: found for t in TOLERANCES if (found := distance(exudyn(t), tight)) is not None}
        own = {t: found for t in TOLERANCES if (found := distance(genalpha(t), exact)) is not None}
        theirs = {t: Times(exudyn(t), n_steps) for t in errors}
        tolerance = max(t for t in own if own[t] <= ERROR)
        mine = Times(genalpha(tolerance), n_steps)
        for _ in range(repetitions):
            for times in (*theirs.values(), mine):
                times.measure()
        apart = float(np.abs(exact - tight).max())
        right = min((t for t in errors if errors[t] <= ERROR), key=lambda t: theirs[t].best)
        fastest = min(theirs, key=lambda t: theirs[t].best)
        for t, limits in ((right, (bar, goal)), (fastest, (None, None))):
            remark = f"{theirs[t].best:.3g} / {mine.best:.3g} µs, solver error {errors[t]:.0e} / {own[tolerance]:.0e}"
            title = f"{what}: Exudyn{'' if t == right and limits[0] else ', fastest,'} / ours, {remark}"
            ratio, lowest = theirs[t].best / mine.best, theirs[t].best / mine.worst
            yield f"{title}, tips apart {apart:.0e} m", ratio, lowest, "x", *limits, True


def distance(run, tight):
    """Of where a run of ERROR_STEPS steps puts the tip; None if it fails, as Exudyn does with some tolerances."""
    try:
        return float(np.abs(run(ERROR_STEPS)[1] - tight).max())
    except Exception:
        return None


def beam_growth():
    """µs per element and step of planar and spatial beams, formulation P."""
    for planar, n_steps in ((True, 500), (False, 100)):
        systems = {n: model(n, planar) for n in (64, 512, 2048, 8192)}
        kind = "planar" if planar else "3D"
        words = kind + " beam of {}, per element", kind + " beams of {} ... {}, per element"
        yield from grow(systems, n_steps, 1e-6, words)
