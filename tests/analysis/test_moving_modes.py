"""Linearization about states that move: rotors, rolling bodies, a bicycle; all roots, in their order."""

import numpy as np
import pytest

import genalpha as ga
from genalpha.analysis import modes
from genalpha.problems import bicycle, overhung, rolling_coin


@pytest.mark.parametrize("group", ["R3xSO3", "SE3"])
def test_bicycle(group):
    """Four roots from the printed matrices; place, heading, speed and angles of wheels change nothing."""
    for speed in np.arange(0.0, 10.1, 1.0 if group == "SE3" else 2.5):
        small = ga.linearize(bicycle.model(speed, group=group))
        assert (small.neutral, len(small.eigenvalues)) == (6, 10)
        assert np.all(small.eigenvalues[:6] == 0.0)
        assert np.sort_complex(small.eigenvalues[6:]) == pytest.approx(bicycle.eigenvalues(speed), abs=1e-9)
        assert small.drift < 1e-7


def test_printed_eigenvalues():
    """Table 2 of the source at 0 and 5 m/s."""
    still, five = bicycle.eigenvalues(0.0), bicycle.eigenvalues(5.0)
    assert still.real == pytest.approx([-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393])
    weave = -0.77534188219585 + 4.46486771378823j
    assert five == pytest.approx([-14.07838969279822, np.conj(weave), weave, -0.32286642900409], rel=1e-12)


@pytest.mark.parametrize(("length", "mass"), [(1.0, 1.0), (1e3, 1e-3), (1e-6, 1e6)])
@pytest.mark.parametrize("group", ["R3xSO3", "SE3"])
def test_campbell_diagram(group, length, mass):
    """Whirl of a disk on an elastic shaft in space, in any unit; from a frame that turns with it, less its speed."""
    for speed in (0.0, 150.0, -900.0):
        exact, model = overhung.whirl(speed), overhung.model(speed, group, length, mass)
        omega = 2.0 * np.pi * ga.linearize(model).frequencies
        wanted = np.sort([*np.abs(exact), *overhung.others(), *([0.0] if speed == 0.0 else [])])
        assert omega == pytest.approx(wanted, rel=1e-8, abs=1e-4)
        turning = ga.linearize(model, frame=(0.0, 0.0, speed))
        wanted = np.sort([*np.abs(exact - speed), *overhung.others()])
        assert 2.0 * np.pi * turning.frequencies == pytest.approx(wanted, rel=1e-8)
        assert np.abs(turning.eigenvalues[:2]).max() < 1e-9 * np.abs(turning.eigenvalues).max()
    assert np.abs(turning.eigenvalues.real).max() < 1e-9 * np.abs(turning.eigenvalues).max()


def test_directions_of_whirl():
    """Shapes are complex: forwards y lags behind x by a quarter of a turn, backwards it leads."""
    speed = 300.0
    small = ga.linearize(overhung.model(speed))
    x, y = (small.modes[small.names.index(f"disk.{axis}")] for axis in "xy")
    circles = np.abs(np.abs(x) - np.abs(y)) < 1e-6 * np.abs(x)
    signs = np.sign((y / x).imag)[circles & (np.abs(x) > 1e-3)]
    exact = overhung.whirl(speed)
    assert signs.tolist() == (-np.sign(exact[np.argsort(np.abs(exact))])).tolist()
    assert np.sum(np.conj(small.modes) * (small.M @ small.modes), axis=0) == pytest.approx(1.0, rel=1e-9)


def test_upright_coin():
    """It stands upright when it rolls fast: λ² = (m g r − (C + m r²) C Ω²/A)/(A + m r²)."""
    m, r, A, C, g = rolling_coin.MASS, rolling_coin.RADIUS, rolling_coin.ACROSS, rolling_coin.AXIAL, 9.81
    for spin in (1.0, 8.0):
        model = ga.Model("coin", gravity=(0.0, 0.0, -g))
        coin = ga.RigidBody(
            "coin", mass=m, inertia=(A, C, A), position=(0.0, 0.0, r), velocity=(r * spin, 0.0, 0.0),
            angular_velocity=(0.0, spin, 0.0),
        )  # fmt: skip
        model.add(coin)
        model.add(ga.RollingDisk("rim", model.ground, coin, radius=r, axis=(0.0, 1.0, 0.0)))
        small = ga.linearize(model)
        square = (m * g * r - (C + m * r**2) * C * spin**2 / A) / (A + m * r**2)
        roots = small.eigenvalues[small.neutral :]
        assert roots**2 == pytest.approx([square, square], rel=1e-8)


def coin_rates(x):
    """(β, ω₁, ω₂, ω₃)˙ of a rolling disk, axes along its way, up within it, along its axle: M v̇ and J ω̇, by hand."""
    m, r, A, C, g = (
        rolling_coin.MASS,
        rolling_coin.RADIUS,
        rolling_coin.ACROSS,
        rolling_coin.AXIAL,
        rolling_coin.GRAVITY,
    )
    lean, w1, w2, w3 = x
    J, up, arm = np.array([A, A, C]), np.array([0.0, np.cos(lean), np.sin(lean)]), np.array([0.0, -r, 0.0])
    w, frame = np.array([w1, w2, w3]), np.array([w1, w2, w2 * np.tan(lean)])  # the axes keep their first one level
    velocity = np.cross(arm, w)  # of the centre, no slip
    # J ẇ + frame × J w = arm × (m (v̇ + frame × v) + m g up),  v̇ = arm × ẇ
    S = np.array([[0.0, -arm[2], arm[1]], [arm[2], 0.0, -arm[0]], [-arm[1], arm[0], 0.0]])
    right = np.cross(arm, m * np.cross(frame, velocity) + m * g * up) - np.cross(frame, J * w)
    return np.array([-w1, *np.linalg.solve(np.diag(J) - m * S @ S, right)])


def test_coin_in_a_circle():
    """Steady in a frame that goes round with it; a disk by hand has the same roots. In space it is not steady."""
    lean, circle = 0.35, 2.0
    omega, model = rolling_coin.rate(lean, circle), rolling_coin.model(lean, circle)
    spin = omega * np.sin(lean) - omega * circle / rolling_coin.RADIUS
    state = np.array([lean, 0.0, omega * np.cos(lean), spin])
    assert coin_rates(state) == pytest.approx(0.0, abs=1e-12)
    jacobian = np.array([(coin_rates(state + d) - coin_rates(state - d)) / 2e-6 for d in 1e-6 * np.eye(4)]).T
    exact = np.linalg.eigvals(jacobian)
    exact = exact[np.abs(exact) > 1e-3]
    small = ga.linearize(model, frame=(0.0, 0.0, omega))
    assert small.drift < 1e-6
    roots = small.eigenvalues
    for root in exact:
        assert np.min(np.abs(roots - root)) < 1e-6
    with pytest.warns(ga.UnsteadyWarning, match="the matrices change along the motion"):
        ga.linearize(model)


def test_all_roots():
    """Real roots do not push others out; undamped ones and unstable ones come with both signs."""
    pair = ga.System(M=np.eye(2), f=lambda t, q, v: -np.array([4.0, 100.0]) * q - np.array([5.0, 0.0]) * v)
    small = ga.linearize(pair, [0.0, 0.0])
    assert small.eigenvalues == pytest.approx([-1.0, -4.0, 10.0j, -10.0j], abs=1e-9)
    assert small.damping_ratios == pytest.approx([1.0, 1.0, 0.0, 0.0], abs=1e-9)
    assert ga.linearize(pair, [0.0, 0.0], modes=1).eigenvalues == pytest.approx([-1.0, -4.0], abs=1e-9)
    free = ga.System(M=np.eye(3), f=lambda t, q, v: -np.array([9.0, 0.0, -4.0]) * q)
    small = ga.linearize(free, np.zeros(3))
    assert small.eigenvalues == pytest.approx([0.0, 0.0, -2.0, 2.0, 3.0j, -3.0j], abs=1e-9)
    assert small.neutral == 2
    assert 2.0 * np.pi * small.frequencies == pytest.approx([0.0, 0.0, 3.0])


def test_large_systems_move(monkeypatch):
    """The iteration knows velocities: same roots, shapes and drift as the dense solver."""
    model = overhung.model(150.0)
    dense = ga.linearize(model)
    monkeypatch.setattr(modes, "DENSE", 5)
    few = ga.linearize(model, modes=2, frame=(0.0, 0.0, 0.0))
    wanted = [root for root in dense.eigenvalues if np.abs(root) > 1.0][:2]
    assert [np.min(np.abs(few.eigenvalues - root)) for root in wanted] == pytest.approx([0.0, 0.0], abs=1e-5)
    assert few.drift < 1e-6
    damped = ga.System(M=np.eye(8), f=lambda t, q, v: -np.arange(1.0, 9.0) * q - 0.1 * np.arange(8.0, 0.0, -1.0) * v)
    found = ga.linearize(damped, np.zeros(8), modes=2).eigenvalues
    exact = [root for k, c in ((1.0, 0.8), (2.0, 0.7)) for root in np.roots([1.0, c, k])]
    assert found == pytest.approx(exact, abs=1e-9)


def test_states():
    """v0 is that of the bodies; states that break constraints and frames of no meaning are refused."""
    model = overhung.model(50.0)
    system = model.assemble()
    still = ga.linearize(system, v0=np.zeros(system.v0.size))
    assert ga.linearize(system).frequencies[0] < still.frequencies[1]
    v0 = system.v0.copy()
    v0[0] += 1.0
    with pytest.raises(ga.InconsistentInitialState, match=r"linearize: constraint 'bearing\.x': \|ġ\| = 1 exceeds"):
        ga.linearize(system, v0=v0)
    with pytest.raises(ga.InputError, match=r"frame = 3\.0 must be its angular velocity in rad/s, three numbers"):
        ga.linearize(system, frame=3.0)
    with pytest.raises(ga.InputError, match="a frame turns bodies"):
        ga.linearize(ga.System(M=np.eye(1), f=lambda t, q, v: -q), [0.0], frame=(0.0, 0.0, 1.0))


def test_what_turns_as_a_whole():
    """A mass on a spring in a turning slot, planar: ω² = k/m − Ω² along it; in space the matrices change."""
    stiffness, mass, speed = 50.0, 2.0, 3.0
    model = ga.Model("slot", planar=True)
    table = model.add(ga.RigidBody("table", mass=1.0, inertia=1e9, angular_velocity=speed))
    bead = model.add(ga.RigidBody("bead", mass=mass, inertia=1e-3, angular_velocity=speed))
    model.add(ga.Revolute("pin", model.ground, table, at=(0.0, 0.0)))
    model.add(ga.Prismatic("slot", table, bead, at=(0.0, 0.0), axis=(1.0, 0.0)))
    model.add(ga.Bushing("spring", table, bead, stiffness=(stiffness, 0.0, 0.0)))
    small = ga.linearize(model, frame=speed)
    assert 2.0 * np.pi * small.frequencies == pytest.approx([np.sqrt(stiffness / mass - speed**2)], rel=1e-6)
    with pytest.warns(ga.UnsteadyWarning):
        ga.linearize(model)
