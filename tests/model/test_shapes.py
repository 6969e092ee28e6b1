"""Shapes: volumes and inertias against closed forms, and against one another."""

import numpy as np
import pytest

import genalpha as ga

CUBE = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
FACES = [
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
    (1, 5, 7), (1, 7, 3),
]  # fmt: skip


def test_box():
    a, b, c = 0.2, 0.4, 0.1
    box = ga.Box((a, b, c))
    assert box.volume == pytest.approx(a * b * c)
    assert box.inertia == pytest.approx(box.volume / 12.0 * np.diag([b**2 + c**2, a**2 + c**2, a**2 + b**2]))


def test_sphere():
    assert ga.Sphere(0.3).inertia == pytest.approx(0.4 * 0.3**2 * ga.Sphere(0.3).volume * np.eye(3))


def test_cylinder():
    r, l, rod = 0.3, 1.2, ga.Cylinder(0.3, 1.2)
    side = rod.volume * (3 * r**2 + l**2) / 12.0
    assert rod.inertia == pytest.approx(np.diag([side, side, 0.5 * rod.volume * r**2]))


def test_cone():
    r, l, cone = 0.3, 1.2, ga.Cone(0.3, 1.2)
    side = cone.volume * (3.0 / 20.0 * r**2 + 3.0 / 80.0 * l**2)
    assert cone.volume == pytest.approx(np.pi * r**2 * l / 3.0)
    assert cone.inertia == pytest.approx(np.diag([side, side, 0.3 * cone.volume * r**2]))


@pytest.mark.parametrize("shape", [ga.Capsule(0.3, 1.2), ga.Cone(0.3, 1.2), ga.Sphere(0.5), ga.Cylinder(0.2, 0.7)])
def test_solids_of_revolution_by_quadrature(shape):
    """Slices along z: discs of radius r(z)."""
    if isinstance(shape, ga.Cone):
        low, high = -0.25 * shape.length, 0.75 * shape.length
        radius = lambda z: shape.radius * (high - z) / shape.length  # noqa: E731
    elif isinstance(shape, ga.Sphere):
        low, high = -shape.radius, shape.radius
        radius = lambda z: np.sqrt(np.maximum(shape.radius**2 - z**2, 0.0))  # noqa: E731
    else:
        half, r = 0.5 * shape.length, shape.radius
        high = half + r if isinstance(shape, ga.Capsule) else half
        low = -high
        radius = lambda z: np.sqrt(np.maximum(r**2 - np.maximum(np.abs(z) - half, 0.0) ** 2, 0.0))  # noqa: E731
    edges = np.linspace(low, high, 200_001)
    z, dz = 0.5 * (edges[1:] + edges[:-1]), edges[1] - edges[0]
    area = np.pi * radius(z) ** 2
    along, side = np.sum(area * z**2) * dz, np.sum(0.25 * area * radius(z) ** 2) * dz
    assert shape.volume == pytest.approx(np.sum(area) * dz, rel=1e-8)
    assert shape.second_moments == pytest.approx(np.diag([side, side, along]), rel=1e-7)
    assert np.sum(area * z) * dz == pytest.approx(0.0, abs=1e-7)


def test_mesh_is_box():
    """Scaled and moved; the origin becomes the centre of mass."""
    size, corner = np.array([0.2, 0.4, 0.1]), np.array([3.0, -1.0, 0.5])
    mesh, box = ga.Mesh(corner + size * np.array(CUBE), FACES), ga.Box(tuple(size))
    assert mesh.volume == pytest.approx(box.volume)
    assert mesh.offset == pytest.approx(corner + 0.5 * size)
    assert mesh.inertia == pytest.approx(box.inertia, abs=1e-15)
    turned = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    other = ga.Mesh(size * np.array(CUBE) @ turned.T, FACES)
    assert other.inertia == pytest.approx(turned @ box.inertia @ turned.T, abs=1e-15)


def test_inside_out():
    with pytest.raises(ga.InputError, match=r"Mesh: its volume is -1; turn the order of the vertices"):
        ga.Mesh(CUBE, np.array(FACES)[:, ::-1])
    with pytest.raises(ga.InputError, match=r"Mesh: 3 edges do not belong to two faces; it must be closed"):
        ga.Mesh(CUBE, FACES[1:])
    with pytest.raises(ga.InputError, match=r"faces name the vertices 0 to 9 of 8"):
        ga.Mesh(CUBE, [*FACES[1:], (0, 1, 9)])


@pytest.mark.parametrize("make", [lambda: ga.Sphere(0.0), lambda: ga.Box((1, -1, 1)), lambda: ga.Cone(1.0, np.nan)])
def test_sizes_must_be_positive(make):
    with pytest.raises(ga.InputError, match="must be positive"):
        make()


def test_density():
    body = ga.RigidBody("ball", shape=ga.Sphere(0.1), density=1000.0)
    assert body.mass_used == pytest.approx(4.0 / 3.0 * np.pi)
    assert body.inertia_used(planar=False) == pytest.approx(1000.0 * ga.Sphere(0.1).inertia)
    assert body.inertia_used(planar=True) == pytest.approx(1000.0 * ga.Sphere(0.1).inertia[2:, 2:])
