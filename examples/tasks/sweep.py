"""A sweep: the largest force of a spring that catches a falling mass, for thirty stiffnesses."""

import matplotlib.pyplot as plt
import numpy as np

import genalpha as ga

MASS, SPEED = 2.0, 3.0  # kg; m/s at which it falls onto the spring


def catch(stiffness):
    model = ga.Model("catch", planar=True, gravity=(0.0, -9.81))
    mass = ga.RigidBody(
        "mass", shape=ga.Box((0.2, 0.1, 0.1)), density=MASS / 2e-3, position=(0, 0.5), velocity=(0, -SPEED)
    )
    model.add(mass)
    model.add(ga.Prismatic("guide", model.ground, mass, at=(0.0, 0.5), axis=(0.0, 1.0)))
    model.add(ga.SpringDamper("spring", model.ground, mass, stiffness=stiffness))
    return ga.solve(model, (0.0, 1.0), h=5e-4)


stiffnesses = np.linspace(500.0, 5000.0, 30)
runs = [catch(k) for k in stiffnesses]
forces = np.array([-sol["spring"].tension.min() for sol in runs])
theory = MASS * 9.81 + np.sqrt((MASS * 9.81) ** 2 + stiffnesses * MASS * SPEED**2)
print(f"largest error of {len(runs)} runs {np.abs(forces / theory - 1.0).max():.1e}")
sol = runs[0]
sol.save_html("sweep.html")
plt.plot(stiffnesses, forces, "o", stiffnesses, theory)
plt.savefig("sweep.png")
