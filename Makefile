# Two commands are all a newcomer needs: `make test` and, once the add-on is there, `make demo`.
# Each prepares .venv by itself; `make help` lists the rest.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
JOBS ?= 2

.DEFAULT_GOAL := help
.PHONY: help setup test test-all lint bench clean

help:
	@echo "make test      lint, type-check and run the test suite"
	@echo "make test-all  the same with the long runs: fuzz, stress, large meshes"
	@echo "make bench     benchmarks with ratios, plots in benchmarks/results"
	@echo "make lint      ruff and mypy only"
	@echo "make setup     only prepare $(VENV)"
	@echo "make clean     remove $(VENV) and everything that was built"

setup: $(STAMP)

$(STAMP): requirements-dev.lock pyproject.toml
	@$(PYTHON) -m venv --clear $(VENV) || { \
	  echo "Could not create a virtual environment with '$(PYTHON)'."; \
	  echo "Install Python 3.11 with venv (Debian: apt-get install python3.11 python3.11-venv),"; \
	  echo "or name another one: make PYTHON=/path/to/python3.11"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow"

test-all: lint
	$(BIN)/python -m pytest -n $(JOBS)

bench: $(STAMP)
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) build dist out benchmarks/results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
