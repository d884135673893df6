"""The options of `saccade run`, which `saccade bench` shares: each a type with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def _option(help: str, panel: str, *names: str) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=panel, show_default=True)


def _free(help: str, panel: str, *names: str) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=panel, show_default=False)


_WORLD, _MODEL, _GUIDE, _LIMITS, _SAFETY = "World", "Model", "Guidance", "Limits", "Safety"

Instruction = Annotated[
    str,
    typer.Argument(help="What is to be done. Tasks of the phone and MiniWoB bring their own.", show_default=False),
]
World = Annotated[
    str, _free("phone/TASK, an address, miniwob/TASK, android:SERIAL, desktop/APPLICATION or replay:FOLDER.", _WORLD)
]
Seed = Annotated[int | None, _free("The same seed gives the same task. Drawn by default.", _WORLD)]
Device = Annotated[str | None, _free("Of a browser: desktop or phone.", _WORLD)]
Allow = Annotated[list[str] | None, _free("Another host that the browser may reach; may be given again.", _WORLD)]
Show = Annotated[bool, _free("Of a desktop: in a window on your own display.", _WORLD, "--show")]
WorldOptions = Annotated[
    list[str] | None,
    _free("Of the world: split=test, interruptions=yes, theme=dark, scale=1.5, headless=no …", _WORLD, "--with"),
]

Paradigm = Annotated[str, _option("btl, uiloop, secagent or guidnav.", _MODEL)]
Model = Annotated[str, _free("openai/NAME, hf/PATH, scripted/FILE; oracle where the truth is known; random.", _MODEL)]
BaseUrl = Annotated[str | None, _free("Of an OpenAI-compatible server.", _MODEL)]
ModelOptions = Annotated[
    list[str] | None, _free("Of the model: device=cpu, max_batch=4, prices=FILE …", _MODEL, "--model-with")
]
AgentPolicy = Annotated[
    str, _free("The policy that drives the model; plain: ask the model and do what it says.", _MODEL, "--agent")
]
Coordinates = Annotated[
    str | None,
    _free("How the model writes places: pixel, resized, permille, permille:999, unit. As its family does.", _MODEL),
]
Language = Annotated[str, _option("Of the prompt: en, zh, or auto for that of the instruction.", _MODEL)]
Elements = Annotated[str, _option("Where elements come from: the world's tree, or its picture (vision).", _WORLD)]
Hints = Annotated[str, _option("What the prompt tells of elements: none, parsed, key or false.", _MODEL)]
Context = Annotated[
    str, _option("Of recordings, the summary that a prompt shows: the model's own, or the annotated one.", _MODEL)
]
Switches = Annotated[
    list[str] | None,
    _free("Of the paradigm: window=2, semantic_context=no, thought=no, dialect=json, template=FILE …", _MODEL, "--set"),
]
Temperature = Annotated[
    float | None, _free("The paradigm's own (guidnav 0.8, else 0), or 0.8 where several samples are wanted.", _MODEL)
]
MaxOutput = Annotated[int, _option("Tokens of one answer.", _MODEL)]
Deadline = Annotated[float, _option("Seconds for one answer, retries included.", _MODEL)]

Candidates = Annotated[int | None, _free("Candidates at each step: 1, or 3 with --reward.", _GUIDE, "--k")]
Reward = Annotated[str, _free("Who scores them: oracle, model, prm/PATH, or another model's name.", _GUIDE)]
Prior = Annotated[
    float | None, _free("Added to each score: this times the policy's own probability. The paper: 0.", _GUIDE)
]
Margin = Annotated[
    float | None, _free("How far a score must be ahead of the policy's first choice. The paper: 0.", _GUIDE)
]
Tries = Annotated[int, _option("Of recordings, how often each episode is answered: pass@N, e.g. 3.", _GUIDE)]
Retries = Annotated[int, _option("Further attempts after a failed one.", _GUIDE)]
Judge = Annotated[
    str, _free("Who says that it failed: model (the default), another model's name, or world (an oracle).", _GUIDE)
]
Reflect = Annotated[bool, _option("Does each attempt learn from the last?", _GUIDE)]

MaxSteps = Annotated[int, _option("0: no limit.", _LIMITS)]
MaxSeconds = Annotated[float, _option("0: no limit.", _LIMITS)]
MaxTokens = Annotated[int, _option("Read and written. 0: no limit.", _LIMITS)]
MaxCost = Annotated[float, _option("US dollars. 0: no limit.", _LIMITS)]

Policy = Annotated[str, _free("What is asked for before it is done: careful, browse, or a YAML file.", _SAFETY)]
Secrets = Annotated[Path | None, _free("A YAML file of secrets that may be typed by name.", _SAFETY)]
AskPerson = Annotated[bool, _option("Ask on the terminal; else what needs approval is refused.", _SAFETY)]
PersonSeconds = Annotated[
    float, _option("Let the agent ask for a person (log-in, captcha), and wait so many seconds for one.", _SAFETY)
]

Out = Annotated[Path | None, typer.Option(help="A folder for the log; runs/TIME by default.", show_default=False)]
Resume = Annotated[
    Path | None, typer.Option(help="Go on with the run in this folder, with its own options.", show_default=False)
]
