"""Families, ranges, relations and tolerances of the fuzzer: all of them are here.

A family is never removed, and no range narrowed or tolerance widened, because models fail: failures are counted by
family and kind, and mended. What a tolerance allows for is said beside it.
"""

# ---------------------------------------------------------------- families: name, weight, what is random

FAMILIES = {
    "tree": (16, "spatial trees on R3xSO3 and SE3, point masses, all joints, springs, loads"),
    "loop": (10, "spatial and planar closed loops, also with redundant rows (parallelograms, doubled joints)"),
    "planar": (10, "planar trees and loops"),
    "geared": (10, "gears, couplings, drives, motors, torsion springs, bushings"),
    "user": (6, "forces, torques, motors and drives that are functions, plain and compiled"),
    "flexible": (8, "beams and bars in space and in a plane, with bodies and joints"),
    "rolling": (8, "spheres, disks, ellipsoids that roll; knife edges"),
    "contact": (12, "balls, boxes, capsules, points; on joints too; stacks, wedges, seesaws, bearings"),
    "crowd": (4, "contact groups, small and large"),
    "functions": (8, "systems of NumPy functions, with g, k, gap, time, nonsymmetric M"),
    "compiled": (5, "the same functions, marked with evaluator"),
    "symbolic": (3, "SymPy Lagrangians"),
    # weight 0, so that models of a seed stay what they are: python -m fuzz --family friction
    "friction": (0, "boxes, rods, discs, stacks, balls with Coulomb friction; dry friction; belts, shaken floors"),
}  # fmt: skip

# ---------------------------------------------------------------- ranges, in SI units

LENGTH = (0.1, 2.0)  # distances between neighbours, m
MASS = (0.05, 50.0)  # kg, logarithmic
SLENDER = (1e-3, 0.3)  # radius of gyration squared over length squared, logarithmic
SPEED = (0.0, 5.0)  # m/s
SPIN = (0.0, 20.0)  # rad/s
FREQUENCY = (0.5, 80.0)  # rad/s, of springs with the mass they hold, logarithmic
DAMPING = (0.0, 0.5)  # of the critical one
STEPS = (20, 120)
H = (1e-2, 5e-3, 2e-3, 1e-3, 1e-3, 5e-4, 2e-4, 1e-4)  # s
BODIES = (1, 6)
CROWD = (3, 14)  # bodies of a contact group; from 10 on pairs come and go
ELEMENTS = (1, 6)
RTOL = (1e-5, 1e-3)  # of error control, logarithmic
RHO_INF = (0.0, 0.5, 0.8, 0.9, 1.0)
RESTITUTION = (0.0, 0.0, 0.3, 0.7, 0.9, 1.0)

# kilogram, metre and second in other units; the last column is for systems that nobody uses but everybody may
UNITS = {
    "mm-t-s": (1e-3, 1e3, 1.0),
    "mm-kg-ms": (1.0, 1e3, 1e3),
    "cm-g-s": (1e3, 1e2, 1.0),
    "in-lbf-s": (1.0 / 175.126835, 1.0 / 0.0254, 1.0),
    "ft-slug-s": (1.0 / 14.593903, 1.0 / 0.3048, 1.0),
    "um-ng-us": (1e12, 1e6, 1e6),
    "km-kt-h": (1e-6, 1e-3, 1.0 / 3600.0),
    "powers of two": (2.0**-7, 2.0**9, 2.0**4),
    "small": (1e6, 1e-6, 1.0),
    "large": (1e-6, 1e6, 1.0),
}

# ---------------------------------------------------------------- relations: weight, what must hold

RELATIONS = {
    "units": (25, "the same model in other units moves alike"),
    "frame": (12, "turned and shifted as a whole"),
    "order": (9, "parts added in another order"),
    "shift": (7, "everything a few seconds later"),
    "formulation": (12, "another formulation or method converges to the same motion"),
    "variant": (8, "the other group, or map of rotations, converges to the same motion"),
    "smaller": (10, "h/2 and h/4: differences fall, the drift of the energy too"),
    "file": (7, "saved and loaded, and stopped and resumed: the same bits"),
    "door": (5, "interpreted and compiled runs agree"),
    "control": (7, "error control follows a run with small steps"),
}

FRICTION = {
    "units": (3, "the same scene in other units moves alike"),
    "turn": (2, "turned as a whole"),
    "shift": (1, "everything later"),
    "order": (2, "contacts in another order"),
    "file": (1, "stopped and resumed: the same bits"),
    "smaller": (3, "h/2, h/4, h/8: differences fall, or are small"),
}
"""Relations of scenes with friction."""

# ---------------------------------------------------------------- tolerances

SAME = 1e-7
"""Of positions over the extent of the motion, and of rotations: two runs that differ by round-off and by where Newton's
iteration stops (1e-10 of the velocities in every step, 120 steps, sensitive mechanisms)."""

SAME_VELOCITY = 1e-5
"""Of velocities over the largest: the same, one power of h less."""

SAME_REACTION = 1e-4
"""Of forces over the largest of all, where they are unique: the same, two powers of h less."""

CONTACT = 1e-5
"""Instead of SAME for runs with contacts: an impact passes round-off on with its condition number. Two runs may
differ in the step in which a contact closes; they are then compared up to that step."""

ROUND_OFF = 1e-14
"""Of the velocities at t0: what round-off gives to a motion, some units in the last place in each of a hundred steps.
Two runs may differ by as much as this makes of a run, where that is more than the tolerances above: stacks of balls
that buckle leave their unstable equilibrium by round-off alone, which grows 1e9-fold and more."""

FALLS = 0.6
"""Differences between two step sizes, or between two methods, fall at least by this when steps are halved: 0.25 is
second order; first order, 0.5, is what λ of P and runs with changing sets have."""

HALVINGS = 6
"""Steps are halved so often at most until differences fall: vibrations of beams need up to 64 times as many."""

FLOOR = 2e-6
"""Differences below this part of the extent are not asked to fall: round-off, and errors that are small by accident."""

FAR = 0.02
"""Differences above this part of the extent are not asked to fall: steps are too long for the motion to be resolved."""

G = 1e-9
"""|g| over Σ |G| · (extent or 1): round-off of coordinates, of the sums of a row, and Newton's tolerance."""

GDOT = 1e-8
"""|ġ| and |k| over Σ |G| · (largest velocity or spin)."""

BALANCE = 1e-6
"""Newton and Euler for every body: what is missing over the sum of all forces on it and its inertia; Newton's iteration
leaves tol · v/h of the accelerations."""

NEWTON = 1e-9
"""The same over m · (largest velocity)/h."""

GAP = 1e-9
"""Penetration over the extent."""

PULL = 1e-8
"""Negative contact forces over the largest."""

OPEN = 1e-6
"""A gap wider than this part of the extent has no force (over PULL)."""

RISE = 1e-6
"""The energy with all that impacts have taken never exceeds that at t0 by more than this part of the largest energy,
and for every impact the weight · velocity · h that a late impact is worth, theory, or on SE(3) the same of m Ω × v; of
free bodies without forces round-off."""

DRIFT = 0.3
"""A rise of the energy that falls at least by this when steps are halved is of second order, 0.25: the drift of the
smooth motion, which no impact has made. What impacts do is of first order, 0.5."""

CONTROL = 30.0
"""Error of a run with error control over rtol^(2/3) and the extent: the constant of the method is about 1."""

CONE = 1e-9
"""Friction force over the cone, of the largest force; work of friction against its slip; slip of what sticks over the
largest velocity: laws that hold to round-off in every step."""

SLIP_LAW = 1e-7
"""What the force of a contact that slides misses -mu N s/|s| by, over the largest force: Newton's tolerance over h."""

MEAN_CONE = 0.02
"""The same of mean forces of a step, over the cone: the jump rule misses it by O(h²)."""

SLIDES_ALIKE = 1e-6
"""Of places over the extent, instead of CONTACT: up to the step in which one run sticks and the other does not."""

SECONDS = 60.0
"""A model that takes longer hangs."""
