# `make help` lists the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PLAN ?= demo
PORT ?= 8080
PARALLELISM ?= 4
AUTH ?= open
PYTHON := .venv/bin/python
# Of the tests from end to end those that hold whatever else the machine does.
BESIDE_OTHERS := $(addprefix tests/e2e/test_, nothing_is_left_behind.py bad_input.py the_command_line_walk.py)

.PHONY: help demo up down test test-long check bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## the whole pipeline on a private database, to one verdict (PLAN=demo-overload: one that fails)
	@scripts/setup.sh runtime && exec $(PYTHON) -m readiness.demo --plan $(PLAN)

up: ## the Airflow UI on 127.0.0.1 with the demo's databases (PORT=8080 PARALLELISM=4 AUTH=users)
	@scripts/setup.sh runtime && exec $(PYTHON) -m readiness.demo.standalone start \
	  --port '$(PORT)' --parallelism '$(PARALLELISM)' --auth '$(AUTH)'

down: ## stop what `make up` started, and destroy its clones
	@[ -x $(PYTHON) ] || { echo "Nothing was running."; exit 0; }; \
	  exec $(PYTHON) -m readiness.demo.standalone stop

test: check ## make check, then all tests but the long ones
	@$(PYTHON) -m pytest -q -n 2 -m "not long" tests/architecture tests/unit tests/property
	@$(PYTHON) -m pytest -q -n 2 --dist loadfile -m "not long" $(BESIDE_OTHERS) tests/integration --ignore tests/integration/load
	@$(PYTHON) -m pytest -q -n 2 --dist loadfile -m "not long" tests/integration/load
	@$(PYTHON) -m pytest -q -m "not long" tests/e2e $(BESIDE_OTHERS:%=--ignore %)  # these measure: alone

test-long: ## the tests that take minutes: kill -9 at every step, a stop at every moment
	@scripts/setup.sh dev && exec $(PYTHON) -m pytest -q -m long tests

check: ## format, lint, types, import rules
	@scripts/setup.sh dev
	@.venv/bin/ruff format --check --quiet . || { echo "Run: .venv/bin/ruff format ."; exit 1; }
	@.venv/bin/ruff check --quiet .
	@.venv/bin/mypy
	@.venv/bin/lint-imports --no-logo

bench: ## measure the suite beside its peers: a table, and .local/bench.json (ONLY=load: a part of it)
	@scripts/setup.sh bench && exec $(PYTHON) -m tests.bench $(ONLY)

clean: ## remove the caches of the tools
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	@find include tests -name __pycache__ -type d -prune -exec rm -rf {} +
