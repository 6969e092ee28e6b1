"""numba types of the contract: what the compiled loop passes to the evaluators."""

from __future__ import annotations

from numba import types

from genalpha.compiled.views import VectorView
from genalpha.system.block import KIND_OF, evaluator_takes_v
from genalpha.system.contract import Evaluators

VECTOR = types.Array(types.float64, 1, "C")
VIEW = VectorView(types.float64)


def signatures() -> Evaluators:
    """Signatures of the evaluators."""
    t = types.float64
    p = types.void(t, VIEW, VIEW, VIEW)
    v = types.void(t, VIEW, VIEW, VIEW, VIEW)
    mu = types.void(t, VIEW, VIEW, VIEW, VIEW, VIEW)
    everything = types.void(t, VIEW, VIEW, VIEW, VIEW, VIEW, VIEW)
    update = types.void(VIEW, VIEW, VIEW, VIEW)
    untwist = types.void(VIEW, VIEW, VIEW)
    twist = types.void(VIEW, t, VIEW, VIEW)
    return Evaluators(
        M=p, f=v, force=mu, force_mu=mu, stiffness=everything, damping=everything,
        **{name: v if evaluator_takes_v(name) else p for name in KIND_OF},
        update=update, untwist=untwist, twist=twist,
    )  # fmt: skip
