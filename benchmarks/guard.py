"""``python -m benchmarks guard BASE``: is this checkout slower than another one?

Every case of `benchmarks.guard_cases` is run by both checkouts in turns, each in a process of its own, with a cache of
compiled code of its own that is filled before. Of the CPU times of a turn the ratio counts, this checkout over BASE;
the median of all turns must not exceed `LIMIT`. Neighbours of two turns share what else happens on the machine, and who
begins changes from turn to turn; processes are started anew several times, because where code comes to lie in memory
is worth a percent or two.
"""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.guard_cases import CASES

ROOT = Path(__file__).resolve().parents[1]
CACHES = ROOT / "out" / "guard"
LIMIT = 1.03
STARTS, TURNS = 4, 3
"""Processes of each checkout and case, and turns of each of them: 12 pairs, and 9 are the least that counts."""
LEAST = 9


class Checkout:
    """A tree of sources, and the cache of its compiled code."""

    def __init__(self, root: Path, cache: Path):
        self.source = root.resolve() / "src"
        if not (self.source / "genalpha" / "__init__.py").exists():
            raise SystemExit(f"there is no genalpha in {self.source}")
        self.environment = {**os.environ, "PYTHONPATH": str(self.source), "NUMBA_CACHE_DIR": str(cache)}

    def begin(self, case: str) -> subprocess.Popen:
        """A process that runs the case whenever it reads a line; -P: nothing is imported from where it stands."""
        command = [sys.executable, "-P", str(ROOT / "benchmarks" / "guard_cases.py"), case]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(command, env=self.environment, text=True, cwd=ROOT, **pipes)
        place = self.answer(process, case)
        if not Path(place).is_relative_to(self.source):
            raise SystemExit(f"{place} was imported instead of {self.source}")
        return process

    @staticmethod
    def answer(process, case) -> str:
        line = process.stdout.readline().strip()
        if not line:
            raise SystemExit(f"{case!r} ended with code {process.wait()}; run it by itself: {' '.join(process.args)}")
        return line

    @contextlib.contextmanager
    def runner(self, case: str):
        """A function that runs the case once more and says how much CPU time that took."""
        process = self.begin(case)
        try:
            self.answer(process, case)  # it is ready

            def run() -> float:
                process.stdin.write("again\n")
                process.stdin.flush()
                return float(self.answer(process, case))

            yield run
        finally:
            process.stdin.close()
            process.wait()

    def start(self) -> float:
        """CPU time of a whole process."""
        process = self.begin("start")
        process.stdin.close()
        process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"'start' ended with code {process.returncode}")
        return usage.ru_utime + usage.ru_stime


def ratios(ours: Checkout, base: Checkout, case: str, starts: int, turns: int) -> list[float]:
    """Our CPU time over that of BASE, for every turn."""
    if case == "start":
        return [pair(ours.start, base.start, i) for i in range(starts * turns)]
    found = []
    for _ in range(starts):
        with ours.runner(case) as mine, base.runner(case) as theirs:
            for _ in range(turns):
                found.append(pair(mine, theirs, len(found)))
    return found


def pair(mine, theirs, number: int) -> float:
    """The ratio of one turn; who begins changes."""
    if number % 2:
        below = theirs()
        return mine() / below
    above = mine()
    return above / theirs()


@contextlib.contextmanager
def checkout_of(base: str):
    """The tree of a revision, in a work tree that is removed afterwards; or a folder as it is. And its name."""
    if (Path(base) / "src" / "genalpha").is_dir():
        yield Path(base), "folder"
        return
    git = ["git", "-C", str(ROOT)]
    found = subprocess.run([*git, "rev-parse", "--verify", f"{base}^{{commit}}"], capture_output=True, text=True)
    if found.returncode:
        raise SystemExit(f"{base!r} is neither a folder with src/genalpha nor a revision of {ROOT}")
    revision = found.stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "base"
        subprocess.run([*git, "worktree", "add", "--quiet", "--detach", str(tree), revision], check=True)
        try:
            yield tree, revision[:12]
        finally:
            subprocess.run([*git, "worktree", "remove", "--force", str(tree)], check=True)


def warm(checkout: Checkout, cases):
    """Compile what the cases need."""
    for case in cases:
        if case == "start":
            checkout.start()
        else:
            with checkout.runner(case):
                pass


def main(words) -> int:
    """0 if no case is slower than `LIMIT` allows, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks guard", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("base", help="a revision of this repository, or the folder of another checkout")
    parser.add_argument("cases", nargs="*", help="all if none is named")
    parser.add_argument("--starts", type=int, default=STARTS, help="processes of each checkout [%(default)s]")
    parser.add_argument("--turns", type=int, default=TURNS, help="turns of each process [%(default)s]")
    given = parser.parse_args(words)
    if unknown := [case for case in given.cases if case not in (*CASES, "start")]:
        parser.error(f"no case {unknown[0]!r}; there are {', '.join(CASES)}, start")
    cases, missed = given.cases or [*CASES, "start"], []
    with checkout_of(given.base) as (tree, name):
        ours, base = Checkout(ROOT, CACHES / "here"), Checkout(tree, CACHES / name)
        print("compiling what is not in the caches", flush=True)
        for checkout in (base, ours):
            warm(checkout, cases)
        print("| case | median | quartiles | least | most | pairs | |\n|---|---|---|---|---|---|---|", flush=True)
        for case in cases:
            found = ratios(ours, base, case, given.starts, given.turns)
            low, median, high = np.percentile(found, (25, 50, 75))
            slower = median > LIMIT
            missed += [case] if slower else []
            verdict = "SLOWER" if slower else "ok" if len(found) >= LEAST else "too few pairs"
            spread = f"{low:.3f} ... {high:.3f} | {min(found):.3f} | {max(found):.3f} | {len(found)}"
            print(f"| {case} | {median:.3f} | {spread} | {verdict} |", flush=True)
    print(f"slower than {LIMIT} of {given.base}: {', '.join(missed) or 'none'}")
    return int(bool(missed))
