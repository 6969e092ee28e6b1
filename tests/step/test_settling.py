"""When Newton's iteration has settled: slow iterations are not those at round-off, and multipliers count."""

import warnings

import numpy as np
import pytest

import genalpha as ga
from genalpha.compiled.jit import plain
from genalpha.model.system import ModelSystem
from genalpha.step.newton import has_stalled

SINCE = 1e300
"""The contraction of corrections that grew."""


@pytest.mark.parametrize(
    ("excess", "rate", "was", "last", "expected"),
    [
        (800.0, 0.9, 1e-3, False, True),  # fell fast, and then no longer
        (800.0, 0.9, SINCE, False, True),  # grew, and falls again
        (800.0, 1.2, 1e-3, False, False),  # may be the slow mode of an iteration that diverges
        (800.0, 1.2, SINCE, True, False),
        (800.0, 0.6, 1.5, False, False),  # slow from its begin
        (800.0, 0.6, 1.5, True, False),
        (20.0, 0.6, 1.5, True, True),
        (2000.0, 0.9, 1e-3, False, False),
        (800.0, 0.1, 1e-3, True, False),
    ],
)
def test_corrections_that_fall_no_longer(excess, rate, was, last, expected):
    assert plain(has_stalled)(excess, rate, was, last) is expected


def knife_edge():
    """A light edge far from the centre of a heavy body: PVV's iteration gains a factor of 0.6 only."""
    model = ga.Model("edge", gravity=(0.0, -9.81), planar=True)
    model.add(ga.RigidBody("body", mass=11.9, inertia=6.28e-4, position=(0.0, 0.0), velocity=(-1.08, -2.22),
                           orientation=1.734, angular_velocity=18.0))  # fmt: skip
    model.add(ga.KnifeEdge("edge", "ground", "body", at=(0.1, 0.0), axis=(0.988, -0.154)))
    return model


def test_a_slow_iteration_goes_on_until_it_is_there():
    method = ga.GeneralizedAlpha(rho_inf=0.8, formulation="PVV")
    sol = ga.solve(knife_edge(), (0.0, 1.0), method=method, h=0.01, project=True)
    assert sol.stats.max_k <= 1e-8 * np.abs(sol.v).max()


def held_by_a_bushing():
    """A slide whose angle is held, and a bushing askew: its tangent lacks what only the reaction sees."""
    model = ga.Model("slide", gravity=(0.0, -9.81), planar=True)
    model.add(ga.RigidBody("body", mass=28.1, inertia=0.273, position=(0.746, 0.416), orientation=0.305))
    model.add(ga.Prismatic("slide", "ground", "body", at=(0.717, 0.218), axis=(0.996, -0.0906)))
    model.add(ga.Motor("motor", "slide", law=lambda t, z, rate: 1.4 * (-0.19 - z) - 0.32 * rate))
    axes = [[0.6, 0.8], [-0.8, 0.6]]
    model.add(ga.Bushing("mount", "ground", "body", at=(0.0, 0.6), stiffness=(52.0, 104.0, 1.1), axes=axes))
    return model


def missing(sol, rows):
    """|M v̇ − f − Gᵀλ| over the largest |Gᵀλ|."""
    contract = sol.system.contract(sol.t[0], sol.q[0], sol.v[0], compiled=False)
    worst = 0.0
    for i in rows:
        t, q, v = sol.t[i], sol.q[i], sol.v[i]
        reaction = contract.matrix("G", t, q).T @ sol.lam[i]
        rest = contract.matrix("M", t, q) @ sol.vdot[i] - contract.evaluate("f", t, q, v) - reaction
        worst = max(worst, np.abs(rest).max() / np.abs(reaction).max())
    return worst


def test_multipliers_of_formulation_p_balance_forces():
    method = ga.GeneralizedAlpha(rho_inf=1.0, formulation="P")
    sol = ga.solve(held_by_a_bushing(), (0.0, 0.3), method=method, h=5e-3, project=True)
    assert missing(sol, range(1, len(sol.t))) <= 1e-8


def test_formulation_p_iterates_no_more_where_multipliers_are_right_anyway():
    model = ga.Model("pendulum", gravity=(0.0, 0.0, -9.81))
    model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0)))
    model.add(ga.Revolute("pin", "ground", "rod", at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    sol = ga.solve(model, (0.0, 1.0), method=ga.GeneralizedAlpha(rho_inf=0.9, formulation="P"), h=1e-3)
    assert sol.stats.newton <= 1.1 * 1000


class Interpreted(ModelSystem):
    """An assembled model whose steps run in the interpreter."""

    compiled = False

    def contract(self, t0, q0, v0, compiled=False):
        return super().contract(t0, q0, v0, False)


def test_iterates_that_overflow_warn_in_no_kind_of_run():
    """What is compiled says nothing; nor do steps in the interpreter, and their error is ours."""
    model = ga.Model("beam", gravity=(0.0, -9.81), planar=True)
    section = ga.Rigidity(EA=591587.8, mass=4.4412, GA=236635.1, EI=105.25, inertia=7.9e-4)
    model.add(ga.Beam("beam", start=(0.0, 0.0), end=(0.16565, -0.94182), elements=3, section=section, viscosity=9.85e-4,
                      mass="consistent", velocity=(0.1566, 1.05708)))  # fmt: skip
    model.add(ga.Revolute("root", "ground", "beam.0", at=(0.0, 0.0)))
    whole = model.assemble()
    system = Interpreted(whole.model, whole.assembly, whole.data, whole.q0, whole.v0)
    method = ga.GeneralizedAlpha(rho_inf=0.5, formulation="PVV")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=ga.GenalphaWarning)
        with pytest.raises(ga.StepError, match="Take a smaller h"):
            ga.solve(system, (0.0, 0.61), method=method, h=0.01, project=True)


def whirling_disk():
    """A disk whose spin rises tenfold within a hundredth of a second, when its mass passes over the rim."""
    model = ga.Model("disk", gravity=(0.0, 0.0, -9.81))
    model.add(
        ga.RigidBody("disk", mass=0.18110728129133255, position=(0.0, 0.0, 0.06518589579243919),
                     velocity=(0.8043815486676322, -4.188338155236869, 0.10761784741113468),
                     inertia=(5.911212860803289e-06, 7.029043125579319e-06, 3.916283269376033e-06),
                     orientation=(0.7890406807888299, -0.6065959522125569, -0.05165051229916544, -0.08239162214008715),
                     angular_velocity=(-4.399000329919103, 0.3339084864003042, 2.642930073953815))
    )  # fmt: skip
    axis = (-0.801611575237474, -0.1254022459619765, 0.5845452584299932)
    model.add(ga.RollingDisk("roll", "ground", "disk", radius=0.08034141085000471, axis=axis))
    return model


def test_a_matrix_of_iterates_that_ran_away_blames_the_step():
    """It is singular where nothing has lost rank: shorter steps help, and are what is advised."""
    with pytest.raises(ga.ConvergenceError, match="Take a smaller h; or leave h out"):
        ga.solve(whirling_disk(), (0.0, 0.44), method=ga.SOI2(rho_inf=0.0), h=0.01, project=True)
    assert ga.solve(whirling_disk(), (0.0, 0.44), method=ga.SOI2(rho_inf=0.0), rtol=1e-4, project=True).success
