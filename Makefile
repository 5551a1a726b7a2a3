# Palestra. `make demo` shows it, `make test` proves it; `make help` lists the rest.
.DEFAULT_GOAL := help
.PHONY: help setup setup-dev demo test quick neighbours check bench soak dist version lock schema clean
PYTHON ?= python3
BIN := .venv/bin

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1|/' | awk -F'|' '{printf "  make %-10s %s\n", $$1, $$2}'

setup: ## build .venv with what it takes to run (safe to repeat)
	@PYTHON="$(PYTHON)" sh .ci/setup requirements.lock

setup-dev: ## build .venv with what it takes to run, test and check (safe to repeat)
	@PYTHON="$(PYTHON)" sh .ci/setup requirements-dev.lock

demo: setup ## referee, three bots and a small tournament in all four games (DEMO_ARGS="--exit --move-ms 100")
	@$(BIN)/palestra-server demo $(DEMO_ARGS)

test: setup-dev ## run the tests
	@$(BIN)/python -m pytest -n 5 --dist worksteal $(TEST_ARGS)

quick: setup-dev ## run the tests that start no process and compute little: in a minute
	@$(BIN)/python -m pytest -n 3 --dist worksteal -m "not process and not slow" --hypothesis-profile quick --durations 5 $(TEST_ARGS)

neighbours: ## run the tests against Jupyter, kaggle-environments and Schemathesis, in an environment of their own
	@PYTHON="$(PYTHON)" sh .ci/setup requirements-neighbours.lock .venv/neighbours
	@.venv/neighbours/bin/python -m pytest tests/neighbours $(TEST_ARGS)

check: setup-dev ## ruff, mypy --strict, import-linter, the locks, the page's types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32 $(addprefix -p palestra_,games protocol referee tournament client bots lab) & \
		windows=$$!; $(BIN)/mypy; here=$$?; wait $$windows && exit $$here
	@$(BIN)/lint-imports
	@$(BIN)/python .ci/check_locks.py
	@sh .ci/check_page

bench: setup-dev ## measure, as ratios in one run on this machine
	@$(BIN)/python -m benchmarks $(BENCH_ARGS)

soak: setup-dev ## ten minutes of matches, watchers and attacks at once (SOAK_ARGS="--seconds 120")
	@$(BIN)/python -m benchmarks.soak $(SOAK_ARGS)

version: ## set the version of all four distributions: make version VERSION=0.2.0
	@sed -i.old -E 's/^version = ".*"$$/version = "$(VERSION)"/' protocol/pyproject.toml
	@sed -i.old -E 's/("palestra-[a-z]+(\[[a-z,]+\])?)==[^"]*"/\1==$(VERSION)"/g' client/pyproject.toml bots/pyproject.toml server/pyproject.toml
	@rm -f protocol/pyproject.toml.old client/pyproject.toml.old bots/pyproject.toml.old server/pyproject.toml.old

dist: ## build wheels and sdists of all four into dist/, install them into an empty environment and play matches there
	@PYTHON="$(PYTHON)" sh .ci/dist

schema: setup-dev ## write protocol/schema.json and the test vectors anew
	@$(BIN)/python -m palestra_protocol.schema > protocol/schema.json
	@$(BIN)/python -m palestra_games.vectors protocol/vectors

lock: ## make the lock files anew (needs uv)
	uv lock
	uv export -q --no-header --no-emit-workspace --all-packages --no-group dev -o requirements.lock
	uv export -q --no-header --no-emit-workspace --all-packages -o requirements-dev.lock
	uv export -q --no-header --no-emit-workspace --all-packages --no-group dev --group neighbours -o requirements-neighbours.lock

clean: ## remove .venv and the caches
	rm -rf .venv dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
