"""A forging hammer on a foundation: what does the ground feel of its blow?"""

import numpy as np

import genalpha as ga

HAMMER, BLOCK, HEIGHT, BOUNCE = 500.0, 20_000.0, 1.0, 0.4  # kg, kg, m, coefficient of restitution
STIFFNESS, DAMPING = 2e7, 1e5  # of the soil: N/m, N s/m

model = ga.Model("hammer", planar=True, gravity=(0.0, -9.81))
block = model.add(ga.RigidBody("foundation", mass=BLOCK, shape=ga.Box((2.0, 1.0, 2.0)), position=(0.0, -0.5)))
ram = model.add(ga.RigidBody("hammer", mass=HAMMER, shape=ga.Box((0.4, 0.6, 0.4)), position=(0, HEIGHT + 0.3)))
model.add(ga.Prismatic("guide", model.ground, ram, at=(0.0, HEIGHT), axis=(0.0, 1.0)))
model.add(ga.Prismatic("pit", model.ground, block, at=(0.0, -0.5), axis=(0.0, 1.0)))
sag = BLOCK * 9.81 / STIFFNESS  # the block stands at rest before the blow
soil = {"stiffness": STIFFNESS, "damping": DAMPING, "length": 0.5 + sag, "at_a": (0.0, -1.5), "at_b": (0.0, -1.0)}
model.add(ga.SpringDamper("soil", model.ground, block, **soil))
top = ga.Plane((0.0, 0.0), (0.0, 1.0), body=block)
model.add(ga.Contact("anvil", ram, top, restitution=BOUNCE, at=(0.0, HEIGHT)))

sol = ga.solve(model, (0.0, 2.0), h=2e-4)
hit = np.searchsorted(sol.t, sol["anvil"].impacts.time[0])
speed = -sol["foundation"].velocity[hit, 1]
theory = (1.0 + BOUNCE) * HAMMER / (HAMMER + BLOCK) * np.sqrt(2.0 * 9.81 * HEIGHT)
print(f"the blow moves the foundation at {speed:.4f} m/s, theory {theory:.4f} m/s")
print(f"the ground feels up to {-sol['soil'].tension.min() / 1e3:.0f} kN, at rest {BLOCK * 9.81 / 1e3:.0f} kN")
sol.save_html("hammer.html")
