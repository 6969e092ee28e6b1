"""Solutions in the browser: what moves, and curves below it.

>>> import genalpha as ga
>>> from genalpha import problems
>>> from genalpha.view import save_html
>>> problem = problems.get("bouncing_ball")
>>> sol = ga.solve(problem.system(), (0, 1), problem.q0, problem.v0, h=1e-3)  # doctest: +SKIP
>>> save_html("ball.html", sol)  # doctest: +SKIP
"""

from __future__ import annotations

from genalpha.model.parts.shapes import Box, Capsule, Cone, Cylinder, Mesh, Sphere
from genalpha.view.drawing import Body, Contact, Drawing, Joint, Line, Point
from genalpha.view.files import read_scene, store_scene
from genalpha.view.pack import pack
from genalpha.view.page import make_page
from genalpha.view.scene import Scene, make_scene
from genalpha.view.server import View
from genalpha.view.show import make_scenes, open_view, save_html
from genalpha.view.video import save_video

__all__ = [
    "Body",
    "Box",
    "Capsule",
    "Cone",
    "Contact",
    "Cylinder",
    "Drawing",
    "Joint",
    "Line",
    "Mesh",
    "Point",
    "Scene",
    "Sphere",
    "View",
    "make_page",
    "make_scene",
    "make_scenes",
    "open_view",
    "pack",
    "read_scene",
    "save_html",
    "save_video",
    "store_scene",
]
