"""A slider-crank whose connecting rod bends: how far from the straight line between its ends?"""

import numpy as np

import genalpha as ga


@ga.evaluator
def turn(t):
    return 60.0 * (0.5 * t - 0.05 * np.sin(10.0 * np.pi * t) / np.pi if t < 0.1 else t - 0.05)  # up to 60 rad/s


model = ga.Model("flexible rod", planar=True)
crank = model.add(ga.RigidBody("crank", shape=ga.Box((0.15, 0.03, 0.02)), density=7800.0, position=(0.075, 0.0)))
piston = model.add(ga.RigidBody("piston", shape=ga.Box((0.1, 0.08, 0.08)), density=1000.0, position=(0.65, 0.0)))
strip, steel = ga.Section.rectangle(height=0.006, width=0.02), ga.Material(E=2.1e11, density=7800.0)
numbers = {"elements": 16, "section": strip, "material": steel, "viscosity": 1e-5}
rod = model.add(ga.Beam("rod", (0.15, 0.0), (0.65, 0.0), **numbers))
axle = model.add(ga.Revolute("axle", model.ground, crank, at=(0.0, 0.0)))
model.add(ga.Revolute("big end", crank, rod.nodes[0], at=(0.15, 0.0)))
model.add(ga.Revolute("small end", rod.nodes[-1], piston, at=(0.65, 0.0)))
model.add(ga.Prismatic("cylinder", model.ground, piston, at=(0.65, 0.0), axis=(1.0, 0.0)))
model.add(ga.Drive("motor", axle, turn))

sol = ga.solve(model, (0.0, 0.4), method=ga.GeneralizedAlpha(rho_inf=0.8), h=5e-5)
nodes = sol["rod"].position
bow = np.cross(nodes[:, -1] - nodes[:, 0], nodes[:, 8] - nodes[:, 0])[:, 2] / 0.5
print(f"the middle of the rod bends by up to {1e3 * np.abs(bow).max():.3f} mm")
sol.save_html("flexible_rod.html")
