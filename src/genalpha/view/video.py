"""The motion as a video or as an animated picture, drawn by matplotlib: no browser is needed."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportUnknownParameterType=false, reportUnnecessaryIsInstance=false

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from genalpha.errors import InputError, MissingExtra
from genalpha.inputs import PathName, path_of
from genalpha.style import INK, require_matplotlib, style
from genalpha.view.facets import facets
from genalpha.view.scene import FRAMES, Scene, make_scene
from genalpha.view.tracks import Array, BodyTrack, ContactTrack, Tracks

if TYPE_CHECKING:
    from genalpha.solution.solution import Solution
    from genalpha.view.drawing import Drawing

WRITERS = {".gif": "pillow", ".mp4": "ffmpeg", ".webm": "ffmpeg", ".mov": "ffmpeg"}
COLORS = ("#5e6fb7", "#d9a441", "#569d78", "#b0563f", "#7e96bf", "#8b949c")
GROUND, JOINT, TUBE, FORCE, FRICTION = "#bcc1c1", "#39424c", "#6b757e", "#22897a", "#6a2fb5"
MOST_FACES = 12_000
"""Of all bodies in one picture; the more bodies there are, the fewer sides have round ones."""
MOST_PICTURES = 3000


def save_video(
    path: PathName,
    sol: Solution,
    drawing: Drawing | None = None,
    *,
    title: str | None = None,
    fps: int = 30,
    speed: float = 1.0,
    size: tuple[int, int] = (960, 600),
    look_from: ArrayLike | None = None,
) -> Path:
    """Write the motion as ``.gif``, or as ``.mp4``, ``.webm`` or ``.mov`` where ffmpeg is installed.

    Parameters
    ----------
    path : path
        Its ending says which kind.
    sol : Solution
    drawing : Drawing, optional
        How the system looks; by default what it was given itself.
    title : str, optional
    fps : int
        Pictures per second.
    speed : float
        Seconds of the motion in one second of the video.
    size : (int, int)
        Width and height of a picture, in pixels.
    look_from : array_like (3,), optional
        The direction from which it is seen.

    Returns
    -------
    Path
        The file that was written.

    Examples
    --------
    >>> import tempfile
    >>> import genalpha as ga
    >>> from genalpha import problems
    >>> sol = ga.solve(problems.get("pendulum3d").system(), (0.0, 0.2), h=1e-2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ga.view.save_video(f"{folder}/pendulum.gif", sol, size=(320, 200)).name
    'pendulum.gif'
    """
    path = path_of(path)
    _require_writer(path)
    scene = make_scene(sol, drawing, title=title, frames=FRAMES)
    if not scene.tracks.bodies and not scene.tracks.lines:
        raise InputError("there is no drawing of this system to make a video of; pass drawing=...")
    times = _times(scene, _positive("fps", fps), _positive("speed", speed))
    try:
        with style():
            _write(path, _Picture(scene, size, look_from), times, fps)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}; choose another folder or name") from error
    return path


def _require_writer(path: Path) -> None:
    require_matplotlib()
    kind = WRITERS.get(path.suffix.lower())
    if kind is None:
        raise InputError(f"{path}: a video ends in .gif, .mp4, .webm or .mov")
    if kind == "ffmpeg" and shutil.which("ffmpeg") is None:
        raise MissingExtra(f"{path.suffix} needs the program ffmpeg, which is not installed; .gif does not need it")


def _positive(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value < np.inf:
        raise InputError(f"{name} = {value!r} must be a positive number")
    return float(value)


def _times(scene: Scene, fps: float, speed: float) -> Array:
    """The times of the pictures."""
    begin, end = scene.time[0], scene.time[-1]
    count = int(np.ceil((end - begin) * fps / speed)) + 1
    if count > MOST_PICTURES:
        raise InputError(
            f"{end - begin:.4g} {scene.units['time']} of motion make {count} pictures at fps = {fps:g} and "
            f"speed = {speed:g}, the most are {MOST_PICTURES}; take a larger speed or fewer fps"
        )
    return np.linspace(begin, end, count)


def _write(path: Path, picture: _Picture, times: Array, fps: float) -> None:
    from matplotlib import animation

    kind = WRITERS[path.suffix.lower()]
    writer = animation.PillowWriter(fps=fps) if kind == "pillow" else animation.FFMpegWriter(fps=fps, bitrate=6000)
    with writer.saving(picture.figure, str(path), picture.figure.dpi):
        for time in times:
            picture.draw(time)
            writer.grab_frame()


class _Picture:
    """A figure that shows a scene at any time, seen from far away; what is nearer hides what is behind it."""

    def __init__(self, scene: Scene, size: tuple[int, int], look_from: ArrayLike | None):
        from matplotlib.collections import LineCollection, PolyCollection
        from matplotlib.figure import Figure

        width, height = size
        self.scene, self.axes3 = scene, _axes(scene.tracks, look_from)
        self.figure = Figure(figsize=(width / 100.0, height / 100.0), dpi=100)
        axes = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        self._frame(axes, width / height)
        self.faces = axes.add_collection(PolyCollection([], edgecolors="face", linewidths=0.3, zorder=1))
        self.lines = axes.add_collection(LineCollection([], colors=TUBE, capstyle="round", zorder=2))
        self.pushes = axes.add_collection(LineCollection([], colors=FORCE, linewidths=3.0, zorder=3))
        self.rubs = axes.add_collection(LineCollection([], colors=FRICTION, linewidths=3.0, zorder=4))
        axes.text(0.02, 0.97, scene.title, transform=axes.transAxes, va="top", fontsize=11, fontweight="bold")
        self.clock = axes.text(0.98, 0.97, "", transform=axes.transAxes, va="top", ha="right", fontsize=10, color=INK)
        self.shapes = list(_shapes(scene.tracks.bodies))

    def _frame(self, axes: Any, aspect: float) -> None:
        """Limits that show every corner of the bounds."""
        low, high = self.scene.tracks.bounds()
        corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
        seen = corners @ self.axes3.T
        middle, half = 0.5 * (seen.max(axis=0) + seen.min(axis=0)), 0.5 * np.ptp(seen, axis=0)
        self.extent = float(np.max(half)) or 1.0
        tall = 1.12 * max(half[1], half[0] / aspect, 0.05 * self.extent)
        axes.set_xlim(middle[0] - tall * aspect, middle[0] + tall * aspect)
        axes.set_ylim(middle[1] - tall, middle[1] + tall)
        self.points = (
            0.5 * 72.0 / 100.0 * self.figure.get_figheight() * 100.0 / tall
        )  # of paper, for one unit of length

    def draw(self, time: float) -> None:
        """Put everything where it is at a time."""
        frame, share = _locate(self.scene.time, time)
        corners, colors, depth = [], [], []
        for body, vertices, faces, shades, color in self.shapes:
            seen = (vertices @ _rotation(body, frame, share).T + _mix(body.position, frame, share)) @ self.axes3.T
            for face, shade in zip(faces, shades, strict=True):
                points = seen[list(face)]
                light = _facing(points)
                if light > 0.0:
                    corners.append(points[:, :2])
                    colors.append(np.clip(color * shade * (0.62 + 0.38 * light), 0.0, 1.0))
                    depth.append(points[:, 2].mean())
        order = np.argsort(depth)
        self.faces.set_verts([corners[i] for i in order])
        self.faces.set_facecolors([colors[i] for i in order])
        self._draw_lines(frame, share)
        self.clock.set_text(f"{time:.2f} {self.scene.units['time']}")

    def _draw_lines(self, frame: int, share: float) -> None:
        tubes = self.scene.tracks.lines
        self.lines.set_segments([(_mix(line.points, frame, share) @ self.axes3.T)[:, :2] for line in tubes])
        self.lines.set_linewidths([max(2.0 * (line.radius or 0.0) * self.points, 1.5) for line in tubes])
        self.lines.set_colors([line.color or TUBE for line in tubes])
        contacts = self.scene.tracks.contacts
        pushes = [self.scene.force[frame, i] * contact.direction[frame] for i, contact in enumerate(contacts)]
        self.pushes.set_segments([self._arrow(x, push, frame) for x, push in zip(contacts, pushes, strict=True)])
        self.rubs.set_segments([self._arrow(x, x.friction[frame], frame) for x in contacts if x.friction is not None])

    def _arrow(self, contact: ContactTrack, force: Array, frame: int) -> Array:
        """A force at a contact; the largest push of all is a third of the extent long."""
        largest = float(self.scene.force.max(initial=0.0)) or 1.0
        begin = contact.position[frame]
        return (np.stack([begin, begin + 0.6 * self.extent / largest * force]) @ self.axes3.T)[:, :2]


def _axes(tracks: Tracks, look_from: ArrayLike | None) -> Array:
    """Rows: to the right, upwards, and towards us."""
    up = np.asarray(tracks.up, dtype=float)
    given = tracks.look_from if look_from is None else look_from
    back = np.array([0.0, 0.0, 1.0] if given is None else given, dtype=float)
    if back.shape != (3,) or not np.all(np.isfinite(back)) or not np.linalg.norm(back) > 0.0:
        raise InputError(f"look_from = {look_from!r} must be a direction, three numbers that are not all zero")
    back /= np.linalg.norm(back)
    right = np.cross(up, back)
    if np.linalg.norm(right) < 1e-6:  # from above
        right = np.cross(np.roll(up, 1), back)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(back, right), back])


def _shapes(bodies: list[BodyTrack]) -> Iterator[tuple[BodyTrack, Array, list[Any], Array, Array]]:
    """(body, vertices, faces, shades of the faces, colour) of all that have a shape."""
    from matplotlib.colors import to_rgb

    sides = int(np.clip(np.sqrt(2.0 * MOST_FACES / max(len(bodies), 1)), 8, 32)) // 4 * 4
    movers = [body.name for body in bodies if body.role == "body"]
    for body in bodies:
        vertices, faces = facets(body.shape, sides)
        own = {"ground": GROUND, "joint": JOINT, "point": COLORS[0]}.get(body.role)
        color = body.color or own or COLORS[movers.index(body.name) % len(COLORS)]
        centres = np.array([vertices[list(face)].mean(axis=0) for face in faces]).reshape(-1, 3)
        # sectors of two shades show how round bodies roll
        is_round = body.role == "body" and type(body.shape).__name__ in ("Sphere", "Cylinder", "Cone", "Capsule")
        dark = is_round & (centres[:, 0] * centres[:, 1] > 0.0)
        yield body, vertices, faces, np.where(dark, 0.78, 1.0), np.array(to_rgb(color))


def _facing(points: Array) -> float:
    """How far a face looks at us: 1 if straight, negative from behind."""
    one, two = points[1] - points[0], points[2] - points[1]
    normal = np.cross(one, two)
    length = np.linalg.norm(normal)
    return float(normal[2] / length) if length > 0.0 else 0.0


def _locate(times: Array, time: float) -> tuple[int, float]:
    """The frame at or before a time, and how far it is on the way to the next one."""
    frame = int(np.clip(np.searchsorted(times, time, side="right") - 1, 0, max(len(times) - 2, 0)))
    if len(times) < 2 or times[frame + 1] == times[frame]:
        return frame, 0.0
    return frame, float((time - times[frame]) / (times[frame + 1] - times[frame]))


def _mix(values: Array, frame: int, share: float) -> Array:
    after = values[min(frame + 1, len(values) - 1)]
    return (1.0 - share) * values[frame] + share * after


def _rotation(body: BodyTrack, frame: int, share: float) -> Array:
    from genalpha.math import so3  # loads numba

    turn = _mix(body.orientation, frame, share)  # neighbours have the same sign, see `rotations.steady`
    return so3.matrix(turn / np.linalg.norm(turn))
