# Each target sets up what it needs, also on a fresh machine.
.PHONY: setup setup-all demo test quick lint bench lock clean

PY := .venv/bin/python
# Where this is set, every run of the tests reads and rewrites all test files anew.
export PYTHONDONTWRITEBYTECODE :=
READY := .venv/.ready
READY_ALL := .venv/.ready-all
# What `make quick` looks into: the core's lower rooms.
LOWER_ROOMS := tests/test_*.py $(wildcard $(addprefix tests/,paradigms scoring screens models worlds agents engines data))

# What the main job needs: the three packages, no torch.
setup: $(READY)

# Everything: local models, training, and the tools that check the code.
setup-all: $(READY_ALL)

$(READY): requirements/demo.txt scripts/setup.sh pyproject.toml packages/phone/pyproject.toml packages/mini/pyproject.toml
	sh scripts/setup.sh
	touch $@

$(READY_ALL): $(READY) requirements/dev.txt
	sh scripts/setup.sh all
	touch $@

demo: setup
	.venv/bin/saccade score src/saccade/examples/steps.jsonl --profile all
	.venv/bin/saccade reward src/saccade/examples/steps.jsonl --paradigm btl
	.venv/bin/saccade run --world phone/clock.start_timer --model mini --paradigm btl --language en --seed 1
	.venv/bin/saccade run --world phone/settings.join_wifi --model mini --paradigm uiloop --language en --seed 1
	.venv/bin/saccade run --world phone/contacts.call --model mini --paradigm secagent --language zh --seed 1

test: lint
	$(PY) -m pytest -n auto --dist worksteal

# Under a minute: no browser, no torch.
quick: setup-all
	$(PY) -m pytest -n auto --dist worksteal --hypothesis-profile quick -m "not browser and not desktop and not train and not slow" $(LOWER_ROOMS)

lint: setup-all
	.venv/bin/ruff format --check
	.venv/bin/ruff check
	.venv/bin/mypy

bench: setup-all
	$(PY) benchmarks/reward.py
	$(PY) benchmarks/similarity.py
	$(PY) benchmarks/world_step.py
	$(PY) benchmarks/miniwob.py
	$(PY) benchmarks/desktop.py
	$(PY) benchmarks/desktop_tasks.py
	$(PY) benchmarks/soak.py
	$(PY) benchmarks/phone.py
	$(PY) benchmarks/oracle_runs.py
	$(PY) benchmarks/kill_and_resume.py
	$(PY) benchmarks/readers.py
	$(PY) benchmarks/bench_live.py

# After a dependency changed: writes requirements/*.txt anew (needs uv).
lock:
	sh scripts/lock.sh

clean:
	rm -rf .venv dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
