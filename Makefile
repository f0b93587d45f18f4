# The workbook's everyday commands. `make` alone lists them; README.md gives the same steps without make.

PYTHON ?= python3
UV ?= uv
BIN := .venv/bin
LAB := .venv/.lab-installed
ALL := .venv/.all-installed

.DEFAULT_GOAL := help
.PHONY: help lab test lint bench notebooks readme constraints clean

help: ## list these commands
	@sed -n 's/^\([a-z]*\):.*## /make \1\t/p' Makefile | expand -t 20

lab: $(LAB) ## install if needed, and open JupyterLab on the first notebook
	@$(BIN)/lan966x-lab open

# A notebook's cells must stay on one worker (loadfile); the long files of tests/driver come first, as collected.
WORKERS := -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

test: $(ALL) ## run every test: package, notebooks (strict), browser
	@status=0; \
	$(BIN)/python -m pytest --nbval $(WORKERS) --ignore tests/browser || status=1; \
	$(BIN)/python -m pytest tests/browser || status=1; \
	exit $$status

lint: $(ALL) ## check style, types and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(ALL) ## time the package beside its peers; ONLY="ifh" runs one part
	@$(BIN)/python tests/bench/run.py $(ONLY)

notebooks: $(ALL) ## run the notebooks anew, store their outputs, make the exercises
	@$(BIN)/python -m lan966x_lab.workbook.freeze $$(ls notebooks/*.ipynb notebooks/solutions/*.ipynb | grep -v '\.mine')
	@$(BIN)/lan966x-lab handout

readme: $(ALL) ## write the README's tables, module map and pictures anew
	@$(BIN)/python tests/readme.py

constraints: ## pin every dependency anew in constraints.txt (needs uv)
	$(UV) pip compile --quiet --upgrade --universal --no-annotate --no-header \
	  --extra test --extra dev --extra classroom pyproject.toml -o constraints.txt

clean: ## remove the environment and everything else that make made
	rm -rf .venv tests/browser/node_modules build dist artifacts .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find lan966x_lab tests notebooks -name __pycache__ -prune -exec rm -rf {} +

$(LAB): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing into .venv; this takes about a minute, once."
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	@touch $@

$(ALL): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing into .venv, with the test tools; this takes a minute or two, once."
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[test,dev,classroom]'
	@touch $@ $(LAB)

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON) here: install Python 3.11 or later, or name yours: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("The lab needs Python 3.11 or later, and $(PYTHON) is " + sys.version.split()[0] + ". Name a newer one: make PYTHON=python3.12")'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) cannot make environments: on Debian and Ubuntu run: sudo apt install python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv --clear .venv
