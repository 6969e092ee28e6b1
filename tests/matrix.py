"""``make matrix``: the wheel with the lowest and the newest packages, on every Python from 3.11 on that is here.

For each Python of `PYTHONS` and each of `PACKAGES` an environment is made in ``out/matrix``, the wheel and its packages
are installed into it, and the tests of `SAMPLE` run against what is installed. Words after the name of the script
choose: ``python tests/matrix.py 3.12 lowest``.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

PYTHONS = ("3.11", "3.12", "3.13")
PACKAGES = {"lowest": "lowest-direct", "newest": "highest"}
"""What uv calls the lowest versions that pyproject.toml allows, of what it names itself, and the newest."""

TOOLS = ("pytest>=8.2", "pytest-xdist>=3.6", "hypothesis>=6.100")

# what touches numba's insides, each front door, impacts, files, pages and the command line
SAMPLE = """
    tests/compiled tests/math/test_linear.py tests/system tests/step/test_agreement.py tests/step/test_own_scheme.py
    tests/model/test_results.py tests/model/test_own_joint.py tests/symbolic/test_lagrange.py
    tests/solution/test_files.py tests/analysis/test_statics.py tests/cli/test_cli.py tests/view/test_scene.py
""".split()

ROOT = Path(__file__).parents[1]
OUT = ROOT / "out" / "matrix"
UV = (sys.executable, "-m", "uv")
SHOWN = ("numba", "numpy", "scipy", "h5py", "sympy", "matplotlib")


def find(version: str) -> str | None:
    """A Python of this version: on the path, or one that pyenv has made."""
    made = sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(f"versions/{version}.*/bin/python"))
    for path in (shutil.which(f"python{version}"), *map(str, reversed(made))):
        # the first may be a shim that is not there for us
        if path and subprocess.run([path, "-c", ""], capture_output=True).returncode == 0:
            return path
    return None


def uv(*words: str | Path) -> str:
    """The output of uv."""
    done = subprocess.run([*UV, *words], capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def build() -> Path:
    """The wheel, made anew."""
    shutil.rmtree(OUT / "dist", ignore_errors=True)
    uv("build", "--quiet", "--wheel", "--no-build-isolation", "--python", sys.executable, "--out-dir", OUT / "dist")
    (wheel,) = (OUT / "dist").glob("*.whl")
    return wheel


def install(env: Path, python: str, wheel: Path, resolution: str) -> str:
    """Make an environment; its versions in words."""
    binary = ("--only-binary", ":all:")  # of versions that a Python has: nothing is built from sources
    uv("venv", "--quiet", "--clear", "--python", python, env)
    choice = ("-r", "pyproject.toml", "--extra", "plot", "--extra", "symbolic", "--resolution", resolution)
    pip = ("pip", "install", "--quiet", "--python", env)
    uv(*pip, *binary, *choice)
    uv(*pip, *binary, *TOOLS)
    uv(*pip, "--no-deps", wheel)
    versions = dict(line.split("==") for line in uv("pip", "freeze", "--python", env).splitlines() if "==" in line)
    return ", ".join(f"{name} {versions[name]}" for name in SHOWN if name in versions)


def run(env: Path) -> tuple[bool, str]:
    """Run the sample in an environment: whether it passed, and pytest's last line. Compiled code is made anew."""
    words = [
        env / "bin" / "python",
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "-m",
        "not slow",
        "-p",
        "no:cacheprovider",
        *SAMPLE,
    ]
    log = env.parent / f"{env.name}.log"
    with log.open("w") as file:
        place = {"NUMBA_CACHE_DIR": str(env / "cache")}
        done = subprocess.run(words, stdout=file, stderr=subprocess.STDOUT, cwd=ROOT, env=os.environ | place)
    return done.returncode == 0, (log.read_text().strip().splitlines() or ["nothing"])[-1].strip("= ")


def main(words: list[str]) -> int:
    """One line for each combination; 1 if one fails."""
    OUT.mkdir(parents=True, exist_ok=True)
    wheel = build()
    failed = False
    for version in [one for one in PYTHONS if one in words] or PYTHONS:
        python = find(version)
        if python is None:
            print(f"Python {version}: not on this machine, and not tested", flush=True)
            continue
        for name in [one for one in PACKAGES if one in words] or PACKAGES:
            env = OUT / f"{version}-{name}"
            start = time.perf_counter()
            try:
                versions = install(env, python, wheel, PACKAGES[name])
                passed, line = run(env)
            except RuntimeError as error:
                versions, passed, line = "not installed", False, str(error)
            failed |= not passed
            verdict = "passes" if passed else "FAILS"
            took = time.perf_counter() - start
            print(f"Python {version}, {name} ({versions}): {verdict} in {took:.0f} s: {line}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
