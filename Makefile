# Two commands do everything: `make demo` and `make test`. Each makes .venv and installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One BLAS thread: on two busy cores a small dense solve is otherwise a thousand times slower.
PIN := OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 OMP_NUM_THREADS=1

.PHONY: demo test fuzz check docs bench peers clean

demo: $(VENV)/.package
	$(BIN)/linkwright demo

test: $(VENV)/.test
	$(PIN) $(BIN)/python -m pytest -n 2

# Random machines for as long as one likes; every failure tells its seed, and REPLAY=1234:5 runs that machine again.
SECONDS := 600
SEED := 1000000
JOBS := 2
fuzz: $(VENV)/.test
	$(PIN) PYTHONPATH=tests $(BIN)/python -m fuzz $(if $(REPLAY),--replay $(REPLAY),--seconds $(SECONDS) --seed $(SEED) --jobs $(JOBS))

check: $(VENV)/.check docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# -W: a warning is an error; -E: every page is run anew
docs: $(VENV)/.docs
	$(PIN) $(BIN)/python -m sphinx -E -W --keep-going -q -b html docs docs/_build/html

bench: $(VENV)/.peers
	$(PIN) $(BIN)/python -m benchmarks

# Other programs have an environment of their own: they are large, and what they need may contradict what we do.
peers: .venv-peers/.programs
	$(PIN) .venv-peers/bin/python -m benchmarks --only programs --json benchmarks/programs.json
	.venv-peers/bin/python -m benchmarks.programs.report

.venv-peers/.programs: pyproject.toml
	test -x .venv-peers/bin/python || $(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install -q --disable-pip-version-check --upgrade pip
	.venv-peers/bin/python -m pip install -q --disable-pip-version-check --editable . --group programs
	touch $@

$(VENV)/.package: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install -q --disable-pip-version-check --editable .
	touch $@

$(VENV)/.%: $(VENV)/.package
	$(BIN)/python -m pip install -q --disable-pip-version-check --group $*
	touch $@

clean:
	rm -rf $(VENV) .venv-peers
