"""A crane with a cable: its trolley starts, and the load swings."""

import numpy as np

import genalpha as ga

ACCELERATION, LENGTH = 1.0, 4.0  # m/s², m


@ga.evaluator
def start(t):
    return 0.5 * ACCELERATION * t**2


model = ga.Model("crane", planar=True, gravity=(0.0, -9.81))
trolley = model.add(ga.RigidBody("trolley", shape=ga.Box((0.6, 0.2, 0.4)), density=2000.0, position=(0.0, 0.0)))
rail = model.add(ga.Prismatic("rail", model.ground, trolley, at=(0.0, 0.0), axis=(1.0, 0.0)))
model.add(ga.Drive("drive", rail, start))
load = model.add(ga.PointMass("load", mass=500.0, position=(0.0, -LENGTH), shape=ga.Sphere(0.25)))
steel, rope = ga.Material(E=1e11, density=7800.0), ga.Section.circle(0.005)
cable = model.add(ga.Bar("cable", (0.0, 0.0), (0.0, -LENGTH), elements=8, section=rope, material=steel))
model.add(ga.Revolute("hook", cable.nodes[-1], load, at=(0.0, -LENGTH)))
model.add(ga.Revolute("drum", trolley, cable.nodes[0], at=(0.0, 0.0)))

sol = ga.solve(model, (0.0, 6.0), h=1e-3)
x, y, _ = (sol["load"].position - sol["trolley"].position).T
swing = np.degrees(np.arctan2(-x, -y).max())
print(f"the load swings back by {swing:.2f}°, theory {2.0 * np.degrees(np.arctan(ACCELERATION / 9.81)):.2f}°")
sol.save_html("crane.html")
