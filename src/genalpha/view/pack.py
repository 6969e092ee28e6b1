"""Scenes as one document: a JSON header and one block of bytes (docs/scene-format.md)."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportMatchNotExhaustive=false

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.errors import FileError
from genalpha.model.parts.shapes import Box, Capsule, Cone, Cylinder, Mesh, Sphere
from genalpha.view.rubbing import states
from genalpha.view.scene import Scene
from genalpha.view.tracks import Array, BodyTrack, LineTrack, Quantity

FORMAT = 1
LARGEST = 2**28
"""Bytes of a scene that is compared with another one."""
PLACE_BITS, TURN_BITS, CURVE_BITS = 20, 16, 20
"""Places are rounded to the extent of the scene over two to this power; quaternions and curves likewise."""


class Block:
    """Arrays one behind the other; an array becomes a reference to its place."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def add(self, values: ArrayLike, kind: str = "f4") -> dict[str, Any]:
        """Store values as they are: f4, f8 or u4."""
        x = np.ascontiguousarray(values, dtype="<" + kind)
        return self._put(x, kind, x.shape)

    def add_moving(self, values: Array, grid: float) -> dict[str, Any]:
        """Store values (nf, ...) as whole multiples of a grid, each frame as the difference to the one before."""
        whole = np.rint(np.asarray(values) / grid).astype("<i4")
        whole[1:] -= whole[:-1].copy()
        return self._put(whole, "d4", whole.shape) | {"grid": grid}

    def _put(self, x: NDArray[Any], kind: str, shape: Sequence[int]) -> dict[str, Any]:
        # the first bytes of all numbers, then the second ones, ...: neighbours are alike and compress well
        data = np.ascontiguousarray(x.reshape(-1).view(np.uint8).reshape(-1, x.itemsize).T).tobytes()
        reference = {"at": self.size, "type": kind, "shape": list(shape)}
        self.parts.append(data)
        self.size += len(data)
        return reference

    def compressed(self) -> bytes:
        """All arrays, deflated."""
        return zlib.compress(b"".join(self.parts), 6 if self.size < 4_000_000 else 1)


class Packed(NamedTuple):
    """A scene as it is stored: its header, and its arrays, deflated."""

    header: dict[str, Any]
    arrays: bytes


def pack(scene: Scene) -> Packed:
    """A scene as header and arrays.

    Examples
    --------
    >>> import genalpha as ga
    >>> from genalpha import problems
    >>> pendulum = problems.get("pendulum3d").system()
    >>> sol = ga.solve(pendulum, (0.0, 0.5), h=1e-2)
    >>> header, arrays = ga.view.pack(ga.view.make_scene(sol))
    """
    block = Block()
    header = _scene(scene, block)
    return Packed(header, block.compressed())


def document(scenes: Sequence[Packed], layout: str = "side", serve: bool = False) -> tuple[str, str]:
    """The document of one or more scenes: (JSON header, base64 of the deflated block).

    ``layout`` is "side" or "overlay"; ``serve`` says that a server waits for the page to be closed.
    """
    headers, arrays = [scenes[0].header], scenes[0].arrays
    if len(scenes) > 1:
        blocks = [_inflated(scene.arrays) for scene in scenes]
        begins = np.cumsum([len(block) for block in blocks[:-1]])
        headers += [_moved(scene.header, int(begin)) for scene, begin in zip(scenes[1:], begins, strict=True)]
        arrays = zlib.compress(b"".join(blocks), 6)
    header = {"format": FORMAT, "layout": layout if len(scenes) > 1 else "single", "serve": serve, "scenes": headers}
    return to_json(header), base64.b64encode(arrays).decode("ascii")


def _inflated(arrays: bytes) -> bytes:
    """The arrays of a scene; a small file may claim to be a large one."""
    stream = zlib.decompressobj()
    try:
        found = stream.decompress(arrays, LARGEST)
    except zlib.error as error:
        raise FileError(f"the arrays of a scene are damaged: {error}") from error
    if stream.unconsumed_tail:
        raise FileError(f"the arrays of a scene have more than {LARGEST} bytes; show it with fewer frames")
    return found


def _moved(node: Any, by: int) -> Any:
    """A header whose arrays begin so many bytes later."""
    if isinstance(node, dict):
        return {key: value + by if key == "at" else _moved(value, by) for key, value in node.items()}
    return [_moved(value, by) for value in node] if isinstance(node, list | tuple) else node


def to_json(header: dict[str, Any]) -> str:
    """Short, and without NaN, which JSON does not have."""
    return json.dumps(header, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _scene(scene: Scene, block: Block) -> dict[str, Any]:
    tracks = scene.tracks
    low, high = tracks.bounds()
    extent = float(np.max(high - low)) or 1.0
    grid = 2.0 ** (np.ceil(np.log2(max(extent, float(np.abs([low, high]).max())))) - PLACE_BITS)
    bodies = tracks.bodies
    return {
        "title": scene.title,
        "subtitle": scene.subtitle,
        "label": scene.label,
        "message": scene.message,
        "up": tracks.up,
        "look_from": tracks.look_from,
        "bounds": [low.tolist(), high.tolist()],
        "time": block.add(scene.time, "f8"),
        "bodies": [_body(body, block) for body in bodies],
        "positions": block.add_moving(_stack([body.position for body in bodies], scene.time.size, 3), grid),
        "orientations": block.add_moving(
            _stack([body.orientation for body in bodies], scene.time.size, 4), 2.0**-TURN_BITS
        ),
        "lines": [_line(line, block, grid) for line in tracks.lines],
        "forces": _forces(scene, block, grid),
        "contacts": [{"name": name, "intervals": intervals} for name, intervals in scene.contacts],
        "impacts": scene.impacts,
        "plot_time": block.add(scene.plot_time, "f8"),
        "quantities": [
            {"name": x.name, "group": x.group, "log": x.log, "unit": x.unit, "values": _curve(x, block)}
            for x in scene.quantities
        ],
        "plots": scene.plots,
        "units": scene.units,
    }


def _forces(scene: Scene, block: Block, grid: float) -> dict[str, Any]:
    """Forces of contacts, and of friction where there is any."""
    contacts, nf = scene.tracks.contacts, scene.time.size
    found = {
        "contact": [contact.row for contact in contacts],
        "position": block.add_moving(_stack([c.position for c in contacts], nf, 3), grid),
        "direction": block.add_moving(_stack([c.direction for c in contacts], nf, 3), 2.0**-TURN_BITS),
        "size": block.add(scene.force),
    }
    rubbing = [i for i, contact in enumerate(contacts) if contact.sticks is not None]
    if not rubbing:
        return found
    force = _stack([c.friction for c in contacts if c.friction is not None], nf, 3)
    state = np.stack([states(contacts[i], scene.force[:, i]) for i in rubbing], axis=1)
    return found | {"friction": {"of": rubbing, "force": block.add(force), "state": block.add(state, "u4")}}


def _curve(quantity: Quantity, block: Block) -> dict[str, Any]:
    """Its values to a millionth of the largest; where the logarithm is plotted, each to its own digits."""
    largest = float(np.abs(quantity.values).max(initial=0.0))
    if quantity.log or not 0.0 < largest < np.inf:
        return block.add(quantity.values)
    return block.add_moving(quantity.values, 2.0 ** (np.ceil(np.log2(largest)) - CURVE_BITS))


def _stack(columns: list[Array], frames: int, width: int) -> Array:
    return np.stack(columns, axis=1) if columns else np.zeros((frames, 0, width))


def _body(body: BodyTrack, block: Block) -> dict[str, Any]:
    return {
        "name": body.name,
        "role": body.role,
        "shape": _shape(body.shape, block),
        "color": body.color,
        "trace": body.trace,
    }


def _shape(shape: Any, block: Block) -> dict[str, Any]:
    match shape:
        case Box(size=size):
            return {"kind": "box", "size": [float(x) for x in size]}
        case Sphere(radius=radius):
            return {"kind": "sphere", "radius": float(radius)}
        case Mesh(vertices=vertices, faces=faces):
            return {"kind": "mesh", "vertices": block.add(vertices), "faces": block.add(faces, "u4")}
        case Cylinder() | Capsule() | Cone():
            kind = type(shape).__name__.lower()
            return {"kind": kind, "radius": float(shape.radius), "length": float(shape.length)}
    raise TypeError(f"no shape: {shape!r}")


def _line(line: LineTrack, block: Block, grid: float) -> dict[str, Any]:
    return {
        "name": line.name,
        "points": block.add_moving(line.points, grid),
        "radius": line.radius,
        "color": line.color,
        "label": line.label,
        "value": None if line.value is None else block.add(line.value),
    }
