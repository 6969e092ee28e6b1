"""The cases of `benchmarks.guard`: small programs that run with the genalpha of any checkout.

``python guard_cases.py NAME`` sets a case up, runs it once, and then once more for every line that it reads; it
answers with the seconds of CPU time that the run took. Only names that have been public for long are used: old
checkouts run the same file.
"""

import dataclasses
import sys
import time

import genalpha as ga
from genalpha import problems

P, PVA = ga.GeneralizedAlpha(rho_inf=0.8, formulation="P"), ga.GeneralizedAlpha(rho_inf=0.8)


def of(name, method, steps, h=1e-3, interpreted=False, **parameters):
    """A run of a problem of the collection; of the last row only, so that storage is no part of it."""

    def make():
        problem = problems.get(name, **parameters)
        system = problem.system()
        system = dataclasses.replace(system, compile=False) if interpreted else system
        chosen = problem.method if method is None else method
        return lambda: ga.solve(system, (0.0, steps * h), problem.q0, problem.v0, chosen, h=h, save_every=steps)

    return make


def beam(elements, planar, method, steps, h=1e-3):
    """A rubber beam on a pin or a ball joint that swings under its weight."""

    def make():
        z = () if planar else (0.0,)
        model = ga.Model("beam", planar=planar, gravity=(0.0, -9.81) if planar else (0.0, 0.0, -9.81))
        section, rubber = ga.Section.rectangle(0.01, 0.01), ga.Material(E=1e7, density=1000.0)
        line = (0.0, 0.0, *z), (2.0, 0.0, *z)
        part = model.add(ga.Beam("beam", *line, elements=elements, section=section, material=rubber))
        joint = ga.Revolute if planar else ga.Spherical
        model.add(joint("pin", model.ground, part.nodes[0], at=line[0]))
        system = model.assemble()
        return lambda: ga.solve(system, (0.0, steps * h), method=method, h=h, save_every=steps)

    return make


# about a quarter of a second each
CASES = {
    "pendulum": of("pendulum", PVA, 150_000),
    "double pendulum, functions": of("double_pendulum", PVA, 100_000),
    "functions, interpreted": of("double_pendulum", PVA, 3000, interpreted=True),
    "chain of 1": of("chain", P, 200_000, bodies=1),
    "chain of 8": of("chain", PVA, 20_000, bodies=8),
    "chain of 128": of("chain", P, 4000, bodies=128),
    "four-bar x1": of("four_bar", PVA, 120_000, loops=1),
    "four-bar x40": of("four_bar", P, 10_000, loops=40),
    "planar beam, 64 elements": beam(64, True, P, 20_000),
    "3D beam, 16 elements": beam(16, False, PVA, 9000),
    "bouncing pendulum": of("bouncing_pendulum", PVA, 100_000),
    "elastic bar with impacts": of("bar", PVA, 6000, h=2e-3),
    "SOI2": of("jay_negrut", None, 100_000, h=1e-5),
    "thirty spheres": of("spheres", None, 1500, n=30, width=3),
}


def start():
    """What a second start takes: import, a model, ten steps."""
    model = ga.Model(gravity=(0.0, 0.0, -9.81))
    arm = model.add(ga.RigidBody("arm", mass=2.0, inertia=(0.05, 0.05, 0.01), position=(0.5, 0.0, 0.0)))
    model.add(ga.Spherical("pivot", model.ground, arm, at=(0.0, 0.0, 0.0)))
    ga.solve(model, (0.0, 0.01), h=1e-3)


def main(name):
    print(ga.__file__, flush=True)
    if name == "start":
        return start()
    run = CASES[name]()
    run()
    print("ready", flush=True)
    for _ in sys.stdin:
        begin = time.process_time()
        run()
        print(time.process_time() - begin, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
