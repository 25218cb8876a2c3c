# Three commands: `make run` does the main job on built-in data, `make lab` opens the lab in the browser, `make test`
# checks everything and `make test ARGS=tests/proof` one room. They need python3 (3.11 or later) with venv, and the
# network the first time only.

PYTHON ?= python3
BIN := .venv/bin
# Without --no-compile, pip would compile every module that it installs to bytecode; Python does it for those in use.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt
FILES := pyproject.toml constraints.txt

# Python shall keep the bytecode that it compiles: tests start many processes.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run lab test nightly pytest lint lint-python lint-page lint-scripts bench clean
.DELETE_ON_ERROR:

# The rules are compiled ahead, once. The irises need no compiler, so their answer comes first.
run: .venv/run.done
	@$(BIN)/python examples/iris.py
	@$(MAKE) --no-print-directory .venv/compiled.done

lab: .venv/lab.done .venv/compiled.done
	@$(BIN)/rosenblatt lab $(ARGS)

# With ARGS: those tests only, in one process and without the linters. Without: linters and tests at the same time.
ifdef ARGS
test: .venv/dev.done
	$(BIN)/python -m pytest $(ARGS)
else
test:
	@$(MAKE) --no-print-directory --jobs=2 lint pytest
endif

nightly: export HYPOTHESIS_PROFILE = nightly
nightly: test

# There is a test process for each core; with more threads than that, matrix products wait for each other.
pytest: export OPENBLAS_NUM_THREADS = 1
pytest: .venv/dev.done
	$(BIN)/python -m pytest -n auto

lint: lint-page lint-python lint-scripts

lint-python: .venv/dev.done
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.support.docstrings

lint-page:
	@if command -v npm >/dev/null; then \
	$(MAKE) --no-print-directory node_modules/.done && \
	npx --no-install eslint src/rosenblatt/lab/page src/rosenblatt/service/page && npx --no-install tsc -p jsconfig.json; \
	elif test -n "$$ROSENBLATT_BROWSER"; then echo "npm is needed to check the lab's page"; exit 1; \
	else echo "The lab's page was not checked: there is no npm here."; fi

# pyright reads the scripts of users in tests/contract/typed_scripts. `lint-page` installs it, and says what is missing.
lint-scripts: lint-page .venv/dev.done
	@if command -v npm >/dev/null; then \
	npx --no-install pyright --project tests/contract/typed_scripts --pythonpath $(BIN)/python; \
	else echo "The typed scripts were not checked by pyright: there is no npm here."; fi

node_modules/.done: package.json
	npm install --no-save --no-package-lock --no-audit --no-fund --loglevel=error
	@touch $@

bench: .venv/bench.done
	$(BIN)/python -m benchmarks $(ARGS)

clean:
	rm -rf .venv node_modules build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find src tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "rosenblatt needs Python 3.11 or later")'
	$(PYTHON) -m venv .venv

.venv/run.done: $(FILES) | $(BIN)/python
	@echo "Installing (only the first time) ..."
	$(INSTALL) -e '.[plot]'
	@touch $@

.venv/compiled.done: $(wildcard src/rosenblatt/rules/*.py src/rosenblatt/data/compiled/*.py) | .venv/run.done
	@echo "Compiling the rules for larger data (once, about a minute; Ctrl+C ends it, and nothing is lost) ..."
	@$(BIN)/rosenblatt compile
	@touch $@

.venv/lab.done: $(FILES) | $(BIN)/python
	@echo "Installing (only the first time) ..."
	$(INSTALL) -e '.[plot,serve]'
	@touch $@ .venv/run.done

.venv/dev.done: $(FILES) | $(BIN)/python
	@echo "Installing what the tests need (only the first time) ..."
	$(INSTALL) -e '.[dev]'
	@touch $@ .venv/run.done .venv/lab.done

.venv/bench.done: $(FILES) | $(BIN)/python
	@echo "Installing the peers (only the first time) ..."
	$(INSTALL) -e '.[bench]'
	@touch $@ .venv/run.done
