"""An arm of two links with a PD controller in each joint: how far does its weight pull it off?"""

import numpy as np

import genalpha as ga


@ga.evaluator
def shoulder_law(t, angle, rate):
    return 900.0 * (0.8 * min(t, 1.0) - angle) - 90.0 * rate


@ga.evaluator
def elbow_law(t, angle, rate):
    return 300.0 * (-1.2 * min(t, 1.0) - angle) - 25.0 * rate


model = ga.Model("arm", gravity=(0.0, 0.0, -9.81))
links = {"shape": ga.Box((0.5, 0.06, 0.06)), "density": 2000.0}
upper = model.add(ga.RigidBody("upper arm", position=(0.25, 0.0, 0.0), **links))
fore = model.add(ga.RigidBody("forearm", position=(0.75, 0.0, 0.0), **links))
shoulder = model.add(ga.Revolute("shoulder", model.ground, upper, at=(0.0, 0.0, 0.0), axis=(0.0, -1.0, 0.0)))
elbow = model.add(ga.Revolute("elbow", upper, fore, at=(0.5, 0.0, 0.0), axis=(0.0, -1.0, 0.0)))
model.add(ga.Motor("shoulder motor", shoulder, shoulder_law))
model.add(ga.Motor("elbow motor", elbow, elbow_law))

sol = ga.solve(model, (0.0, 4.0), h=1e-3)
weight = fore.mass_used * 9.81 * 0.25 * np.cos(sol["shoulder"].angle[-1] + sol["elbow"].angle[-1])
print(f"the elbow hangs {np.degrees(-1.2 - sol['elbow'].angle[-1]):.4f}° low, statics {np.degrees(weight / 300):.4f}°")
sol.save_html("arm_pd.html")
