"""Fingerprints: everything that a function reads counts, however it is reached, and nothing else."""

import dataclasses
import enum
import functools
import os
import subprocess
import sys
import types
from typing import NamedTuple

import numba
import numpy as np
import pytest

import genalpha as ga
from genalpha import problems
from genalpha.compiled.fingerprint import fingerprint
from genalpha.solution.files.origin import hashes
from genalpha.solution.files.rebuild import rebuild
from genalpha.solution.files.recipe import recipe


def module(name="consts", **members):
    """A module, as an import would give it."""
    found = types.ModuleType(name)
    vars(found).update(members)
    return found


def function(text, name="f", **scope):
    """The function that a text defines, which finds ``scope`` among its globals."""
    scope = {"__name__": "script", "np": np, **scope}
    exec(text, scope)
    return scope[name]


@dataclasses.dataclass
class Point:
    K: float
    other: object = None

    def force(self, q):
        return -self.K * q


class Pair(NamedTuple):
    K: float


class Namespace:
    pass


def force_of(K):
    return function("def force(q):\n    return -K * q", "force", K=K)


def kinds(K):
    """Ways to read a number, as (text, what is among the globals)."""

    class Holder:
        def __init__(self):
            self.K, self.lock = K, object()

    class Constants:
        stiffness = K

        @staticmethod
        def force(q):
            return -q

    class Kind(enum.Enum):
        A = K

    partial = functools.partial(lambda c, q: -c * q, K)
    return {
        "a module": ("return -consts.K * q", {"consts": module(K=K)}),
        "a package": ("return -pkg.mod.K * q", {"pkg": module("pkg", mod=module("pkg.mod", K=K))}),
        "a function of a module": ("return helpers.force(q)", {"helpers": module("helpers", force=force_of(K))}),
        "a jitted one": ("return helpers.force(q)", {"helpers": module(force=numba.njit(force_of(K)))}),
        "a marked one": ("return helpers.force(q)", {"helpers": module(force=ga.evaluator(force_of(K)))}),
        "a dataclass": ("return -p.K * q", {"p": Point(K)}),
        "a dataclass as a whole": ("return helper(p, q)", {"p": Point(K), "helper": lambda p, q: -p.K * q}),
        "a method": ("return p.force(q)", {"p": Point(K)}),
        "a dataclass inside": ("return -consts.p.other.K * q", {"consts": module(p=Point(1.0, Point(K)))}),
        "a named tuple": ("return -p.K * q", {"p": Pair(K)}),
        "a namespace": ("return -p.K * q", {"p": types.SimpleNamespace(K=K, lock=object())}),
        "an object": ("return -p.K * q", {"p": Holder()}),
        "a class": ("return -P.stiffness * q", {"P": Constants}),
        "a member of an enumeration": ("return -P.A.value * q", {"P": Kind}),
        "an array": ("return consts.A @ q", {"consts": module(A=np.full((2, 2), K))}),
        "an item": ("return -consts.table['K'] * q", {"consts": module(table={"K": K})}),
        "a partial": ("return consts.force(q)", {"consts": module(force=partial)}),
        "a function inside": ("return (lambda x: -consts.K * x)(q)", {"consts": module(K=K)}),
        "a comprehension": ("return sum([consts.K * x for x in q])", {"consts": module(K=K)}),
    }


@pytest.mark.parametrize("kind", kinds(0.0))
def test_what_a_function_reads_counts(kind):
    marks = []
    for K in (4.0, 4.0, 9.0):
        text, scope = kinds(K)[kind]
        marks.append(fingerprint(function(f"def f(t, q, v):\n    {text}", **scope)))
    assert marks[0] is not None
    assert marks[0] == marks[1] != marks[2]


def test_what_it_does_not_read_does_not_count():
    text = "def f(t, q, v):\n    return -consts.K * q"
    one = fingerprint(function(text, consts=module(K=4.0, other=1.0)))
    assert one == fingerprint(function(text, consts=module(K=4.0, other=2.0, lock=object())))


def test_closures_defaults_and_options_count():
    def make(K, default=1.0, only=2.0):
        consts = module(K=K)

        def f(t, q, v, c=default, *, d=only):
            def inner(x):
                return consts.K * x

            return -inner(c * d * q)

        return f

    one = fingerprint(make(4.0))
    assert one is not None
    assert one == fingerprint(make(4.0))
    assert len({one, *map(fingerprint, (make(5.0), make(4.0, 2.0), make(4.0, 1.0, 3.0)))}) == 4
    plain = force_of(1.0)
    if not numba.config.DISABLE_JIT:
        assert fingerprint(numba.njit(plain)) != fingerprint(numba.njit(fastmath=True)(plain))
    f, g = force_of(1.0), force_of(2.0)
    assert fingerprint((f, g, f)) != fingerprint((f, g, g))


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("return getattr(consts, 'K') * q", {"consts": module(K=1.0)}),  # the name could be anything
        ("return helper(consts) * q", {"consts": module(K=1.0), "helper": lambda m: m.K}),
        ("import consts; return consts.K * q", {}),
        ("return p.force(q)", {"p": Namespace()}),
        ("return p * q", {"p": np.array([None])}),
    ],
)
def test_what_cannot_be_told_has_no_fingerprint(text, scope):
    assert fingerprint(function(f"def f(t, q, v):\n    {text}", **scope)) is None


def test_circles_end():
    def even(n):
        return n == 0 or odd(n - 1)

    def odd(n):
        return n > 0 and even(n - 1)

    assert fingerprint(even) is not None
    assert fingerprint(even) != fingerprint(odd)


@pytest.mark.parametrize("text", ["np.sin(q)", "np.linalg.norm(q) * q", "np.random.rand() * q", "math.sin(t) * q"])
def test_libraries_go_by_their_version(text):
    import math

    assert fingerprint(function(f"def f(t, q, v):\n    return {text}", math=math)) is not None


# ---------------------------------------------------------------- compiled code, and files

PACKAGE = {
    "springs/__init__.py": "",
    "springs/consts.py": "K = {K}\n",
    "springs/laws.py": "import genalpha as ga\nfrom springs import consts\n\n\n"
    "@ga.evaluator\ndef law(q):\n    return -consts.K * q\n",
    "springs/system.py": "import genalpha as ga, numpy as np\nfrom springs import consts, laws\n\n\n"
    "@ga.evaluator\ndef f(t, q, v):\n    return laws.law(q)\n\n\n"
    "def plain(t, q, v):\n    return -consts.K * q\n\n\n"
    "oscillator = ga.System(M=np.eye(1), f=f, f_q=0, f_v=0)\n"
    "interpreted = ga.System(M=np.eye(1), f=plain, f_q=0, f_v=0)\n",
}


def write(folder, K):
    for name, text in PACKAGE.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text.format(K=K) if "consts" in name else text)


def run(folder, code):
    """What a process of its own prints; the byte code on disk is left alone, whose stamp is as coarse as a second."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path]), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_machine_code_follows_the_constants_of_other_modules(tmp_path):
    code = (
        "import numpy as np\nfrom springs.system import oscillator\n"
        "print(oscillator.contract(0.0, [2.0], [0.0]).evaluate('f', 0.0, np.array([2.0]), np.zeros(1))[0])"
    )
    for K in (4.0, 9.0, 4.0):
        write(tmp_path, K)
        assert run(tmp_path, code) == str(-2.0 * K)


def test_runs_do_not_go_on_with_other_constants(tmp_path):
    write(tmp_path, 4.0)
    start = (
        "import genalpha as ga\nfrom springs.system import interpreted\n"
        "ga.solve(interpreted, (0.0, 0.1), [1.0], [0.0], h=0.01, out='run.h5')"
    )
    run(tmp_path, start)
    again = (
        "import genalpha as ga\nfrom springs.system import interpreted\n"
        "for path_of in (lambda: ga.resume('run.h5', interpreted, t_end=0.2),\n"
        "                lambda: ga.load('run.h5', interpreted)):\n"
        "    try:\n        print(path_of().success)\n    except ga.FileError as error:\n        print(error)"
    )
    write(tmp_path, 9.0)
    sentence = "run.h5 was made by another system: its functions or constants are not those of this one"
    assert run(tmp_path, again).splitlines() == [sentence, sentence]
    write(tmp_path, 4.0)
    assert run(tmp_path, again).splitlines() == ["True", "True"]


def test_functions_of_all_parts_of_a_model_count():
    """The law of a drive is no number of the model."""
    from genalpha.solution.files.origin import identity

    def system(K):
        law = function("def law(t):\n    return consts.K * t", "law", consts=module(K=K))
        model = ga.Model("crank", gravity=(0.0, 0.0, -9.81))
        rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1.0, 0.0, 0.0)))
        pin = model.add(ga.Revolute("pin", model.ground, rod, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
        model.add(ga.Drive("motion", pin, law))
        found = model.assemble()
        return identity(found, found.contract(0.0, found.q0, found.v0, compiled=False))

    assert system(1.0) == system(1.0)
    assert system(1.0)["functions"] != system(2.0)["functions"]


def test_one_array_used_twice_is_two_equal_ones():
    """A system that is made again has the same hash, whichever of its constants are one object."""
    one, two = np.eye(2), np.eye(2)
    assert fingerprint((one, one)) == fingerprint((one, two))


@pytest.mark.parametrize("name", ["double_pendulum", "pendulum", "skate", "bouncing_pendulum"])
def test_systems_of_the_collection_are_made_again(name):
    system = problems.get(name).system()
    again = rebuild(recipe(system))
    assert hashes(again)["functions"] == hashes(system)["functions"]
