"""A steel ruler on the edge of a table: where it hangs, how it vibrates, how it swings when it is let go."""

import genalpha as ga

steel, blade = ga.Material(E=2.1e11, density=7800.0), ga.Section.rectangle(height=0.001, width=0.03)
model = ga.Model("ruler", planar=True, gravity=(0.0, -9.81))
ruler = model.add(
    ga.Beam("ruler", (0.0, 0.0), (1.0, 0.0), elements=20, section=blade, material=steel, viscosity=1e-3)
)  # fmt: skip
model.add(ga.Fixed("clamp", model.ground, ruler.nodes[0], at=(0.0, 0.0)))

rest = ga.equilibrium(model)
print("at rest the tip hangs at ({:.3f}, {:.3f}) m".format(*rest["ruler"].tip[-1, :2]))
print("frequencies about it  ", *ga.linearize(model, rest.q[-1], modes=3).frequencies.round(2), "Hz")

sol = ga.solve(model, (0.0, 2.0), method=ga.GeneralizedAlpha(rho_inf=0.8), h=2e-3)
print(f"let go, it swings down to {sol['ruler'].tip[:, 1].min():.3f} m")
# sol.view()
