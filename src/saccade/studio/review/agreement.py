"""Agreement between the first two opinions: Cohen's kappa for every question, how boxes overlap, what is disputed.

κ = (p_o - p_e) / (1 - p_e), where p_o is the share of equal answers and p_e the share that two people with these
frequencies of answers would give equally by chance (Cohen 1960, A coefficient of agreement for nominal scales).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import msgspec
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from saccade.studio.database.review import ReviewItem, ReviewSlot
from saccade.studio.review.decisions import slots_of, standing
from saccade.studio.review.kinds import KINDS, Decision
from saccade.studio.review.kinds.base import Rating, ReviewKind, agrees
from saccade.studio.review.marks import Rectangle
from saccade.studio.review.queue import steps_of
from saccade.types import Step

REJECTED = "rejected"
Pair = tuple[str, str]


class QuestionAgreement(msgspec.Struct, frozen=True):
    """How two people agree on one question."""

    kind: str
    question: str
    people: str
    """The two names; empty: all pairs together, first opinions against second ones."""
    answers: int
    equal: float
    """Share of equal answers, p_o."""
    kappa: float | None
    """None where chance alone would give the same answers: everybody always said the same."""


class AgreementReport(msgspec.Struct, frozen=True):
    """Of all items with two opinions."""

    pairs: int
    """Items that two people judged."""
    disputed: int
    """Of these, how many they judged differently."""
    questions: list[QuestionAgreement]
    mean_box_iou: float | None
    """Mean intersection over union of boxes that both drew for the same thing; None: there were none."""


class Opinions(msgspec.Struct, frozen=True):
    """An item with its first two opinions."""

    item: int
    kind: str
    title: str
    people: Pair
    decisions: tuple[Decision, Decision]
    same: bool
    state: str


def cohens_kappa(answers: Sequence[Pair]) -> float | None:
    """Kappa of pairs of answers; None if it is not defined.

    >>> cohens_kappa([("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15)
    0.4
    """
    if not answers:
        return None
    total = len(answers)
    observed = sum(one == other for one, other in answers) / total
    first, second = Counter(one for one, _ in answers), Counter(other for _, other in answers)
    chance = sum(first[each] * second[each] for each in first) / total**2
    return None if chance == 1 else round((observed - chance) / (1 - chance), 6)


def opinions(
    session: Session, kind: str = "", after: int = 0, disputed: bool = False
) -> Iterator[tuple[Opinions, list[Step]]]:
    """All items behind `after` on which two people have decided, by id, read one after the other; `disputed`: those
    on which they differ.
    """
    decided = select(ReviewSlot.item_id).where(ReviewSlot.number == 1, ReviewSlot.decided)
    query = select(ReviewItem).where(ReviewItem.id.in_(decided), ReviewItem.id > after).order_by(ReviewItem.id)
    if kind:
        query = query.where(ReviewItem.kind == kind)
    for item in session.scalars(query.execution_options(yield_per=50)):
        steps = steps_of(item)
        found = [(slot.person or "", standing(session, item, slot, steps)) for slot in slots_of(session, item.id)[:2]]
        (one, first), (other, second) = found
        if first is not None and second is not None:
            same = agrees(KINDS.get(item.kind), first, second, steps)
            if same and disputed:
                continue
            yield Opinions(item.id, item.kind, item.title, (one, other), (first, second), same, item.state), steps


def report(engine: Engine, kind: str = "") -> AgreementReport:
    """The agreement of all items, or those of one kind."""
    answers: dict[tuple[str, str, str], list[Pair]] = defaultdict(list)
    overlaps: list[float] = []
    pairs = disputed = 0
    with Session(engine.execution_options(reads=True)) as session:
        for each, steps in opinions(session, kind):
            pairs, disputed = pairs + 1, disputed + (not each.same)
            for question, answer in shared_answers(KINDS.get(each.kind), each.decisions, steps):
                one, other = each.people
                named = answer if one <= other else answer[::-1]
                answers[each.kind, question, ""].append(answer)
                answers[each.kind, question, " / ".join(sorted(each.people))].append(named)
            overlaps += box_overlaps(KINDS.get(each.kind), each.decisions, steps)
    questions = [
        QuestionAgreement(
            *where, len(given), round(sum(one == other for one, other in given) / len(given), 4), cohens_kappa(given)
        )
        for where, given in sorted(answers.items())
    ]
    mean = round(sum(overlaps) / len(overlaps), 4) if overlaps else None
    return AgreementReport(pairs, disputed, questions, mean)


def shared_answers(
    kind: type[ReviewKind], decisions: tuple[Decision, Decision], steps: Sequence[Step]
) -> Iterator[tuple[str, Pair]]:
    """The answers of both to each question that both were asked."""
    one, other = (rated(kind, each, steps) for each in decisions)
    theirs = {(each.question, each.subject): each.answer for each in other}
    for question, subject, answer in one:
        if (question, subject) in theirs:
            yield question, (answer, theirs[question, subject])


def rated(kind: type[ReviewKind], decision: Decision, steps: Sequence[Step]) -> list[Rating]:
    """Its ratings; whether it was rejected is one that every kind has."""
    refused = Rating(REJECTED, "", "yes" if decision.rejected else "no")
    return [refused] if decision.rejected else [refused, *kind.ratings(decision, steps)]


def box_overlaps(
    kind: type[ReviewKind], decisions: tuple[Decision, Decision], steps: Sequence[Step]
) -> Iterator[float]:
    """The overlap of each box of the first with the best one of the second, under the same label."""
    if any(each.rejected for each in decisions):
        return
    one, other = ([m for m in kind.to_marks(each, steps) if isinstance(m, Rectangle)] for each in decisions)
    for mine in one:
        rivals = [mine.box.iou(yours.box) for yours in other if (yours.page, yours.label) == (mine.page, mine.label)]
        if rivals:
            yield max(rivals)


def as_markdown(found: AgreementReport) -> str:
    """The report as a page of text."""
    lines = ["# Agreement", "", f"Items that two people judged: {found.pairs}. Judged differently: {found.disputed}."]
    if found.mean_box_iou is not None:
        lines.append(f"Mean overlap of boxes (IoU): {found.mean_box_iou:.3f}.")
    lines += ["", "| kind | question | people | answers | equal | Cohen's kappa |", "|---|---|---|---:|---:|---:|"]
    for each in found.questions:
        kappa = "–" if each.kappa is None else f"{each.kappa:.3f}"
        people = (each.people or "first / second opinion").replace("|", "\\|")
        lines.append(f"| {each.kind} | {each.question} | {people} | {each.answers} | {each.equal:.1%} | {kappa} |")
    return "\n".join(lines) + "\n"
