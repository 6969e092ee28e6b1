"""A cart with two wheels rolls down a slope and does not slip."""

import numpy as np

import genalpha as ga

SLOPE, RADIUS, TIME = np.radians(10.0), 0.15, 2.0
along, normal = np.array([np.cos(SLOPE), -np.sin(SLOPE)]), np.array([np.sin(SLOPE), np.cos(SLOPE)])

model = ga.Model("cart", planar=True, gravity=(0.0, -9.81))
box = ga.RigidBody("box", shape=ga.Box((1.0, 0.3, 0.5)), density=300.0, position=0.35 * normal, orientation=-SLOPE)
cart = model.add(box)
for name, place in (("rear", -0.35), ("front", 0.35)):
    axle = place * along + RADIUS * normal
    wheel = model.add(ga.RigidBody(f"{name} wheel", shape=ga.Cylinder(RADIUS, 0.6), density=500.0, position=axle))
    model.add(ga.Revolute(f"{name} axle", cart, wheel, at=axle))
    model.add(ga.RollingDisk(f"{name} tyre", model.ground, wheel, radius=RADIUS, normal=normal))

sol = ga.solve(model, (0.0, TIME), h=1e-3)
way = (sol["box"].position[-1, :2] - box.position) @ along
mass = box.mass_used + 2.0 * wheel.mass_used
theory = 0.5 * mass * 9.81 * np.sin(SLOPE) / (mass + wheel.mass_used) * TIME**2  # two wheels of m r²/2
print(f"after {TIME:g} s the cart has rolled {way:.5f} m, theory {theory:.5f} m")
sol.save_html("cart.html")
