"""The picture on the first page, docs/impact.svg: ``python docs/picture.py``."""

from pathlib import Path

import matplotlib
import numpy as np

import genalpha as ga

matplotlib.use("Agg")
import matplotlib.pyplot as plt

STOP, BLUE, RED, INK = 0.6, "#0072b2", "#d55e00", "#333333"


def solve():
    """A mass on a rod, let go from the horizontal, and a stop."""
    pendulum = ga.System(
        M=np.eye(2),
        f=lambda t, q, v: np.array([0.0, -9.81]),
        g=lambda t, q: np.array([q @ q - 1.0]),
        gap=lambda t, q: np.array([q[0] - STOP]),
        e=0.7,
    )
    return ga.solve(pendulum, (0.0, 5.0), q0=[1.0, 0.0], v0=[0.0, 0.0], h=2e-3)


def draw(sol):
    figure, (left, middle, right) = plt.subplots(
        1, 3, figsize=(11, 3.2), layout="constrained", width_ratios=(1.0, 1.5, 1.5)
    )
    hits = sol.impacts.time
    until = np.searchsorted(sol.t, hits[1])
    rows = np.arange(0, until, 20)
    for i in rows:
        fade = 0.15 + 0.6 * i / until
        left.plot([0, sol.q[i, 0]], [0, sol.q[i, 1]], color=INK, lw=0.7, alpha=fade)
        left.plot(*sol.q[i], "o", color=BLUE, ms=7, alpha=fade)
    left.fill_betweenx([-1.0, -0.62], STOP - 0.16, STOP - 0.05, color="#999999")
    left.plot(0, 0, "^", color=INK, ms=8)
    left.set(aspect="equal", xlim=(-0.05, 1.1), ylim=(-1.12, 0.1), title="every 40 ms")
    left.axis("off")
    middle.plot(sol.t, sol.gap[:, 0], color=BLUE, lw=1.3)
    closed = sol.contact_intervals[0][-1][0]
    middle.axvspan(closed, sol.t[-1], color=RED, alpha=0.12, lw=0)
    middle.annotate("at rest", (closed, 0.2), (6, 0), textcoords="offset points", color=RED)
    middle.set(xlabel="t  (s)", title="gap  (m)", xlim=(0, 5), ylim=(-0.01, None))
    near = np.abs(sol.t - hits[0]) < 0.09
    right.plot(sol.t[near], sol.lam[near, 0], ".-", color=BLUE, lw=0.8, ms=4)
    right.axvline(hits[0], color=RED, lw=0.8, ls="--")
    right.set(xlabel="t  (s)", title="multiplier of the rod around the first impact")
    for axes in (middle, right):
        axes.spines[["top", "right"]].set_visible(False)
    return figure


if __name__ == "__main__":
    path = Path(__file__).parent / "impact.svg"
    plt.rcParams["svg.hashsalt"] = "genalpha"  # the same file each time
    draw(solve()).savefig(path, metadata={"Date": None})
    print(f"written to {path.name}")
