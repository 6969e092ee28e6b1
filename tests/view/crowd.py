"""A scene with many bodies that move smoothly, without a system behind it."""

import numpy as np

from genalpha.model.parts.shapes import Box, Capsule, Cylinder, Sphere
from genalpha.view.scene import Scene
from genalpha.view.tracks import BodyTrack, ContactTrack, Quantity, Tracks

SHAPES = (Box(size=(0.3, 0.2, 0.1)), Sphere(radius=0.12), Cylinder(radius=0.1, length=0.3), Capsule(0.06, 0.3))


def crowd(n: int, frames: int) -> Scene:
    """Bodies on a lattice that swing and tumble; body 0 hits the floor at t = 3 s."""
    rng = np.random.default_rng(7)
    t = np.linspace(0.0, 10.0, frames)
    side = int(np.ceil(n ** (1 / 3)))
    bodies = []
    for i in range(n):
        home = 0.8 * np.array([i % side, i // side % side, i // side**2])
        rate, phase = rng.uniform(0.5, 2.0, 3), rng.uniform(0.0, 6.0, 3)
        axis = rng.normal(size=3)
        half = 0.5 * rng.uniform(-2.0, 2.0) * t
        turn = np.column_stack([np.cos(half), np.outer(np.sin(half), axis / np.linalg.norm(axis))])
        place = home + 0.3 * np.sin(np.outer(t, rate) + phase)
        bodies.append(BodyTrack(f"body {i}", SHAPES[i % 4], place, turn, trace=i < 3))
    down = np.tile([0.0, 0.0, 1.0], (frames, 1))
    tracks = Tracks(bodies, [], [ContactTrack(0, bodies[0].position, down)], (0.0, 0.0, 1.0), (1.0, -1.4, 0.7))
    hit = {"time": [3.0], "contact": [0], "impulse": [2.0], "approach": [-1.0], "departure": [0.5]}
    curves = [Quantity("height", "height", bodies[0].position[:, 2])]
    return Scene(
        title=f"{n} bodies",
        subtitle="a crowd",
        label="",
        time=t,
        tracks=tracks,
        force=np.where(t > 8.0, 1.0, 0.0)[:, None],
        plot_time=t,
        quantities=curves,
        contacts=[("floor", [(8.0, 10.0)])],
        impacts=hit,
        plots=("height",),
        message="",
    )
