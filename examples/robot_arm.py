"""A robot arm with two motors that hits a wall."""

import genalpha as ga


@ga.evaluator
def shoulder_law(t, angle, rate):
    """Hold the upper arm against its weight, then swing it down and forward."""
    return 400.0 * ((0.0 if t < 0.2 else 0.5) - angle) - 40.0 * rate


@ga.evaluator
def elbow_law(t, angle, rate):
    """Stretch the arm."""
    return 150.0 * ((0.0 if t < 0.2 else -1.0) - angle) - 12.0 * rate


robot = ga.Model("robot", gravity=(0.0, 0.0, -9.81))
link = {"shape": ga.Capsule(radius=0.04, length=0.5), "density": 2000.0}
upper = robot.add(ga.RigidBody("upper arm", position=(0.0, 0.0, 1.25), **link))
along_x = (0.5**0.5, 0.0, 0.5**0.5, 0.0)
lower = robot.add(ga.RigidBody("forearm", position=(0.25, 0.0, 1.5), orientation=along_x, **link))
robot.add(ga.Revolute("shoulder", robot.ground, upper, at=(0.0, 0.0, 1.0), axis=(0.0, 1.0, 0.0)))
robot.add(ga.Revolute("elbow", upper, lower, at=(0.0, 0.0, 1.5), axis=(0.0, 1.0, 0.0)))
robot.add(ga.Motor("shoulder motor", "shoulder", shoulder_law))
robot.add(ga.Motor("elbow motor", "elbow", elbow_law))
wall = ga.Plane((0.65, 0.0, 0.0), (-1.0, 0.0, 0.0))
robot.add(ga.Contact("wall", lower, wall, restitution=0.3))

sol = ga.solve(robot, (0.0, 2.0), h=1e-3)
hits = sol["wall"].impacts
print(robot.assemble())
print(f"{len(hits.time)} impacts, the first at t = {hits.time[0]:.3f} s with {-hits.approach[0]:.2f} m/s")
print(f"force in the end {sol['wall'].force[-1].sum():.1f} N, deepest penetration {sol.stats.penetration:.0e} m")
