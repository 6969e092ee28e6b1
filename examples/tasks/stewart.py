"""A Stewart platform: six legs that grow lift a plate."""

import numpy as np

import genalpha as ga


@ga.evaluator
def grow(t):
    s = min(t, 1.0)
    return 0.3 * s**3 * (10.0 - 15.0 * s + 6.0 * s**2)  # to 0.3 m


model = ga.Model("Stewart platform", gravity=(0.0, 0.0, -9.81))
plate = model.add(ga.RigidBody("plate", shape=ga.Cylinder(0.7, 0.05), density=2e3, position=(0.0, 0.0, 1.0)))
for i, (low, high) in enumerate(np.radians([(5, 50), (115, 70), (125, 170), (235, 190), (245, 290), (355, 310)])):
    foot, head = np.array([[np.cos(low), np.sin(low), 0.0], [0.6 * np.cos(high), 0.6 * np.sin(high), 1.0]])
    length = np.linalg.norm(head - foot)
    axis = (head - foot) / length
    for name, radius, place in (("barrel", 0.05, foot + 0.35 * axis), ("rod", 0.03, head - 0.35 * axis)):
        tube = ga.Cylinder(radius, 0.6)
        model.add(ga.RigidBody(f"{name}{i}", shape=tube, density=3e3, position=place, orientation=ga.along(axis)))
    model.add(ga.Universal(f"foot{i}", model.ground, f"barrel{i}", at=foot, axis=np.cross(axis, (0, 0, 1))))
    model.add(ga.Prismatic(f"leg{i}", f"barrel{i}", f"rod{i}", at=head, axis=axis))
    model.add(ga.Spherical(f"head{i}", f"rod{i}", plate, at=head))
    model.add(ga.Drive(f"motor{i}", f"leg{i}", grow))
sol = ga.solve(model, (0.0, 1.5), h=1e-3)
theory = np.sqrt((length + 0.3) ** 2 - length**2 + 1.0)
print(f"the plate is lifted to {sol['plate'].position[-1, 2]:.6f} m, theory {theory:.6f} m")
sol.save_html("stewart.html")
