# make run          the app, in the browser          make run PORT=8600 ADDRESS=0.0.0.0
# make test         lint, types and every test that needs no weights but MiniLM's
# make test-models  the tests that need other real weights
# make check        lint and types alone
# make bench        the speeds
#
# Each makes the environment when it is missing or older than a requirements file.
# PYTHON=/path/to/python3.12 chooses the Python; TORCH_INDEX=<url> the place PyTorch comes from.

PYTHON ?=
VENV ?= .venv
TORCH_INDEX ?=
CPU_INDEX := https://download.pytorch.org/whl/cpu
ADDRESS ?=
PORT ?=

python := $(VENV)/bin/python
pip := $(python) -m pip install --disable-pip-version-check
torch = $(shell sed -n '/^torch==/p' requirements.txt)
new_enough := import sys; sys.exit(sys.version_info < (3, 11))
# Not empty when the environment works; one whose Python has gone or is too old is made anew.
runs := $(shell $(python) -c '$(new_enough)' 2>/dev/null && $(python) -m pip --version 2>/dev/null)

.PHONY: run test test-models check ruff mypy bench anew
.DELETE_ON_ERROR:

run: $(VENV)/app.stamp
	$(python) -m streamlit run app.py $(if $(ADDRESS),--server.address $(ADDRESS)) $(if $(PORT),--server.port $(PORT))

test: check
	$(python) -m pytest -m "not weights"

test-models: $(VENV)/dev.stamp
	@$(python) -m pytest -m weights || { \
	  code=$$?; [ $$code -ne 5 ] || echo "No test is marked 'weights', so no model was tested: that is a failure." >&2; exit $$code; }

check: ruff mypy

ruff: $(VENV)/dev.stamp
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check

mypy: $(VENV)/dev.stamp
	$(VENV)/bin/mypy

bench: $(VENV)/dev.stamp
	HEADLIGHT_CHECK_SHAPES=0 $(python) -m pytest tests/benchmarks -o python_files="bench_*.py" -o python_functions="bench_*" -s

$(VENV)/dev.stamp: requirements-dev.txt $(VENV)/app.stamp
	$(pip) -r requirements-dev.txt
	@touch $@

# PyTorch goes first and alone: whatever asked for it later would bring gigabytes of CUDA to a Linux that has no
# GPU. There its CPU build is tried first, and where that index does not answer, the ordinary package serves.
$(VENV)/app.stamp: requirements.txt $(VENV)/made.stamp
	@echo "Installing $(torch)"; \
	if [ -n "$(TORCH_INDEX)" ]; then $(pip) --no-deps --index-url "$(TORCH_INDEX)" "$(torch)"; \
	elif [ "$$(uname -s)" = Linux ] && ! command -v nvidia-smi >/dev/null; then \
	  $(pip) --no-deps --index-url $(CPU_INDEX) --timeout 15 --retries 0 "$(torch)" 2>/dev/null || $(pip) "$(torch)"; \
	else $(pip) "$(torch)"; \
	fi || { echo "$(torch) could not be installed for $$($(python) -V) on $$(uname -sm)." >&2; exit 1; }
	$(pip) -r requirements.txt
	@touch $@

$(VENV)/made.stamp: $(if $(runs),,anew)
	@found=; chosen=; for candidate in $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11 python); do \
	  version=$$($$candidate -c 'import platform; print(platform.python_version())' 2>/dev/null) || continue; \
	  found="$${found:-$$candidate is $$version}"; \
	  if $$candidate -c '$(new_enough)'; then chosen=$$candidate; break; fi; \
	done; \
	if [ -z "$$chosen" ]; then \
	  echo "Headlight needs Python 3.11 or newer and $${found:-there is none here}: install one, or name it with make PYTHON=/path/to/python3.12." >&2; exit 1; \
	fi; \
	[ -n "$(runs)" ] || $$chosen -m venv $$([ ! -f $(VENV)/pyvenv.cfg ] || echo --clear) $(VENV) || { \
	  echo "$$chosen cannot make a virtual environment: install python3-venv (on Debian and Ubuntu: apt install python3-venv)." >&2; exit 1; \
	}
	@touch $@
