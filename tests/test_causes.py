"""Runs that cannot go on: the error says why, and what it advises works."""

import numpy as np
import pytest

import genalpha as ga


def rod(t, q):
    with np.errstate(all="ignore"):  # iterates go far
        return np.array([q @ q - 1.0, q[1] - t])


def test_a_rod_that_is_pulled_beyond_its_reach_ends_where_it_is_stretched():
    """x = √(1 − t²): at t = 1 both rows hold y, and the force that turns the rod is infinite."""
    system = ga.System(M=np.eye(2), f=np.zeros(2), g=rod, names={"g": ["rod", "pull"]})
    with pytest.raises(ga.SingularityError, match=r"lose rank: at t = 0\.99\d* 'rod', 'pull' all but depend") as caught:
        ga.solve(system, (0.0, 2.0), [1.0, 0.0], [0.0, 1.0])
    assert "smaller h" not in str(caught.value)  # there is none
    assert 0.99 < caught.value.solution.t[-1] < 1.0


def test_two_rows_that_always_repeat_one_another_are_not_to_blame():
    def twice(t, q):
        return np.append(rod(t, q), 2.0 * (q[1] - t))

    system = ga.System(M=np.eye(2), f=np.zeros(2), g=twice, names={"g": ["rod", "pull", "again"]})
    with pytest.warns(ga.RedundantConstraintsWarning), pytest.raises(ga.SingularityError, match="'rod'"):
        ga.solve(system, (0.0, 2.0), [1.0, 0.0], [0.0, 1.0])


def soft_beam(elements):
    """A beam like a thread, crushed and wound up by a heavy tip."""
    end = (-0.12381942443521558, -0.29525829352748506, 0.0025321066934445823)
    section = ga.Rigidity(
        EA=97.65, mass=0.0858, GA=39.06, EI=0.000495, inertia=4.35e-07, GJ=0.000346
    )  # fmt: skip
    model = ga.Model("soft", gravity=(0.0, 0.0, -9.81))
    model.add(
        ga.Beam("beam", start=(0.0, 0.0, 0.0), end=end, elements=elements, section=section, viscosity=0.00908,
                mass="consistent", across=(0.284988777603676, -0.1276598414240843, -0.9499917691893652))
    )  # fmt: skip
    model.add(
        ga.RigidBody("tip", mass=18.18, inertia=(0.17635, 0.19849, 0.0325),
                     position=(-0.16249126262378244, -0.38747468851728295, 0.0033229456169150268),
                     velocity=(3.45, 0.33, -3.35), angular_velocity=(11.03, -8.93, -7.34))
    )  # fmt: skip
    model.add(ga.Revolute("root", "ground", "beam.0", at=(0.0, 0.0, 0.0), axis=(-0.64, -0.546, 0.541)))
    model.add(ga.Fixed("hold", f"beam.{elements}", "tip", at=end))
    return model


def test_an_element_that_turns_over_wants_more_elements():
    method, words = ga.SOI2(rho_inf=1.0), {"h": 0.005 / 64, "project": True}
    with pytest.raises(
        ga.SingularityError, match=r"element \d of beam 'beam' turns by 1[45]\d\.\d°.*elements=8"
    ) as failure:
        ga.solve(soft_beam(2), (0.0, 0.35), method=method, **words)
    later = failure.value.solution.t[-1] + 0.01
    assert ga.solve(soft_beam(8), (0.0, later), method=method, **words).success


@pytest.mark.parametrize("words", [{"h": 0.005 / 64}, {"rtol": 1e-4}], ids=["fixed", "controlled"])
def test_no_element_turns_past_half_a_turn(words):
    """On the other side all strains jump: runs went on there, and said that they had arrived."""
    with pytest.raises(ga.SingularityError, match=r"turns by 1[456]\d\.\d°") as failure:
        ga.solve(soft_beam(8), (0.0, 0.35), method=ga.SOI2(rho_inf=1.0), project=True, **words)
    energy = failure.value.solution.energy.sum(axis=1)
    assert energy.max() <= energy[0] + 1e-4 * abs(energy[0])


def test_a_beam_that_is_drawn_with_too_few_elements_is_refused():
    def arc(s):
        return np.array([np.cos(3.1 * s), np.sin(3.1 * s), 0.0])

    model = ga.Model("ring")
    section = ga.Rigidity(EA=1e4, GA=4e3, EI=1.0, GJ=0.7, mass=1.0, inertia=1e-3)
    model.add(ga.Beam("ring", curve=arc, elements=1, section=section))
    with pytest.raises(ga.InputError, match=r"element 0 turns by 17\d\.\d° from node to node.*elements=4"):
        model.assemble()


def sliding_rod():
    """A light body on a line that carries a heavier point by a rod."""
    model = ga.Model("sliding rod", planar=True, gravity=(0.0, -9.81))
    model.add(
        ga.RigidBody("b0", mass=0.050911187287631915, position=(-0.1817535592395185, -1.4534251821729471),
                     velocity=(-0.11335040342551597, 0.07445946941857619), inertia=2.156862766730276e-05,
                     orientation=1.737987229184042, angular_velocity=8.15039335206195)
    )  # fmt: skip
    model.add(ga.PointMass("b2", mass=0.37098870630517167, position=(0.09996886553958637, -3.2292373946096014),
                           velocity=(-0.03262773045944882, 0.017171203274348026)))  # fmt: skip
    model.add(ga.PointOnLine("jb0", "ground", "b0", at=(0.045444531974228944, -0.16620147018275966),
                             axis=(0.9240065801527733, -0.3823765681031942)))  # fmt: skip
    model.add(ga.Distance("rod", "b0", "b2"))
    return model


def test_motion_that_is_too_fast_for_h_is_left_to_error_control():
    method = ga.GeneralizedAlpha(rho_inf=0.9, formulation="baumgarte", baumgarte=(20.0, 20.0))
    with pytest.raises(ga.ConvergenceError, match=r'take formulation "PVA" and leave h out: error control'):
        ga.solve(sliding_rod(), (0.0, 0.44), method=method, h=0.005, project=True)
    assert ga.solve(sliding_rod(), (0.0, 0.44), project=True).success


@pytest.mark.parametrize("formulation", ["P", "PV", "PVA"])
def test_iterates_that_run_away_are_not_accepted(formulation):
    """At t = 1 the two rows depend on one another: a step there was accepted with q = 5e97, for its own round-off."""
    system = ga.System(
        M=np.eye(2),
        f=lambda t, q, v: np.array([0.0, -9.81]),
        g=rod,
    )
    method = ga.GeneralizedAlpha(formulation=formulation)
    with pytest.raises(ga.SingularityError, match="lose rank") as failure:
        ga.solve(system, (0.0, 1.1), [1.0, 0.0], [0.0, 1.0], method, h=1e-3)
    assert np.abs(failure.value.solution.q).max() < 1.1


def swinging_rod():
    """A body on a rod that carries another one."""
    model = ga.Model("swing", planar=True, gravity=(0.0, -9.81))
    b0 = model.add(ga.RigidBody("b0", mass=0.42, inertia=0.0014, position=(-0.088, 0.224), velocity=(4.8, -0.5)))
    b1 = model.add(ga.RigidBody("b1", mass=6.17, inertia=0.0019, position=(-0.2, 0.716), angular_velocity=12.2))
    model.add(ga.Distance("rod", "ground", b0, on_b=(-0.0026, -0.1)))
    model.add(ga.Revolute("pin", b0, b1, at=(-0.015, 0.19)))
    return model


def test_formulation_p_without_damping_is_told_to_take_some():
    """It is unstable at every h; the advice was to take a smaller one, or error control, which crawls."""
    undamped = ga.GeneralizedAlpha(rho_inf=1.0, formulation="P")
    for h in (5e-3, 5e-3 / 16):
        with pytest.raises(ga.ConvergenceError, match=r'rho_inf = 1 gives none.* take formulation "PVA"'):
            ga.solve(swinging_rod(), (0.0, 0.315), method=undamped, h=h, project=True)
    with pytest.raises(ga.TooManySteps, match=r"rho_inf = 1 gives none"):
        ga.solve(swinging_rod(), (0.0, 0.315), method=undamped, rtol=1e-6, max_steps=10_000, project=True)
    for other in (ga.GeneralizedAlpha(rho_inf=0.9, formulation="P"), ga.GeneralizedAlpha(rho_inf=1.0)):
        assert ga.solve(swinging_rod(), (0.0, 0.315), method=other, h=5e-3 / 16, project=True).success
        assert ga.solve(swinging_rod(), (0.0, 0.315), method=other, project=True).success
