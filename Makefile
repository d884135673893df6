# Each target sets up what it needs, also on a fresh machine.
.PHONY: setup setup-all demo test tests quick lint bench bench-vision engines lock clean

PY := .venv/bin/python
# Where this is set, every run of the tests reads and rewrites all test files anew.
export PYTHONDONTWRITEBYTECODE :=
READY := .venv/.ready
READY_ALL := .venv/.ready-all
# What `make quick` looks into: the core's lower rooms, without the pipelines, whose tests play and work in processes.
LOWER_ROOMS := tests/test_*.py $(wildcard $(addprefix tests/,paradigms scoring screens models worlds agents engines data))
LOWER_ROOMS += --ignore=tests/data/synthesis

# What the main job needs: core, phone and mini, no torch.
setup: $(READY)

# Everything: local models, training, and the tools that check the code.
setup-all: $(READY_ALL)

$(READY): requirements/demo.txt scripts/setup.sh pyproject.toml packages/phone/pyproject.toml packages/mini/pyproject.toml
	sh scripts/setup.sh
	touch $@

$(READY_ALL): $(READY) requirements/dev.txt packages/vision/pyproject.toml
	sh scripts/setup.sh all
	touch $@

demo: setup
	.venv/bin/saccade score src/saccade/examples/steps.jsonl --profile all
	.venv/bin/saccade reward src/saccade/examples/steps.jsonl --paradigm btl
	.venv/bin/saccade run --world phone/clock.start_timer --model mini --paradigm btl --language en --seed 1
	.venv/bin/saccade run --world phone/settings.join_wifi --model mini --paradigm uiloop --language en --seed 1
	.venv/bin/saccade run --world phone/contacts.call --model mini --paradigm secagent --language zh --seed 1

# Types are checked beside the tests: a test waits for pages and processes half of its time.
test: setup-all
	$(MAKE) --no-print-directory --jobs 2 lint tests

# What fails beside others runs once more, alone: a test that fails only in company is told, one that fails twice fails.
tests: setup-all
	$(PY) -m pytest -n auto --dist worksteal || { [ $$? -eq 1 ] && echo "once more, alone:" && \
		$(PY) -m pytest -n 0 --last-failed --last-failed-no-failures none; }

# Under a minute: no browser, no torch.
quick: setup-all
	$(PY) -m pytest -n auto --dist worksteal --hypothesis-profile quick -m "not browser and not desktop and not train and not slow" $(LOWER_ROOMS)

lint: setup-all
	.venv/bin/ruff format --check
	.venv/bin/ruff check
	.venv/bin/mypy --num-workers 2

bench: setup-all
	$(PY) benchmarks/reward.py
	$(PY) benchmarks/similarity.py
	$(PY) benchmarks/world_step.py
	$(PY) benchmarks/miniwob.py
	$(PY) benchmarks/desktop.py
	$(PY) benchmarks/desktop_tasks.py
	$(PY) benchmarks/swipes.py --swipes 10
	$(PY) benchmarks/soak.py
	$(PY) benchmarks/phone.py
	$(PY) benchmarks/oracle_runs.py
	$(PY) benchmarks/kill_and_resume.py
	$(PY) benchmarks/readers.py
	$(PY) benchmarks/bench_live.py

# The vision parser on screens that it never saw; --osworld FOLDER and --boxes can be added by hand (docs/VISION.md).
VISION := $(PY) packages/vision/benchmarks
bench-vision: setup-all
	$(PY) -m saccade_vision.training.text_screens --set test --screens 48 --out build/vision/text
	$(VISION)/text.py --screens build/vision/text --results build/vision/text.jsonl
	$(PY) -m saccade_vision.training.collect_phone --set apps --screens 120 --out build/vision/apps
	$(PY) -m saccade_vision.training.collect_phone --set material --screens 120 --out build/vision/material
	$(VISION)/widgets.py --screens build/vision/apps build/vision/material
	$(VISION)/targets.py
	$(VISION)/incremental.py --episodes 20

# Our exports, proved with verl, ms-swift and LLaMA-Factory in environments of their own (docs/EXPORT.md).
engines: setup-all
	sh scripts/engines/run.sh

# After a dependency changed: writes requirements/*.txt anew (needs uv).
lock:
	sh scripts/lock.sh

clean:
	rm -rf .venv dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
