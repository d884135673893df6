"""`saccade phone`: use the phone by hand, install its UI kits, and check apps and tasks while writing them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console

from saccade.errors import InputError, check_choices
from saccade_phone.apps import SYSTEM_APPS, apps
from saccade_phone.catalog import catalog, measure, write_measured
from saccade_phone.phone_server import PhoneServer
from saccade_phone.phone_state import HELD_OUT_KIT, KITS, THEMES
from saccade_phone.rollout import check_task
from saccade_phone.session import Session
from saccade_phone.tasks import tasks
from saccade_phone.ui_kits import UI_KITS

app = typer.Typer(rich_markup_mode="markdown")
console = Console(highlight=False, soft_wrap=True)
LANGUAGES = ("en", "zh")

TaskOption = Annotated[str | None, typer.Option(help="A task to try; saccade tasks list shows them.")]
LanguageOption = Annotated[str, typer.Option(help="en or zh.")]
ThemeOption = Annotated[str, typer.Option(help=f"{', '.join(THEMES)}.")]
SeedOption = Annotated[int, typer.Option(help="Which phone: its people, data and clock follow from this number.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON lines for scripts.")]
PortOption = Annotated[int, typer.Option(help="0: any free one.", min=0, max=65535)]
AppsArgument = Annotated[list[str] | None, typer.Argument(metavar="[APP]", show_default=False)]


@app.callback(invoke_without_command=True)
def phone(
    context: typer.Context,
    task: TaskOption = None,
    language: LanguageOption = "en",
    theme: ThemeOption = "light",
    seed: SeedOption = 0,
    port: PortOption = 0,
) -> None:
    """The sandbox phone: use it by hand, install its UI kits, check its apps and tasks.

    Without a subcommand it does what `saccade phone open` does.

    Examples:

        saccade phone

        saccade phone --language zh --theme dark --task clock.add_alarm

        saccade phone shots clock --out shots
    """
    if context.invoked_subcommand is None:
        open_phone(task, language, theme, seed, port)
    elif (task, language, theme, seed, port) != (None, "en", "light", 0, 0):
        raise InputError(f"give the options after the subcommand: saccade phone {context.invoked_subcommand} …")


@app.command("open")
def open_phone(
    task: TaskOption = None,
    language: LanguageOption = "en",
    theme: ThemeOption = "light",
    seed: SeedOption = 0,
    port: PortOption = 0,
) -> None:
    """Use the phone by hand: open the printed address in a browser. Ctrl-C ends it.

    Examples:

        saccade phone open

        saccade phone open --task clock.add_alarm --seed 3
    """
    check_choices({"--language": (language, LANGUAGES), "--theme": (theme, THEMES)})
    if task:
        session = Session.begin(task, seed, language, theme=theme, interruptions=True)  # type: ignore[arg-type]
    else:
        session = Session.free(seed, language, theme=theme, interruptions=True)  # type: ignore[arg-type]
    UI_KITS.ensure()
    try:
        server = PhoneServer(session, port)
    except OSError as error:
        raise InputError(f"port {port} cannot be used: {error.strerror}; choose another --port") from None
    if session.goal.instruction:
        console.print(f"[bold]{session.goal.instruction}[/]")
    console.print(f"the phone is at {server.address} (Ctrl-C to end)")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        if session.goal.changes:
            console.print("the task is done" if server.met else "the task is not done")
    finally:
        server.server_close()


@app.command("setup")
def setup() -> None:
    """Install the UI kits that the phone's page is drawn with, with npm, into the user's cache folder.

    Does nothing where they are installed. `SACCADE_CACHE` names another cache folder.

    Examples:

        saccade phone setup

        SACCADE_CACHE=/var/cache/saccade saccade phone setup
    """
    UI_KITS.ensure()
    console.print(f"the phone's UI kits are in {UI_KITS.folder.parent}")


@app.command("catalog")
def show_catalog(
    measure_again: Annotated[
        bool, typer.Option("--measure", help="Let the oracle play every template on five phones (half a minute).")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="With --measure: the file to write, in place of the package's own table.")
    ] = None,
    json_lines: JsonOption = False,
) -> None:
    """Print every task template with its kind and the oracle's lengths; `--measure` writes that table anew.

    `saccade tasks list` prints the same templates with filters. This command is for those who write tasks: the table is
    a file of the package (tasks/lengths.json), and must be measured again after a template was added or changed.

    Examples:

        saccade phone catalog --json

        saccade phone catalog --measure
    """
    if out and not measure_again:
        raise InputError("--out is for --measure: it names the file that the measured table is written to")
    if measure_again:
        written = write_measured({name: measure(task) for name, task in sorted(tasks().items())}, out)
        console.print(f"{len(tasks())} templates measured: {written}")
        return
    for row in catalog():
        if json_lines:
            typer.echo(msgspec.json.encode(row))
        else:
            steps = ", ".join(f"{language} {low}–{high}" for language, (low, _, high) in row.steps.items())
            console.print(f"{row.name:32} {row.kind:10} {row.group:8} {steps}")


@app.command("rollout")
def rollout(
    chosen: AppsArgument = None,
    seeds: Annotated[int, typer.Option(help="Phones for each task, language and split.", min=1)] = 10,
    trace: Annotated[bool, typer.Option(help="Print every move.")] = False,
    json_lines: JsonOption = False,
) -> None:
    """Let the oracle play tasks without a browser, and check that the judge rejects outcomes that are nearly right.

    APP is an app or a whole task name; all tasks without one. Exit code 1 if a task cannot be finished, takes more than
    16 steps, or a wrong outcome passes. For those who write tasks.

    Examples:

        saccade phone rollout clock --seeds 30

        saccade phone rollout clock.add_alarm --seeds 1 --trace
    """
    names = [name for name in tasks() if not chosen or name in chosen or name.partition(".")[0] in chosen]
    if not names:
        raise InputError(f"no task of {', '.join(chosen or ())}: saccade tasks list shows them")
    failed = 0
    for name in names:
        report = check_task(name, seeds, trace)
        failed += len(report.problems)
        if json_lines:
            typer.echo(msgspec.json.encode(report))
            continue
        for line in (*report.moves, *report.problems):
            typer.echo(line)
        typer.echo(f"{name}: {report.summary}")
    if not json_lines:
        typer.echo(f"{len(names)} tasks, {failed} problems")
    raise typer.Exit(1 if failed else 0)


@app.command("shots")
def shots(
    chosen: AppsArgument = None,
    out: Annotated[Path | None, typer.Option(help="A folder for one picture of each screen.")] = None,
    sheet: Annotated[Path | None, typer.Option(help="A file for one picture with a row for each app.")] = None,
    themes: Annotated[str, typer.Option(help=f"Comma-separated: {', '.join(THEMES)}.")] = "light",
    kit: Annotated[str, typer.Option(help=f"Draw every app in one UI kit: {', '.join((*KITS, HELD_OUT_KIT))}.")] = "",
    seed: SeedOption = 1,
    json_lines: JsonOption = False,
) -> None:
    """Take a picture of every screen of some apps in both languages, and report what is drawn wrongly.

    Reported are touch targets under 40 px, text that is cut off, and anything beyond the screen's edge. Exit code 1 if
    there are any. Needs a browser. For those who write apps.

    Examples:

        saccade phone shots clock shop --out shots

        saccade phone shots --themes dark,large

        saccade phone shots --sheet docs/phone.jpg
    """
    from saccade_phone.screenshots import browser, contact_sheet, shoot  # noqa: PLC0415  (Playwright is an extra)

    names = chosen or ["launcher", *(name for name in apps() if name not in SYSTEM_APPS)]
    wanted = themes.split(",")
    for theme in wanted:
        check_choices({"--themes": (theme, THEMES)})
    for name in names:
        check_choices({"APP": (name, tuple(apps()))})
    check_choices({"--kit": (kit or None, (*KITS, HELD_OUT_KIT))})
    with browser() as engine:
        if sheet:
            contact_sheet(engine, names, seed).save(sheet, quality=70)
            return
        problems = 0
        for shot in shoot(engine, names, wanted, seed, kit):
            problems += len(shot.problems)
            if out:
                out.mkdir(parents=True, exist_ok=True)
                shot.image.resize((360, 800)).save(out / f"{shot.name}.png")
            if json_lines:
                typer.echo(msgspec.json.encode({"screen": shot.name, "problems": shot.problems}))
                continue
            for problem in shot.problems:
                typer.echo(f"{shot.name}: {problem}")
    raise typer.Exit(1 if problems else 0)
