"""A gearbox of two stages: how fast does its motor spin up a drum?"""

import genalpha as ga

TORQUE, TEETH = 2.0, (20, 60, 25, 100)  # N m of the motor; of the four gears
radii = [0.001 * teeth for teeth in TEETH]  # m
gears = {  # name: x, z, radius, width
    "pinion": (0.0, 0.0, radii[0], 0.03),
    "wheel": (radii[0] + radii[1], 0.0, radii[1], 0.03),
    "small wheel": (radii[0] + radii[1], 0.05, radii[2], 0.03),
    "large wheel": (sum(radii), 0.05, radii[3], 0.03),
    "drum": (sum(radii), 0.18, 0.08, 0.2),
}
model = ga.Model("gearbox")
for name, (x, z, radius, width) in gears.items():
    model.add(ga.RigidBody(name, shape=ga.Cylinder(radius, width), density=7800.0, position=(x, 0.0, z)))
for name in ("pinion", "wheel", "large wheel"):
    model.add(ga.Revolute(f"shaft of {name}", model.ground, name, at=(gears[name][0], 0, 0), axis=(0, 0, 1)))
model.add(ga.Fixed("key", "wheel", "small wheel", at=(gears["wheel"][0], 0.0, 0.025)))
model.add(ga.Fixed("flange", "large wheel", "drum", at=(sum(radii), 0.0, 0.07)))
model.add(ga.Gear("stage 1", "shaft of pinion", "shaft of wheel", ratio=-TEETH[0] / TEETH[1]))
model.add(ga.Gear("stage 2", "shaft of wheel", "shaft of large wheel", ratio=-TEETH[2] / TEETH[3]))
model.add(ga.Torque("motor", "pinion", (0.0, 0.0, TORQUE)))

sol = ga.solve(model, (0.0, 1.0), h=1e-3)
pinion, wheel, small, large, drum = (model.parts[name].inertia_used(False)[2, 2] for name in gears)
theory = 12.0 * TORQUE / (144.0 * pinion + 16.0 * (wheel + small) + large + drum)  # rad/s², at the drum
print(f"after 1 s the drum turns at {sol['shaft of large wheel'].rate[-1]:.6f} rad/s, theory {theory:.6f} rad/s")
sol.save_html("gearbox.html")
