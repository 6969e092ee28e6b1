"""Reads a document back, as the page does it (docs/scene-format.md)."""

import base64
import json
import math
import zlib

import numpy as np


def unpack(packed):
    """The header of a scene with arrays in place of references."""
    return replaced(packed.header, zlib.decompress(packed.arrays))


def unpack_document(header, data):
    """The scenes of a document, likewise."""
    block = zlib.decompress(base64.b64decode(data))
    return replaced(json.loads(header), block)["scenes"]


def replaced(node, block):
    if isinstance(node, dict) and "at" in node:
        return array(node, block)
    if isinstance(node, dict):
        return {key: replaced(value, block) for key, value in node.items()}
    return [replaced(value, block) for value in node] if isinstance(node, list) else node


def array(reference, block):
    kind = {"d4": "<i4"}.get(reference["type"], "<" + reference["type"])
    n, width = math.prod(reference["shape"]), np.dtype(kind).itemsize
    planes = np.frombuffer(block, np.uint8, n * width, reference["at"]).reshape(width, n)
    values = np.ascontiguousarray(planes.T).view(kind).reshape(reference["shape"])
    return np.cumsum(values, axis=0) * reference["grid"] if reference["type"] == "d4" else values
