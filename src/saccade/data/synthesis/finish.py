"""The end of a pipeline: the step records in one file, the manifest, a data card and a contact sheet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path

from saccade.data.contact_sheet import Reservoir, contact_sheet
from saccade.data.readers.base import Sample
from saccade.data.synthesis.answer_cache import AnswerCache
from saccade.data.synthesis.manifest import Manifest, Source, StageReport, file_hash, most_common, total, versions
from saccade.data.synthesis.records import read_records, remove_unnamed_pictures
from saccade.data.synthesis.request import Request
from saccade.data.synthesis.roles.respondents import WITHOUT_MODEL
from saccade.data.synthesis.sources import source_fingerprints
from saccade.data.synthesis.stage import ReviewQueue, Stage
from saccade.records import as_line, write_object, write_whole
from saccade.types import Picture, Step

SHEET = 18
"""Samples on the contact sheet."""
LANGUAGES = ("en", "zh")
CARD_EXAMPLES = 3


def finish(
    request: Request,
    out: Path,
    reports: Sequence[StageReport],
    stages: Sequence[Stage],
    last: Path,
    review: ReviewQueue | None,
) -> Manifest:
    """Write the data set from the last stage's records."""
    chosen, named, facts = Reservoir(SHEET, request.seed), set[str](), CardFacts()
    part = out / "steps.jsonl.part"
    with part.open("wb") as stream:
        for step in final_steps(last):
            stream.write(as_line(step))
            named |= {name for name in (step.image, step.tags.get("after", "")) if name}
            facts.add(step)
            chosen.offer(Sample(step, Picture(str(out / step.image), step.screen) if step.image else None, step.id))
    part.replace(out / "steps.jsonl")
    remove_unnamed_pictures(out, named | pictures_of_stages(out))
    manifest = Manifest(
        pipeline=request.pipeline,
        title=request.definition.title,
        sources=[
            Source(Path(name).name, print_, reports[0].made)
            for name, print_ in zip(request.sources, source_fingerprints(request), strict=True)
        ],
        model=request.model.name,
        seed=request.seed,
        samples=facts.samples,
        episodes=len(facts.episodes),
        stages=list(reports),
        roles=template_hashes(request, stages),
        paid=AnswerCache(out / "answers").paid() if request.model.name not in WITHOUT_MODEL else {},
        policy=request.policy,
        review=review.agreement() if review is not None else {},
        licence=request.definition.licence,
        versions=versions(),
        counts=facts.counts(),
    )
    write_object(out / "manifest.json", manifest)
    write_whole(out / "README.md", data_card(manifest, facts.examples).encode())
    if chosen.samples:
        drawn = BytesIO()
        sheet = contact_sheet(chosen.samples, f"{manifest.title}: {manifest.samples:,} samples")
        sheet.convert("RGB").save(drawn, "JPEG", quality=85)
        write_whole(out / "sheet.jpg", drawn.getvalue())
    return manifest


def final_steps(file: Path) -> Iterator[Step]:
    for record in read_records(file):
        yield from record.steps


def pictures_of_stages(out: Path) -> set[str]:
    """Pictures that records of any stage name: a stage's output stays whole."""
    found = set[str]()
    for file in sorted((out / "stages").glob("*/records.jsonl")):
        for record in read_records(file):
            for step in record.steps:
                found |= {name for name in (step.image, step.tags.get("after", "")) if name}
    return found


def template_hashes(request: Request, stages: Sequence[Stage]) -> dict[str, dict[str, str]]:
    """Which prompts were used: role → language → hash; none where no model was asked."""
    if request.model.name in WITHOUT_MODEL:
        return {}
    folder = Path(request.model.templates) if request.model.templates else None
    roles = {role.name: role for stage in stages for role in stage.roles}
    return {
        name: {language: file_hash(role.template(language, folder)) for language in LANGUAGES}  # type: ignore[arg-type]
        for name, role in roles.items()
    }


class CardFacts:
    """Counts for the manifest and the card, gathered in one pass."""

    def __init__(self) -> None:
        self.samples, self.episodes, self.examples = 0, set[str](), list[Step]()
        self.values: dict[str, list[str]] = {"language": [], "app": [], "action": [], "split": [], "screen": []}

    def add(self, step: Step) -> None:
        """Take a step into account."""
        self.samples += 1
        if step.episode:
            self.episodes.add(step.episode)
        new = step.truth and step.instruction not in {each.instruction for each in self.examples}
        if new and len(self.examples) < CARD_EXAMPLES:
            self.examples.append(step)
        for name in ("language", "app", "split", "screen"):
            self.values[name].append(step.tags.get(name, ""))
        self.values["action"].append(step.truth[0].type if step.truth else "")

    def counts(self) -> dict[str, dict[str, int]]:
        """By language, app, action, split and screen, where they are known."""
        return {name: found for name, values in self.values.items() if (found := most_common(values))}


def data_card(manifest: Manifest, examples: Sequence[Step]) -> str:
    """The data set in words: counts, filters, examples, licence."""
    lines = [f"# {manifest.title}", ""]
    lines += [f"{manifest.samples:,} samples" + (f" in {manifest.episodes:,} episodes" if manifest.episodes else "")]
    lines += [
        f"made by the pipeline `{manifest.pipeline}` with the model `{manifest.model}`, seed {manifest.seed}.",
        "",
    ]
    lines += [
        "![A random choice of samples](sheet.jpg)",
        "",
        "| stage | taken | made | dropped |",
        "|---|---:|---:|---|",
    ]
    for report in manifest.stages:
        reasons = "; ".join(f"{reason}: {found.count:,}" for reason, found in report.dropped.items())
        lines.append(f"| {report.stage} | {report.taken:,} | {report.made:,} | {reasons} |")
    for name, counts in manifest.counts.items():
        shown = ", ".join(f"{value} {count:,}" for value, count in list(counts.items())[:12])
        lines += ["", f"By {name}: {shown}."]
    cost = total(manifest.paid)
    if cost.calls:
        lines += ["", f"Asked {cost.calls:,} times, {cost.tokens:,} tokens, ${cost.cost:.2f}."]
    lines += ["", "## Examples", ""]
    lines += [
        f"- {' '.join(step.instruction.split())[:200]}: `{as_line(step.truth[0]).decode().strip()}`"
        for step in examples
    ]
    lines += ["", "## Sources", ""]
    lines += [f"- {source.name}: {source.records:,} records, SHA-256 {source.sha256}" for source in manifest.sources]
    lines += ["", "## Licence", "", manifest.licence or "That of the sources; say which before you publish.", ""]
    return "\n".join(lines)
