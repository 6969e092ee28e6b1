"""A rod on a ball joint: a model in space, its motion, and the force in the joint."""

import numpy as np

import genalpha as ga

model = ga.Model("pendulum", gravity=(0.0, 0.0, -9.81))
rod = model.add(
    ga.RigidBody(
        "rod",
        shape=ga.Box((0.2, 0.04, 0.04)),
        density=1000.0,
        position=(0.1, 0.0, 0.0),
        velocity=(0.0, 0.1, 0.0),
        angular_velocity=(0.0, 0.0, 1.0),
    )
)
model.add(ga.Spherical("ball", model.ground, rod, at=(0.0, 0.0, 0.0)))

print(model.assemble())
sol = ga.solve(model, (0.0, 2.0), h=1e-3)

height = sol["rod"].position[:, 2]
energy = sol.energy.sum(axis=1)
print(f"lowest point    {height.min():.4f} m at t = {sol.t[height.argmin()]:.3f} s")
print(f"largest force   {np.linalg.norm(sol['ball'].force, axis=1).max():.3f} N, weight {9.81 * rod.mass_used:.3f} N")
print(f"energy          drift {np.abs(energy - energy[0]).max():.1e} J of {np.abs(sol.energy).max():.3f} J")
print(f"constraints     |g| {sol.stats.max_g:.0e}, |ġ| {sol.stats.max_gdot:.0e}, |g̈| {sol.stats.max_gddot:.0e}")
