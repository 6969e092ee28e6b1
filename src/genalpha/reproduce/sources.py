"""Where the numbers of reproduced rows come from."""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["printed", "figure", "exact", "independent", "program"]

KINDS: dict[Kind, str] = {
    "printed": "printed in the source, as a number or as a statement",
    "figure": "read off a figure",
    "exact": "closed form",
    "independent": "computed by other means",
    "program": "by another program",
}


class Source(NamedTuple):
    """What rows of a study are compared with.

    Attributes
    ----------
    study : str
        The study that gives the rows.
    rows : str
        Regular expression that their ids match.
    kind : {"printed", "figure", "exact", "independent", "program"}
        Printed in the source, as a number or as a statement that is one (order 2, none, round-off); read off a figure;
        a closed form; computed by other means: another method, or an implementation of its own; or by another program.
    text : str
        The source, with its place.
    settings : str
        What our run used.
    """

    study: str
    rows: str
    kind: Kind
    text: str
    settings: str


JAY_NEGRUT = "Jay and Negrut 2007"
JAY = "Jay 2011"
BRULS = "Brüls, Acary and Cardona 2018"
DYMORE = "Dymore User's Manual"
TEST_SET = "Mazzia and Magherini 2008, Test Set for IVP Solvers"
MEIJAARD = "Meijaard, Papadopoulos, Ruina and Schwab 2007 (Proc. R. Soc. A 463)"
IFTOMM = "IFToMM Library of Computational Benchmark Problems"

_SWING = "bouncing pendulum, e = 0.8, h = 2e-3 s, ρ∞ = 0.9"
_BAR = "200 elements, e = 0, h = 2e-3 s, ρ∞ = 0.8"
_PENDULUM = "rotating pendulum, h = 2e-3 s, ρ∞ = 0.9, 2 s"

SOURCES = (
    Source("spectral", r"004-radius-.*|004-elongation-0", "independent", f"{DYMORE}, figs. 1 and 2",
           "digits from the eigenvalues of the amplification matrix, by an implementation of its own"),
    Source("spectral", r"004-elongation-1", "exact", "trapezoidal rule: ωh / (2 atan(ωh/2)) − 1", "h/T = 0.1"),
    Source("spectral", r"004-damping-1", "printed", f"{DYMORE}, sec. 2: no damping for ρ∞ = 1", "h/T up to 0.4"),
    Source("constraints", r"002-(P-g|V-gdot|PV-g|PV-gdot|PVA-g|PVA-gdot|PVA-gddot)(-disturbed)?", "printed",
           f"{BRULS}, sec. 5.2 and 5.3: these levels hold to machine precision", _PENDULUM),
    Source("constraints", r"002-(P|V|PV)-gddot-disturbed", "figure", f"{BRULS}, fig. 3: largest |g̈₁|",
           f"{_PENDULUM}, from v̇0 = a0 = 0"),
    Source("soi2", r"001-1-order-.*", "printed", f"{JAY_NEGRUT}, sec. 8 and Theorem 1: order 2",
           "SOI2, ρ∞ = 0.2, steps h/3 and 2h/3 with (15) and (16), between h = 1/160 and 1/320"),
    Source("soi2", r"001-2-order-.*", "printed", f"{JAY_NEGRUT}, sec. 8: order 2 of y and z, 1 of a, λ, ψ",
           "the same without (15) and (16)"),
    Source("soi2", r"001-1-error-.*", "independent", f"{JAY_NEGRUT}, fig. 1",
           "digits from an implementation of its own of (14)-(16), h = 1/160"),
    Source("nonholonomic", r"003-7\.1-order-.*", "printed", f"{JAY}, sec. 7 and Theorem 6.1: order 2",
           "SOI2, ρ∞ = 0.2, between h = 1/160 and 1/320"),
    Source("nonholonomic", r"003-7\.2-order-.*", "printed", f"{JAY}, sec. 7, rolling disk: order 2",
           "SOI2, ρ∞ = 1, f₄ corrected, between h = 1/40 and 1/80"),
    Source("bouncing_pendulum", r"002-6\.1-impact-.*", "independent",
           f"{BRULS}, sec. 6.1, fig. 5; times by DOP853 in the angle", f"{_SWING}, PVA"),
    Source("bouncing_pendulum", r"002-6\.1-(PVA|printed|PVV)-reaction", "exact",
           "weight of the pendulum at rest on its stop", _SWING),
    Source("bouncing_pendulum", r"002-6\.1-(PVA|printed)-(g|gdot|gddot|penetration)", "printed",
           f"{BRULS}, sec. 6.1: constraints hold exactly, no penetration", _SWING),
    Source("bouncing_pendulum", r"002-6\.1-alternating-(PVA|printed|PVV)", "printed",
           f"{BRULS}, sec. 6.1, fig. 8: PVV oscillates for ever, PVA does not", f"{_SWING.replace('0.9', '1')}"),
    Source("flexible_pendulum", r"002-6\.2-.*-contact|002-6\.2-.*-phase", "printed",
           f"{BRULS}, sec. 6.2: first phase of contact [0.327, 0.348] s", "4 elements, h = 5e-6 s, ρ∞ = 0.8"),
    Source("flexible_pendulum", r"002-6\.2-.*-iterations", "printed",
           f"{BRULS}, sec. 6.2: very close to one iteration per step", "4 elements, h = 5e-6 s, ρ∞ = 0.8"),
    Source("bar", r"002-6\.3-.*-solves", "printed", f"{BRULS}, sec. 6.3: 0.80 and 2.94 iterations per step",
           f"{_BAR}, Algorithm 1, residuals below 0.1 N, 1e-5 m, 1e-3 m/s"),
    Source("bar", r"002-6\.3-.*-(contact-begin|contacts|force)", "exact",
           f"{BRULS}, sec. 6.3: the continuous bar touches once, at 0.5 s, with 300 N", _BAR),
    Source("bar", r"002-6\.3-.*-period", "printed", f"{BRULS}, sec. 6.3: the contact stays closed for 2/3 s", _BAR),
    Source("bouncing_ball", r"ball-accumulation", "exact", "sum of a geometric series", "h = 2e-5 s, ρ∞ = 0.9"),
    Source("bouncing_ball", r"ball-energy-.*", "exact", "Newton's law of impact: e² per impact",
           "h = 2e-5 s, ρ∞ = 0.9"),
    Source("cradle", r"cradle-.*-\d", "exact", "Newton's law of impact, e = 1: both contacts at once, or in turn",
           "h = 1e-3 s, ρ∞ = 0.9"),
    Source("test_set", r"andrews-(q|v|lam)-.*", "printed", f"{TEST_SET}, problem andrews", "h = 1e-6 s, ρ∞ = 0.9, PVA"),
    Source("test_set", r"andrews-model-.*", "printed", f"{TEST_SET}, problem andrews; IFToMM A03",
           "as a model of bodies and joints, h = 2e-6 s, ρ∞ = 0.9, PVA"),
    Source("test_set", r"car-.*", "printed", f"{TEST_SET}, problem caraxis", "h = 2e-5 s, ρ∞ = 0.9, PVA"),
    Source("heavy_top", r"top-kynema-.*", "program", "Kynema, verification test dynamic_heavy_top, h = 2e-6 s",
           "h = 1e-5 s, ρ∞ = 0.9, PVA"),
    Source("heavy_top", r"top-(R3xSO3|SE3)-[xyz]", "independent",
           "heavy top of Brüls, Cardona and Arnold 2012; the rotation alone by DOP853 at 1e-13",
           "h = 1e-5 s, ρ∞ = 0.9, PVA"),
    Source("iftomm", r"A01-[xy]", "exact", f"{IFTOMM}, A01; Jacobi's elliptic functions", "h = 1e-4 s, ρ∞ = 0.9, PVA"),
    Source("iftomm", r"A02-0.5-[xy]", "independent", f"{IFTOMM}, A02, N = 2; DOP853 in one angle",
           "h = 1e-4 s, ρ∞ = 0.9, PVA"),
    Source("iftomm", r"A02-10-[xy]", "independent", f"{IFTOMM}, A02, N = 2; DOP853 in one angle",
           "h = 1e-3 s, ρ∞ = 0.9, PVA; after five turns through folded positions"),
    Source("iftomm", r"A04-.*-[xyz]", "independent", f"{IFTOMM}, A04; DOP853 in one coordinate",
           "h = 1e-3 s, ρ∞ = 0.9, PVA; one redundant constraint"),
    Source("iftomm", r"A04-closure", "printed", "Chen, You and Tarnai 2005: cos θ + cos φ + cos θ cos φ = 0",
           "h = 1e-3 s, ρ∞ = 0.9, PVA, 10 s"),
    Source("iftomm", r"A05-.*", "independent", f"{IFTOMM}, A05; DOP853 in three coordinates",
           "h = 1e-4 s, ρ∞ = 0.9, PVA"),
    Source("iftomm", r"A0[12]-energy", "exact", f"{IFTOMM}: energy is conserved", "h = 1e-4 s, ρ∞ = 0.9, PVA"),
    Source("iftomm", r"A02-10-energy|A04-energy", "exact", f"{IFTOMM}: energy is conserved",
           "h = 1e-3 s, ρ∞ = 0.9, PVA"),
    Source("beams", r"beam-circle-.*", "exact", "a moment of 2π EI/L makes a circle", "10 elements, plane and space"),
    Source("beams", r"beam-elastica-.*", "exact", "Bisshopp and Drucker 1945: elliptic integrals", "32 elements"),
    Source("beams", r"beam-bathe-.*", "printed", "Bathe and Bolourchi 1979, 45-degree bend", "8 straight elements"),
    Source("beams", r"beam-simo-.*", "printed", "Simo and Vu-Quoc 1986 (CMAME 58), 45-degree bend, 8 elements",
           "8 straight elements"),
    Source("beams", r"beam-exudyn-.*", "program", "Exudyn, test geometricallyExactBeamCurvedTest, 32 elements",
           "32 straight elements, J = 0.141, shear area 1"),
    Source("beams", r"beam-kynema-.*", "program", "Kynema (one spectral element of 15 nodes) and BeamDyn, curved beam",
           "extrapolated from 32 and 64 straight elements; the axis is a parabola, as in their input"),
    Source("beams", r"beam-frequency-.*", "exact", "Euler-Bernoulli: cos x cosh x = −1", "64 elements, lumped mass"),
    Source("beams", r"spin-up-(lag|rotation|shortening|extension)", "printed",
           "Simo and Vu-Quoc 1988 (CMAME 66), figure 6, as printed in Ansys' verification problem VM258",
           "40 elements, h = 5e-3 s, ρ∞ = 0.8"),
    Source("beams", r"spin-up-exudyn", "program", "Exudyn 1.13.6: 32 planar elements, consistent mass",
           "40 elements, h = 5e-3 s, ρ∞ = 0.8"),
    Source("beams", r"spin-up-rod", "exact", "centrifugal force over EA: ρA Ω² L³/(3 EA)",
           "40 elements, h = 5e-3 s, ρ∞ = 0.8"),
    Source("touching", r"pile-.*|column-.*", "exact", "statics", "h = 1e-3 s, ρ∞ = 0.9, PVA, at rest"),
    Source("touching", r"glancing-.*", "exact", "Newton's law of impact along the line of centres, e = 0.7",
           "h = 2e-5 s, ρ∞ = 0.9, PVA; the impact is not located"),
    Source("rolling", r"coin-.*", "exact", "Routh 1905: steady rolling in a circle", "h = 2e-3 s, ρ∞ = 0.9, PVA"),
    Source("rolling", r"slope-.*", "exact", "g sin α/(1 + J/(m r²))", "h = 1e-3 s, ρ∞ = 0.9, PVA"),
    Source("rolling", r"rattleback-rocking", "exact", "linear theory, tilt of 1e-3 rad", "h = 2e-4 s, ρ∞ = 0.9, PVA"),
    Source("rolling", r"cam-.*", "exact", "the motion is given, forces follow", "h = 1e-3 s, ρ∞ = 0.9, PVA"),
    Source("friction_blocks", r"block-.*|oscillator-.*|belt-.*|turning-.*", "exact", "closed form, Coulomb's law",
           "h = 1e-3 s, ρ∞ = 0.8, PVA"),
    Source("friction_blocks", r"curved-.*|turntable-.*", "independent", "DOP853 at 1e-13 while it slides",
           "h = 1e-3 s, ρ∞ = 0.8, PVA"),
    Source("friction_balls", r"backspin-.*|billiard-.*|ball-(rolls|spins).*", "exact",
           "Coriolis 1835: 1 + m r²/J = 7/2",           "h = 1e-3 s, ρ∞ = 0.8, PVA"),
    Source("friction_balls", r"impact-.*|superball.*", "exact", "Newton's law in both directions within Coulomb's cone",
           "no gravity, PVA"),
    Source("friction_balls", r"ball-stays-.*", "exact", "Capobianco et al. 2021, sec. 10.1; closed form",
           "h = 1e-3 s, ρ∞ = 0.8, PVA; the impact is not located"),
    Source("friction_rods", r"box-.*|ladder-(holds|slides)", "exact", "statics, and constant acceleration",
           "h = 1e-3 s, ρ∞ = 0.8, PVA"),
    Source("friction_rods", r"rocking-rate", "exact", "Housner 1963: 1 − 1.5 sin²α", "h = 5e-4 s, ρ∞ = 0.8, PVA"),
    Source("friction_rods", r"rocking-impacts-.*|painleve-.*", "independent", "DOP853 at 1e-13 from event to event",
           "h = 5e-4 s, ρ∞ = 0.8, PVA; impacts are not located"),
    Source("friction_rods", r"ladder-(angle|rate|leaves-.*)", "independent", "DOP853 at 1e-13 from event to event",
           "h = 1e-3 s, ρ∞ = 0.8, PVA"),
    Source("friction_rods", r"kane-.*", "exact", "Newton's law with friction, which gains energy",
           "one step of 1e-6 s"),
    Source("friction_piles", r"pile-.*|hold-(between|floor|belt)-.*|belt-ratio", "exact",
           "statics: tan 15° and tan 15°/3; Euler and Eytelwein's law for links",
           "`ga.holds`, and h = 2e-3 s, ρ∞ = 0.8, PVA"),
    Source("friction_piles", r"hold-three-rows-.*", "independent", "least coefficient by nonnegative least squares",
           "`ga.holds`, and h = 2e-3 s, ρ∞ = 0.8, PVA"),
    Source("friction_toys", r"woodpecker-.*|slider-.*|tippe-.*", "independent", "DOP853 at 1e-13 from event to event",
           "woodpecker h = 1e-5 s, slider 1e-6 s, tippe top 1e-4 s; ρ∞ = 0.8, PVA"),
    Source("friction_orders", r"order-friction-.*", "independent", "closed forms and DOP853 at 1e-13: order 2",
           "four halvings, ρ∞ = 0.8, PVA; fits to the three smallest steps"),
    Source("stability", r"bicycle-(0|5)-.*|bicycle-(weave|capsize)", "printed", f"{MEIJAARD}, table 2 and sec. 5",
           "`linearize` about straight rolling; four bodies, three hinges, two wheels that roll"),
    Source("stability", r"bicycle-all-.*", "printed", f"{MEIJAARD}, matrices (5.4), whose eigenvalues are taken",
           "the same"),
    Source("stability", r"whirl-.*", "exact", "a disk on a shaft without mass: (k₁₁ − mω²)(k₂₂ − Aω² + CΩω) = k₁₂²",
           "`linearize`, axes that do not turn"),
)  # fmt: skip
"""In the order of the table. Rows that match none of them are requirements of ours."""
