"""The family of models in space whose joint angles count turns: `coordinates.count_turns` ends every update."""

from genalpha.compiled.jit import plain
from genalpha.model.leaves.coordinates import count_turns

FAMILY = {"update": plain(count_turns)}
