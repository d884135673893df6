"""Tasks across apps: use a contact's details in the chat and the notes."""

from __future__ import annotations

from collections import Counter

from saccade_phone.goal_changes import Says, See, added
from saccade_phone.tasks.across_base import card, friend, person, tell
from saccade_phone.tasks.across_tables import BRING, STRANGERS
from saccade_phone.tasks.base import Goal, Params, task


@task("across.send_number", "contacts", "chat")
def send_number(p: Params) -> Goal:
    id, entry = person(p, lambda each: each["phone"])
    who, name = friend(p, id)
    return p.goal(
        [tell(who, entry["phone"])],
        sees=[card(id, entry["name"])],
        en=[
            f"Send {name} the phone number of {entry['name']} in Chat",
            f"Look up {entry['name']}'s number in Contacts and message it to {name}",
            f"{name} needs {entry['name']}'s phone number: send it in a chat message",
            f"Somebody called {name} has asked me how to reach {entry['name']} by phone; find that out and pass it on",
        ],
        zh=[
            f"把{entry['name']}的电话号码用微聊发给{name}",
            f"在通讯录里查{entry['name']}的手机号，然后发消息告诉{name}",
            f"{name}想要{entry['name']}的电话，帮我在微聊里发过去",
            f"有位叫{name}的朋友问我怎么打电话联系{entry['name']}，请查到以后在聊天中转告",
        ],
    )


@task("across.send_email_address", "contacts", "chat")
def send_email_address(p: Params) -> Goal:
    id, entry = person(p, lambda each: each["email"])
    who, name = friend(p, id)
    return p.goal(
        [tell(who, entry["email"])],
        sees=[card(id, entry["name"])],
        en=[
            f"Send {name} the email address of {entry['name']} in Chat",
            f"Find {entry['name']}'s email in Contacts and message it to {name}",
            f"Give {name} {entry['name']}'s email address in a chat message",
            f"Where can {entry['name']} be written to electronically? Check the address book and let {name} know by chat",
        ],
        zh=[
            f"把{entry['name']}的邮箱地址用微聊发给{name}",
            f"在通讯录查一下{entry['name']}的电子邮箱，发消息给{name}",
            f"微聊告诉{name}：{entry['name']}的邮箱是什么",
            f"要给{entry['name']}写电子邮件该寄到哪里？请翻一下联系人资料，再用聊天告知{name}",
        ],
    )


@task("across.greet_company", "contacts", "chat", held_out=True)
def greet_company(p: Params) -> Goal:
    firms = Counter(each["company"] for _, each in p.entries("contacts.people"))
    threads = {each["members"][0] for _, each in p.entries("chat.threads", lambda e: len(e["members"]) == 1)}
    id, entry = person(p, lambda each: firms[each["company"]] == 1 and each["company"])
    p.need(id in threads)
    words = p.t(*p.choice(BRING)[2:])
    return p.goal(
        [added("chat.messages", thread=id, text=words)],
        sees=[card(id, entry["name"])],
        en=[
            f'In Chat, write "{words}" to the contact who works at {entry["company"]}',
            f'Message "{words}" to whoever of my contacts is with {entry["company"]}',
            f'Find out who works at {entry["company"]} and send them "{words}" in Chat',
            f'One of the people I know is employed by {entry["company"]}: they should get a chat message that says "{words}"',
        ],
        zh=[
            f"在微聊里给在{entry['company']}工作的联系人发“{words}”",
            f"查一下通讯录里谁在{entry['company']}上班，给他发消息“{words}”",
            f"给公司是{entry['company']}的联系人发微聊：“{words}”",
            f"我认识的人当中有一位供职于{entry['company']}，请找到是谁并通过聊天转达“{words}”",
        ],
    )


@task("across.note_number", "contacts", "notes")
def note_number(p: Params) -> Goal:
    id, entry = person(p, lambda each: each["phone"])
    title = p.t(f"Call {entry['name']}", f"联系{entry['name']}")
    return p.goal(
        [added("notes.notes", title=title, body=Says(entry["phone"], (entry["phone"],)))],
        sees=[card(id, entry["name"])],
        en=[
            f"Make a note titled “{title}” with {entry['name']}'s phone number in it",
            f"Write {entry['name']}'s phone number into a new note called “{title}”",
            f"New note “{title}”: the phone number of {entry['name']} from my contacts",
            f"So that I don't forget, copy how to phone {entry['name']} into a fresh note; its heading shall be “{title}”",
        ],
        zh=[
            f"新建便签“{title}”，内容写上{entry['name']}的电话号码",
            f"把{entry['name']}的手机号记到一条标题为“{title}”的新便签里",
            f"便签里加一条“{title}”，正文是通讯录中{entry['name']}的电话",
            f"怕自己忘了，请把拨打{entry['name']}要用的号码抄进一则新的便签，题目叫“{title}”",
        ],
    )


@task("across.todo_number", "contacts", "notes")
def todo_number(p: Params) -> Goal:
    id, entry = person(p, lambda each: each["phone"])
    text = p.t(f"Ring {entry['phone']}", f"回电{entry['phone']}")
    return p.goal(
        [added("notes.todos", text=Says(text, (entry["phone"],)), list="office")],
        sees=[card(id, entry["name"])],
        en=[
            f"Add a to-do to the {office(p)} list in Notes that contains the phone number of {entry['name']}",
            f"Put {entry['name']}'s phone number on my {office(p)} to-do list",
            f"I must ring {entry['name']}: add the number as a to-do in the list {office(p)}",
            f"Among the tasks under {office(p)} there should be a reminder with the digits I dial to reach {entry['name']}",
        ],
        zh=[
            f"在便签的“{office(p)}”清单里加一条待办，写上{entry['name']}的电话号码",
            f"把{entry['name']}的手机号加进“{office(p)}”待办清单",
            f"我要给{entry['name']}回电话，在“{office(p)}”清单新增待办，内容含号码",
            f"请在名为“{office(p)}”的待办事项当中添一笔提醒，里面要有联系{entry['name']}时拨的那串数字",
        ],
    )


@task("across.unknown_number", "contacts", "chat")
def unknown_number(p: Params) -> Goal:
    stranger = p.t(*p.choice(STRANGERS))
    _, name = friend(p)
    return p.impossible(
        [See("contacts", "results", {"query": stranger}, query=stranger)],
        en=[
            f"Send {name} the phone number of {stranger} from my contacts",
            f"Look up {stranger} in Contacts and message the number to {name}",
            f"{name} wants {stranger}'s number: find it in Contacts and send it in Chat",
            f"Search the address book for a certain {stranger}, and let {name} have the number that is written there",
        ],
        zh=[
            f"把通讯录里{stranger}的电话号码发给{name}",
            f"在通讯录查{stranger}，把号码用微聊发给{name}",
            f"{name}要{stranger}的手机号，到通讯录里找到后发过去",
            f"请翻翻联系人名单，找出{stranger}这个人登记的号码并在聊天里转交给{name}",
        ],
    )


def office(p: Params) -> str:
    return str(p.data("notes")["lists"]["office"]["name"])
