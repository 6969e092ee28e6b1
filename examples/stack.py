"""Spheres fall into a box and come to rest on each other."""

import genalpha as ga
from genalpha import problems

problem = problems.get("spheres", n=27, width=3, e=0.2)
sol = ga.solve(problem.system(), (0.0, 1.0), method=problem.method, h=1e-3)
stack = sol["stack"]
floor = sum(stack[pair].force for pair in stack.pairs if "floor" in pair)
weight = 9.81 * sum(body.mass_used for body in problem.system().model.bodies)
print(
    f"{len(stack.impacts.time)} impacts of {len(stack.pairs)} pairs, deepest penetration {sol.stats.penetration:.0e} m"
)
print(f"force on the floor at the end {floor[-100:].mean():.2f} N, weight {weight:.2f} N")
# sol.view()
