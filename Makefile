# Two commands are all a newcomer needs: `make test` and `make demo`.
# Each prepares what it uses by itself; `make help` lists the rest.
PYTHON ?= python3.11
PYTHON313 ?= $(shell tools/find_python.sh 3.13)
JOBS ?= 2
OUT ?= out

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BUILDER := .venv-blender-4.5
PEERS := .venv-peers

# Blender 5.2 needs Python 3.13; without one `make test` says so and goes on.
PYTHON313 := $(PYTHON313)
BLENDERS := $(strip 4.5 $(if $(PYTHON313),5.2))
ALL_BLENDERS := 4.5 5.2
FAST := -m "not slow"
# Each process begins with one half of the tests, so that what tests of a file share is computed once, and at last
# takes some from the other.
PARALLEL := -n $(JOBS) --dist worksteal

# Matrices here are small: threads of OpenBLAS only wait for each other.
export OPENBLAS_NUM_THREADS := 1
# Tests start a hundred processes of Python: each would compile all sources anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup setup-blender lint test test-all test-engine test-numpy test-checked test-extension test-window attack demo bench bench-quick \
  bench-docs bench-compare clean \
  extension extension-all wheels-lock $(ALL_BLENDERS:%=test-blender-%)
.PHONY: lint-and-warm-up # a part of `make test`, not a command

help:
	@echo "make test           lint, types, engine tests, then the add-on and its built zips in real Blenders (4.5, 5.2)"
	@echo "make test-all       the same with the long runs (fuzz, stress, attack, checked kernels)"
	@echo "make demo           author, simulate and bake a crane, a pump and a roller coaster in Blender; pictures and a .blend file in OUT=$(OUT)"
	@echo "make extension      dist/*.zip for Blender: the slim one, and the full ones for this machine"
	@echo "make extension-all  the same for every platform (downloads about 590 MB of wheels)"
	@echo "make bench          benchmarks beside pinocchio, MuJoCo, DART, Drake, PyBullet, Exudyn and Bullet; results in benchmarks/results"
	@echo "make bench-quick    the same with less of everything, under 3 minutes"
	@echo "make bench-docs     renew the tables and plots of docs/measurements.md from the last full make bench"
	@echo "make attack         random mechanisms, bad files and operators against an independent integrator; MINUTES=60 SEED=1 KINDS=..."
	@echo "make bench-compare  times of the working tree beside those of another commit, interleaved: BASE=main NAMES=\"loops start\""
	@echo "make lint           ruff and mypy only"
	@echo "make test-engine    only the tests that need no Blender"
	@echo "make test-numpy     simulations and goldens without numba"
	@echo "make test-checked   kernels, goldens, loops and attack with every read and write of compiled code seen to lie where it must"
	@echo "make test-blender-4.5, -5.2   only the add-on's tests, in that Blender"
	@echo "make test-extension only the built zips, installed into clean profiles"
	@echo "make test-window    only the add-on in a real Blender window, by mouse and keys; REDMAX_BLENDER names the Blender"
	@echo "make setup          only prepare $(VENV)"
	@echo "make setup-blender  only prepare $(BLENDERS:%=.venv-blender-%) (about 350 MB each)"
	@echo "make wheels-lock    renew the hashes of wheels.lock after a version in it was changed"
	@echo "make clean          remove the environments and everything that was built"

setup: $(STAMP)

$(STAMP): requirements-dev.lock pyproject.toml
	@! test -L $(VENV) || { echo "$(VENV) is a link; renewing it would empty what it leads to. Remove the link."; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV) || { \
	  echo "Could not create a virtual environment with '$(PYTHON)'."; \
	  echo "Install Python 3.11 with venv (Debian: apt-get install python3.11 python3.11-venv),"; \
	  echo "or name another one: make PYTHON=/path/to/python3.11"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.lock
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

setup-blender: $(BLENDERS:%=.venv-blender-%/.installed)

.venv-blender-%/.installed: requirements-blender-%.lock
	@tools/blender_env.sh $* $(if $(filter 5.2,$*),$(or $(PYTHON313),python3.13),$(PYTHON))
	@touch $@

LINT := $(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

lint: $(STAMP)
	$(LINT)

# The compiler and the type checker keep one core each busy.
lint-and-warm-up: $(STAMP)
	@$(BIN)/python -m redmax warm-up & warming=$$!; trap 'kill $$warming' INT TERM; \
	  ( set -x; $(LINT) ) || { kill $$warming; exit 1; }; wait $$warming

test: lint-and-warm-up test-engine $(BLENDERS:%=test-blender-%) test-extension
	@$(said)

test-all: FAST :=
test-all: lint-and-warm-up test-engine test-numpy test-checked $(BLENDERS:%=test-blender-%) test-extension test-window
	@$(said)
	@$(BIN)/python -m tests.window.programs

# The closing words of a test run: what was not tested is never silent.
said = echo "All passed, with Blender $(BLENDERS)."; \
  $(if $(PYTHON313),true,echo "NOT tested: Blender 5.2, because no working Python 3.13 was found (name one: make test PYTHON313=/path/to/python3.13).")

# Kernels are compiled once before the tests, instead of by each of their processes. The route without numba is compared
# with the other in tests/engine; `make test-all` runs everything on it once more.
test-engine: $(STAMP)
	$(BIN)/python -m redmax warm-up
	$(BIN)/python -m pytest $(PARALLEL) $(FAST)

test-numpy: $(STAMP)
	REDMAX_ROUTE=numpy $(BIN)/python -m pytest $(PARALLEL) -m "not slow" tests/engine/integrators tests/engine/test_simulate.py tests/engine/test_goldens.py

# Kernels that look where they read and write: they are slower by far, and compiled for themselves.
test-checked: export REDMAX_CHECKED := 1
test-checked: $(STAMP)
	$(BIN)/python -m redmax warm-up
	$(BIN)/python -m pytest $(PARALLEL) -m "not slow" tests/engine/kernels tests/engine/test_goldens.py tests/engine/constraints tests/engine/integrators/test_events.py
	REDMAX_ATTACK_MINUTES=2 REDMAX_ATTACK_HELD=200 $(BIN)/python -m pytest tests/attack/test_campaign.py

$(ALL_BLENDERS:%=test-blender-%): test-blender-%: .venv-blender-%/.installed
	PYTHONPATH=engine:addon .venv-blender-$*/bin/python -m pytest -c tests/blender/pytest.ini tests/blender $(PARALLEL) $(FAST)

test-extension: $(STAMP) setup-blender extension
	REDMAX_BLENDERS="$(BLENDERS)" $(BIN)/python -m pytest tests/extension -n $(JOBS) $(FAST)

# Where a Blender, Xvfb and xdotool are found; otherwise it says what is missing. Pictures of what failed: OUT/window.
test-window: $(STAMP) extension
	REDMAX_WINDOW_OUT=$(OUT)/window $(BIN)/python -m pytest tests/window -x -rs

# What it finds is written into OUT/attack. Blender environments take part where they exist (make setup-blender).
MINUTES ?= 60
SEED ?= 1
attack: $(STAMP)
	$(BIN)/python -m tests.attack --minutes $(MINUTES) --seed $(SEED) --out $(OUT)/attack $(if $(KINDS),--kinds $(KINDS))

extension: $(BUILDER)/.installed
	$(BUILDER)/bin/python -m tools.extension build

extension-all: $(BUILDER)/.installed
	$(BUILDER)/bin/python -m tools.extension build --all

wheels-lock: $(BUILDER)/.installed
	$(BUILDER)/bin/python -m tools.extension lock

demo: extension
	$(BUILDER)/bin/python tools/demo.py --out $(OUT)

# Engines that we are compared with live in an environment of their own: several need a newer numpy than Blender's.
$(PEERS)/.installed: requirements-peers.lock tools/peers_env.sh
	@tools/peers_env.sh $(PYTHON)
	@touch $@

# One benchmark or several by name: make bench NAMES="forward_dynamics growth"
bench: $(PEERS)/.installed
	PYTHONPATH=engine $(PEERS)/bin/python -m benchmarks $(NAMES)

bench-quick: $(PEERS)/.installed
	PYTHONPATH=engine $(PEERS)/bin/python -m benchmarks --quick $(NAMES)

bench-docs: $(PEERS)/.installed
	PYTHONPATH=engine $(PEERS)/bin/python -m benchmarks.document

# Needs no peers. Options of `python -m benchmarks.compare`, such as --quick and --strict: make bench-compare BASE=main OPTIONS=--quick
bench-compare: $(STAMP)
	@test -n "$(BASE)" || { echo "Name the commit to compare with: make bench-compare BASE=main"; exit 1; }
	PYTHONPATH=engine $(BIN)/python -m benchmarks.compare --base $(BASE) $(OPTIONS) $(NAMES)

clean:
	rm -rf $(VENV) $(PEERS) .venv-blender-* build dist out benchmarks/results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
