"""A quick-return mechanism with a motor: the ram goes forward slowly and comes back fast."""

import numpy as np

import genalpha as ga

RADIUS, DISTANCE, SPEED = 0.15, 0.4, 10.0  # of the crank, of both pivots, in m; in rad/s


@ga.evaluator
def speed_control(t, angle, rate):
    return 500.0 * (SPEED * min(t / 0.2, 1.0) - rate)  # N m


model = ga.Model("quick return", planar=True, gravity=(0.0, -9.81))
crank = model.add(ga.RigidBody("crank", shape=ga.Cylinder(0.18, 0.02), density=7800.0, position=(0.0, DISTANCE)))
lever = model.add(ga.RigidBody("lever", shape=ga.Box((0.05, 0.8, 0.03)), density=2700.0, position=(0.0, 0.4)))
ram = model.add(ga.RigidBody("ram", shape=ga.Box((0.5, 0.06, 0.06)), density=2700.0, position=(0.0, 0.7)))
axle = model.add(ga.Revolute("axle", model.ground, crank, at=(0.0, DISTANCE)))
model.add(ga.Revolute("pivot", model.ground, lever, at=(0.0, 0.0)))
model.add(ga.PointOnLine("slot", lever, crank, at=(0.0, DISTANCE + RADIUS), axis=(0.0, 1.0)))
model.add(ga.PointOnLine("pin", lever, ram, at=(0.0, 0.7), axis=(0.0, 1.0)))
model.add(ga.Prismatic("rail", model.ground, ram, at=(0.0, 0.7), axis=(1.0, 0.0)))
model.add(ga.Motor("motor", axle, speed_control))

sol = ga.solve(model, (0.0, 2.0), h=1e-3)
turn = sol.t > sol.t[-1] - 2.0 * np.pi / SPEED
forward = np.mean(sol["rail"].speed[turn] < 0.0)
print(f"the way forward takes {forward / (1.0 - forward):.2f} times as long as the way back")
sol.save_html("quick_return.html")
