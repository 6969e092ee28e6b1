"""The models of `benchmarks.beams` in Exudyn: geometrically exact elements of two nodes.

In space Euler parameters are used, which are faster there than its nodes with rotation vectors, and converge further.
"""

from itertools import pairwise

import numpy as np

from benchmarks.beams import GRAVITY, LENGTH, RHO, RUBBER, SECTION
from benchmarks.peer import exu

from exudyn.itemInterface import (  # isort: skip
    CoordinateConstraint,
    Gravity,
    MarkerBodyMass,
    MarkerNodeCoordinate,
    NodePointGround,
    NodeRigidBody2D,
    NodeRigidBodyEP,
    ObjectBeamGeometricallyExact,
    ObjectBeamGeometricallyExact2D,
)

RIGIDITY = SECTION.of(RUBBER)


def planar(n):
    """n elements along x, with the first node on a pin."""
    container = exu.SystemContainer()
    system = container.AddSystem()
    nodes = [system.AddNode(NodeRigidBody2D(referenceCoordinates=[i * LENGTH / n, 0, 0])) for i in range(n + 1)]
    for pair in pairwise(nodes):
        element = system.AddObject(
            ObjectBeamGeometricallyExact2D(
                nodeNumbers=list(pair), physicsLength=LENGTH / n, physicsMassPerLength=RIGIDITY.mass,
                physicsCrossSectionInertia=RHO * SECTION.Iz, physicsBendingStiffness=RIGIDITY.pair("EI")[1],
                physicsAxialStiffness=RIGIDITY.EA, physicsShearStiffness=RIGIDITY.pair("GA")[0],
            )
        )  # fmt: skip
        weigh(system, element, [0, -GRAVITY, 0])
    return held(container, system, nodes, 2)


def spatial(n):
    """The same in space, on a ball joint."""
    container = exu.SystemContainer()
    system = container.AddSystem()
    section = exu.BeamSection()
    section.stiffnessMatrix = np.diag([RIGIDITY.EA, *RIGIDITY.pair("GA"), RIGIDITY.GJ, *RIGIDITY.pair("EI")])
    section.inertia = RHO * np.diag([SECTION.Iy + SECTION.Iz, SECTION.Iy, SECTION.Iz])
    section.massPerLength = RIGIDITY.mass
    nodes = [
        system.AddNode(NodeRigidBodyEP(referenceCoordinates=[i * LENGTH / n, 0, 0, 1, 0, 0, 0])) for i in range(n + 1)
    ]
    for pair in pairwise(nodes):
        element = system.AddObject(
            ObjectBeamGeometricallyExact(nodeNumbers=list(pair), length=LENGTH / n, sectionData=section)
        )  # fmt: skip
        weigh(system, element, [0, 0, -GRAVITY])
    return held(container, system, nodes, 3)


def weigh(system, element, gravity):
    """The weight of an element."""
    marker = system.AddMarker(MarkerBodyMass(bodyNumber=element))
    system.AddLoad(Gravity(markerNumber=marker, loadVector=gravity))


def held(container, system, nodes, dimension):
    """Hold the first node, and say where the last one is."""
    ground = system.AddMarker(MarkerNodeCoordinate(nodeNumber=system.AddNode(NodePointGround()), coordinate=0))
    for coordinate in range(dimension):
        marker = system.AddMarker(MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=coordinate))
        system.AddObject(CoordinateConstraint(markerNumbers=[ground, marker]))
    system.Assemble()
    return container, system, lambda: system.GetNodeOutput(nodes[-1], exu.OutputVariableType.Position)
