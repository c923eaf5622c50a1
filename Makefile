# Everything here works from a fresh clone with nothing but make and Python 3.11 or newer.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test simulate kill soak lint format bench conformance load constraints clean

VENV := .venv
BIN := $(VENV)/bin
NEW_ENOUGH := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
# The first of these that is new enough and can make an environment; `make PYTHON=/path/of/python test` names another.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
  $$p -c '$(NEW_ENOUGH)' 2>/dev/null && { echo $$p; exit; }; done; echo python3)
PIP := -m pip --disable-pip-version-check --no-input

# The pyright of constraints.txt brings the checker with it: no second version, and no look for a newer one.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
unexport PYRIGHT_PYTHON_FORCE_VERSION PYRIGHT_PYTHON_PYLANCE_VERSION
# What the caller's shell adds to the path or switches off does not decide whether a test passes.
unexport PYTHONPATH PYTHONHOME PYTHONOPTIMIZE PYTEST_ADDOPTS PYTHONDONTWRITEBYTECODE

help: ## this list
	@sed -nE 's/^([a-z]+):.*## (.*)/make \1	\2/p' Makefile | expand -t 18

demo: $(VENV)/product ## ask the simulated exchange through a real MCP client: no key, no network
	@$(BIN)/exchange-mcp demo

# A module's tests stay together: they share a simulated exchange. One process for each core and one more, since many
# wait for programs that they started; -n 0 runs them in one.
WORKERS ?= $(shell echo $$(( $$(getconf _NPROCESSORS_ONLN) + 1 )))
test: $(VENV)/dev ## every test, or some: make test ARGS="tests/model -x -n 0"
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

SCENARIOS ?= 20000
SEED ?= 1
PROCESSES ?= 2
simulate: $(VENV)/dev ## the desk's engine in virtual time: make simulate SCENARIOS=20000 SEED=1
	@PYTHONPATH=tests $(BIN)/python -m simulation $(SCENARIOS) $(SEED) $(PROCESSES)

KILLS ?= 200
kill: $(VENV)/dev ## a real desk killed in the middle of writes, orders counted at the venue: make kill KILLS=200 SEED=1
	@PYTHONPATH=tests $(BIN)/python -m whole_desk.kills $(KILLS) $(SEED)

soak: $(VENV)/dev ## what takes longer than every change may: kills at every step, lost messages on every hop, looks of a minute
	EXCHANGE_MCP_SOAK=1 $(BIN)/python -m pytest -n 0 tests/whole_desk tests/end_to_end

lint: $(VENV)/dev ## ruff, pyright and the import contracts
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright
	$(BIN)/lint-imports

format: $(VENV)/dev ## let ruff mend what it can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(VENV)/dev ## the speed targets, measured side by side in one run; also in build/bench.json
	$(BIN)/python -m benches.bench

conformance: $(VENV)/dev ## the MCP conformance suite and the MCP Inspector, from npm, against a server over HTTP and stdio
	$(BIN)/python -m benches.outside

load: $(VENV)/dev ## 64 clients over HTTP: errors, latency, memory
	$(BIN)/python -m benches.load

clean: ## remove the environment and everything built
	rm -rf $(VENV) build dist .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests benches -name __pycache__ -prune -exec rm -rf {} +

# Each stamp is younger than what it was installed from. The development environment contains the product's.
$(VENV)/made:
	@$(PYTHON) -c '$(NEW_ENOUGH)' || { \
	  echo "exchange-mcp needs Python 3.11 or newer with venv; '$(PYTHON)' is $$($(PYTHON) --version 2>&1)." >&2; \
	  echo "Name another one: make PYTHON=/path/of/python3.11 ... (Debian has venv in a package, python3-venv)." >&2; \
	  exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/product: $(VENV)/made pyproject.toml constraints.txt
	$(BIN)/python $(PIP) install --quiet -c constraints.txt -e .
	@touch $@

$(VENV)/dev: $(VENV)/made pyproject.toml constraints.txt
	$(BIN)/python $(PIP) install --quiet -c constraints.txt -e '.[dev]'
	@touch $(VENV)/product $@

constraints: ## resolve the dependencies afresh and write constraints.txt
	rm -rf build/resolve
	$(PYTHON) -m venv build/resolve
	build/resolve/bin/python $(PIP) install --quiet -e '.[dev]'
	{ grep '^#' constraints.txt; build/resolve/bin/python $(PIP) freeze --exclude-editable; } > build/constraints.txt
	mv build/constraints.txt constraints.txt
	rm -rf build/resolve
