"""Random mechanisms with redundant constraints, in any system of units.

    PYTHONPATH=src python tests/step/redundant_mechanisms.py 500        how many of them, in all units; a minute of CPU
    PYTHONPATH=src python tests/step/redundant_mechanisms.py 1 140      one of them, from seed 140 on

Families, by the seed modulo five, with sizes of 0.03 m to 3 m and masses of 0.1 kg to 10 kg:

- ``loops``: rows of one to three four-bars in any plane, made of spatial bodies, with slender rods down to 1e-3;
- ``doubled``: chains whose hinges are there up to three times, or are made of two or three ball joints;
- ``guides``: a slider on two or three guides, with a pendulum;
- ``gears``: planetary gears with two to four planets, numbers of teeth as factors;
- ``platforms``: a table on three or four equal and parallel rods, in a plane.
"""

import sys
import warnings

import numpy as np

import genalpha as ga

UNITS = {  # how many units of length, mass and time are in a metre, a kilogram and a second
    "m-kg-s": (1.0, 1.0, 1.0),
    "mm-t-s": (1e3, 1e-3, 1.0),
    "cm-g-s": (1e2, 1e3, 1.0),
    "in-lbf-s": (1.0 / 0.0254, 1.0 / 175.126836, 1.0),
    "um-kg-s": (1e6, 1.0, 1.0),
    "km-t-h": (1e-3, 1e-3, 1.0 / 3600.0),
    "mm-kg-ms": (1e3, 1.0, 1e3),
}
FORMULATIONS = ("PVA", "P", "PV")
STEP, STEPS = 1e-3, 200
AGREE = 1e-8
"""What the same motion may differ by in two systems of units, over its largest values."""


class Builder:
    """A model to which bodies and joints are added in metres, kilograms and seconds."""

    def __init__(self, seed, units, planar=False):
        self.random, self.units, self.planar = np.random.default_rng(seed), units, planar
        self.side = 10.0 ** self.random.uniform(-1.5, 0.5)
        length, _, time = units
        gravity = np.array([0.0, -9.81, 0.0]) * length / time**2
        self.model = ga.Model("random", gravity=self.plane(gravity), planar=planar)

    def plane(self, x):
        """The part of a vector that counts."""
        return np.array(x)[:2] if self.planar else np.array(x)

    def direction(self):
        """A random one, in the plane of a planar model."""
        d = self.random.standard_normal(3) * np.array([1.0, 1.0, not self.planar])
        return d / np.linalg.norm(d)

    def body(self, name, position, size, velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), slender=1.0):
        """A body with a random mass, inertia, orientation and group."""
        (length, mass, time), random = self.units, self.random
        m, q = 10.0 ** random.uniform(-1.0, 1.0), random.standard_normal(4)
        across = random.uniform(0.6, 1.0)
        J = m * (size * self.side) ** 2 * np.array([slender * random.uniform(0.6, 1.0), across, across])
        group = str(random.choice(["R3xSO3", "SE3"]))
        turn = {"inertia": J[2], "orientation": q[0], "angular_velocity": spin[2] / time} if self.planar else {
            "inertia": J, "orientation": q / np.linalg.norm(q), "angular_velocity": np.array(spin) / time,
            "group": group}  # fmt: skip
        turn["inertia"] = turn["inertia"] * mass * length**2
        place, rate = self.plane(position) * length, self.plane(velocity) * length / time
        return self.model.add(ga.RigidBody(name, mass=m * mass, position=place, velocity=rate, **turn))

    def joint(self, kind, name, a, b, at, axis=None):
        """Any joint."""
        axis = {} if axis is None or (self.planar and kind is ga.Revolute) else {"axis": self.plane(axis)}
        return self.model.add(kind(name, a, b, at=self.plane(at) * self.units[0], **axis))


def loops(seed, units):
    """Three redundant rows for each loop."""
    b = Builder(seed, units)
    random, (Q, _) = b.random, np.linalg.qr(b.random.standard_normal((3, 3)))
    n, axis = int(random.integers(1, 4)), np.cross(Q[:, 0], Q[:, 1])
    feet, height = np.arange(n + 1) * random.uniform(0.8, 1.5), random.uniform(0.5, 1.0)
    tops = feet + 0.2 * random.uniform(-1.0, 1.0, n + 1) * random.integers(0, 2)
    heights = height * (1.0 + 0.2 * random.uniform(-1.0, 1.0, n + 1) * random.integers(0, 2))
    low = b.side * feet[:, None] * Q[:, 0]
    high = b.side * (tops[:, None] * Q[:, 0] + heights[:, None] * Q[:, 1])
    for i in range(n + 1):
        b.body(f"post{i}", 0.5 * (low[i] + high[i]), 0.3, slender=10.0 ** random.uniform(-3.0, 0.0))
        b.joint(ga.Revolute, f"A{i}", b.model.ground, f"post{i}", low[i], axis)
    for i in range(n):
        b.body(f"bar{i}", 0.5 * (high[i] + high[i + 1]), 0.3, slender=10.0 ** random.uniform(-3.0, 0.0))
        b.joint(ga.Revolute, f"B{i}", f"post{i}", f"bar{i}", high[i], axis)
        b.joint(ga.Revolute, f"C{i}", f"bar{i}", f"post{i + 1}", high[i + 1], axis)
    return b.model


def doubled(seed, units):
    """Five redundant rows for each further hinge, one or four for two or three ball joints."""
    b = Builder(seed, units, planar=seed % 2 == 1)
    at, last = np.zeros(3), b.model.ground
    for i in range(int(b.random.integers(1, 5))):
        way, axis = b.side * b.direction(), b.direction()
        body = b.body(f"b{i}", at + 0.5 * way, 0.4)
        hinges = b.planar or b.random.random() < 0.4
        for k in range(int(b.random.integers(2, 4))):
            shift = (0.0 if b.planar else 0.3 * k * b.side) * axis
            b.joint(
                ga.Revolute if hinges else ga.Spherical, f"j{i}{k}", last, body, at + shift, axis if hinges else None
            )
        at, last = at + way, body
    return b.model


def guides(seed, units):
    """Five redundant rows for each further guide, two in a plane."""
    b = Builder(seed, units, planar=seed % 2 == 1)
    axis, slider = b.direction(), b.body("slider", np.zeros(3), 0.4)
    for k in range(int(b.random.integers(2, 4))):
        b.joint(ga.Prismatic, f"guide{k}", b.model.ground, slider, b.side * b.direction(), axis)
    at = b.side * b.direction()
    b.joint(ga.Revolute, "pin", slider, b.body("pendulum", at, 0.4), 0.3 * at, b.direction())
    return b.model


def gears(seed, units):
    """One redundant row for each planet but the first; they turn from the start."""
    b = Builder(seed, units, planar=seed % 2 == 1)
    z, (sun, planet) = np.array([0.0, 0.0, 1.0]), (float(teeth) for teeth in b.random.integers(12, 60, 2))
    ring, speed = sun + 2.0 * planet, b.random.uniform(-2.0, 2.0)
    for name, rate in (("sun", speed * (1.0 + ring / sun)), ("carrier", speed)):
        b.joint(
            ga.Revolute, f"of {name}", b.model.ground, b.body(name, np.zeros(3), 1.0, spin=rate * z), np.zeros(3), z
        )
    for i in range(int(b.random.integers(2, 5))):
        angle = b.random.uniform(0.0, 2.0 * np.pi)
        at = b.side * np.array([np.cos(angle), np.sin(angle), 0.0])
        body = b.body(f"planet{i}", at, 0.5, speed * np.cross(z, at), speed * (1.0 - ring / planet) * z)
        b.joint(ga.Revolute, f"p{i}", "carrier", body, at, z)
        b.model.add(ga.Coupling(f"inner{i}", ["of sun", "of carrier", f"p{i}"], [sun, -sun, planet]))
        b.model.add(ga.Coupling(f"outer{i}", ["of carrier", f"p{i}"], [-ring, -planet]))
    return b.model


def platforms(seed, units):
    """One redundant row for each rod but two."""
    b = Builder(seed, units, planar=True)
    way = b.side * b.direction()
    table = b.body("table", way, 0.5)
    for k in range(int(b.random.integers(3, 5))):
        foot = b.side * b.random.standard_normal(3)
        ends = {"at_a": b.plane(foot) * units[0], "at_b": b.plane(foot + way) * units[0]}
        b.model.add(ga.Distance(f"rod{k}", b.model.ground, table, **ends))
    return b.model


FAMILIES = (loops, doubled, guides, gears, platforms)


def motion(seed, name, **options):
    """Positions, velocities and angular velocities (nt, ...) of all bodies in metres and seconds; or why not.

    The tolerance of Newton's iteration is measured by the largest velocity, whatever its unit is; so it is small here.
    """
    length, _, time = UNITS[name]
    model = FAMILIES[seed % len(FAMILIES)](seed, UNITS[name])
    formulation = FORMULATIONS[seed // len(FAMILIES) % len(FORMULATIONS)]
    method = ga.GeneralizedAlpha(formulation=formulation, **{"tol": 1e-12, **options})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ga.RedundantConstraintsWarning)
        try:
            sol = ga.solve(model, (0.0, STEPS * STEP * time), h=STEP * time, method=method)
        except ga.GenalphaError as error:
            return f"{type(error).__name__}: {error}"
    parts = [
        [np.reshape(getattr(sol[body.name], what), (len(sol.t), -1)) * factor for body in model.bodies]
        for what, factor in (("position", 1.0 / length), ("velocity", time / length), ("angular_velocity", time))
    ]
    return [np.concatenate(part, axis=1) for part in parts]


def difference(one, two):
    """The largest one, over the largest values."""
    extent, speed, spin = (np.abs(values).max() for values in two)
    sizes = extent, speed, max(spin, speed / extent)
    return max(np.abs(a - b).max() / size for a, b, size in zip(one, two, sizes, strict=True))


def sweep(seeds, names=tuple(UNITS), report=None):
    """(how many run in the first units, failures in others, the largest difference), of mechanisms by their seeds."""
    ran, failed, worst = 0, [], 0.0
    for seed in seeds:
        first = motion(seed, names[0])
        if isinstance(first, str):
            if report:
                report(f"{seed} {names[0]}: {first:.150}")
            continue
        ran += 1
        for name in names[1:]:
            other = motion(seed, name)
            off = np.inf if isinstance(other, str) else difference(other, first)
            if not off <= AGREE:
                failed.append((seed, name))
                if report:
                    report(f"{seed} {name}: {other:.150}" if isinstance(other, str) else f"{seed} {name}: {off:.1e}")
            else:
                worst = max(worst, off)
    return ran, failed, worst


if __name__ == "__main__":
    count, begin = (int(x) for x in (*sys.argv[1:], 0)[:2])
    ran, failed, worst = sweep(range(begin, begin + count), report=lambda text: sys.stdout.write(text + "\n"))
    sys.stdout.write(
        f"{ran} of {count} run in {next(iter(UNITS))}; {len(failed)} fail or differ in {len(UNITS) - 1} others; "
        f"the rest differs by at most {worst:.1e}\n"
    )
