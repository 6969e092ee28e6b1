"""LagrangesMethod and KanesMethod: constraints at position level, the right signs, speeds that are no derivatives."""

import numpy as np
import pytest
from sympy import cos, sin, symbols
from sympy.physics.mechanics import (
    KanesMethod,
    LagrangesMethod,
    Lagrangian,
    Particle,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    inertia,
)

import genalpha as ga
from genalpha import problems
from genalpha.problems import lagrangians
from genalpha.symbolic import from_kane, from_lagranges_method, lagrange

t = dynamicsymbols._t
x, y = dynamicsymbols("x y")
m, l, g, c = symbols("m l g c")
N = ReferenceFrame("N")
NUMBERS = {m: 2.0, l: 1.0, g: 9.81}


def particle():
    """A particle in a plane, and its weight."""
    origin = Point("O")
    origin.set_vel(N, 0)
    point = origin.locatenew("P", x * N.x + y * N.y)
    point.set_vel(N, x.diff(t) * N.x + y.diff(t) * N.y)
    return Particle("mass", point, m), (point, -m * g * N.y)


def solved(equations, q0=(1.0, 0.0), v0=(0.0, 0.0), **more):
    system = equations.system({**NUMBERS, **more}, compile=False)
    return ga.solve(system, (0.0, 0.3), q0, v0, h=1e-3)


def test_constrained_pendulum_from_lagranges_method():
    """Drift is held at position level, and lam has our sign: the rod pulls, lam < 0 at the bottom."""
    mass, weight = particle()
    mass.potential_energy = 0
    method = LagrangesMethod(
        Lagrangian(N, mass), [x, y], forcelist=[weight], frame=N, hol_coneqs=[(x**2 + y**2 - l**2) / 2]
    )
    theirs = solved(from_lagranges_method(method))
    problem = problems.get("cartesian_pendulum", m=2.0)
    exact = problem.reference(theirs.t)
    assert abs(theirs.q - exact.q).max() < 1e-5
    assert abs(theirs.lam - exact.lam).max() < 1e-3
    assert theirs.stats.max_g < 1e-14
    method.form_lagranges_equations()  # what was formed before makes no difference, nor do the columns of multipliers
    assert method.mass_matrix.shape == (2, 3)
    np.testing.assert_array_equal(solved(from_lagranges_method(method)).q, theirs.q)


def test_nonholonomic_constraints_from_lagranges_method():
    disk = lagrangians.rolling_disk()
    method = LagrangesMethod(disk.equations.L, disk.equations.q, nonhol_coneqs=list(disk.equations.k))
    equations = from_lagranges_method(method)
    assert equations.sizes == (5, 0, 2, 0)
    assert equations.k == disk.equations.k


def test_torques_and_forces_from_lagranges_method():
    """A driven rod: a torque on the frame, and a damping force on its end."""
    theta, (torque, L, J) = dynamicsymbols("theta"), symbols("tau L J")
    body = N.orientnew("B", "Axis", (theta, N.z))
    origin = Point("O")
    origin.set_vel(N, 0)
    end = origin.locatenew("E", L * body.x)
    end.v2pt_theory(origin, N, body)
    loads = [(body, torque * N.z), (end, -c * end.vel(N))]
    method = LagrangesMethod(J * theta.diff(t) ** 2 / 2, [theta], forcelist=loads, frame=N)
    (force,) = from_lagranges_method(method).f
    assert (force - (torque - c * L**2 * theta.diff(t))).simplify() == 0


def test_kane_with_a_dependent_coordinate():
    u, w = dynamicsymbols("u w")
    mass, weight = particle()
    circle = (x**2 + y**2 - l**2) / 2
    kane = KanesMethod(
        N, q_ind=[x], q_dependent=[y], u_ind=[u], u_dependent=[w], kd_eqs=[u - x.diff(t), w - y.diff(t)],
        configuration_constraints=[circle], velocity_constraints=[circle.diff(t)],
    )  # fmt: skip
    kane.kanes_equations([mass], [weight])
    equations = from_kane(kane)
    assert equations.sizes == (2, 1, 0, 0)  # the velocity constraint follows from the other
    ours = solved(lagrange(m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 - m * g * y, [x, y], g=[circle]))
    theirs = solved(equations)
    np.testing.assert_allclose(theirs.q, ours.q, atol=1e-12)
    np.testing.assert_allclose(theirs.lam, ours.lam, atol=1e-9)
    np.testing.assert_allclose(theirs.energy, ours.energy, atol=1e-9)  # of the bodies, and of the weight
    np.testing.assert_array_equal(theirs[u], theirs[x.diff(t)])
    np.testing.assert_array_equal(theirs[w], theirs.v[:, 1])


def test_kane_with_a_nonholonomic_constraint():
    """A skate: the constraint stays at velocity level."""
    theta, (u1, u2, u3), J = dynamicsymbols("theta"), dynamicsymbols("u1:4"), symbols("J")
    q, u = [x, y, theta], [u1, u2, u3]
    frame = N.orientnew("B", "Axis", (theta, N.z))
    frame.set_ang_vel(N, u3 * N.z)
    origin = Point("O")
    origin.set_vel(N, 0)
    centre = origin.locatenew("C", x * N.x + y * N.y)
    centre.set_vel(N, u1 * N.x + u2 * N.y)
    body = RigidBody("skate", centre, frame, m, (inertia(frame, 0, 0, J), centre))
    sideways = u1 * sin(theta) - u2 * cos(theta)
    kane = KanesMethod(
        N, q_ind=q, u_ind=[u1, u3], u_dependent=[u2], velocity_constraints=[sideways],
        kd_eqs=[x.diff(t) - u1, y.diff(t) - u2, theta.diff(t) - u3],
    )  # fmt: skip
    kane.kanes_equations([body], [(centre, -m * g * N.y)])
    equations = from_kane(kane)
    assert equations.sizes == (3, 0, 1, 0)
    L = m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 + J * theta.diff(t) ** 2 / 2 - m * g * y
    ours = lagrange(L, q, k=[sideways.subs(dict(zip(u, (item.diff(t) for item in q), strict=True)))])
    numbers, start = {m: 1.0, J: 0.5, g: 9.81}, ([0.0, 0.0, 0.3], [np.cos(0.3), np.sin(0.3), 1.0])
    runs = [
        ga.solve(e.system(numbers, compile=False), (0.0, 0.3), *start, ga.GeneralizedAlpha(), h=1e-3)
        for e in (equations, ours)
    ]
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-12)
    np.testing.assert_allclose(runs[0].psi, runs[1].psi, atol=1e-9)


def test_kane_with_speeds_that_are_no_derivatives():
    """Speeds along a turning direction, and a drift: the same motion in the coordinates."""
    theta, (u1, u2, u3), J = dynamicsymbols("theta"), dynamicsymbols("u1:4"), symbols("J")
    frame = N.orientnew("B", "Axis", (theta, N.z))
    frame.set_ang_vel(N, u3 * N.z)
    origin = Point("O")
    origin.set_vel(N, 0)
    centre = origin.locatenew("C", x * N.x + y * N.y)
    velocity = (u1 * frame.x + u2 * frame.y).express(N)
    centre.set_vel(N, velocity)
    body = RigidBody("plate", centre, frame, m, (inertia(frame, 0, 0, J), centre))
    kd = [x.diff(t) - velocity.dot(N.x), y.diff(t) - velocity.dot(N.y), theta.diff(t) - u3]
    kane = KanesMethod(N, q_ind=[x, y, theta], u_ind=[u1, u2, u3], kd_eqs=kd)
    kane.kanes_equations([body], [(centre, -m * g * N.y - c * x * N.x), (frame, -c * theta * N.z)])
    equations = from_kane(kane)
    potential = m * g * y + c * (x**2 + theta**2) / 2
    L = m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 + J * theta.diff(t) ** 2 / 2 - potential
    ours = lagrange(L, [x, y, theta])
    q, v = np.array([0.3, -0.2, 0.7]), np.array([1.0, 0.4, -2.0])
    numbers = {m: 1.3, J: 0.5, g: 9.81, c: 4.0}
    for name, arguments in {"M": (0.0, q), "f": (0.0, q, v)}.items():
        one, two = (
            (lambda s: s.matrix("M", *arguments) if name == "M" else s.evaluate("f", *arguments))(
                e.system(numbers, compile=False).contract(0.0, q, v)
            )
            for e in (equations, ours)
        )
        np.testing.assert_allclose(one, two, atol=1e-12)
    energies = [e.system(numbers, compile=False).energies(np.zeros(1), q[None], v[None])[0] for e in (equations, ours)]
    np.testing.assert_allclose(*energies, atol=1e-12)


def kane_of(load, mass):
    u, w = dynamicsymbols("u w")
    kane = KanesMethod(N, q_ind=[x, y], u_ind=[u, w], kd_eqs=[u - x.diff(t), w - y.diff(t)])
    kane.kanes_equations([mass], [(mass.point, load)])
    return from_kane(kane)


def test_potential_energy_of_the_loads_of_kane():
    mass, _ = particle()
    spring, swing = c * (x**2 + x * y) + l * sin(x) * y, c * cos(x - 2 * y) + g / (1 + y)
    for potential in (m * g * y + spring, swing):
        rest = -potential.diff(x) * N.x - potential.diff(y) * N.y
        damped = rest - c * mass.point.vel(N) + sin(t) * N.x  # these have none
        kinetic, found = kane_of(damped, mass).energy
        assert (found - potential).diff(x).simplify() == 0
        assert (found - potential).diff(y).simplify() == 0
        assert (kinetic - m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2).expand() == 0


def test_loads_of_kane_without_a_potential():
    mass, _ = particle()
    swirl = y * N.x - x * N.y
    equations = kane_of(swirl, mass)
    assert equations.energy is None
    sol = ga.solve(equations.system({m: 1.0}, compile=False), (0.0, 0.1), [1.0, 0.0], [0.0, 0.0], h=0.01)
    with pytest.raises(ga.InputError, match="no potential energy that SymPy finds"):
        _ = sol.energy
    mass.potential_energy = m * g * y  # what the user says is believed
    assert kane_of(swirl, mass).energy[1] == m * g * y


def test_other_objects_are_refused():
    with pytest.raises(ga.InputError, match="takes a LagrangesMethod, not a int"):
        from_lagranges_method(3)
    with pytest.raises(ga.InputError, match="takes a KanesMethod, not a str"):
        from_kane("kane")
    u, w = dynamicsymbols("u w")
    kane = KanesMethod(N, q_ind=[x], u_ind=[u], kd_eqs=[u - x.diff(t)])
    with pytest.raises(ga.InputError, match="no bodies yet; call its kanes_equations"):
        from_kane(kane)
    mass, weight = particle()
    auxiliary = KanesMethod(
        N, q_ind=[x, y], u_ind=[u, w], kd_eqs=[u - x.diff(t), w - y.diff(t)], u_auxiliary=[dynamicsymbols("z")]
    )
    auxiliary.kanes_equations([mass], [weight])
    with pytest.raises(ga.InputError, match="auxiliary speeds"):
        from_kane(auxiliary)
