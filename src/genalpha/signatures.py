"""numba types of the contract: what the compiled loop passes to the evaluators."""

from __future__ import annotations

from numba import types

from genalpha.contract import Evaluators

VECTOR = types.Array(types.float64, 1, "C")


def signatures(data_type) -> Evaluators:
    """Signatures of the evaluators of a system whose data are of this type."""
    t = types.float64
    p = types.void(t, VECTOR, data_type, VECTOR)
    v = types.void(t, VECTOR, VECTOR, data_type, VECTOR)
    mu = types.void(t, VECTOR, VECTOR, VECTOR, data_type, VECTOR)
    everything = types.void(t, VECTOR, VECTOR, VECTOR, VECTOR, data_type, VECTOR)
    update = types.void(VECTOR, VECTOR, data_type, VECTOR)
    untwist = types.void(VECTOR, data_type, VECTOR)
    return Evaluators(
        M=p, f=v, force=mu, force_mu=mu, stiffness=everything, damping=everything,
        g=p, G=p, g_t=p, g_bias=v, k=v, K=v, k_bias=v,
        gap=p, N=p, gap_t=p, gap_bias=v, update=update, untwist=untwist,
    )  # fmt: skip
