"""What holds for any model: constraints at all levels, another frame, another order of parts, another group."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import genalpha as ga
from genalpha import problems
from genalpha.math import so3

# loops are closed with a ball joint whatever the other joints allow
pytestmark = pytest.mark.filterwarnings("ignore::genalpha.errors.RedundantConstraintsWarning")

fixed = settings(derandomize=True, deadline=None, max_examples=12)
P, PVA = ga.GeneralizedAlpha(formulation="P"), ga.GeneralizedAlpha()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "parameters"), [("chain", {"bodies": 2}), ("chain", {"bodies": 2, "group": "SE3"}), ("slider_crank", {})]
)
def test_constraints_for_1e5_steps(name, parameters):
    """|g|, |ġ| ≤ 1e-10 and |g̈| ≤ 1e-10 (1 + |G v̇| + |g_bias|) at every step; statistics hold the largest of all."""
    problem = problems.get(name, **parameters)
    sol = ga.solve(problem.system(), (0.0, 100.0), problem.q0, problem.v0, PVA, h=1e-3, save_every=500)
    assert sol.stats.steps == 100_000
    assert sol.stats.max_g <= 1e-10
    assert sol.stats.max_gdot <= 1e-10
    contract = problem.system().contract(0.0, problem.q0, problem.v0)
    sizes, values = [], []
    for q, v, vdot in zip(sol.q, sol.v, sol.vdot, strict=True):
        rate, bias = contract.times("G", vdot, 0.0, q), contract.evaluate("g_bias", 0.0, q, v)
        values.append(np.abs(rate + bias).max())
        sizes.append(1.0 + np.abs(rate).max() + np.abs(bias).max())
    assert np.all(np.array(values) <= 1e-10 * np.array(sizes))
    # the largest of all steps, against the smallest size that there can be
    assert sol.stats.max_gddot <= 1e-10 * max(1.0, np.min(sizes))


def random_model(seed, loop, p=(1.0, 0.0, 0.0, 0.0), shift=(0.0, 0.0, 0.0), order=None, group="R3xSO3"):
    """A random tree of bodies, joints and springs, with a loop of a spring or a ball joint; turned and shifted."""
    random, R, shift = np.random.default_rng(seed), so3.matrix(p), np.asarray(shift)
    model = ga.Model("random", gravity=R @ [0.0, 0.0, -9.81])
    n = int(random.integers(2, 5))
    x = np.cumsum(random.uniform(0.2, 0.5, (n, 3)), axis=0)
    parts = []
    spin, rest = random.uniform(-1.0, 1.0, 3), random.uniform(0.1, 0.3, n)
    # the whole tree turns about its first joint, as one body
    for i in range(n):
        turn = so3.exp(random.uniform(-1.0, 1.0, 3))
        parts.append(
            ga.RigidBody(
                f"b{i}", mass=1.0 + i, inertia=random.uniform(0.8, 1.2, 3) * 0.02, position=R @ x[i] + shift,
                orientation=so3.multiply(p, turn), velocity=R @ np.cross(spin, x[i]), angular_velocity=R @ spin,
                group=group,
            )
        )  # fmt: skip
    parents = ["ground", *(f"b{int(random.integers(0, i))}" for i in range(1, n))]
    for i, parent in enumerate(parents):
        at = np.zeros(3) if i == 0 else x[i] + random.uniform(-0.1, 0.1, 3)
        axis, at = R @ random.uniform(-1.0, 1.0, 3), R @ at + shift
        kind = "spherical" if i == 0 else random.choice(["spherical", "revolute", "prismatic", "fixed"])
        if kind == "spherical":
            parts.append(ga.Spherical(f"j{i}", parent, f"b{i}", at=at))
        else:
            joint = {"revolute": ga.Revolute, "prismatic": ga.Prismatic, "fixed": ga.Fixed}[str(kind)]
            parts.append(joint(f"j{i}", parent, f"b{i}", at=at, axis=axis))
    ends = {"on_a": (0.05, 0.0, 0.1), "on_b": (0.0, 0.1, 0.0)}
    if loop:
        parts.append(ga.SpringDamper("loop", "b0", f"b{n - 1}", stiffness=200.0, damping=1.0, length=rest[0], **ends))
        if parents[-1] == "ground" or n > 2:
            middle = R @ (0.5 * (x[0] + x[-1])) + shift
            if parents[-1] != "b0" and n > 3:
                parts.append(ga.Spherical("closing", "b0", f"b{n - 1}", at=middle))
    bodies, others = parts[:n], parts[n:]
    if order is not None:
        bodies = [bodies[i] for i in np.random.default_rng(order).permutation(len(bodies))]
        others = [others[i] for i in np.random.default_rng(order + 1).permutation(len(others))]
    for part in [*bodies, *others]:
        model.add(part)
    return model, n


def motion(model, n, method=PVA, steps=30):
    """Positions and rotations of all bodies, by name."""
    sol = ga.solve(model, (0.0, steps * 2e-3), h=2e-3, method=method)
    return np.array([sol[f"b{i}"].position for i in range(n)]), np.array([sol[f"b{i}"].rotation for i in range(n)])


@fixed
@given(st.integers(0, 10_000), st.booleans())
def test_frame_indifference(seed, loop):
    """The whole model turned and shifted moves along."""
    p, shift = so3.exp([0.7, -1.1, 2.0]), np.array([1.0, -2.0, 0.5])
    R = so3.matrix(p)
    model, n = random_model(seed, loop)
    x, frames = motion(model, n)
    y, others = motion(random_model(seed, loop, p, shift)[0], n)
    assert y == pytest.approx(x @ R.T + shift, abs=1e-8)
    assert others == pytest.approx(R @ frames, abs=1e-8)


@fixed
@given(st.integers(0, 10_000), st.booleans())
def test_order_of_parts(seed, loop):
    """Parts added in another order give the same motion."""
    model, n = random_model(seed, loop)
    x, frames = motion(model, n)
    y, others = motion(random_model(seed, loop, order=seed + 1)[0], n)
    assert y == pytest.approx(x, abs=1e-8)
    assert others == pytest.approx(frames, abs=1e-8)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_both_groups_converge_to_the_same_motion(seed):
    """The difference between the groups falls by four when the steps are halved."""
    differences = []
    for h in (2e-3, 1e-3):
        runs = []
        for group in ("R3xSO3", "SE3"):
            model, n = random_model(seed, True, group=group)
            runs.append(ga.solve(model, (0.0, 0.2), h=h)[f"b{n - 1}"].position[-1])
        differences.append(np.linalg.norm(runs[0] - runs[1]))
    assert differences[1] < 1e-3
    assert differences[0] / differences[1] == pytest.approx(4.0, rel=0.15)


def test_the_model_stays_as_it_is():
    """assemble is pure: twice the same, and a run changes nothing."""
    model, _ = random_model(4, True)
    one, two = model.assemble(), model.assemble()
    ga.solve(model, (0.0, 0.01), h=1e-3)
    for name in ("q0", "v0", "data"):
        assert np.array_equal(getattr(one, name), getattr(two, name), equal_nan=True)
        assert np.array_equal(getattr(one, name), getattr(model.assemble(), name), equal_nan=True)


def test_energy_is_kept():
    """ρ∞ = 1 and no damper: the energy of a chain stays within O(h²)."""
    chain = problems.get("chain")
    drifts = []
    for h in (2e-3, 1e-3):
        sol = ga.solve(chain.system(), (0.0, 0.4), chain.q0, chain.v0, ga.GeneralizedAlpha(rho_inf=1.0), h=h)
        total = sol.energy.sum(axis=1)
        drifts.append(np.abs(total - total[0]).max())
        bodies = sum(sol[f"rod{i}"].kinetic_energy + sol[f"rod{i}"].potential_energy for i in range(4))
        assert bodies == pytest.approx(total, abs=1e-13)
    assert drifts[1] < 0.3 * drifts[0]
