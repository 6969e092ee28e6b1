"""The models of `benchmarks.rigid` in Exudyn, and its fastest settings.

Exudyn is used as its documentation says: the module without range checks, modified Newton, rotation vectors with the
simplified kinematics of its Lie group solver, a sparse solver for more than a few bodies, one thread, no output.
"""

import contextlib
import io
import os
import sys
import time

import numpy as np

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.exudynFast = True
with contextlib.redirect_stdout(io.StringIO()):
    import exudyn as exu
    from exudyn.itemInterface import (
        Force,
        MarkerBodyPosition,
        NodeRigidBody2D,
        ObjectGround,
        RevoluteJoint2D,
        RigidBody2D,
    )
    from exudyn.utilities import InertiaCuboid

VERSION = exu.__version__
TOLERANCES = (1e-8, 1e-6, 1e-5, 1e-4)


def chain(n, length=0.2, width=0.04, density=1000.0, gravity=9.81, spin=1.0):
    """n rods on ball joints, along x, turning about z."""
    container = exu.SystemContainer()
    system = container.AddSystem()
    before = system.CreateGround(referencePosition=[0, 0, 0])
    body, omega = None, np.array([0.0, 0.0, spin])
    for i in range(n):
        x = np.array([(i + 0.5) * length, 0.0, 0.0])
        body = system.CreateRigidBody(
            referencePosition=x, inertia=InertiaCuboid(density=density, sideLengths=[length, width, width]),
            gravity=[0, 0, -gravity], initialVelocity=np.cross(omega, x), initialAngularVelocity=omega,
            nodeType=exu.NodeType.RotationRotationVector, returnDict=True,
        )["bodyNumber"]  # fmt: skip
        system.CreateSphericalJoint(bodyNumbers=[before, body], position=[i * length, 0, 0], show=False)
        before = body
    system.Assemble()
    return container, system, lambda: system.GetObjectOutputBody(body, exu.OutputVariableType.Position, [0, 0, 0])


def four_bar(n, length=1.0, mass=1.0, gravity=9.81, spin=-1.0):
    """n loops of planar four-bars."""
    container = exu.SystemContainer()
    system = container.AddSystem()
    ground = system.AddObject(ObjectGround())

    def body(x, y, angle, v, omega):
        node = system.AddNode(NodeRigidBody2D(referenceCoordinates=[x, y, angle], initialVelocities=[v, 0, omega]))
        number = system.AddObject(
            RigidBody2D(physicsMass=mass, physicsInertia=mass * length**2 / 12, nodeNumber=node)
        )  # fmt: skip
        marker = system.AddMarker(MarkerBodyPosition(bodyNumber=number))
        system.AddLoad(Force(markerNumber=marker, loadVector=[0, -mass * gravity, 0]))
        return number

    def joint(a, on_a, b, on_b):
        markers = [
            system.AddMarker(MarkerBodyPosition(bodyNumber=k, localPosition=[*s, 0])) for k, s in ((a, on_a), (b, on_b))
        ]
        system.AddObject(RevoluteJoint2D(markerNumbers=markers))

    half = length / 2
    cranks = [body(i * length, half, np.pi / 2, -spin * half, spin) for i in range(n + 1)]
    bars = [body(i * length + half, length, 0.0, -spin * length, 0.0) for i in range(n)]
    for i, crank in enumerate(cranks):
        joint(ground, (i * length, 0), crank, (-half, 0))
    for i, bar in enumerate(bars):
        joint(cranks[i], (half, 0), bar, (-half, 0))
        joint(cranks[i + 1], (half, 0), bar, (half, 0))
    system.Assemble()
    return container, system, lambda: system.GetObjectOutputBody(
        bars[-1], exu.OutputVariableType.Position, [0, 0, 0]
    )  # fmt: skip


def settings(n_steps, h, rho_inf, tolerance, sparse):
    """Generalized-α with index-3 constraints, with as little else as Exudyn can be asked to do."""
    s = exu.SimulationSettings()
    t = s.timeIntegration
    t.numberOfSteps, t.endTime, t.verboseMode, t.stepInformation = n_steps, n_steps * h, 0, 0
    t.adaptiveStep = t.automaticStepSize = False
    t.generalizedAlpha.spectralRadius = rho_inf
    t.generalizedAlpha.lieGroupSimplifiedKinematicRelations = True
    t.generalizedAlpha.lieGroupAddTangentOperator = False
    t.newton.useModifiedNewton, t.newton.modifiedNewtonContractivity = True, 0.5
    t.newton.relativeTolerance, t.newton.absoluteTolerance = tolerance, 1e-2 * tolerance
    s.solution.file.write = False
    s.displayComputationTime = s.displayStatistics = s.displayGlobalTimers = False
    s.parallel.numberOfThreads = 1
    s.linearSolver.solverType = exu.LinearSolverType.EigenSparse if sparse else exu.LinearSolverType.EXUdense
    s.linearSolver.reuseAnalyzedPattern = True
    return s


def run(build, n_steps, h, rho_inf, tolerance, sparse):
    """(seconds of CPU time, where the last body is)."""
    container, system, place = build()
    options = settings(n_steps, h, rho_inf, tolerance, sparse)
    begin = time.process_time()
    system.SolveDynamic(options, showHints=False)
    elapsed = time.process_time() - begin
    position = np.array(place())
    del container
    return elapsed, position
