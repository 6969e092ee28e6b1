# Every target sets up what it needs: a machine with make and a Python of 3.11 or newer is enough.
# The packages come from the two lock files and are checked against their hashes.

PYTHON     ?= python3
UV_VERSION := 0.13.7

# test processes (0: none besides the first), and more words for the main run: make test PYTEST_ARGS="-m 'not slow'"
WORKERS     ?= auto
PYTEST_ARGS ?=

# random models, or wrong calls: how many, and which
N    ?= 1000
SEED ?= 0

BIN    := .venv/bin
UV     := $(BIN)/uv
PYTEST := $(BIN)/python -m pytest

# stamps: set-up is repeated only when what it was made from has changed
VENV   := .venv/.stamp-uv-$(UV_VERSION)
RUN    := .venv/.stamp-run
DEV    := .venv/.stamp-dev
SOURCE := pyproject.toml src/genalpha/_version.py

# the environment is named here, whatever else is active in the shell that called make
export VIRTUAL_ENV := $(CURDIR)/.venv
export UV_HTTP_TIMEOUT ?= 180
unexport PYTHONPATH PYTHONHOME CONDA_PREFIX

# not among the others: frames per second are measured, and pages wait for clocks
BROWSER_TESTS := tests/view/test_browser.py

# the two further test runs; a run with bounds checks must not share a cache of compiled code with one without
INTERPRETED := NUMBA_DISABLE_JIT=1
BOUNDSCHECK := NUMBA_BOUNDSCHECK=1

# with bounds checks: the linear algebra, and the loops of the papers' schemes on pendulums; functions of more systems
# have no index loops of ours
LOOPS := 'math or storage or pendulum or impacts'

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-all test-browser test-interpreted test-boundscheck docs verify check coverage matrix bench fuzz fuzz-calls viewer check-viewer lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-17s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(RUN) ## reproduce the papers' figures and tables in out/, and show all problems in out/index.html
	$(BIN)/genalpha reproduce --out out

test: $(DEV) ## all tests, then those marked `agreement` interpreted, and some with bounds checks
	@$(MAKE) --no-print-directory test-all
	@$(MAKE) --no-print-directory -j 2 test-browser test-interpreted
	@$(MAKE) --no-print-directory test-boundscheck

test-all: $(DEV)
	$(PYTEST) -n $(WORKERS) --maxprocesses 4 --dist worksteal --ignore $(BROWSER_TESTS) $(PYTEST_ARGS)

# skipped with a sentence where there is no browser
test-browser: $(DEV)
	$(PYTEST) $(BROWSER_TESTS)

test-interpreted: $(DEV)
	$(INTERPRETED) $(PYTEST) -n $(WORKERS) --maxprocesses 4 --dist worksteal -m agreement

test-boundscheck: $(DEV)
	@echo '$(BOUNDSCHECK) NUMBA_CACHE_DIR=(a fresh one) $(PYTEST) -m agreement -k $(LOOPS)'
	@cache=$$(mktemp -d) && trap 'rm -rf "$$cache"' EXIT && \
	$(BOUNDSCHECK) NUMBA_CACHE_DIR="$$cache" $(PYTEST) -n $(WORKERS) --maxprocesses 4 --dist loadfile -m agreement -k $(LOOPS)

docs: $(DEV) ## build the book into out/docs: run its pages, measure its tables, check its links
	$(BIN)/sphinx-build -q -W --keep-going -n -b html docs out/docs
	$(BIN)/python docs/check_pages.py out/docs

verify: $(RUN) ## published and exact numbers beside ours, into out/verification.md
	$(BIN)/genalpha verify --out out

check: $(DEV) ## formatting, lint, spelling, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/codespell
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright

# coverage does not see compiled code: the second run has numba switched off, and lines count that either has run
COVERAGE := $(PYTEST) -q -n $(WORKERS) --maxprocesses 4 --dist worksteal --cov --cov-report=

coverage: $(DEV) ## how many lines the tests run: one figure, and out/coverage/index.html; a quarter of an hour
	@mkdir -p out/coverage
	$(COVERAGE) --ignore $(BROWSER_TESTS) -m 'not slow'
	$(INTERPRETED) $(COVERAGE) --cov-append -m 'agreement and not slow'
	@$(BIN)/coverage html --quiet
	@$(BIN)/coverage report --format total

matrix: $(DEV) ## the wheel and a sample of tests with the lowest and the newest packages, on Python 3.11 to 3.13
	$(BIN)/python tests/matrix.py

bench: $(DEV) ## run the benchmarks
	$(BIN)/python -m benchmarks

fuzz: $(DEV) ## N random models of seed SEED, and what must hold for them (1000, 0)
	$(BIN)/python -m fuzz -n $(N) --seed $(SEED)

fuzz-calls: $(DEV) ## N wrong calls of the public interface (1000)
	$(BIN)/python -m fuzz calls -n $(N) --seed $(SEED)

viewer: ## build the page of the viewer from viewer/src; needs Node
	cd viewer && npm ci && npm run build

check-viewer: ## is the committed page the build of viewer/src? needs Node
	cd viewer && npm ci && npm run check

# uv.lock names the place it was resolved from and is not kept, so a lock is always made anew: the newest of everything
EXPORT := $(UV) export --quiet --frozen --no-default-groups --no-emit-project --no-header --no-annotate

lock: $(VENV) ## resolve the dependencies anew and write both lock files
	$(UV) lock --upgrade
	$(EXPORT) --group build --extra plot --output-file requirements.lock
	$(EXPORT) --group dev --all-extras --output-file requirements-dev.lock

clean: ## remove results and caches; .venv stays
	rm -rf out build dist docs/_figures docs/_generated .pytest_cache .ruff_cache .hypothesis
	find src tests examples benchmarks fuzz docs -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

$(VENV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "genalpha needs Python 3.11 or newer, and '$(PYTHON)' is `$(PYTHON) --version 2>&1`." \
	         "Name another one, for instance: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "making .venv with `$(PYTHON) --version`"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install -qq --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@

INSTALL = @echo "installing the packages of $< into .venv (a minute at most)" && \
    $(UV) pip install --quiet --compile-bytecode --require-hashes -r $< && \
    $(UV) pip install --quiet --no-deps --no-build-isolation -e . && \
    touch $@

$(RUN): requirements.lock $(SOURCE) | $(VENV)
	$(INSTALL)

$(DEV): requirements-dev.lock $(SOURCE) | $(VENV)
	$(INSTALL)
