"""Tasks in made-up apps: what is wanted, and how people say it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

from saccade.train.madeup import chrome, pages
from saccade.train.madeup.app import Item
from saccade.train.madeup.goals import Goal
from saccade.train.madeup.machine import Machine
from saccade.train.madeup.words import COMPARED, FOLDER

KINDS = {"flag": 16, "ask": 14, "extreme": 10, "rank": 5, "new": 10, "edit": 7, "delete": 6, "list": 7, "unlist": 4,
         "order": 12, "void": 5, "set": 7, "two": 7}  # fmt: skip
MISSING = 0.08
"""How often a task cannot be done."""


@cache
def phrases(kind: str, zh: bool) -> tuple[str, ...]:
    """All the ways in which a kind of task is put."""
    for block in (FOLDER / "phrases.txt").read_text(encoding="utf-8").split("\n[")[1:]:
        name, _, rest = block.partition("]\n")
        if name == f"{kind} {'zh' if zh else 'en'}":
            return tuple(rest.strip().split("\n"))
    raise KeyError(kind)


class Asker:
    """Thinks up a task for one app, and puts it into words."""

    def __init__(self, m: Machine, chance: random.Random) -> None:
        self.m, self.app, self.chance, self.zh = m, m.app, chance, m.app.zh
        self.quotes = chance.random() < 0.5
        self.lost = False
        self.told = chance.random() < 0.45
        """Is it said what kind of thing an item is? Else one cannot know which app is meant."""

    def say(self, text: str) -> str:
        """A name, in quotation marks or not."""
        return (f"“{text}”" if self.zh else chance_quote(self.chance, text)) if self.quotes else text

    def put(self, kind: str, **words: str) -> str:
        return self.chance.choice(phrases(kind, self.zh)).format(**words)

    def wrap(self, wish: str) -> str:
        """Something to be done, with what people say around it."""
        if self.zh and wish[0] in "我该":  # a sentence of its own
            return wish
        return self.put("do", v=wish, V=wish[:1].upper() + wish[1:])

    def item(self) -> tuple[Item, Goal]:
        """An item, or one that is not there."""
        item = self.chance.choice(self.app.items)
        goal = Goal("", item.key, item.name, item.category)
        if self.lost:
            goal.key, goal.name = None, self.app.missing
        return item, goal

    def named(self, goal: Goal) -> str:
        """An item's name, with its category where one must know it."""
        must = self.app.home == "cats" and not self.app.search
        inside = goal.category in (self.app.categories if self.app.home == "cats" else self.app.categories[:4])
        if must or (inside and self.app.home == "chips" and self.chance.random() < 0.6):
            return (
                f"{goal.category}里的{self.kind()}{self.say(goal.name)}"
                if self.zh
                else f"{self.kind()}{self.say(goal.name)} (under {goal.category})"
            )
        goal.category = ""
        return self.kind() + self.say(goal.name)

    def kind(self) -> str:
        return self.app.t(f"the {self.app.domain.item} ", self.app.domain.item) if self.told else ""

    def needs_app(self, goals: Sequence[Goal]) -> bool:
        """Would nobody know from the task alone which app it is about?"""
        return not self.told or goals[0].kind in ("set", "rank", "void", "unlist", "extreme")

    def task(self) -> tuple[str, list[Goal]]:
        """What to say, and what is meant."""
        possible = [kind for kind in KINDS if self.allowed(kind)]
        kind = self.chance.choices(possible, [KINDS[each] for each in possible])[0]
        self.lost = self.chance.random() < MISSING and kind in ("flag", "ask", "delete", "list", "order", "edit")
        if kind == "two":
            first, one = self.flag()
            second, two = self.flag() if self.chance.random() < 0.6 else self.list()
            if one.key == two.key:
                return self.wrap(first), [one]
            return self.wrap(first + self.app.t(", and then ", "，然后") + second), [one, two]
        wish, goal = getattr(self, kind)()
        return (wish if kind in ("ask", "extreme", "rank") else self.wrap(wish)), [goal]

    def allowed(self, kind: str) -> bool:
        need = {"rank": "rank", "unlist": "lists", "void": "mine", "set": "settings"}.get(kind)
        if kind == "extreme" and self.app.shown.kind not in COMPARED:
            return False
        return need is None or need in self.app.tabs

    # -- one of each ----------------------------------------------------------------------------------------------

    def flag(self) -> tuple[str, Goal]:
        item, goal = self.item()
        verb = self.chance.choice(self.app.verbs)
        goal.kind, goal.label = "flag", verb.label
        item.flags.discard(verb.label)
        return self.chance.choice(verb.said).format(x=self.named(goal)), goal

    def ask(self) -> tuple[str, Goal]:
        item, goal = self.item()
        names = [each.name for each in self.app.attributes if each.name != self.app.shown.name]
        goal.kind, goal.label = "ask", self.chance.choice(names)
        goal.answer = item.values[goal.label][1]
        return self.put("ask", x=self.named(goal), a=self.lower(goal.label)), goal

    def lower(self, text: str) -> str:
        return text if self.zh else text[:1].lower() + text[1:]

    def extreme(self) -> tuple[str, Goal]:
        app = self.app
        counted = [each for each in app.categories if sum(item.category == each for item in app.items) > 1]
        if app.home == "chips":
            counted = [each for each in counted if each in app.categories[:4]]
        category = self.chance.choice(counted) if counted and app.home != "list" else ""
        if app.home == "cats" and not category:
            return self.flag()
        items = [each for each in app.items if category in ("", each.category)]
        way = self.chance.choice(("up", "down"))
        best = sorted(items, key=lambda item: item.values[app.shown.name][0], reverse=way == "down")
        if best[0].values[app.shown.name][0] == best[1].values[app.shown.name][0]:
            return self.flag()
        word = app.t("lowest", "最低") if way == "up" else app.t("highest", "最高")
        where = app.t(f"under {category}", f"{category}里") if category else app.t("on offer", "全部里面")
        goal = Goal("extreme", None, "", category, way=way, answer=best[0].name)
        return self.put("extreme", w=word, a=self.lower(app.shown.name), item=app.domain.item, items=app.domain.items,
                        **{"in": where, "In": where.capitalize()}), goal  # fmt: skip

    def rank(self) -> tuple[str, Goal]:
        order = pages.ranked(self.app)
        place = self.chance.randint(1, len(order) if self.app.numbered else 5)
        item = order[place - 1]
        goal = Goal("rank", item.key, item.name, answer=item.name, place=place)
        return self.put("rank", n=str(place), r=self.say(self.app.label["rank"]), item=self.app.domain.item), goal

    def new(self) -> tuple[str, Goal]:
        app = self.app
        values = {chrome.name_key(app): app.missing}
        for each in self.chance.sample(app.attributes[:4], self.chance.randint(0, 2)):
            values[each.name] = each.draw(self.chance, self.zh)[1]
        if self.chance.random() < 0.5:
            values[chrome.category_key(app)] = self.chance.choice(app.categories)
        return self.put("new", item=app.domain.item, o=self.listed(values)), Goal(
            "new", values=values, before=len(app.items)
        )

    def listed(self, values: dict[str, str]) -> str:
        """Fields and what they are to say."""
        forms = ("{k}{v}", "{k}为{v}", "{k}：{v}") if self.zh else ("{k} {v}", "{k}: {v}", "{v} as {l}")
        form = self.chance.choice(forms)
        words = (form.format(k=key, l=self.lower(key), v=self.say(value)) for key, value in values.items())
        return self.app.t(", ", "，").join(words)

    def edit(self) -> tuple[str, Goal]:
        item, goal = self.item()
        each = self.chance.choice(self.app.attributes[:4])
        value = next(
            text for _ in iter(int, 1) if (text := each.draw(self.chance, self.zh)[1]) != item.values[each.name][1]
        )
        goal.kind, goal.label, goal.values = "edit", each.name, {each.name: value}
        return self.put("edit", x=self.named(goal), a=self.lower(each.name), y=self.say(value)), goal

    def delete(self) -> tuple[str, Goal]:
        _, goal = self.item()
        goal.kind = "delete"
        return self.put("delete", x=self.named(goal)), goal

    def list(self) -> tuple[str, Goal]:
        item, goal = self.item()
        goal.kind, goal.label = "list", self.chance.choice([*self.app.lists])
        keys = self.app.lists[goal.label]
        if item.key in keys:
            keys.remove(item.key)
        return self.put("list", x=self.named(goal), l=self.say(goal.label)), goal

    def unlist(self) -> tuple[str, Goal]:
        label = self.chance.choice([*self.app.lists])
        item = self.app.named(self.chance.choice(self.app.lists[label]))
        goal = Goal("unlist", item.key, item.name, label=label)
        return self.put("unlist", x=self.say(item.name), l=self.say(label)), goal

    def order(self) -> tuple[str, Goal]:
        app = self.app
        _, goal = self.item()
        goal.kind, goal.before = "order", len(app.bookings)
        for spec in app.choices:
            if not spec.value or self.chance.random() < 0.7:
                goal.values[spec.key] = self.chance.choice(spec.options or ("1", "2", "2", "3", "4"))
        if app.dropped and self.chance.random() < MISSING:
            key = self.chance.choice([*app.dropped])
            goal.values[key], goal.absent = app.dropped[key], True
        wish = self.chance.choice(app.domain.order.said).format(x=self.named(goal))
        return (self.put("order", v=wish, o=self.listed(goal.values)) if goal.values else wish), goal

    def void(self) -> tuple[str, Goal]:
        entry = self.chance.choice(self.app.bookings)
        goal = Goal("void", entry.key, entry.item)
        if self.chance.random() < 0.1:
            goal.key, goal.name = None, self.app.missing
        return self.put("void", x=self.say(goal.name)), goal

    def set(self) -> tuple[str, Goal]:
        spec = self.chance.choice([*self.app.settings.values()])
        if spec.kind == "switch":
            value = "" if spec.value else "on"
            word = self.app.t("on" if value else "off", "打开" if value else "关闭")
            return self.put("switch", s=self.say(spec.key), y=word), Goal(
                "set", label=spec.key, values={"value": value}
            )
        value = self.chance.choice([each for each in spec.options if each != spec.value])
        goal = Goal("set", label=spec.key, values={"value": value})
        return self.put("set", s=self.say(spec.key), y=self.say(value)), goal


def chance_quote(chance: random.Random, text: str) -> str:
    return f"“{text}”" if chance.random() < 0.7 else f'"{text}"'


def about_app(m: Machine, wish: str, must: bool, chance: random.Random) -> str:
    """The task with the app's name in it, or without."""
    name, capital = m.app.name, wish[:1].upper() + wish[1:]
    if not must and chance.random() < 0.5:
        return capital
    if m.app.zh:
        return chance.choice((f"在{name}里，{wish}", f"打开{name}，{wish}", f"用{name}这个应用：{wish}",
                              f"{wish}（在{name}里）",
                              f"到{name}应用里：{wish}", f"{wish}，用{name}"))  # fmt: skip
    end = "" if capital[-1] in "?." else "."
    return chance.choice((f"In {name}: {wish}", f"Open {name}. {capital}", f"{capital}{end} Use {name}.",
                          f"Using {name}: {wish}",
                          f"{capital}{end} It is in {name}.", f"With the app {name}: {wish}"))  # fmt: skip
