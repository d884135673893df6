"""What all trainings share around the steps themselves: the output folder, a progress bar, log lines, TensorBoard,
checkpoints on Ctrl-C, and advice when memory runs out.

    OUT/recipe.yaml   what was run, with every value
    OUT/checkpoints/  to resume from, after an interruption or a kill
    OUT/log.jsonl     one line for each report; a resumed run leaves the same lines as one that was never stopped
    OUT/tensorboard/  the same figures as curves
    OUT/model/        the result
"""

from __future__ import annotations

import re
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec
import yaml  # type: ignore[import-untyped]
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from transformers import TrainerCallback

from saccade.errors import InputError
from saccade.models.torch_support import libraries, out_of_memory, quiet_transformers
from saccade.records import lock_folder, write_whole
from saccade.train.backbone import Backbone
from saccade.train.difficulty_filter import FILE as ANSWER_PROBABILITIES
from saccade.train.processes import process_count, process_number
from saccade.train.recipe import Recipe
from saccade.untrusted import decode_json, read_bytes, read_yaml

LOG_NAMES = {
    "eval_loss": "held_back_loss",
    "eval_right": "held_back_right",
    "grad_norm": "gradient",
    "clip_ratio/region_mean": "clip_ratio",  # the share of tokens whose ratio was clipped, below and above
    "clip_ratio/low_mean": "clip_ratio/low",
    "clip_ratio/high_mean": "clip_ratio/high",
}
MAY_DIFFER = ("workers", "keep", "save_every", "report_to")
"""Keys of a recipe that may differ when a run is resumed: they have no part in the result."""
SPOKEN_EVERY = 30.0
"""Seconds between lines where there is no terminal for a bar."""
MOST_LOST = 10
"""A run ends after so many steps in a row whose gradient is not finite."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, after a checkpoint was written. The message says how to go on."""


@contextmanager
def owned_output(out: Path) -> Iterator[None]:
    """While a training writes to `out`, another one there is an error: both would write the same checkpoints. Of
    several processes that train together, the first has the folder for all. A training that wrote nothing leaves no
    folder.
    """
    if process_number() > 0:
        yield
        return
    new = not out.exists()
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write to {out}: {error.strerror}") from None
    with lock_folder(out, "training in", "wait for it, or choose another --out") as lock:
        try:
            yield
        finally:
            if new and [path.name for path in out.iterdir()] == [Path(lock.name).name]:
                shutil.rmtree(out)


def prepare_output(recipe: Recipe, out: Path, resume: bool = True) -> str | None:
    """Make the folder ready; returns the checkpoint to go on from, if there is one. Where something was trained, only
    the same recipe goes on.
    """
    file = out / "recipe.yaml"
    if not resume:
        for old in ("checkpoints", "tensorboard", "model"):
            shutil.rmtree(out / old, ignore_errors=True)
        (out / "log.jsonl").unlink(missing_ok=True)
    checkpoint = last_checkpoint(out)
    said = plain(msgspec.to_builtins(recipe))
    before = read_yaml(file) if file.is_file() else None
    before = before if isinstance(before, dict) else {}
    others = [key for key in said if key not in MAY_DIFFER and before.get(key) != said[key]]
    if checkpoint or (out / "model").is_dir():
        if not before:
            raise InputError(f"{out} holds a training but not its recipe.yaml: choose another --out")
        if others:
            problem = f"{out} holds a training with another {others[0]}"
            raise InputError(f"{problem}: choose another --out, the same recipe, or --anew to delete it")
    if not resume or others:
        (out / ANSWER_PROBABILITIES).unlink(missing_ok=True)  # they belong to other rows, or to another model
    (out / "checkpoints").mkdir(parents=True, exist_ok=True)
    write_whole(file, yaml.safe_dump(said, sort_keys=False, allow_unicode=True).encode())
    return checkpoint


def plain(value: Any) -> Any:
    """As YAML reads it back: lists for tuples."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def last_checkpoint(out: Path) -> str | None:
    """The latest that is whole: `trainer_state.json` is written last. What a kill left half-written is removed."""
    found: dict[int, Path] = {}
    for folder in (out / "checkpoints").glob("checkpoint-*"):
        try:
            state = decode_json(read_bytes(folder / "trainer_state.json"))
            found[int(state["global_step"])] = folder
        except (OSError, msgspec.DecodeError, KeyError, TypeError, ValueError):
            shutil.rmtree(folder)
    return str(found[max(found)]) if found else None


def save_result(backbone: Backbone, out: Path, trainer: Any) -> Path:
    """Write the result to OUT/model, whole or not at all; of several processes, the first writes it."""
    folder, part = out / "model", out / "model.part"
    if process_count() > 1:
        whole = trainer.accelerator.get_state_dict(trainer.model_wrapped)  # all take part where weights are sharded
        if process_number() > 0:
            return folder
        backbone.take_weights(whole)
    shutil.rmtree(part, ignore_errors=True)
    with quiet_transformers():
        backbone.save(part)
    shutil.rmtree(folder, ignore_errors=True)
    part.replace(folder)
    return folder


class TrainingSession(TrainerCallback):  # type: ignore[misc]
    """Reports on a run, as a callback of transformers' and TRL's trainers. With `quiet`, nothing is printed."""

    def __init__(self, recipe: Recipe, out: Path, quiet: bool = False) -> None:
        self.recipe, self.out, self.quiet = recipe, out, quiet
        self.training = self.interrupted = False
        self.lost = 0
        """Steps in a row whose gradient was not finite."""
        self.rows = self.tokens = 0
        """Trained on since the last line of the log; the trainers add to them."""
        self.console = Console(stderr=True)
        self.bar: Progress | None = None
        self.board: Any = None
        self.log: Any = None
        self._clock = self._spoken = time.monotonic()
        self._began = (0, self._clock)

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._clock = self._spoken = time.monotonic()
        self._began = (state.global_step, self._clock)
        self.training = True
        if not state.is_world_process_zero:
            return
        forget_after(self.out / "log.jsonl", state.global_step)
        self.log = (self.out / "log.jsonl").open("ab")
        self.board = open_board(self.out / "tensorboard", state.global_step)
        if self.board is None:
            self.say("no curves are written: pip install tensorboard")
        if self.quiet or not self.console.is_terminal:
            return
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self.bar = Progress(*columns, TextColumn("left"), TimeRemainingColumn(), console=self.console, transient=True)
        self.bar.start()
        self.bar.add_task(self.recipe.stage, total=state.max_steps, completed=state.global_step)

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        """Skip a step whose gradient is not finite: one such step would make every weight NaN."""
        torch, _transformers = libraries()
        found = [each.grad for each in model.parameters() if each.grad is not None]
        if not found or torch.stack([each.isfinite().all() for each in found]).all():
            self.lost = 0
            return
        model.zero_grad(set_to_none=True)
        self.lost += 1
        self.say(f"step {state.global_step + 1}: the gradient is no number, so nothing is learned from it")
        if self.lost >= MOST_LOST:
            raise InputError(
                f"the gradient was no number in {MOST_LOST} steps in a row: lower learning_rate "
                f"({self.recipe.learning_rate:g}), and see {self.out / 'log.jsonl'} for where it began"
            )

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        if self.bar:
            self.bar.update(self.bar.task_ids[0], completed=state.global_step)
        updates = self.recipe.grpo.updates if self.recipe.stage == "grpo" else 1
        if self.interrupted and state.global_step % updates == 0:  # a checkpoint holds no answers to go on with
            control.should_save = control.should_training_stop = True
        if state.global_step >= state.max_steps and str(args.eval_strategy).endswith("steps"):
            control.should_evaluate = True
        return control

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **_: Any) -> None:
        if self.log is None or not logs or "train_runtime" in logs:
            return
        line = {LOG_NAMES.get(key, key): value for key, value in logs.items() if isinstance(value, int | float | str)}
        line = {"step": state.global_step} | line | self._pace()
        self.log.write(msgspec.json.encode(line) + b"\n")
        self.log.flush()
        if self.board is not None:
            for key, value in line.items():
                if isinstance(value, int | float) and key != "step":
                    self.board.add_scalar(key, value, state.global_step)
        self._speak(state, line)

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.close()

    def say(self, sentence: str) -> None:
        if sentence and not self.quiet and process_number() == 0:
            self.console.print(sentence, highlight=False)

    def _pace(self) -> dict[str, float]:
        now = time.monotonic()
        past, self._clock = max(now - self._clock, 1e-9), now
        told = {"seconds": round(past, 3)}
        if self.rows:
            told |= {"rows_per_second": round(self.rows / past, 3), "tokens_per_second": round(self.tokens / past, 1)}
        self.rows = self.tokens = 0
        torch, _ = libraries()
        if torch.cuda.is_available():
            told["memory_gib"] = round(torch.cuda.max_memory_allocated() / 2**30, 2)
        return told

    def _speak(self, state: Any, line: dict[str, Any]) -> None:
        figures = [
            f"{key} {line[key]:.4g}" for key in ("loss", "held_back_loss", "held_back_right", "reward") if key in line
        ]
        if self.bar:
            self.bar.update(self.bar.task_ids[0], description=" ".join([self.recipe.stage, *figures]))
            return
        now = time.monotonic()
        if self.quiet or (now - self._spoken < SPOKEN_EVERY and state.global_step < state.max_steps):
            return
        self._spoken = now
        step, since = self._began
        left = (now - since) / max(1, state.global_step - step) * (state.max_steps - state.global_step)
        about = timedelta(seconds=round(left))
        self.say(f"step {state.global_step} of {state.max_steps}, {', '.join(figures)}, {about} left")

    def close(self) -> None:
        self.training = False
        if self.bar:
            self.bar.stop()
        for held in (self.log, self.board):
            if held is not None:
                held.close()
        self.bar = self.log = self.board = None


def forget_after(log: Path, step: int) -> None:
    """Remove the lines of steps that will be done again, because they came after the checkpoint."""
    if not log.is_file():
        return
    kept = []
    for line in read_bytes(log).splitlines(keepends=True):
        with suppress(msgspec.DecodeError):  # the half line of a kill
            if decode_json(line).get("step", 0) <= step:
                kept.append(line)
    write_whole(log, b"".join(kept))


def open_board(folder: Path, step: int) -> Any:
    """A writer of TensorBoard's files, if it is installed. It drops what was written after `step`."""
    try:
        from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415
    except ImportError:
        return None
    return SummaryWriter(str(folder), purge_step=step + 1)


@contextmanager
def training_session(recipe: Recipe, out: Path, quiet: bool = False) -> Iterator[TrainingSession]:
    """Around a training: Ctrl-C saves a checkpoint first, and running out of memory becomes one sentence of advice."""
    session = TrainingSession(recipe, out, quiet)
    problem = ""
    with quiet_transformers(), catching_interrupts(session):
        try:
            yield session
        except (RuntimeError, MemoryError) as error:
            if not out_of_memory(error):
                raise
            problem = " ".join(str(error).split("\n")[0].split())
        finally:
            session.close()
    if problem:
        raise InputError(out_of_memory_advice(recipe, problem))
    if session.interrupted:
        raise Interrupted(f"interrupted, and saved in {out / 'checkpoints'}; the same command goes on from there")


@contextmanager
def catching_interrupts(session: TrainingSession) -> Iterator[None]:
    """The first Ctrl-C ends the training after this step; the second one at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def note(signum: int, frame: FrameType | None) -> None:
        if session.interrupted or not session.training:
            raise KeyboardInterrupt
        session.interrupted = True
        session.say("finishing this step, then saving; Ctrl-C again to stop at once")

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def out_of_memory_advice(recipe: Recipe, problem: str) -> str:
    """Which settings to change, with the values they have, those first that change the result least."""
    knobs = []
    if recipe.tokens:
        knobs.append(f"lower tokens ({recipe.tokens}) and raise accumulate ({recipe.accumulate})")
    elif recipe.batch > 1:
        knobs.append(f"lower batch ({recipe.batch}) and raise accumulate ({recipe.accumulate}) as much")
    if recipe.stage == "grpo":
        knobs.append(f"lower grpo.generations ({recipe.grpo.generations}) or grpo.longest ({recipe.grpo.longest})")
    if recipe.checkpointing is False:
        knobs.append("set checkpointing: true")
    pixels = f"{recipe.pixels[1]}" if recipe.pixels else "the paradigm's own"
    knobs.append(f"lower pixels (most: {pixels}) or longest ({recipe.longest})")
    if recipe.lora is None:
        knobs.append("train adapters only: lora: {rank: 8}")
    if recipe.precision != "bfloat16":
        knobs.append("set precision: bfloat16")
    detail = re.sub(r"\.? ?(See|If|Of|Process) .*", "", problem)
    return f"out of memory ({detail}): {'; or '.join(knobs)}"
