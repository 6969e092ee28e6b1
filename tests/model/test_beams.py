"""The elements: derivatives, objectivity, independence of the path, energy, agreement of plane and space."""

import numpy as np
import pytest

import genalpha as ga
from genalpha.math import so3
from genalpha.model.columns import BEAM, GYROSCOPE, MOVING, TURNING, Layout

SOFT = ga.Rigidity(EA=50.0, GA=(20.0, 30.0), GJ=5.0, EI=(7.0, 9.0), mass=1.3, inertia=(0.2, 0.3))


def bent(planar=False, frame=((1, 0, 0), (0, 1, 0), (0, 0, 1)), shift=(0, 0, 0), **options):
    """A curved and twisted beam of two elements, turned and shifted."""

    def curve(s):
        point = np.array([2.0 * np.sin(s), 1.5 * s**2, s - 0.3 * s**3])
        return point[:2] if planar else np.asarray(frame) @ point + shift

    model = ga.Model("bent", planar=planar)
    across = None if planar else np.asarray(frame) @ (0.0, 1.0, 0.3)
    options = {"twist": 0.0 if planar else 0.7, "across": across, **options}
    model.add(ga.Beam("beam", curve=curve, elements=2, section=SOFT, **options))
    return model.assemble()


def bars(planar=False, **options):
    model, z = ga.Model("bars", planar=planar), () if planar else (0.4,)
    model.add(ga.Bar("bar", (0.0, 0.0, *z), (1.0, 0.5, *z), elements=2, section=SOFT, **options))
    return model.assemble()


class State:
    """A generic state of a system, and states near it."""

    def __init__(self, system, seed=0):
        self.system, self.contract = system, system.contract(0.0, system.q0, system.v0)
        random, nv = np.random.default_rng(seed), self.contract.nv
        self.q = self.moved(system.q0, random.uniform(-0.5, 0.5, nv))
        self.v = random.uniform(-1.0, 1.0, nv)

    def moved(self, q, delta):
        q1 = np.empty_like(q)
        self.contract.evaluators.update(q, np.ascontiguousarray(delta), self.contract.data, q1)
        return q1

    def force(self, q, v):
        return self.contract.evaluate("f", 0.0, q, v)

    def slope(self, function, step):
        """Central differences of a function of increments."""
        units = step * np.eye(self.contract.nv)
        return np.array([(function(d) - function(-d)) / (2.0 * step) for d in units]).T


VARIANTS = [
    bent(), bent(group="SE3"), bent(planar=True), bent(mass="consistent", exact_bending=True),
    bent(planar=True, mass="consistent"), bars(), bars(linear=True), bars(planar=True, mass="consistent"),
]  # fmt: skip
DAMPED = [
    bent(viscosity=0.3), bent(group="SE3", rayleigh=(0.4, 0.2)), bent(planar=True, viscosity=0.3),
    bent(planar=True, mass="consistent", rayleigh=(0.4, 0.2)), bars(viscosity=0.2),
    bars(planar=True, rayleigh=(0.4, 0.2)),
]  # fmt: skip


@pytest.mark.parametrize("system", VARIANTS)
def test_force_is_minus_the_gradient_of_the_energy(system):
    state = State(system)

    def energy(delta):
        return system.energies(0.0, state.moved(state.q, delta)[None], state.v[None])[0, 1]

    assert state.force(state.q, 0.0 * state.v) == pytest.approx(-state.slope(energy, 1e-5), abs=1e-7)
    kinetic = system.energies(0.0, state.q[None], state.v[None])[0, 0]
    assert kinetic == pytest.approx(0.5 * state.v @ state.contract.matrix("M", 0.0, state.q) @ state.v, rel=1e-14)


@pytest.mark.parametrize("system", VARIANTS + DAMPED)
def test_stiffness_and_damping_are_derivatives(system):
    state, rest = State(system, 1), np.zeros(len(system.v0))
    stiffness = state.contract.matrix("stiffness", 0.0, state.q, rest, rest, np.zeros(0))
    slope = state.slope(lambda delta: state.force(state.moved(state.q, delta), rest), 1e-5)
    assert stiffness == pytest.approx(-slope, abs=1e-7)
    damping = state.contract.matrix("damping", 0.0, state.q, state.v, rest, np.zeros(0))
    slope = state.slope(lambda delta: state.force(state.q, state.v + delta), 1e-2)
    assert damping == pytest.approx(-slope, abs=1e-10)


def beside():
    """Beams between other parts that have a stiffness: a spring before them, a weight on SE(3) and a bar after them."""
    model = ga.Model("beside", gravity=(0.0, 0.0, -9.81))
    body = model.add(ga.RigidBody("body", mass=1.0, inertia=(1.0, 2.0, 3.0), group="SE3"))
    model.add(ga.SpringDamper("spring", model.ground, body, stiffness=3.0, on_a=(0.0, 0.0, 2.0), on_b=(0.3, 0.2, 0.1)))
    for k, group in enumerate(("R3xSO3", "SE3")):
        model.add(ga.Beam(f"beam{k}", (k, 0.0, 0.0), (k, 1.0, 0.0), elements=3, section=SOFT, group=group))
    model.add(ga.Bar("bar", (0.0, 0.0, 5.0), (1.0, 0.5, 5.0), elements=2, section=SOFT))
    return model.assemble()


@pytest.mark.parametrize("system", [*VARIANTS, *DAMPED, beside()])
def test_matrices_replace_what_was_there(system):
    state = State(system, 2)
    for name in ("stiffness", "damping"):
        arguments = 0.0, state.q, state.v, 0.0 * state.v, np.zeros(0)
        values = state.contract.evaluate(name, *arguments)
        out = np.full(values.size, np.nan)
        if out.size:
            getattr(state.contract.evaluators, name)(*arguments, state.contract.data, out)
        assert np.array_equal(out, values)


@pytest.mark.parametrize("group", ["R3xSO3", "SE3"])
def test_alike_elements_stand_in_one_row(group):
    """The first element has a row of its own; a curve that happens to be straight has one for each of them."""
    start, way = np.array([0.1, 0.2, 0.3]), np.array([1.1, -0.7, 0.4])
    lines = {"start": start, "end": start + way}, {"curve": lambda s: start + way * (s + 1e-9 * s * (1.0 - s))}
    states = []
    for line in lines:
        model = ga.Model("beam", gravity=(0.0, 0.0, -9.81))
        model.add(ga.Beam("beam", **line, elements=7, section=SOFT, viscosity=0.1, group=group))
        states.append(State(model.assemble(), 4))
    rows = [state.system.assembly.layout.count(BEAM) for state in states]
    assert rows == [2, 7]
    bodies = TURNING if group == "R3xSO3" else MOVING
    assert [state.system.assembly.layout.count(bodies) for state in states] == [1, 1]
    one = states[0]
    for name, arguments in (("f", (one.q, one.v)), ("stiffness", (one.q, one.v, one.v, np.zeros(0)))):
        first, second = (state.contract.evaluate(name, 0.0, *arguments) for state in states)
        assert first == pytest.approx(second, abs=1e-6)
        assert np.abs(first).max() > 1.0


def test_stretches_of_rows():
    """Of equal numbers and steps: two are always a stretch, and what does not fit begins another one."""
    rows, others = Layout(0), {"C_turn": 5, "C_move": -1, "S": -1, "inertia": np.ones(6), "gravity": np.zeros(3)}
    for place, mass in ((0, 1.0), (7, 1.0), (14, 1.0), (22, 1.0), (30, 1.0), (38, 2.0), (-1, 2.0)):
        rows.stretch(GYROSCOPE, r=place, v=3, mass=mass, **others)
    data = rows.pack()
    first, shape = int(data.view(np.int64)[GYROSCOPE.begin]), (4, GYROSCOPE.width)
    table = data[first : first + 4 * GYROSCOPE.width].reshape(shape)
    bits = table.view(np.int64)
    assert bits[:, GYROSCOPE.parts].tolist() == [3, 2, 1, 1]
    assert bits[:, GYROSCOPE.r].tolist() == [0, 22, 38, -1]
    assert bits[:, GYROSCOPE.r + GYROSCOPE.step].tolist() == [7, 8, 0, 0]
    assert bits[:, GYROSCOPE.v : GYROSCOPE.steps].tolist() == [[3, 5, -1, -1]] * 4
    assert not bits[:, GYROSCOPE.v + GYROSCOPE.step : GYROSCOPE.mass].any()
    assert table[:, GYROSCOPE.mass].tolist() == [1.0, 1.0, 2.0, 2.0]


@pytest.mark.parametrize("groups", [("SE3", "R3xSO3"), ("R3xSO3", "SE3"), ("SE3", "SE3"), ("R3xSO3", "R3xSO3")])
def test_bodies_that_differ_by_their_group_alone(groups):
    """Neither takes the other's forces, nor its matrices."""
    model = ga.Model("two", gravity=(0.3, 0.2, -9.81))
    for k, group in enumerate(groups):
        model.add(ga.RigidBody(f"body{k}", mass=1.7, inertia=(0.4, 0.5, 0.8), position=(k, 0, 0), group=group))
    state = State(model.assemble(), 6)
    nothing = 0.0 * state.v, np.zeros(0)
    for k, group in enumerate(groups):
        alone = ga.Model("one", gravity=(0.3, 0.2, -9.81))
        alone.add(ga.RigidBody("body", mass=1.7, inertia=(0.4, 0.5, 0.8), position=(k, 0, 0), group=group))
        one, n = State(alone.assemble()), len(alone.assemble().q0)
        first = sum(len(q) for q in np.split(state.q, [8 if groups[0] == "SE3" else 7])[:k])
        q, v = state.q[first : first + n], state.v[6 * k : 6 * k + 6]
        assert state.force(state.q, state.v)[6 * k : 6 * k + 6] == pytest.approx(one.force(q, v), abs=1e-14)
        for name in ("stiffness", "damping"):
            whole = state.contract.matrix(name, 0.0, state.q, state.v, *nothing)[6 * k : 6 * k + 6]
            part = one.contract.matrix(name, 0.0, q, v, 0.0 * v, np.zeros(0))
            assert whole[:, 6 * k : 6 * k + 6] == pytest.approx(part, abs=1e-14)
            assert np.count_nonzero(whole) == np.count_nonzero(part)


@pytest.mark.parametrize("group", ["R3xSO3", "SE3"])
def test_rigid_motions_change_nothing(group):
    """Frame indifference: the reference shape is free of stress anywhere, and forces turn with the beam."""
    turn = so3.matrix(so3.exp((1.0, -2.0, 0.7)))
    here, there = bent(group=group), bent(group=group, frame=turn, shift=(3.0, -1.0, 2.0))
    assert np.abs(State(there).force(there.q0, there.v0)).max() < 1e-13
    a, b = State(here, 3), State(there, 3)
    delta = np.random.default_rng(3).uniform(-0.5, 0.5, a.contract.nv).reshape(-1, 6)
    q = a.moved(here.q0, delta.ravel())
    if group == "R3xSO3":
        delta[:, :3] = delta[:, :3] @ turn.T
    moved = b.moved(there.q0, delta.ravel())
    first, second = (state.force(x, 0.0 * state.v).reshape(-1, 6) for state, x in ((a, q), (b, moved)))
    if group == "R3xSO3":
        first[:, :3] = first[:, :3] @ turn.T
    assert second == pytest.approx(first, abs=1e-11)
    strain = [system.quantity(_Rows(x), "beam").strain for system, x in ((here, q), (there, moved))]
    assert strain[0] == pytest.approx(strain[1], abs=1e-12)


class _Rows:
    """One row of a solution."""

    def __init__(self, q):
        self.q = q[None]


def test_forces_do_not_depend_on_the_path():
    """Equal positions and rotations, reached on different ways and with the opposite quaternion, give equal forces."""
    state = State(bent(), 5)
    nv = state.contract.nv
    steps = np.random.default_rng(5).uniform(-0.2, 0.2, (8, nv))
    q = state.system.q0
    for step in steps:
        q = state.moved(q, step)
    other = state.system.q0.copy()
    for place in list(state.system.assembly.places.values())[1:]:
        other[place.x : place.x + 3] = q[place.x : place.x + 3]
        turn = so3.multiply(other[place.r : place.r + 4] * (1, -1, -1, -1), q[place.r : place.r + 4])
        delta = np.zeros(nv)
        delta[place.v + 3 : place.v + 6] = so3.log(turn)
        other = state.moved(other, delta)
    other[-4:] *= -1.0
    assert state.force(other, 0.0 * state.v) == pytest.approx(state.force(q, 0.0 * state.v), abs=1e-12)


def test_plane_and_space_agree():
    """A planar motion of the spatial beam is that of the planar beam, with damping and consistent mass."""
    options = {"mass": "consistent", "viscosity": 0.05, "twist": 0.0}
    found = []
    for planar in (True, False):
        z = () if planar else (0.0,)
        model = ga.Model("fall", planar=planar, gravity=(0.0, -9.81, *z))
        numbers = {"section": SOFT, "elements": 3, "angular_velocity": 2.0 if planar else (0.0, 0.0, 2.0)}
        beam = model.add(ga.Beam("beam", (0.0, 0.0, *z), (1.0, 0.3, *z), **numbers, **options))
        pin = {} if planar else {"axis": (0.0, 0.0, 1.0)}
        model.add(ga.Revolute("pin", model.ground, beam.nodes[0], at=(0.0, 0.0, *z), **pin))
        found.append(ga.solve(model, (0.0, 0.3), h=5e-3)["beam"])
    # consistent rotary inertia in the plane, lumped in space: a small difference
    assert found[0].tip == pytest.approx(found[1].tip, abs=2e-2)
    lumped = []
    for planar in (True, False):
        z = () if planar else (0.0,)
        model = ga.Model("fly", planar=planar)
        model.add(
            ga.Beam(
                "beam",
                (0.0, 0.0, *z),
                (1.0, 0.3, *z),
                section=SOFT,
                elements=3,
                angular_velocity=4.0 if planar else (0.0, 0.0, 4.0),
            )
        )
        sol = ga.solve(model, (0.0, 0.5), h=5e-3)
        lumped.append((sol["beam"].tip, sol["beam"].moment[..., 2], sol["beam"].force[..., :2]))
    for a, b in zip(*lumped, strict=True):
        assert a == pytest.approx(b, abs=1e-9)


def fly(rho_inf, h, steps, save_every=1):
    """The energy of a beam on a pin that turns and bends, its longest period is 0.7 s."""
    model = ga.Model("fly", planar=True)
    beam = model.add(ga.Beam("beam", (0.0, 0.0), (1.0, 0.0), section=SOFT, elements=2))
    model.add(ga.Revolute("pin", model.ground, beam.nodes[0], at=(0.0, 0.0)))
    system, v0 = model.assemble(), np.zeros(9)
    v0[[4, 7]] = 0.4, -0.6  # it starts to bend
    method = ga.GeneralizedAlpha(rho_inf=rho_inf, formulation="P", watch="enforced")
    return ga.solve(system, (0.0, steps * h), system.q0, v0, method, h=h, save_every=save_every).energy.sum(axis=1)


def test_energy_without_damping():
    """ρ∞ = 1: bounded over 1e5 steps."""
    energy = fly(1.0, 2e-3, 100_000, save_every=20)
    assert np.abs(energy - energy[0]).max() < 1e-3 * energy[0]
    assert abs(energy[-500:].mean() - energy[:500].mean()) < 1e-4 * energy[0]


def test_energy_with_damping():
    """ρ∞ = 0.8, large motion, 1e5 steps: never above where it began; the maxima of all spans of five seconds fall.

    Within a period the energy of mechanics oscillates by O((hω)²) of itself; what never rises is that of
    tests/step/test_energy.py, where a beam is among the tests.
    """
    energy = fly(0.8, 1e-2, 100_000)
    assert np.all(energy <= energy[0])
    assert np.all(np.diff(energy[1:].reshape(-1, 500).max(axis=1)) < 0.0)
    assert energy[-1] < 0.95 * energy[0]
    rises = [np.max(e - np.minimum.accumulate(e)) / e[0] for e in (energy[:2001], fly(0.8, 5e-3, 4000))]
    assert rises[0] < 3e-4
    assert rises[1] < 0.4 * rises[0]
