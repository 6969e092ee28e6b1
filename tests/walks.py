"""Walks through the package: which modules run between two points. `python tests/walks.py` prints them.

Everything is interpreted, so that compiled functions are seen too. What is imported on the way does not count, what is
called does. `APART` names the modules that nobody has to open to follow a walk, and says why.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

FUNCTION = 1  # inspect.CO_OPTIMIZED: bodies of classes and modules are not

GROUND = {
    "compiled.*": "how numba compiles; interpreted, a leaf is a function",
    "errors": "exceptions",
    "inputs": "reads numbers of users",
    "checked": "reads options of users",
    "math.*": "arithmetic: arrays in, arrays out",
}

APART = {
    "gap": {
        **GROUND,
        "method": "frozen options, all of them defaults here",
        "scheme": "the coefficients of a method",
        "model.*": "two questions, whose answer is that this is no model",
        "run.progress": "shows nothing here",
        "run.recover": "what happens when a step fails",
        "solution.files.*": "what a file would keep",
        "solution.dense": "states between rows",
        "solution.statistics": "copies counters",
        "step.kernels": "leaves: loops that add rows of arrays",
        "step.contact.kernels": "the same for contacts",
        "step.scales": "how large the motion is, for tolerances",
        "step.tables": "where entries of matrices are stored",
        "step.values": "named tuples of what phases hand on",
        "system.block": "names of kinds of rows",
        "system.contact_log": "names of the columns of the log",
        "system.functions": "checks of signatures and shapes",
        "system.sliding": "asked for friction, of which there is none",
        "system.friction": "asked for friction, of which there is none",
        "system.slip": "the same",
    },
    "joint": {
        **GROUND,
        "run.*": "the first walk",
        "solution.*": "the first walk",
        "step.*": "the first walk",
        "system.*": "the first walk",
        "method": "the first walk",
        "scheme": "the first walk",
        "model.*.bodies": "the body that the joint holds, not the joint",
        "model.parts.shapes": "the shape of that body",
        "model.parts.beams": "asked whether a part brings bodies along, as beams do",
        "model.tables.contacts": "asked for contacts, of which there are none",
        "model.tables.friction": "asked for friction, of which there is none",
        "model.leaves.matrices": "arithmetic: blocks of 3 x 3 numbers",
        "model.leaves.stretches": "arithmetic: the place of the next alike part",
    },
}


def gap():
    """`ga.solve` with a gap: from the call to the times of impacts."""
    import numpy as np

    import genalpha as ga

    ball = ga.System(M=np.eye(1), f=lambda t, q, v: np.array([-9.81]), gap=lambda t, q: q, e=0.8)

    def walk():
        ga.solve(ball, (0.0, 1.0), q0=[1.0], v0=[0.0], h=1e-2).impacts.time.sum()

    return walk


def joint():
    """A revolute joint: from `add` to its force."""
    import genalpha as ga

    model = ga.Model("pendulum", gravity=(0.0, 0.0, -9.81))
    rod = model.add(ga.RigidBody("rod", shape=ga.Box((0.2, 0.04, 0.04)), density=1000.0, position=(0.1, 0.0, 0.0)))

    def walk():
        model.add(ga.Revolute("pin", model.ground, rod, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
        ga.solve(model, (0.0, 0.1), h=1e-2)["pin"].force.sum()

    return walk


def modules_of(walk: Callable[[], None]) -> list[str]:
    """The modules of the package whose functions a walk calls."""
    from importlib import import_module

    import genalpha

    root = Path(genalpha.__file__).parent
    names = {str(path): ".".join(path.relative_to(root).with_suffix("").parts) for path in root.rglob("*.py")}
    for name in names.values():
        if not name.startswith(("__", "cli.", "view.")) and "__init__" not in name:
            import_module(f"genalpha.{name}")
    found = set()

    def see(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_flags & FUNCTION and code.co_filename in names:
            found.add(names[code.co_filename])

    sys.setprofile(see)
    try:
        walk()
    finally:
        sys.setprofile(None)
    return sorted(found)


def measured(name: str) -> tuple[list[str], list[str]]:
    """(modules to open, modules apart) of a walk, seen by an interpreted run in a process of its own."""
    code = f"import json, walks; print(json.dumps(walks.modules_of(walks.{name}())))"
    places = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": places}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    seen = json.loads(done.stdout)
    apart = [module for module in seen if any(fnmatch(module, pattern) for pattern in APART[name])]
    return [module for module in seen if module not in apart], apart


if __name__ == "__main__":
    for walk in APART:
        opened, apart = measured(walk)
        sys.stdout.write(f"{walk}: {len(opened)} modules to open\n  {' '.join(opened)}\n")
        sys.stdout.write(f"  apart, {len(apart)}: {' '.join(apart)}\n")
