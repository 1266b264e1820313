# Two commands do all of their own set-up: `make demo` and `make test`. They need Python 3.10+, make and git.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
INSTALLED := $(VENV)/.installed
# A bench is a program that prints a table; the others in the folder are parts of them. The proof needs a GPU, the
# fuzzer atheris.
BENCHES = $(filter-out bench/stock_dashboard.py bench/gpt2_trainer.py bench/gpu_proof.py bench/fuzz.py bench/mutants.py bench/same_reports.py, $(shell grep -l "^if __name__" bench/*.py))

.DEFAULT_GOAL := help

.DELETE_ON_ERROR:
.PHONY: help demo test test-frameworks mutants screenshots bench check format lint types contracts clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# What is installed is in the name of the mark, so that each target installs no more than it needs.
$(VENV)/.runs: pyproject.toml .ci/make_venv.py
	@echo "making a virtual environment in $(VENV), with itermon in it (half a minute, once)"
	@$(PYTHON) .ci/make_venv.py $(VENV)
	@$(PIP) --editable .
	@touch $@

$(INSTALLED): $(VENV)/.runs
	@echo "installing the tools that test and check itermon (a minute, once)"
	@$(PIP) --editable '.[dev]'
	@touch $@

demo: $(VENV)/.runs ## train a small language model and watch it: the whole thing in a minute
	@$(BIN)/itermon demo

test: $(INSTALLED) ## run the tests
	$(BIN)/python -m pytest --ignore=tests/campaigns
	$(BIN)/python -m pytest tests/campaigns

# A virtual environment of their own: 1.2 GB with torch's CPU build, which is taken where pip can find one.
FRAMEWORKS := .venv-frameworks
TORCH ?= torch==2.13.*
$(FRAMEWORKS)/.installed: pyproject.toml
	@test -x $(FRAMEWORKS)/bin/python || $(PYTHON) -m venv $(FRAMEWORKS)
	@echo "installing torch, transformers, trl, lightning, deepspeed, keras, jax and scikit-learn (minutes, once)"
	@$(FRAMEWORKS)/bin/pip install --quiet --disable-pip-version-check '$(TORCH)' \
	  'transformers>=5,<6' accelerate 'lightning>=2.6,<3' 'keras>=3,<4' jax scikit-learn 'trl>=1,<2' 'deepspeed>=0.19,<1' \
	  safetensors pytest pytest-asyncio hypothesis --editable .
	@touch $@

test-frameworks: $(FRAMEWORKS)/.installed ## run the tests of the hooks inside torch, transformers, lightning, keras, jax
	$(FRAMEWORKS)/bin/python -m pytest tests/frameworks

mutants: $(INSTALLED) ## make small faults in the code, and count those that the tests notice (an hour)
	$(BIN)/python bench/mutants.py --jobs 2 $(if $(wildcard $(FRAMEWORKS)/bin/python),--python $(abspath $(FRAMEWORKS)/bin/python))

check: format lint types contracts test ## format, lint, strict types, import contracts, tests

screenshots: $(INSTALLED) ## render the pictures of the README from the states of the tests
	@$(PIP) --editable '.[screenshots]'
	@$(BIN)/python screenshots/make.py

bench: $(INSTALLED) ## measure what the README claims, beside peers and floors (a quarter of an hour)
	@$(PIP) --editable '.[bench]'
	@for bench in $(BENCHES); do echo; echo "== $$bench"; $(BIN)/python $$bench || echo "$$bench: failed"; done

format: $(INSTALLED)
	$(BIN)/ruff format --check .

lint: $(INSTALLED)
	$(BIN)/ruff check .

# mypy cannot see an editable install whose package is the repository root: a link shows it the package.
types: $(INSTALLED)
	@mkdir -p .build && ln -sfn .. .build/itermon
	MYPYPATH=.build $(BIN)/mypy -p itermon.analysis -p itermon.cli -p itermon.collectors -p itermon.launch -p itermon.metrics -p itermon.notices -p itermon.reports \
	  -p itermon.trainer_hooks -p itermon.tui -p itermon.events -m itermon.opening -m itermon.private -m itermon.run_files -m itermon.__main__

contracts: $(INSTALLED)
	$(BIN)/lint-imports

clean: ## remove what make made
	rm -rf $(VENV) $(FRAMEWORKS) .build build *.egg-info .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
