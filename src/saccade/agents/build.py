"""From settings to the parts of a run: world, policy, guide, gate, judge."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from msgspec.structs import replace as changed

from saccade.agents.approval import Asker, Gate, load_approval_policy
from saccade.agents.control import request_note
from saccade.agents.elements import ElementHints
from saccade.agents.guidance import Guide, RewardWeighting
from saccade.agents.ledger import Ledger, MeteredModel
from saccade.agents.loop import Agent
from saccade.agents.oracle import OracleModel
from saccade.agents.policy import open_policy
from saccade.agents.process_rewards import open_process_reward
from saccade.agents.random_model import RandomModel
from saccade.agents.reference_model import ORACLE, REFERENCE_MODELS, ReferenceModel
from saccade.agents.refine import ChatJudge, Reflector, TrajectoryJudge, WorldJudge
from saccade.agents.settings import Settings
from saccade.errors import InputError
from saccade.geometry import PIXEL
from saccade.models import open_model
from saccade.models.base import Ask, Model
from saccade.models.families import VisionSettings
from saccade.paradigms import PARADIGMS, Paradigm, get_paradigm
from saccade.paradigms.base import Language
from saccade.paradigms.verbs import Space
from saccade.paradigms.wording import language_of
from saccade.worlds.base import Observation, World
from saccade.worlds.browser.network import AllowList
from saccade.worlds.teachers import Teacher

SAMPLING_TEMPERATURE = 0.8
"""Where several samples are wanted, they should differ; the value is GuidNav's (§4.3)."""


@dataclass
class Parts:
    """A run's parts; `close` gives back what was opened here."""

    settings: Settings
    world: World
    agent: Agent
    judge: TrajectoryJudge
    reflector: Reflector | None
    notes: list[str] = field(default_factory=list)
    """What every prompt of the run says besides: the names of secrets, how to ask for a person."""
    models: ModelCache | None = None

    def close(self) -> None:
        if self.models is not None:
            self.models.close()


class ModelCache:
    """Opens each model once, for all who use it."""

    def __init__(self, settings: Settings) -> None:
        self.options: dict[str, Any] = {"base_url": settings.base_url} if settings.base_url else {}
        self.options |= settings.model_options
        self._models: dict[str, Model] = {}
        self._lock = threading.Lock()

    def model(self, name: str) -> Model:
        with self._lock:
            if name not in self._models:
                self._models[name] = open_model(name, **self.options)
            return self._models[name]

    def of_agent(self, name: str) -> Model | None:
        """The model that acts; None for `oracle` and `random`, which each run makes for itself."""
        return None if name in REFERENCE_MODELS else self.model(name)

    def close(self) -> None:
        for model in self._models.values():
            model.close()
        self._models = {}


def build(
    settings: Settings,
    world: World,
    instruction: str,
    ledger: Ledger,
    model: Model | None = None,
    ask: Asker | None = None,
    models: ModelCache | None = None,
) -> Parts:
    """Everything for a run on a world. `model` instead of the one that the settings name."""
    models = models or ModelCache(settings)
    language = language_of(instruction) if settings.language == "auto" else settings.language
    model = model or models.of_agent(settings.model)
    paradigm, sight = paradigm_of(settings, world.space, language, model or settings.model)
    teacher = world.teacher()
    own = MeteredModel(model or reference_model(settings.model, teacher, paradigm), ledger)
    agent = Agent(
        open_policy(own, paradigm, settings.agent),
        gate_of(settings, world, ask, instruction),
        ledger,
        settings.limits,
        sight,
        hints_of(settings, model),
        teacher,
        settings.seed,
        person_seconds=settings.person,
    )
    if isinstance(own.model, ReferenceModel):
        own.model.look = own.model.look or (lambda: current(agent))
    guide = guide_of(settings, models, teacher, own, language, settings.profile or world.rule)
    agent.policy = replace(agent.policy, guide=guide, ask=ask_of(settings, paradigm, own), k=settings.k)
    judge, reflector = refinement(settings, models, own, sight, language)
    notes = [*secret_notes(world, language), *([request_note(language)] if settings.person else [])]
    return Parts(settings, world, agent, judge, reflector, notes, models)


def current(agent: Agent) -> Observation:
    assert agent.current is not None
    return agent.current


def paradigm_of(
    settings: Settings, space: Space, language: Language, model: Model | str
) -> tuple[Paradigm, VisionSettings]:
    """The paradigm, with the actions of a space declared, and prompt and places as the model was taught them, where
    the user says nothing else.
    """
    proposing = PARADIGMS.get(settings.paradigm).candidate_switches(settings.k)
    switches = {"language": language, "space": space, **proposing, **settings.switches}
    if isinstance(switches.get("template"), str):
        switches["template"] = Path(switches["template"])
    paradigm = get_paradigm(settings.paradigm, **switches)
    try:
        paradigm, sight = as_taught(paradigm, model, settings.coordinates)
    except ValueError as error:
        raise InputError(f"--coordinates: {error}") from None
    if isinstance(model, str) and model in REFERENCE_MODELS and settings.coordinates is None:
        return replace(paradigm, frame=PIXEL), sight  # the truth, not rounded to the pixels of a resized picture
    return paradigm, sight


def as_taught(
    paradigm: Paradigm, model: Model | str, coordinates: str | None = None
) -> tuple[Paradigm, VisionSettings]:
    """A paradigm for a model, or for one that is known by name only: with the prompt and the places it was taught."""
    if isinstance(model, str):
        sight = VisionSettings.of(model, paradigm.pixels, coordinates)
    else:
        sight = VisionSettings.of(model.name, paradigm.pixels, coordinates or model.coordinates)
        paradigm = replace(paradigm, template=paradigm.template or model.template)
    return replace(paradigm, frame=sight.frame), sight


def hints_of(settings: Settings, model: Model | None) -> ElementHints:
    """What prompts tell of elements: all, to a model that knows screens by nothing else."""
    blind = model is not None and model.reads == "elements"
    return "parsed" if blind and settings.hints == "none" else settings.hints


def reference_model(
    name: str, teacher: Teacher | None, paradigm: Paradigm, look: Callable[[], Observation] | None = None
) -> ReferenceModel:
    """The oracle, or the model that answers at random."""
    if name != ORACLE:
        return RandomModel(paradigm, look)
    if teacher is None:
        raise InputError(
            "--model oracle needs a world that has a teacher: a task of the phone, a recording, a plug-in's world"
        )
    return OracleModel(teacher, paradigm, look)


def ask_of(settings: Settings, paradigm: Paradigm, model: Model | None = None) -> Ask:
    """Answers are drawn by chance where the paradigm's paper does so, or the likeliest would be the same again."""
    several = settings.k > 1 and not paradigm.candidates
    again = settings.retries and not (model is not None and model.reflects and settings.reflect)
    temperature = settings.temperature
    if temperature is None:
        own = model.temperature if model is not None else None
        usual = paradigm.temperature if own is None else own
        temperature = SAMPLING_TEMPERATURE if several or again or settings.tries > 1 else usual
    if temperature == 0 and (several or settings.tries > 1):
        option = f"--k {settings.k}" if several else f"--tries {settings.tries}"
        raise InputError(f"{option} takes as many samples, and at --temperature 0 they are all the same")
    return Ask(
        temperature=temperature, top_p=settings.top_p, max_tokens=settings.max_tokens, deadline=settings.deadline
    )


def guide_of(
    settings: Settings,
    models: ModelCache,
    teacher: Teacher | None,
    own: MeteredModel,
    language: Language,
    profile: str = "",
) -> Guide:
    """Who chooses among candidates; `profile` is the oracle's rule. The arg max of R decides, unless a trained reward
    model brings another weighting or the user names one, which outranks it; tables print either.
    """
    reward = None
    if settings.reward:
        reward = open_process_reward(
            settings.reward,
            policy=own.model,
            ledger=own.ledger,
            teacher=teacher,
            language=language,
            open_model=models.model,
            options=settings.model_options,
            profile=profile,
        )
    weighting = reward.weighting if reward is not None else RewardWeighting()
    said = {name: value for name in ("prior", "margin") if (value := getattr(settings, name)) is not None}
    return Guide(reward, settings.floor, changed(weighting, **said))


def refinement(
    settings: Settings, models: ModelCache, own: MeteredModel, sight: VisionSettings, language: Language
) -> tuple[TrajectoryJudge, Reflector | None]:
    """Who judges attempts and who writes reflections: the chat model that acts, unless another is named. The world
    judges only where the user says so, because its verdict is an oracle's. Without retries nobody needs a judge.
    """
    name = settings.judge or "model"
    if name == "world" or not settings.retries:
        judge: TrajectoryJudge = WorldJudge()
    else:
        model = own if name == "model" else MeteredModel(models.model(name), own.ledger)
        if not model.judges:
            raise InputError(
                f"--retries needs a judge, and {model.name} cannot be one: name a chat model with --judge MODEL, or "
                "give --judge world (an oracle, which tables then name)"
            )
        judge = ChatJudge(model, sight, language)
    if not (settings.retries and settings.reflect):
        return judge, None
    return judge, Reflector(own, sight, language, settings.judged_by_world)


def secret_notes(world: World, language: Language) -> list[str]:
    """The model knows secrets by name alone."""
    notes = []
    for name, secret in world.vault.secrets.items():
        about = secret.about or name
        if language == "zh":
            notes.append(f"需要输入{about}时，原样输入 {{secret.{name}}}，它会在 {secret.place} 上被替换为真实内容。")
        else:
            notes.append(
                f"To enter {about}, type {{secret.{name}}} literally; on {secret.place} the real value is put in."
            )
    return notes


def gate_of(settings: Settings, world: World, ask: Asker | None, instruction: str) -> Gate:
    """In a sandbox all is allowed, unless a policy is named."""
    policy = load_approval_policy(settings.policy) if settings.policy else None
    allow = getattr(world, "allow", None)
    allowed = allow.hosts if isinstance(allow, AllowList) else ()
    return Gate(policy, world.real, ask, allowed, instruction)
