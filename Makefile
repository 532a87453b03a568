# hitogata: everything a newcomer needs.  Needs python3 (3.11 or newer) and make.
#
#   make demo    pull a hand once around its shoulder, with and without ranges of motion; writes a report to out/
#   make studio  drag a figure in the browser
#   make test    style, types, import law, all tests
#   make wheel   a wheel that carries compiled code, so that who installs it waits for nothing; in dist/
#   make bench   benchmark tables, beside Pinocchio, MuJoCo and others in the same run

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo studio test static lint types law unit checked browser bench wheel clean

# What the example runs is compiled first, by as many processes as there are cores.
demo: $(VENV)/ready-demo
	@$(RUN) -m hitogata.cli warmup --rooms sim rom dynamics --only "world's step" "(pose)" "kinematics of many" "rom: contains" "rom: distance of many"
	$(RUN) examples/22_shoulder_circle.py --out out/shoulder

studio: $(VENV)/ready-studio
	$(RUN) -m hitogata.cli studio

# What needs one core each goes side by side; tests then take all cores.
test: $(VENV)/ready-test
	$(MAKE) -j2 --output-sync static checked
	$(MAKE) unit

static: lint types law

lint: $(VENV)/ready-test
	$(RUN) -m ruff check

types: $(VENV)/ready-test
	$(RUN) -m mypy

law: $(VENV)/ready-test
	$(VENV)/bin/lint-imports --no-cache

# The studio in a real browser, which draws in software, comes last and alone.
unit: $(VENV)/ready-test
	$(RUN) -m pytest -n auto --dist loadfile --ignore tests/studio/test_browser.py
	$(RUN) -m pytest tests/studio/test_browser.py

# Kernels with bounds of their memory checked; without -k also of worlds side by side, which take minutes to compile.
checked: $(VENV)/ready-test
	HITOGATA_CHECK=1 $(RUN) -m pytest tests/sim/test_bounds.py -k "not blocks"

browser: $(VENV)/ready-test
	$(RUN) -m pytest tests/studio/test_browser.py

bench: $(VENV)/ready-bench
	$(RUN) -m benchmarks

wheel: $(VENV)/ready-test
	$(RUN) packaging/wheel.py

$(VENV)/ready-venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "hitogata needs Python 3.11 or newer; say which with  make PYTHON=python3.12 ..."; exit 1; }
	@echo "Making a virtual environment in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV) || \
		{ echo "python3 has no venv module; on Debian or Ubuntu:  apt-get install python3-venv"; rm -rf $(VENV); exit 1; }
	@touch $@

$(VENV)/ready-%: pyproject.toml constraints.txt | $(VENV)/ready-venv
	@echo "Installing hitogata and what '$*' needs (a few minutes the first time) ..."
	@$(PIP) -e '.[$*]'
	@touch $@

clean:
	rm -rf $(VENV) out build *.egg-info
