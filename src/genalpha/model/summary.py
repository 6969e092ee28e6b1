"""A model in a few lines: sizes, constraints by name, redundancy, mobility."""

from __future__ import annotations

import numpy as np

SHOWN = 12
"""Names that are listed; of more, the first ones."""


def summary(system) -> str:
    """What `print(system)` shows."""
    from genalpha.math.saddle import independent_rows, scales

    model, assembly = system.model, system.assembly
    names, nv = [*assembly.row_names, *assembly.k_names], assembly.nv
    contract = system.contract(0.0, system.q0, system.v0, compiled=False)
    B = np.vstack([contract.matrix("G", 0.0, system.q0), contract.matrix("K", 0.0, system.q0, system.v0)])
    B = B * scales(contract.matrix("M", 0.0, system.q0))
    kept, redundant = independent_rows(B) if names else (np.zeros(0), np.zeros(0, dtype=int))
    gaps, dry = assembly.gap_names, assembly.slips.dry_names
    rubbing = [gaps[row] for row in assembly.slips.rubs]
    lines = [
        f"model {model.name!r}: {_count(model.bodies, 'body', 'bodies')}, {_count(model.joints, 'joint', 'joints')}"
        + (f", {_count(model.constraints, 'constraint', 'constraints')}" if model.constraints else "")
        + (f", {_count(model.forces, 'force', 'forces')}" if model.forces else "")
        + (f", {_count(model.contacts, 'contact', 'contacts')}" if model.contacts else ""),
        f"  coordinates   {assembly.nq}, velocities {nv}",
        f"  constraints   {len(names)}" + (f": {_listed(names)}" if names else ""),
        f"  redundant     {_dependent(B, kept, redundant, names)}",
        f"  mobility      {nv - len(kept)}",
        *([f"  gaps          {len(gaps)}: {_listed(gaps)}"] if gaps else []),
        *([f"  slips         {len(rubbing)}: {_listed(rubbing)}"] if rubbing else []),
        *([f"  dry friction  {len(dry)}: {_listed(dry)}"] if dry else []),
    ]
    return "\n".join(lines)


def _dependent(B, kept, redundant, names) -> str:
    """How many rows depend on others, and of each what it depends on."""
    from genalpha.math.saddle import dependence, dependence_in_words

    if not redundant.size:
        return "none"
    sentences = dependence_in_words(names, redundant, dependence(B, kept, redundant), SHOWN)
    return f"{len(redundant)}: " + "\n                ".join(sentences)


def _count(parts, one, many):
    return f"{len(parts)} {one if len(parts) == 1 else many}"


def _listed(names, shown=SHOWN):
    more = f", ... ({len(names)} in all)" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more
