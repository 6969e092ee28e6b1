"""``genalpha new`` and ``completion``: a file to start from, and words that the shell completes."""

from __future__ import annotations

from pathlib import Path

import click

from genalpha.errors import InputError

MODEL = '''"""{title}: a pendulum of two rods that hits a wall.

    genalpha check {file}              looks it over
    genalpha run {file}                runs it
    genalpha run {file} --out run.h5   keeps all rows
    genalpha view {file}               shows the motion in the browser
"""

import genalpha as ga

# Lengths are in m, masses in kg, times in s. A planar model has the coordinates x, y and an angle.
model = ga.Model("{title}", planar=True, gravity=(0.0, -9.81))

# Bodies: a position is that of the centre of mass. A shape gives mass and inertia, and is what you see.
rod = {{"shape": ga.Box((1.0, 0.06, 0.06)), "density": 1000.0}}
upper = model.add(ga.RigidBody("upper", position=(0.5, 0.0), **rod))
lower = model.add(ga.RigidBody("lower", position=(1.5, 0.0), **rod))

# Joints: both are where they are at the beginning. Others: Prismatic, Fixed, PointOnLine, Distance.
model.add(ga.Revolute("pin", model.ground, upper, at=(0.0, 0.0)))
model.add(ga.Revolute("elbow", upper, lower, at=(1.0, 0.0)))

# Forces: a damper in the elbow. Others: SpringDamper, Motor, PointForce, Torque, Bushing.
model.add(ga.TorsionSpring("damper", "elbow", damping=0.2))

# Contacts: the plane goes through a point, and its normal shows where bodies may be.
model.add(ga.Contact("wall", lower, ga.Plane((-0.4, 0.0), (1.0, 0.0)), restitution=0.5))

# How long, and with which step. Leave h out, and steps are chosen by their error.
t_span, h = (0.0, 5.0), 1e-3

if __name__ == "__main__":  # python {file}
    sol = ga.solve(model, t_span, h=h)
    print(sol)
    print("impacts at", sol["wall"].impacts.time.round(3), "s")
    print("force in the pin at the end", sol["pin"].force[-1].round(2), "N")
    sol.save_html("{stem}.html")  # the motion, for any browser
'''


@click.command(short_help="Write a small model file to start from.")
@click.argument("name", type=click.Path(dir_okay=False, path_type=Path))
def new(name: Path) -> None:
    """Write NAME.py, a small model with comments: change it, and run it with 'genalpha run NAME.py'."""
    path = name if name.suffix == ".py" else name.with_name(name.name + ".py")
    if path.exists():
        raise InputError(f"{path} is there already; choose another name, or remove it first")
    title = path.stem.replace("_", " ").replace("-", " ").replace('"', "")
    try:
        path.write_text(MODEL.format(title=title, file=path, stem=path.stem), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from error
    click.echo(f"wrote  {path}\nnext   genalpha run {path}")


@click.command(short_help="Print a script that lets the shell complete words.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script of a SHELL that completes commands and options.

    In bash, add this line to ~/.bashrc:

    \b
        eval "$(genalpha completion bash)"
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    root = ctx.find_root()
    if found is None:
        raise InputError(f"there is no completion for {shell}")
    maker = found(root.command, {}, "genalpha", "_GENALPHA_COMPLETE")
    click.echo(maker.source_template % maker.source_vars())
