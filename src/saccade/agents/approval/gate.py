"""The gate: every action passes it before it reaches the world.

Whatever a model answers, and whoever talked it into that, the rules here decide on what the screen says where the
action goes: as the model saw it, and as it is now. The stricter of the two holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal

from saccade.actions import Action
from saccade.agents.approval.action_effect import Deed, address, host, one_line, quoted, scheme_of
from saccade.agents.approval.ask import Asker, Question, StoppedByPerson, risk_in_words
from saccade.agents.approval.policy import Policy, Verdict, load_policy
from saccade.agents.records import Approval
from saccade.types import Element
from saccade.worlds.base import Now, Observation, World
from saccade.worlds.browser.network import AllowList
from saccade.worlds.secrets import PLACEHOLDER

By = Literal["nobody", "person", "policy"]
TIMES = 3
"""So often a person is asked about one action while its target keeps changing."""


class Gate:
    """`policy` none: sandboxes (`real` off) allow everything, and real sites and devices are treated carefully. `ask`
    none: nobody is there, and the answer is no.
    """

    def __init__(
        self,
        policy: Policy | None = None,
        real: bool = True,
        ask: Asker | None = None,
        allowed_hosts: Iterable[str] = (),
        instruction: str = "",
    ) -> None:
        self.policy = load_policy("careful") if policy is None and real else policy
        self.ask = ask
        self.allowed = AllowList(frozenset(each.lower() for each in allowed_hosts))
        self.instruction = instruction
        self._always: set[tuple[object, ...]] = set()

    def check(self, action: Action, seen: Observation, world: World) -> Approval:
        """May it be done? Raises `StoppedByPerson` if the person who is asked wants to end the run."""
        if self.policy is None:
            return Approval(True, by="sandbox")
        if action.type == "open_url" and not opens(action.text or ""):
            return refused("only web addresses (http, https) are opened", "address")
        looked = Looked(action, seen, world, self.allowed)
        for _ in range(TIMES):
            verdict = looked.verdict(self.policy)
            approval = self._settled(verdict, looked)
            if approval is not None:
                return approval
            answer = self.ask(self._question(verdict, looked)) if self.ask else "no"
            if answer == "stop":
                raise StoppedByPerson
            if answer == "no":
                who: By = "person" if self.ask else "nobody"
                return refused(looked.what(verdict), verdict.rule, verdict.risk, who)
            again = Looked(action, seen, world, self.allowed)
            if again.signature == looked.signature:
                if answer == "always" and looked.names:
                    self._always.add(looked.key(verdict))
                return Approval(True, "a person allowed it", verdict.rule, verdict.risk, "person")
            looked = again
        return refused("what is there kept changing while a person was asked", verdict.rule, verdict.risk)

    def _settled(self, verdict: Verdict, looked: Looked) -> Approval | None:
        """What needs no question."""
        if verdict.decision == "allow":
            why = f"allowed by the rule {verdict.rule}" if verdict.rule else "allowed by default"
            return Approval(True, why, verdict.rule, verdict.risk, "policy")
        if verdict.decision == "deny":
            return refused(looked.what(verdict), verdict.rule, verdict.risk)
        if self._always and looked.key(verdict) in self._always:
            return Approval(True, "a person allowed it for this run", verdict.rule, verdict.risk, "person")
        return None

    def _question(self, verdict: Verdict, looked: Looked) -> Question:
        before, now = looked.shown(looked.before), looked.shown(looked.now)
        return Question(
            instruction=one_line(looked.seen.instruction or self.instruction, 300),
            action=looked.action,
            target=before,
            now=now if now != before else "",
            leads=one_line(" ".join(looked.clean(looked.now.leads)), 160),
            risk=verdict.risk,
            rule=verdict.rule,
            place=one_line(looked.place),
        )


class Looked:
    """An action in both views. The world is looked at once, and only if a rule asks what is there."""

    def __init__(self, action: Action, seen: Observation, world: World, allowed: AllowList) -> None:
        self.action, self.seen, self.world = action, seen, world
        size = seen.screen.size
        self.before = Deed(action, size, self._as_seen, allowed)
        self.now = Deed(action, size, self._as_it_is, allowed)

    @cached_property
    def _fresh(self) -> Now | None:
        return self.world.now(self.action)

    def _as_seen(self) -> tuple[Sequence[Element], Now]:
        """What kind of field it is cannot be read off a picture: that comes from the world in both views."""
        fields = self._fresh.fields if self._fresh else ()
        return self._seen_elements, Now(url=self.seen.url, app=self.seen.app, fields=fields)

    def _as_it_is(self) -> tuple[Sequence[Element], Now]:
        if self._fresh is None:
            return self._as_seen()
        return self._fresh.elements, self._fresh

    @cached_property
    def _seen_elements(self) -> Sequence[Element]:
        try:
            return list(self.seen.screen.elements)
        except LookupError:  # nobody asked for them while they were there
            return ()

    def verdict(self, policy: Policy) -> Verdict:
        seen = policy.judge(self.before)
        return seen if seen.decision == "deny" else seen.stricter(policy.judge(self.now))

    @property
    def signature(self) -> tuple[object, ...]:
        return self.now.signature

    @property
    def names(self) -> bool:
        """Is there anything by which it could be known again? One yes must not hold for all that has no name."""
        return bool(self.now.words or self.now.leads)

    def key(self, verdict: Verdict) -> tuple[object, ...]:
        secrets = tuple(PLACEHOLDER.findall(self.action.text or ""))
        leads = tuple(host(lead) for lead in self.now.leads)
        words = (self.before.words, self.now.words)
        return verdict.rule, verdict.risk, self.now.parts, words, leads, secrets, host(self.now.url) or self.now.app

    def shown(self, deed: Deed) -> str:
        """What the target says, without secrets."""
        return one_line(" · ".join(self.clean(deed.words)[:3]), 160)

    @property
    def place(self) -> str:
        return host(self.now.url) or self.now.app

    def what(self, verdict: Verdict) -> str:
        """What is wrong with it, for the agent."""
        target = quoted(self.clean(self.now.words)) or quoted(self.clean(self.before.words))
        return risk_in_words(verdict.risk) + (f" ({target})" if target else "")

    def clean(self, texts: Sequence[str]) -> list[str]:
        return [self.world.vault.redact(text) for text in texts]


def opens(text: str) -> bool:
    """Is this an address that may be opened at all? Scripts, data and files never are."""
    return scheme_of(address(text)) in ("http", "https") or address(text) == "about:blank"


_SAID: dict[By, str] = {
    "nobody": "nobody is there to ask",
    "person": "a person said no",
    "policy": "the rules forbid it",
}


def refused(what: str, rule: str, risk: str = "", by: By = "policy") -> Approval:
    """With one sentence for the agent: what it is, and that it must find another way."""
    why = f"The action was not done: {what}, and {_SAID[by]}; find another way, or end the task."
    return Approval(False, why, rule, risk, by)
