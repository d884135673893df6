"""Writes 200 completions with our rewards for an export: `python make_cases.py EXPORT [LEAST]`.

A completion is right, right with a place that is off, another row's answer, cut short, or no answer at all. The reward
is the one of `saccade.reward`, not of the module that reward files call. An export with fewer rows gets as many
completions, if it has LEAST rows. Run it in Saccade's own environment.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from saccade.data.training_rows import RowWriter
from saccade.scoring.completion_reward import read_record
from saccade.scoring.evaluate import reward
from saccade.scoring.profiles import get_profile

CASES = 200


def rows_of(folder: Path) -> list[str]:
    """The truth of each exported row."""
    if (folder / "train.jsonl").exists():
        return [json.loads(line)["solution"] for line in (folder / "train.jsonl").read_text("utf-8").splitlines()]
    import pyarrow.parquet  # noqa: PLC0415

    names = pyarrow.parquet.read_schema(folder / "train.parquet").names
    table = pyarrow.parquet.read_table(
        folder / "train.parquet", columns=["answer"] if "answer" in names else ["reward_model"]
    )
    return [row.get("answer") or row["reward_model"]["ground_truth"] for row in table.to_pylist()]


def completions(answers: list[str]) -> list[tuple[str, str]]:
    """Kind and text of a completion for each row."""
    found = []
    for at, answer in enumerate(answers):
        other = answers[(at * 7 + 3) % len(answers)]
        cases = [
            ("right", answer),
            ("off", re.sub(r"\b(\d{2,3})\b", lambda number: str(int(number[1]) + 9), answer)),
            ("other", other),
            ("cut", answer[: len(answer) * 2 // 3]),
            ("around", f"Let me see.\n{answer}\nDone."),
            ("nothing", ["", "no idea", "<think>hm</think>", "{}"][at % 4]),
        ]
        found.append(cases[at % len(cases)])
    return found


def taught_answer(truth: str) -> str:
    """The answer that supervised training would teach for a row."""
    record = read_record(truth)
    rows = list(RowWriter(record.reader()).episode([record], random.Random(0)))
    return rows[0].answer


def main(folder: Path, least: int = CASES) -> None:
    options: dict[str, Any] = json.loads((folder / "export.json").read_text())["settings"]["grpo"]["reward"]
    if "profile" in options:
        options["profile"] = get_profile(options["profile"])
    truths = rows_of(folder)[:CASES]
    assert len(truths) >= least, f"{folder} has only {len(truths)} rows"
    answers = [taught_answer(truth) for truth in truths]
    totals: Counter[str] = Counter()
    with (folder / "cases.jsonl").open("w", encoding="utf-8") as file:
        for (kind, text), truth in zip(completions(answers), truths, strict=True):
            record = read_record(truth)
            record.output = text
            total = reward([record], record.reader(), **options)[0]["total"]
            totals[f"{kind} {total:g}"] += 1
            file.write(json.dumps({"kind": kind, "completion": text, "truth": truth, "reward": total}) + "\n")
    print(json.dumps({"cases": len(truths), "different rewards": len({k.split()[1] for k in totals})}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
