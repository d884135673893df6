"""The gate: checks every action before it reaches the world.

Whatever a model answers, and whatever text on the screen made it answer so (prompt injection), the rules decide by what
is at the action's target: as the model saw it, and as it is now. The stricter of the two decisions holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Literal

from saccade.actions import Action, as_performed
from saccade.agents.approval.action_effect import ActionEffect, address, host, one_line, quoted, scheme_of
from saccade.agents.approval.ask import ApprovalQuestion, Asker, StoppedByPerson, risk_in_words
from saccade.agents.approval.policy import ApprovalPolicy, RuleDecision, load_approval_policy
from saccade.agents.records import Approval
from saccade.types import Element
from saccade.worlds.base import CurrentTarget, Observation, World
from saccade.worlds.browser.network import AllowList
from saccade.worlds.secrets import PLACEHOLDER

DecidedBy = Literal["nobody", "person", "policy"]
MOST_QUESTIONS = 3
"""How often a person is asked about one action whose target changes while they decide."""


class Gate:
    """Allows or refuses actions by an approval policy, and asks a person where the policy says so.

    Without a `policy`, sandboxes (`real` off) allow everything, and real sites and devices use the policy "careful".
    Without `ask`, nobody can be asked, and every question counts as answered with no.
    """

    def __init__(
        self,
        policy: ApprovalPolicy | None = None,
        real: bool = True,
        ask: Asker | None = None,
        allowed_hosts: Iterable[str] = (),
        instruction: str = "",
    ) -> None:
        self.policy = load_approval_policy("careful") if policy is None and real else policy
        self.ask = ask
        self.allowed = AllowList(frozenset(each.lower() for each in allowed_hosts))
        self.instruction = instruction
        self.person = False
        """Does a person act, by the last screenshot?"""
        self._always: set[tuple[object, ...]] = set()

    def check(self, action: Action, seen: Observation, world: World) -> Approval:
        """Decide whether the action may be done. Raises `StoppedByPerson` if the person asked wants to end the run."""
        if self.policy is None:
            return Approval(True, by="sandbox")
        action = as_performed(action, seen.screen.size)
        if action.type == "open_url" and not opens(action.text or ""):
            return refused("only web addresses (http, https) are opened", "address")
        pending = PendingAction(action, seen, world, self.allowed)
        for _ in range(MOST_QUESTIONS):
            decision = pending.decision(self.policy)
            approval = self._settled(decision, pending)
            if approval is not None:
                return approval
            if self.person and pending.changed:
                return refused(pending.what(decision), decision.rule, decision.risk, "changed")
            answer = self.ask(self._question(decision, pending)) if self.ask else "no"
            if answer == "stop":
                raise StoppedByPerson
            if answer in ("no", "nobody"):
                who: DecidedBy = "person" if self.ask and answer == "no" else "nobody"
                return refused(pending.what(decision), decision.rule, decision.risk, who)
            again = PendingAction(action, seen, world, self.allowed)
            if again.signature == pending.signature:
                if answer == "always" and pending.names:
                    self._always.add(pending.key(decision))
                return Approval(True, "a person allowed it", decision.rule, decision.risk, "person")
            pending = again
        return refused("its target kept changing while a person was asked", decision.rule, decision.risk)

    def of_person(self) -> Gate:
        """The gate for what a person does: nothing is asked, but what the rules forbid stays forbidden, and what the
        person saw must still be there.
        """
        own = copy(self)
        own.ask, own.person = lambda question: "yes", True
        return own

    def _settled(self, decision: RuleDecision, pending: PendingAction) -> Approval | None:
        """The approval, if no question is needed; otherwise None."""
        if decision.decision == "allow":
            why = f"allowed by the rule {decision.rule}" if decision.rule else "allowed by default"
            return Approval(True, why, decision.rule, decision.risk, "policy")
        if decision.decision == "deny":
            return refused(pending.what(decision), decision.rule, decision.risk)
        if self._always and pending.key(decision) in self._always:
            return Approval(True, "a person allowed it for this run", decision.rule, decision.risk, "person")
        return None

    def _question(self, decision: RuleDecision, pending: PendingAction) -> ApprovalQuestion:
        before, now = pending.shown(pending.before), pending.shown(pending.now)
        return ApprovalQuestion(
            instruction=one_line(pending.seen.instruction or self.instruction, 300),
            action=pending.action,
            target=before,
            now=now if now != before else "",
            leads=one_line(" ".join(pending.clean(pending.now.leads)), 160),
            risk=decision.risk,
            rule=decision.rule,
            place=one_line(pending.place),
        )


class PendingAction:
    """An action with its effect on both screens. The world is queried once, and only if a rule needs it."""

    def __init__(self, action: Action, seen: Observation, world: World, allowed: AllowList) -> None:
        self.action, self.seen, self.world = action, seen, world
        self._unread = False
        size = seen.screen.size
        self.before = ActionEffect(action, size, self._as_seen, allowed)
        self.now = ActionEffect(action, size, self._as_it_is, allowed)

    @cached_property
    def _fresh(self) -> CurrentTarget | None:
        return self.world.current_target(self.action)

    def _as_seen(self) -> tuple[Sequence[Element], CurrentTarget]:
        """The target as the model saw it; only the world knows leads, the kind of a field, the evidence, and which
        words are a link's own.
        """
        now = self._fresh or CurrentTarget()
        known = CurrentTarget(labels=now.labels, leads=now.leads, fields=now.fields, evidence=now.evidence)
        own = replace(known, url=self.seen.url, app=self.seen.app)
        return self._seen_elements, own

    def _as_it_is(self) -> tuple[Sequence[Element], CurrentTarget]:
        if self._fresh is None:
            return self._as_seen()
        return self._fresh.elements, self._fresh

    @cached_property
    def _seen_elements(self) -> Sequence[Element]:
        try:
            return list(self.seen.screen.elements)
        except LookupError:  # they were not read while that screen was shown
            self._unread = True
            return ()

    def decision(self, policy: ApprovalPolicy) -> RuleDecision:
        """The stricter decision of both screens. If a rule had to look, and the world could not tell what is there, a
        person is asked.
        """
        seen = policy.judge(self.before)
        decision = seen if seen.decision == "deny" else seen.stricter(policy.judge(self.now))
        looked = self.__dict__.get("_fresh")
        unknown = looked.unknown if looked is not None else self._unread
        return decision.stricter(RuleDecision("ask", "unknown-target")) if unknown else decision

    @property
    def signature(self) -> tuple[object, ...]:
        return self.now.signature

    @property
    def changed(self) -> bool:
        """Does the smallest element at the target say something else than it did on the screenshot?"""
        before, now = (
            next((e.text or e.caption for e in sorted(effect.targets, key=lambda e: e.box.area)), "")
            for effect in (self.before, self.now)
        )
        return before != now

    @property
    def names(self) -> bool:
        """Can the target be recognised again? Consent for one target without text must not apply to all of them."""
        return bool(self.now.words or self.now.leads)

    def key(self, decision: RuleDecision) -> tuple[object, ...]:
        secrets = tuple(PLACEHOLDER.findall(self.action.text or ""))
        leads = tuple(host(lead) for lead in self.now.leads)
        words = (self.before.words, self.now.words)
        return decision.rule, decision.risk, self.now.parts, words, leads, secrets, host(self.now.url) or self.now.app

    def shown(self, effect: ActionEffect) -> str:
        """The text of the target, without secrets."""
        return one_line(" · ".join(self.clean(effect.words)[:3]), 160)

    @property
    def place(self) -> str:
        return host(self.now.url) or self.now.app

    def what(self, decision: RuleDecision) -> str:
        """Why the action is risky, for the agent."""
        target = quoted(self.clean(self.now.words)) or quoted(self.clean(self.before.words))
        return risk_in_words(decision.risk) + (f" ({target})" if target else "")

    def clean(self, texts: Sequence[str]) -> list[str]:
        return [self.world.vault.redact(text) for text in texts]


def opens(text: str) -> bool:
    """Is this an address that may ever be opened? Scripts, data and files may not."""
    return scheme_of(address(text)) in ("http", "https") or address(text) == "about:blank"


_SAID: dict[DecidedBy | Literal["changed"], str] = {
    "changed": "the screenshot showed something else there",
    "nobody": "nobody is there to ask",
    "person": "a person said no",
    "policy": "the rules forbid it",
}


def refused(what: str, rule: str, risk: str = "", by: DecidedBy | Literal["changed"] = "policy") -> Approval:
    """A refusal, with one sentence for the agent that says why and what to do."""
    todo = "look again" if by == "changed" else "find another way, or end the task"
    why = f"The action was not done: {what}, and {_SAID[by]}; {todo}."
    return Approval(False, why, rule, risk, "policy" if by == "changed" else by)
