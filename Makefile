# Each target sets up what it needs, also on a fresh machine.
.PHONY: setup setup-all demo test lint bench clean

PY := .venv/bin/python
READY := .venv/.ready
READY_ALL := .venv/.ready-all

# What the main job needs: no torch.
setup: $(READY)

# Everything: local models, training, and the tools that check the code.
setup-all: $(READY_ALL)

$(READY): pyproject.toml scripts/setup.sh packages/phone/src/saccade_phone/kits/package-lock.json packages/phone/pyproject.toml packages/mini/pyproject.toml
	sh scripts/setup.sh
	touch $@

$(READY_ALL): $(READY)
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

lint: setup-all
	.venv/bin/ruff format --check
	.venv/bin/ruff check
	.venv/bin/mypy

bench: setup-all
	$(PY) benchmarks/reward.py
	$(PY) benchmarks/similarity.py
	$(PY) benchmarks/world_step.py
	$(PY) benchmarks/miniwob.py
	$(PY) benchmarks/soak.py
	$(PY) benchmarks/phone.py
	$(PY) benchmarks/oracle_runs.py
	$(PY) benchmarks/kills.py
	$(PY) benchmarks/readers.py
	$(PY) benchmarks/bench_live.py

clean:
	rm -rf .venv dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
