"""GuidNav beside the paper: equations 1-6, §3.3, §4, Tables 1-4, appendix 8.1-8.4, all values computed by hand.

The papers' AitW recordings are replaced by three coloured screens of four buttons; everything else is the real thing.
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from recordings import BUTTONS, DONE, SIZE, TAP, record, run

from saccade.actions import Action
from saccade.agents.build import SAMPLING_TEMPERATURE, ask_of
from saccade.agents.guidance import Case, Guide, ProcessReward, RewardWeighting, merge
from saccade.agents.log import read_run
from saccade.agents.records import Outcome, ScoredCandidate
from saccade.agents.settings import Settings
from saccade.bench.agent_notes import agent_notes
from saccade.bench.cases import Bench, Result
from saccade.bench.compare import label_of
from saccade.bench.efficiency import cost_cells
from saccade.bench.figures import load_measurement
from saccade.bench.grid import grid_table, run_grid
from saccade.bench.grid_axes import read_axes
from saccade.bench.results_store import read_bench
from saccade.bench.runner import BenchRequest, measure
from saccade.bench.suites import Suite, get_suite
from saccade.bench.tables import table_of
from saccade.data.self_improvement import demonstrations, write_demonstrations
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size
from saccade.models.base import Ask, Completion, Model, ModelError, Usage
from saccade.models.scripted import ScriptedModel
from saccade.paradigms import Candidate, Reply, get_paradigm
from saccade.paradigms.guidnav import GuidNav
from saccade.records import read_grown, write_steps
from saccade.scoring.judge import JudgedStep
from saccade.scoring.metrics import report
from saccade.scoring.profiles import MatchContext, get_profile
from saccade.screens.marks import draw_marks, keep_marks
from saccade.train.prm_dataset import label_actions
from saccade.types import Element, Message, Picture, Screen, Step
from saccade.worlds.base import Observation

SCREEN = Screen(SIZE, None, BUTTONS)
CASE = Case("Look for hats", "", SCREEN, Observation(SCREEN))
OTHER = Action("click", Point(150, 230))
BACK = Action("press", key="back")
NO_BOX = Action("click", Point(150, 130))
RECORDED = dataclasses.replace(get_suite("aitw"), datasets=("steps",))
"""The suite AitW with its rule and its table, on step records."""


def propose(*candidates: tuple[Action, float]) -> str:
    """G1/P1 … Gk/Pk."""
    return GuidNav().render(Reply(candidates=tuple(Candidate(each, "why", sure) for each, sure in candidates)), SCREEN)


class Fixed(ProcessReward):
    """R by the type of the action."""

    def __init__(self, **scores: float) -> None:
        self.by = scores

    def scores(self, case: Case, actions: Sequence[Action]) -> list[float]:
        return [self.by[action.type] for action in actions]


def choose(guide: Guide, *candidates: tuple[Action, float]) -> Action:
    scored, at, _ = guide.choose([ScoredCandidate(action, "", sure) for action, sure in candidates], CASE)
    return scored[at].action


class Answers(Model):
    """Answers by a function of the ask and its number among those of the same purpose; remembers what it was asked."""

    def __init__(self, act: Callable[[int], str], **others: str) -> None:
        self.name, self.act, self.others = "answers", act, others
        self.asked: list[tuple[Ask, list[Message]]] = []

    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        number = sum(before.purpose == ask.purpose for before, _ in self.asked)
        self.asked.append((ask, list(messages)))
        text = self.others[ask.purpose].format(number) if ask.purpose in self.others else self.act(number)
        return [Completion(text, Usage(100, 10, 0.001, 1))] * ask.n

    def prompts(self, purpose: str) -> list[str]:
        return [messages[-1].text for ask, messages in self.asked if ask.purpose == purpose]


def measured(
    tmp_path: Path, model: Model, truths: Sequence[Action] = (TAP,) * 3, suite: Suite = RECORDED, **settings: Any
) -> tuple[Path, Result]:
    """One recorded episode, answered by a model under GuidNav; the folder of the measurement, and the result."""
    data = tmp_path / "data"
    if not data.exists():
        record(data, truths)
    made = Settings(**{"world": suite.name, "model": model.name, "paradigm": "guidnav", **settings})
    out = tmp_path / f"out{len(list(tmp_path.iterdir()))}"
    store = measure(BenchRequest(suite, made, out, data, model=model))
    return out, store.results["e"]


# -- §3.1: the process reward model ---------------------------------------------------------------------------------


def test_eq_1_h_t_is_summarised_step_by_step_also_on_recordings(tmp_path: Path) -> None:
    """From the summary before, the thought, the action that was really done, and the screen after it."""
    model = Answers(lambda _: propose((OTHER, 1.0)), summarise="h{}")
    _, result = measured(tmp_path, model)
    assert [ask.purpose for ask, _ in model.asked] == ["act", "summarise", "act", "summarise", "act"]
    first, second = model.prompts("summarise")
    assert "Record so far: nothing yet" in first and "Record so far: h0" in second
    assert "Reasoning of the last step: why" in first
    assert 'tapped "Search"' in first and "设置" not in first, "the recorded action, not the model's own wrong one"
    after = [part for part in model.asked[1][1][0].content if isinstance(part, Picture)]
    assert [part.data() for part in after] == [(tmp_path / "data/shots/1.png").read_bytes()], "the next screenshot"
    done = [prompt.split("Done so far: ")[1].splitlines()[0] for prompt in model.prompts("act")]
    assert done == ["nothing", "h0", "h1"]
    assert [step.context for step in result.steps] == ["", "h0", "h1"]


def test_eq_1_the_same_in_live_runs(tmp_path: Path) -> None:
    answers = [propose((TAP, 1.0)), propose((TAP, 1.0)), propose((DONE, 1.0))]
    _, model = run(tmp_path, answers, paradigm="guidnav", others={"summarise": ["h0", "h1"]})
    told = [messages[-1].text for ask, messages in model.asked if ask.purpose == "act"]
    assert [text.split("Done so far: ")[1].splitlines()[0] for text in told] == ["nothing", "h0", "h1"]


def test_eq_2_r_sees_the_instruction_h_t_the_screen_and_the_action(tmp_path: Path) -> None:
    model = Answers(lambda _: propose((OTHER, 0.8), (TAP, 0.2)), summarise="h{}", reward="0.{}")
    _, result = measured(tmp_path, model, k=3, reward="model")
    asked = model.prompts("reward")
    assert len(asked) == 6, "two candidates on each of three screens"
    assert "Task: Look for hats" in asked[2] and "Done so far: h0" in asked[2] and 'tapped "设置"' in asked[2]
    assert [[each.score for each in step.candidates] for step in result.steps] == [[0.0, 0.1], [0.2, 0.3], [0.4, 0.5]]
    assert all(step.prediction == TAP for step in result.steps), "the second scores higher each time"


CLICK = Action("click", Point(500, 1000))
BIG = Size(1000, 2000)
FIELD = Element(1, Box(100, 200, 300, 300), "input")
LABELS = {
    "14 % of the screen: (0.1, 0.09) apart is 0.1345": (CLICK, Action("click", Point(600, 1180)), True),
    "(0.1, 0.1) apart is 0.1414": (CLICK, Action("click", Point(600, 1200)), False),
    # the box of 0.2 × 0.05 grows to 240 %: from (max(0, 0.1 − 0.14), 0.1 − 0.035) = (0, 0.065) to (0.48, 0.185)
    "both in one element's box at 240 %": (
        Action("click", Point(20, 140)),
        Action("click", Point(470, 360)),
        True,
    ),
    "one outside of it (y 0.19 > 0.185)": (
        Action("click", Point(20, 140)),
        Action("click", Point(470, 380)),
        False,
    ),
    "scroll, the same direction": (Action("swipe", direction="up"), Action("swipe", direction="up"), True),
    "scroll, the other direction": (Action("swipe", direction="up"), Action("swipe", direction="down"), False),
    "a tap is no scroll": (Action("swipe", direction="up"), CLICK, False),
    "typed text equal": (Action("type", text="hat"), Action("type", text="hat"), True),
    "typed text not equal": (Action("type", text="hat"), Action("type", text="hats"), False),
    "other actions by type": (BACK, BACK, True),
    "home is not back": (BACK, Action("press", key="home"), False),
    "task complete": (DONE, DONE, True),
}


@pytest.mark.parametrize("name", LABELS)
def test_appendix_8_1_labels_of_self_play(name: str) -> None:
    truth, played, right = LABELS[name]
    assert get_profile("guidnav").judge(played, [truth], MatchContext(BIG, [FIELD], False)).right is right


def test_labels_are_1_for_demonstrations_and_1_or_0_for_self_play() -> None:
    step = Step(screen=SIZE, truth=[TAP], elements=BUTTONS, prediction=BACK, instruction="Look for hats")
    assert label_actions(step, get_profile("guidnav"), 0, random.Random(0)) == [(NO_BOX, 1.0), (BACK, 0.0)]


# -- §3.2: guidance -------------------------------------------------------------------------------------------------


def test_eq_4_k_is_3() -> None:
    form = get_paradigm("guidnav")
    assert isinstance(form, GuidNav) and form.k == 3 and form.candidate_count == 3
    from saccade.cli.run import GUIDED  # noqa: PLC0415

    assert GUIDED == 3, "--reward without --k chooses among three"


def test_table_6_candidates_with_stated_probabilities() -> None:
    text = (
        'G1: The bar is on top. So the next one action is:{"action_type": "click", "id": 1}\nP1: 0.7\n'
        'G2: Or go back. So the next one action is:{"action_type": "navigate_back"}\nP2: 0.2\n'
        'G3: Or look further down. So the next one action is:{"action_type": "scroll", "direction": "up"}\nP3: 0.1'
    )
    parsed = GuidNav().parse(text, SCREEN)
    assert parsed.strict and [each.probability for each in parsed.reply.candidates] == [0.7, 0.2, 0.1]
    actions = [each.action for each in parsed.reply.candidates]
    assert actions == [NO_BOX, BACK, Action("swipe", direction="up")], "mark 1 is the centre of the first button"
    assert parsed.reply.candidates[0].thought == "The bar is on top."


SPACE = {
    '{"action_type": "click", "id": 2}': OTHER,
    '{"action_type": "type", "text": "hat"}': Action("type", text="hat"),
    '{"action_type": "navigate_home"}': Action("press", key="home"),
    '{"action_type": "navigate_back"}': BACK,
    '{"action_type": "enter"}': Action("press", key="enter"),
    '{"action_type": "scroll", "direction": "left"}': Action("swipe", direction="left"),
    '{"action_type": "task_complete"}': DONE,
    '{"action_type": "task_impossible"}': Action("terminate", status="failure"),
}


@pytest.mark.parametrize("written", SPACE)
def test_appendix_8_4_the_action_space(written: str) -> None:
    parsed = GuidNav().parse(f"G1: so. So the next one action is:{written}\nP1: 1.0", SCREEN)
    assert parsed.strict and parsed.reply.action == SPACE[written]


def test_eq_6_the_highest_reward_is_done_whatever_the_policy_thinks() -> None:
    guide = Guide(Fixed(click=0.2, press=0.7, swipe=0.6))
    assert choose(guide, (TAP, 0.9), (BACK, 0.02), (Action("swipe", direction="up"), 0.08)) == BACK
    assert Guide().weighting == RewardWeighting(0.0, 0.0) and RewardWeighting().note == "", "the arg max of R"


def test_eq_6_equal_rewards_fall_to_the_more_probable_then_to_the_first() -> None:
    guide = Guide(Fixed(click=0.7, press=0.7))
    assert choose(guide, (TAP, 0.2), (BACK, 0.6)) == BACK
    assert choose(guide, (TAP, 0.5), (BACK, 0.5)) == TAP


def test_a_reward_that_is_no_number_is_below_all_others() -> None:
    assert choose(Guide(Fixed(click=0.1, press=math.nan)), (TAP, 0.2), (BACK, 0.6)) == TAP


def test_the_same_action_twice_is_one_candidate() -> None:
    """1 % of the longer side (616) is 6 px: (153, 131) is the same tap, with 0.4 + 0.3."""
    near = Action("click", Point(153, 131))
    found = merge(
        [ScoredCandidate(TAP, "a", 0.4), ScoredCandidate(BACK, "b", 0.3), ScoredCandidate(near, "c", 0.3)], SCREEN
    )
    assert [(each.action, round(each.probability, 3)) for each in found] == [(TAP, 0.7), (BACK, 0.3)]


def test_another_weighting_than_the_arg_max_is_named_and_printed(tmp_path: Path) -> None:
    """0.5 + 0.8 · 0.9 = 1.22 against 0.9 + 0.8 · 0.1 = 0.98: with a prior of 0.8 the policy's choice stays."""
    guide = Guide(Fixed(click=0.5, press=0.9), weighting=RewardWeighting(prior=0.8))
    assert choose(guide, (TAP, 0.9), (BACK, 0.1)) == TAP
    model = Answers(lambda _: propose((OTHER, 0.9), (TAP, 0.1)), summarise="h", reward="0.5")
    out, result = measured(tmp_path, model, k=3, reward="model", prior=0.8)
    assert result.weighting == "not the arg max of R: prior 0.8"
    bench, results = load_measurement(out)
    assert "Choice of candidates: not the arg max of R: prior 0.8." in table_of(bench, results)[0].notes
    out, result = measured(tmp_path, model, k=3, reward="model")
    assert not result.weighting and not any("arg max" in note for note in table_of(*load_measurement(out))[0].notes)


# -- §4.1 and §4.3: baselines and set-up ----------------------------------------------------------------------------


def test_section_4_3_the_policy_is_sampled_at_0_8(tmp_path: Path) -> None:
    settings = Settings(world="aitw", paradigm="guidnav")
    assert ask_of(settings, GuidNav()).temperature == 0.8
    assert ask_of(replace(settings, temperature=0.2), GuidNav()).temperature == 0.2, "the user's word"
    assert ask_of(settings, get_paradigm("btl")).temperature == 0.0
    greedy = ScriptedModel([])
    greedy.temperature = 0.0
    assert ask_of(settings, GuidNav(), greedy).temperature == 0.0, "a model made for another temperature"
    model = Answers(lambda _: propose((TAP, 1.0)), summarise="h")
    measured(tmp_path, model)
    heat = {ask.purpose: ask.temperature for ask, _ in model.asked}
    assert heat == {"act": 0.8, "summarise": 0.0}, "proposals are sampled, summaries are not"


def test_direct_prompting_asks_for_one_action(tmp_path: Path) -> None:
    model = Answers(lambda _: propose((TAP, 1.0)), summarise="h")
    measured(tmp_path, model)
    assert "Propose 1 different" in model.prompts("act")[0] and "G2:" not in model.prompts("act")[0]


def test_top_k_takes_the_most_probable_of_three(tmp_path: Path) -> None:
    model = Answers(lambda _: propose((OTHER, 0.6), (TAP, 0.3), (BACK, 0.1)), summarise="h")
    _, result = measured(tmp_path, model, k=3)
    assert "G3:" in model.prompts("act")[0]
    assert [step.prediction for step in result.steps] == [OTHER] * 3


def test_reflection_thinks_its_own_proposal_over(tmp_path: Path) -> None:
    """Propose, reflect, answer again: here every second answer is the revised one."""
    model = Answers(
        lambda at: propose((TAP if at % 2 else OTHER, 1.0)), summarise="h", reflect="It is the other button."
    )
    _, result = measured(tmp_path, model, agent="reflection")
    assert [ask.purpose for ask, _ in model.asked][:4] == ["act", "reflect", "act", "summarise"]
    reflecting, again = model.asked[1][1], model.asked[2][1]
    assert reflecting[-2].role == "assistant" and '"id": 2' in reflecting[-2].text, "it is shown its own proposal"
    assert again[-2].text == "It is the other button."
    assert all(step.prediction == TAP and step.choice == "revised after reflection" for step in result.steps)
    assert len(result.steps[0].outputs) == 3 and result.steps[0].usage.calls == 3


def test_reflection_keeps_the_proposal_where_the_second_answer_cannot_be_read(tmp_path: Path) -> None:
    model = Answers(lambda at: propose((TAP, 1.0)) if at == 0 else "hm", summarise="h", reflect="Fine.", repair="hm")
    _, result = measured(tmp_path, model, agent="reflection", truths=(TAP,))
    assert result.steps[0].prediction == TAP and result.steps[0].choice.startswith("kept")


# -- Table 1 --------------------------------------------------------------------------------------------------------


def judged(episode: str, *right: bool, attempt: str = "") -> list[JudgedStep]:
    tags = {"attempt": attempt} if attempt else {}
    steps = [
        Step(id=f"{episode}{at}", episode=episode, step=at, screen=SIZE, truth=[TAP], tags=tags)
        for at in range(len(right))
    ]
    return [JudgedStep(step, each, each) for step, each in zip(steps, right, strict=True)]


def metrics(*parts: list[JudgedStep]) -> dict[str, float]:
    found = report([item for part in parts for item in part], get_profile("guidnav")).metrics
    return {name: round(figure.value, 6) for name, figure in found.items()}


def test_static_metric_is_the_share_of_an_episode_averaged_over_episodes() -> None:
    """1 of 2 and 3 of 3: (0.5 + 1) / 2 = 0.75, though 4 of 5 actions are right."""
    found = metrics(judged("a", True, False), judged("b", True, True, True))
    assert found["partial_match"] == 0.75 and found["sr"] == 0.8


def test_pass_at_3_counts_actions_right_in_any_try() -> None:
    """Every step is right in one of three tries, and each try has a wrong step: 100 %, and no episode throughout."""
    tries = [(True, False, False), (False, True, False), (False, False, True)]
    found = metrics(*(judged("a", *right, attempt=str(at)) for at, right in enumerate(tries)))
    assert found["pass_at_3"] == 1.0 and found["episode_pass_at_3"] == 0.0
    assert found["partial_match"] == round(1 / 3, 6)


def test_pass_at_3_is_averaged_per_episode() -> None:
    """Episode a: 1 of 2 actions in any try; b: 1 of 1. (0.5 + 1) / 2 = 0.75; only b is right throughout once."""
    a = [judged("a", right, False, attempt=str(at)) for at, right in enumerate((False, False, True))]
    b = [judged("b", right, attempt=str(at)) for at, right in enumerate((True, False, False))]
    found = metrics(*a, *b)
    assert found["pass_at_3"] == 0.75 and found["episode_pass_at_3"] == 0.5


def one_right_in_each_try(number: int) -> str:
    """Three tries of three steps: in try n only step n is right."""
    attempt, step = divmod(number, 3)
    return propose((TAP if attempt == step else OTHER, 1.0))


def test_recordings_are_tried_three_times_at_0_8(tmp_path: Path) -> None:
    model = Answers(one_right_in_each_try, summarise="h")
    out, result = measured(tmp_path, model, tries=3)
    acts = [ask for ask, _ in model.asked if ask.purpose == "act"]
    assert len(acts) == 9 and {ask.temperature for ask in acts} == {0.8} and len({ask.seed for ask in acts}) == 9
    assert [step.attempt for step in result.steps] == [0, 0, 0, 1, 1, 1, 2, 2, 2] and result.turns == 9
    main, several = (
        table for table in table_of(*load_measurement(out)) if "right actions" in table.title or "tries" in table.title
    )
    assert [row.label for row in main.rows[:2]] == ["answers (guidnav), pass@3", "answers (guidnav), mean of the tries"]
    averages = [row.cells[-1] for row in main.rows[:2]]
    assert [round(cell.value, 1) for cell in averages if cell] == [100.0, 33.3]
    assert several.columns == ["SR, mean of the tries", "pass@3", "episode pass@3"]
    assert [round(cell.value, 1) for cell in several.rows[0].cells if cell] == [33.3, 100.0, 0.0]
    assert any("answered 3 times at temperature 0.8" in note for note in main.notes)


def test_tries_survive_a_break(tmp_path: Path) -> None:
    """The model breaks in the second try: the case is not counted; done again, it is whole."""

    def breaks(number: int) -> str:
        if number == 4:
            raise ModelError("gone")
        return one_right_in_each_try(number)

    data = record(tmp_path / "data", (TAP,) * 3)
    settings = Settings(world="aitw", model="answers", paradigm="guidnav", tries=3)

    def request(act: Callable[[int], str], **rest: Any) -> BenchRequest:
        return BenchRequest(RECORDED, settings, tmp_path / "out", data, model=Answers(act, summarise="h"), **rest)

    assert measure(request(breaks)).results["e"].status == "broken"
    whole = measure(request(one_right_in_each_try, rerun="broken")).results["e"]
    lines = (tmp_path / "out/results.jsonl").read_bytes().splitlines()
    assert len(whole.steps) == 9 and msgspec.json.decode(lines[-1], type=Result) == whole


def test_several_tries_at_temperature_0_are_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--tries 3 takes as many samples"):
        measured(tmp_path, Answers(one_right_in_each_try), tries=3, temperature=0.0)
    assert SAMPLING_TEMPERATURE == 0.8


def test_the_oracle_chooses_by_the_rule_of_the_suite(tmp_path: Path) -> None:
    """A tap 40 px beside the true point, outside its button: 40 / 308 = 0.13 < 0.14 is right by AitW's rule, and wrong
    in CMGUI's, where it must hit the box.
    """
    near = Action("click", Point(150, 185))
    field = Element(9, Box(140, 175, 160, 195), "button", "near")
    data = record(tmp_path / "data", (TAP,) * 3)
    steps = [replace(step, elements=[*BUTTONS[1:], field]) for step in read_grown(data / "steps.jsonl", Step)[0]]
    write_steps(data / "steps.jsonl", steps)
    shown = Screen(SIZE, None, [*BUTTONS[1:], field])
    text = GuidNav().render(Reply(candidates=(Candidate(BACK, "", 0.8), Candidate(near, "", 0.2))), shown)
    out, result = measured(tmp_path, Answers(lambda _: text, summarise="h"), k=3, reward="oracle")
    assert [[each.score for each in step.candidates] for step in result.steps] == [[0.0, 1.0]] * 3
    assert not get_profile("cmgui").judge(near, steps[0].truth, MatchContext(SIZE, steps[0].elements, False)).right
    notes = table_of(*load_measurement(out))[0].notes
    assert "Oracle: candidates were chosen by the true action, by the rule guidnav." in notes
    kept = out / result.run
    assert read_run(kept).profile == "guidnav", "the page's marks"
    reason = read_run(kept).outcome
    assert reason is not None and "by the rule guidnav" in reason.reason, "the page's head"
    page = (kept / "replay.html").read_text()
    assert '"profile":"guidnav"' in page and '"right":true' in page and '"right":false' not in page


def test_table_1_stands_beside_ours(tmp_path: Path) -> None:
    out, _ = measured(tmp_path, Answers(lambda _: propose((TAP, 1.0)), summarise="h"))
    rows = {row.label.split(" (")[0]: row for row in table_of(*load_measurement(out))[0].rows}
    assert {"DP", "TopK", "Reflection", "GuidNav", "GuidNav Pass@N"} <= {name.split(",")[0] for name in rows} | set(
        rows
    )


# -- §3.3: refinement -----------------------------------------------------------------------------------------------


def refined(tmp_path: Path, verdicts: Sequence[str], **settings: Any) -> tuple[Any, ScriptedModel]:
    answers = [propose((TAP, 1.0)), propose((DONE, 1.0))] * 8
    others = {"judge": list(verdicts), "reflect": ["one", "two", "three", "four"], "summarise": ["h"]}
    return run(tmp_path, answers, paradigm="guidnav", others=others, **settings)


def test_up_to_three_retries_each_with_all_reflections(tmp_path: Path) -> None:
    log, model = refined(tmp_path, ["Verdict: failure"], retries=3)
    assert [each.judged for each in log.run.attempts] == [False] * 4
    assert [each.reflection for each in log.run.attempts] == ["one", "two", "three", ""]
    acts = [messages[-1].text for ask, messages in model.asked if ask.purpose == "act"]
    notes = [[word for word in ("one", "two", "three") if f"Note: {word}" in text] for text in acts[::2]]
    assert notes == [[], ["one"], ["one", "two"], ["one", "two", "three"]]


def test_the_process_ends_with_the_first_success(tmp_path: Path) -> None:
    log, _ = refined(tmp_path, ["It was not a success.", "Verdict: success"], retries=3)
    assert [each.judged for each in log.run.attempts] == [False, True]


def test_the_vlm_itself_evaluates_and_the_world_only_if_named(tmp_path: Path) -> None:
    _, model = refined(tmp_path, ["Verdict: success"], retries=1, world_options={"profile": "guidnav"})
    assert "judge" in {ask.purpose for ask, _ in model.asked}
    _, model = refined(tmp_path, ["Verdict: success"], retries=1, world_options={"profile": "guidnav"}, judge="world")
    assert "judge" not in {ask.purpose for ask, _ in model.asked}
    settings = Settings(world="phone", judge="world", retries=1)
    bench = Bench("steps", msgspec.to_builtins(settings), {})
    assert label_of(bench) == "mini (btl), judged by the world", "in every row of every table"
    told = agent_notes(bench, [])
    assert told == ["Retries: judged by the world, an oracle; the papers' judge is a chat model."]


def test_integration_guides_every_step_of_every_attempt(tmp_path: Path) -> None:
    answers = [propose((OTHER, 0.9), (TAP, 0.1)), propose((DONE, 1.0))] * 2
    others = {"judge": ["Verdict: failure", "Verdict: success"], "reflect": ["one"], "summarise": ["h"]}
    log, _ = run(tmp_path, answers, paradigm="guidnav", k=3, reward="oracle", retries=3, others=others)
    assert [step.prediction for step in log.steps] == [TAP, DONE] * 2 and len(log.run.attempts) == 2


# -- Table 4: costs -------------------------------------------------------------------------------------------------


def test_costs_are_tokens_dollars_and_turns_a_task(tmp_path: Path) -> None:
    """Three steps: 3 proposals, 2 summaries, 110 tokens and $0.001 each: 550 tokens, $0.005, 3 turns."""
    _, result = measured(tmp_path, Answers(lambda _: propose((TAP, 1.0)), summarise="h"))
    assert (result.usage.tokens, round(result.usage.cost, 6), result.turns) == (550, 0.005, 3)
    other = Result(id="f", usage=Usage(1000, 50, 0.015, 3), turns=5, outcome=Outcome("failure", "steps"))
    cells = cost_cells([result, other])
    values = [cell.value for cell in (cells["tokens"], cells["cost"], cells["turns"]) if cell]
    assert values == [800, 0.01, 4.0], "means over tasks: (550 + 1050) / 2, (0.005 + 0.015) / 2, (3 + 5) / 2"


# -- appendix 8.2: set of marks -------------------------------------------------------------------------------------


def test_marks_of_containing_contained_and_overlapping_elements() -> None:
    outer, inner = Element(1, Box(0, 0, 200, 100)), Element(2, Box(20, 20, 80, 80))
    large, small = Element(3, Box(0, 200, 200, 300)), Element(4, Box(150, 250, 250, 310))
    assert [each.id for each in keep_marks([outer, inner, large, small])] == [1, 2, 4], "3 overlaps 4 and is larger"


def test_a_mark_stands_at_the_centre(tmp_path: Path) -> None:
    record(tmp_path / "data", [TAP])
    marked = draw_marks((tmp_path / "data/shots/0.png").read_bytes(), BUTTONS)
    assert marked.labels[1].center.distance(BUTTONS[0].center) <= 2
    model = Answers(lambda _: propose((TAP, 1.0)))
    measured(tmp_path, model, truths=[TAP])
    shown = [part for part in model.asked[0][1][-1].content if isinstance(part, Picture)]
    assert len(shown) == 2, "the screen as it is, and with marks"
    assert read_bench(next(tmp_path.glob("out*"))).settings["paradigm"] == "guidnav"


# -- §5.2: self-improvement -----------------------------------------------------------------------------------------


def test_only_successful_trajectories_become_training_data(tmp_path: Path) -> None:
    """A failed run gives nothing; of one that succeeded at its second attempt, that attempt's actions are the truth."""
    judge: dict[str, Any] = {"truths": (TAP,) * 2, "world_options": {"profile": "guidnav"}, "judge": "world"}
    others = {"summarise": ["h"], "reflect": ["Tap."]}
    failed, _ = run(tmp_path, [propose((BACK, 1.0))], paradigm="guidnav", others=others, **judge)
    answers = [propose((BACK, 1.0)), propose((OTHER, 0.9), (TAP, 0.1)), propose((TAP, 1.0))]
    good, _ = run(tmp_path, answers, paradigm="guidnav", k=3, reward="oracle", retries=1, others=others, **judge)
    assert write_demonstrations([failed.folder, good.folder], tmp_path / "improved") == (2, 1, 2)
    steps = read_grown(tmp_path / "improved/steps.jsonl", Step)[0]
    assert [step.truth for step in steps] == [[NO_BOX], [NO_BOX]] and [step.thought for step in steps] == ["why"] * 2
    assert [step.context for step in steps] == ["", "h"] and all(step.prediction is None for step in steps)
    assert all((tmp_path / "improved" / step.image).is_file() for step in steps)


def test_a_claim_counts_only_with_the_evaluators_verdict(tmp_path: Path) -> None:
    yes, _ = refined(tmp_path, ["Verdict: success"], retries=1)
    no, _ = refined(tmp_path, ["Verdict: failure"], retries=1)
    assert [len(demonstrations(log.folder)) for log in (yes, no)] == [2, 0]


def test_table_1_as_one_grid(tmp_path: Path) -> None:
    """The model prefers the wrong button, and scores both alike: only the oracle takes the right one."""
    model = Answers(lambda _: propose((OTHER, 0.6), (TAP, 0.4)), summarise="h", reflect="Fine.", reward="0.5")
    data = record(tmp_path / "data", (TAP,) * 2)
    settings = Settings(world="aitw", model="answers")
    made = run_grid(BenchRequest(RECORDED, settings, tmp_path / "out", data, model=model), read_axes(["guidnav-k"]))
    table = grid_table(made)
    at = table.columns.index("Average")
    shares = [row.cells[at].value for row in table.rows[:6] if row.cells[at]]  # type: ignore[union-attr]
    assert [row.label.replace("reward=none, ", "") for row in table.rows[:6]] == [
        "k=1, reward=none",
        "k=3, reward=none",
        "k=1, agent=reflection",
        "k=3, reward=model",
        "k=3, reward=model, tries=3, pass@3",
        "k=3, reward=oracle",
    ]
    assert shares == [0.0, 0.0, 0.0, 0.0, 0.0, 100.0]
