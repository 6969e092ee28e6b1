"""A hopper: a body on a springy leg jumps from a crouch, and lands on a floor that does not bounce."""

import numpy as np

import genalpha as ga

BODY, FOOT, STIFFNESS, CROUCH, GRAVITY = 8.0, 2.0, 4000.0, 0.15, 9.81  # kg, kg, N/m, m, m/s²

model = ga.Model("hopper", planar=True, gravity=(0.0, -GRAVITY))
body = model.add(ga.RigidBody("body", mass=BODY, shape=ga.Box((0.3, 0.2, 0.2)), position=(0.0, 0.55)))
foot = model.add(ga.RigidBody("foot", mass=FOOT, shape=ga.Sphere(0.05), position=(0.0, 0.05)))
model.add(ga.Prismatic("mast", model.ground, body, at=(0.0, 0.55), axis=(0.0, 1.0)))
model.add(ga.Prismatic("leg", body, foot, at=(0.0, 0.05), axis=(0.0, 1.0)))
model.add(ga.SpringDamper("spring", body, foot, stiffness=STIFFNESS, length=0.5 + CROUCH))
model.add(ga.Contact("floor", foot, ga.Plane((0.0, 0.0), (0.0, 1.0))))

sol = ga.solve(model, (0.0, 2.0), h=2e-4)
centre = (BODY * sol["body"].position[:, 1] + FOOT * sol["foot"].position[:, 1]) / (BODY + FOOT)
# the foot leaves the floor when the spring pulls as much as it weighs
stretch = FOOT * GRAVITY / STIFFNESS
rise = CROUCH + stretch
energy = 0.5 * STIFFNESS * (CROUCH**2 - stretch**2) - BODY * GRAVITY * rise  # of the body, in that moment
speed = np.sqrt(2.0 * energy / BODY) * BODY / (BODY + FOOT)
theory = centre[0] + BODY / (BODY + FOOT) * rise + speed**2 / (2.0 * GRAVITY)
print(f"its centre of mass rises to {centre.max():.4f} m, theory {theory:.4f} m")
sol.save_html("hopper.html")
