"""Tasks in the contacts app."""

from __future__ import annotations

from datetime import date
from typing import Any

from saccade_phone.apps.contacts.content import number
from saccade_phone.data_files import Words, table
from saccade_phone.goal_changes import Removed, See, added, changed, see
from saccade_phone.tasks.base import Goal, Params, task

NAMES = table("tasks/contacts", "names", list[Words])
COMPANIES = table("tasks/contacts", "companies", list[Words])
GROUP_NAMES = table("tasks/contacts", "group_names", list[Words])


def human(person: dict[str, Any]) -> bool:
    return bool(person["birthday"])


def fresh(p: Params) -> str:
    """A number that belongs to no contact."""
    found = number(p)
    taken = [person["phone"] for _, person in p.entries("contacts.people")]
    taken += [call["number"] for _, call in p.entries("contacts.calls")]
    taken += [each["number"] for _, each in p.entries("contacts.blocked")]
    p.need(found not in taken)
    return found


@task("contacts.add")
def add(p: Params) -> Goal:
    name, company, phone = p.t(*p.choice(NAMES)), p.t(*p.choice(COMPANIES)), fresh(p)
    return p.goal(
        [added("contacts.people", name=name, phone=phone, company=company)],
        en=[
            f"Add a contact: {name}, {phone}, company {company}",
            f"Save {name} from {company} in my contacts, number {phone}",
            f"Create a new contact {name} with the phone {phone} and the company {company}",
            f"I met {name} today, who works at {company} and can be reached under {phone}; note all this in the "
            f"address book as a new person",
        ],
        zh=[
            f"新建联系人：{name}，电话{phone}，公司{company}",
            f"把{company}的{name}存进通讯录，号码{phone}",
            f"添加联系人{name}，手机号是{phone}，公司填{company}",
            f"今天刚认识了在{company}上班的{name}，联系方式是{phone}，请把这些都登记成一张新名片",
        ],
    )


@task("contacts.change_phone")
def change_phone(p: Params) -> Goal:
    id, person = p.entry("contacts.people")
    phone, name = fresh(p), person["name"]
    return p.goal(
        [changed("contacts.people", id, phone=phone)],
        en=[
            f"Change {name}'s phone number to {phone}",
            f"Update the contact {name}: the new number is {phone}",
            f"{name} has a new number, {phone}. Save it in my contacts",
            f"The digits stored for {name} are out of date; edit that card so that it says {phone} instead",
        ],
        zh=[
            f"把{name}的电话改成{phone}",
            f"更新联系人{name}的号码为{phone}",
            f"{name}换号了，新号码是{phone}，帮我改一下",
            f"通讯录里存的{name}的联系方式早就过期了，请编辑那张名片，用{phone}替换掉原来的数字",
        ],
    )


@task("contacts.delete")
def delete(p: Params) -> Goal:
    id, person = p.entry("contacts.people")
    name = person["name"]
    return p.goal(
        [Removed("contacts.people", id)],
        en=[
            f"Delete {name} from my contacts",
            f"Remove the contact {name}",
            f"Erase {name} from the address book",
            f"I no longer have anything to do with {name}, so please throw that card away and confirm if asked",
        ],
        zh=[
            f"删除联系人{name}",
            f"把{name}从通讯录里删掉",
            f"移除{name}这个联系人",
            f"以后跟{name}不会再有来往了，这张名片留着也没用，请清理掉并在弹窗里确认",
        ],
    )


@task("contacts.favorite")
def favorite(p: Params) -> Goal:
    id, person = p.entry("contacts.people")
    on, name = not person["favorite"], person["name"]
    return p.goal(
        [changed("contacts.people", id, favorite=on)],
        en=[
            f"Add {name} to my favorite contacts" if on else f"Remove {name} from my favorite contacts",
            f"Make {name} a favorite in Contacts" if on else f"{name} should not be a favorite contact any more",
            f"Mark the contact {name} with a star" if on else f"Take the star off the contact {name}",
            f"I ring {name} nearly every day: let that face show up in the quick row above the alphabet"
            if on
            else f"I hardly ever ring {name} nowadays: that face need not show up in the quick row above the alphabet",
        ],
        zh=[
            f"把联系人{name}加入收藏" if on else f"把联系人{name}移出收藏",
            f"收藏通讯录里的{name}" if on else f"取消收藏通讯录里的{name}",
            f"给联系人{name}加上星标" if on else f"去掉联系人{name}的星标",
            f"我几乎每天都要打给{name}，希望这个头像出现在通讯录顶部那一排常用的人里"
            if on
            else f"我现在很少打给{name}了，通讯录顶部那一排常用的人里不必再出现这个头像",
        ],
    )


@task("contacts.move")
def move(p: Params) -> Goal:
    id, person = p.entry("contacts.people", human)
    group, entry = p.entry("contacts.groups")
    p.need(group != person["group"])
    name, to = person["name"], entry["name"]
    return p.goal(
        [changed("contacts.people", id, group=group)],
        en=[
            f'Put {name} into the contact group "{to}"',
            f'Move the contact {name} to the group "{to}"',
            f'Change {name}\'s group to "{to}"',
            f'In the address book {name} is sorted wrongly: open that card for editing and file it under "{to}"',
        ],
        zh=[
            f"把联系人{name}放到“{to}”群组",
            f"将{name}移动到通讯录的“{to}”分组",
            f"把{name}的群组改为“{to}”",
            f"{name}在通讯录里归错了类，请进入编辑页面，重新归到“{to}”那一类再保存",
        ],
    )


@task("contacts.block")
def block(p: Params) -> Goal:
    known = {person["phone"] for _, person in p.entries("contacts.people")}
    stopped = {each["number"] for _, each in p.entries("contacts.blocked")}
    callers = sorted({call["number"] for _, call in p.entries("contacts.calls")} - known - stopped)
    phone = p.random.choice(callers) if callers and p.chance(0.6) else fresh(p)
    return p.goal(
        [added("contacts.blocked", number=phone)],
        en=[
            f"Block the number {phone}",
            f"Add {phone} to my blocked numbers",
            f"Stop calls from {phone} by blocking it",
            f"Somebody at {phone} keeps bothering me with advertisements; see to it that they never get through again",
        ],
        zh=[
            f"把号码{phone}加入黑名单",
            f"拉黑{phone}这个号码",
            f"屏蔽{phone}的来电",
            f"有个骚扰电话总用{phone}打来推销，请设置成以后再也打不进来",
        ],
    )


@task("contacts.call")
def call(p: Params) -> Goal:
    _, person = p.entry("contacts.people")
    name = person["name"]
    return p.goal(
        [added("contacts.calls", number=person["phone"])],
        en=[
            f"Call {name}",
            f"Phone {name} for me",
            f"Give {name} a ring",
            f"I would like to speak with {name} right now, so look up the card and start the conversation by telephone",
        ],
        zh=[
            f"给{name}打电话",
            f"呼叫{name}",
            f"帮我拨通{name}的电话",
            f"我现在就想跟{name}说几句话，请在通讯录找到这个人并直接拨过去",
        ],
    )


@task("contacts.rename_group", held_out=True)
def rename_group(p: Params) -> Goal:
    id, group = p.entry("contacts.groups")
    name = p.t(*p.choice(GROUP_NAMES))
    return p.goal(
        [changed("contacts.groups", id, name=name)],
        en=[
            f'Rename the contact group "{group["name"]}" to "{name}"',
            f'Change the name of my contact group "{group["name"]}" to "{name}"',
            f'The group "{group["name"]}" in Contacts should be called "{name}"',
            f'The label "{group["name"]}" that some of my contacts carry does not fit any longer; let it read "{name}" '
            f"from now on",
        ],
        zh=[
            f"把通讯录群组“{group['name']}”改名为“{name}”",
            f"将联系人分组“{group['name']}”重命名为“{name}”",
            f"通讯录里“{group['name']}”这个组改叫“{name}”",
            f"我觉得“{group['name']}”这个分类标签已经不合适了，组里的人不动，只把它的叫法换成“{name}”",
        ],
    )


@task("contacts.ask_birthday")
def ask_birthday(p: Params) -> Goal:
    id, person = p.entry("contacts.people", human)
    name, day = person["name"], date.fromisoformat(person["birthday"])
    month = day.strftime("%B")
    return p.ask(
        person["birthday"],
        [see("contacts", "person", person=id)],
        accept=[
            f"{month} {day.day}, {day.year}",
            f"{day.day} {month} {day.year}",
            f"{day.year}年{day.month}月{day.day}日",
            f"{day.year}/{day.month}/{day.day}",
        ],
        decoys=[other["birthday"] for other_id, other in p.entries("contacts.people", human) if other_id != id],
        en=[
            f"When was {name} born? Give the full date",
            f"What is the birthday of {name}, with the year?",
            f"Look up {name}'s date of birth in Contacts",
            f"For a surprise party I must know on which day of which year {name} came into the world; check the card",
        ],
        zh=[
            f"{name}的生日是哪天？请说出完整日期",
            f"{name}是哪年哪月哪日出生的？",
            f"在通讯录里查一下{name}的出生日期",
            f"我想给{name}办个惊喜派对，得先弄清楚准确的生辰，年份也要，帮我从名片上看看",
        ],
    )


@task("contacts.ask_missed", held_out=True)
def ask_missed(p: Params) -> Goal:
    missed = [call for _, call in p.entries("contacts.calls") if call["kind"] == "missed"]
    numbers = [call["number"] for call in missed]
    _, person = p.entry("contacts.people", lambda person: numbers.count(person["phone"]) == 1)
    name = person["name"]
    times = {call["number"]: call["at"][11:16] for call in missed}
    return p.ask(
        times[person["phone"]],
        [see("contacts", "recents")],
        decoys=[call["at"][11:16] for call in missed],
        en=[
            f"At what time of day did I miss a call from {name}?",
            f"When exactly, on the clock, did {name} call without reaching me?",
            f"Give me the time of {name}'s missed call",
            f"{name} says they tried to ring me and I did not pick up; tell me the hour and minute of that attempt",
        ],
        zh=[
            f"我是几点几分错过{name}来电的？",
            f"{name}的未接来电是什么时间？",
            f"告诉我{name}那通未接来电的时刻",
            f"{name}说给我打过一次电话但我没接着，请到通话记录里看看当时是几时几分",
        ],
    )


@task("contacts.no_such_person")
def no_such_person(p: Params) -> Goal:
    name = p.t(*p.choice(NAMES))
    en, zh = p.choice(
        [("email address", "邮箱地址"), ("company", "公司"), ("birthday", "生日"), ("phone number", "电话号码")]
    )
    p.need(all(person["name"] != name for _, person in p.entries("contacts.people")))
    return p.impossible(
        [See("contacts", "results", {"query": name}, query=name)],
        en=[
            f"What is the {en} of {name} in my contacts?",
            f"Find the {en} of my contact {name}",
            f"Tell me the {en} that I saved for {name}",
            f"I am filling in a form about {name} and only the {en} is still open; fetch it from the address book",
        ],
        zh=[
            f"联系人{name}的{zh}是什么？",
            f"查找通讯录里{name}的{zh}",
            f"告诉我存的{name}的{zh}",
            f"我正在填一张关于{name}的登记表，就差{zh}这一栏，请从通讯录里找出来",
        ],
    )
