"""Scripted solvers: they prove that a task can be solved by an agent's means, and produce good episodes."""

from __future__ import annotations

from collections.abc import Callable

from saccade.errors import InputError
from saccade.worlds.miniwob.solvers import clicks, forms
from saccade.worlds.miniwob.solvers.solver_session import LostError, SolverSession
from saccade.worlds.miniwob.world import MiniWobObservation, MiniWobWorld

Solver = Callable[[SolverSession], None]

_TABLE: dict[Solver, str] = {
    clicks.only_button: "click-test",
    clicks.unquoted: "click-test-2 click-test-transfer click-tab",
    clicks.named: "click-button click-link click-dialog click-dialog-2 unicode-test",
    clicks.in_order: "click-button-sequence",
    clicks.with_delay: "button-delay",
    clicks.checked: "click-checkboxes click-checkboxes-large click-checkboxes-transfer click-option",
    clicks.listed: "choose-list click-scroll-list",
    clicks.widget: "click-widget",
    clicks.section: "click-collapsible click-collapsible-nodelay",
    clicks.behind_tabs: "click-collapsible-2 click-collapsible-2-nodelay click-tab-2 click-tab-2-easy"
    " click-tab-2-medium click-tab-2-hard",
    clicks.in_tree: "navigate-tree",
    clicks.menu: "click-menu",
    clicks.greatest: "find-greatest",
    clicks.odd_or_even: "odd-or-even",
    clicks.ticket: "buy-ticket",
    clicks.focus: "focus-text focus-text-2",
    clicks.mail: "email-inbox-delete email-inbox-important",
    clicks.spinner: "use-spinner",
    clicks.radio_and_number: "form-sequence-2",
    forms.quoted: "enter-text enter-text-2 enter-text-dynamic enter-password",
    forms.login: "login-user",
    forms.date: "enter-date",
    forms.time: "enter-time",
    forms.table: "read-table",
    forms.table_form: "read-table-2",
    forms.arithmetic: "simple-arithmetic",
    forms.algebra: "simple-algebra",
    forms.letters: "text-transform",
    forms.word: "find-word",
    forms.copied: "copy-paste",
    forms.guess: "guess-number",
    forms.suggested: "use-autocomplete use-autocomplete-nodelay",
    forms.movies: "multi-layouts multi-orderings",
    forms.search: "search-engine",
}

SOLVERS: dict[str, Solver] = {task: solver for solver, names in _TABLE.items() for task in names.split()}
SOLVED: tuple[str, ...] = tuple(sorted(SOLVERS))
"""Tasks whose solver always succeeds."""


def solve(world: MiniWobWorld, task: str, seed: int) -> MiniWobObservation:
    """Solve one episode. Raises `LostError` if the screen is not what the solver expects."""
    if task not in SOLVERS:
        raise InputError(f"there is no solver for {task!r}: there are solvers for {', '.join(SOLVED)}")
    session = SolverSession(world, task, seed)
    SOLVERS[task](session)
    return session.seen


__all__ = ["SOLVED", "SOLVERS", "LostError", "SolverSession", "solve"]
