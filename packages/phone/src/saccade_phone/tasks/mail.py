"""Tasks in the mail app."""

from __future__ import annotations

from typing import Any

from saccade_phone.apps.mail.content import PLACES, SPAM
from saccade_phone.data_files import ByLanguage, Words, table
from saccade_phone.goal_changes import Says, See, added, changed, see
from saccade_phone.tasks.base import Goal, Params, task

JUNK = {letter.subject for letter in (*SPAM.en, *SPAM.zh)}

MARKS = table("tasks/mail", "marks", dict[str, ByLanguage[list[str]]])


@task("mail.mark")
def mark(p: Params) -> Goal:
    act = p.random.choice(sorted(MARKS))
    where = {"restore": ("trash",), "unstar": ("inbox", "archive")}.get(act, ("inbox",))
    id, mail = p.entry(
        "mail.mails",
        lambda m: (
            m["folder"] in where and m["starred"] is (act == "unstar") and (m["subject"] in JUNK) is (act == "spam")
        ),
    )
    starred: dict[str, Any] = {"starred": act == "star"}
    fields = starred if act in ("star", "unstar") else {"folder": "inbox" if act == "restore" else act}
    en, zh = ([words.format(s=mail["subject"]) for words in part] for part in (MARKS[act].en, MARKS[act].zh))
    return p.goal([changed("mail.mails", id, **fields)], en=en, zh=zh)


@task("mail.move")
def move(p: Params) -> Goal:
    (one, first), (two, second) = p.sample(p.entries("mail.mails", lambda m: m["folder"] == "inbox"), 2)
    folder = p.random.choice(sorted(p.data("mail")["folders"]))
    a, b = first["subject"], second["subject"]
    return p.goal(
        [changed("mail.mails", one, folder=folder), changed("mail.mails", two, folder=folder)],
        en=[
            f"Move the mails “{a}” and “{b}” to the folder {folder}",
            f"“{a}” and “{b}” belong into my folder {folder}: move both there",
            f"File two mails in {folder}: “{a}” and “{b}”",
            f"Tidy up a little: what came in about “{a}” and about “{b}” had better be kept under {folder}",
        ],
        zh=[
            f"把邮件“{a}”和“{b}”移到“{folder}”文件夹",
            f"“{a}”“{b}”这两封邮件都放进“{folder}”",
            f"将两封邮件归入“{folder}”文件夹：“{a}”和“{b}”",
            f"收件箱太乱了，主题是“{a}”以及“{b}”的信，统统帮我整理到名叫“{folder}”的目录下面",
        ],
    )


NEW_FOLDERS = table("tasks/mail", "new_folders", list[Words])


@task("mail.file_new")
def file_new(p: Params) -> Goal:
    name = p.t(*p.choice(NEW_FOLDERS))
    id, mail = p.entry("mail.mails", lambda m: m["folder"] == "inbox")
    subject = mail["subject"]
    return p.goal(
        [added("mail.folders", name=name), changed("mail.mails", id, folder=name)],
        en=[
            f"Make a new mail folder “{name}” and move the mail “{subject}” into it",
            f"Create the folder “{name}” in Mail, then put “{subject}” there",
            f"I want the mail “{subject}” in a folder called “{name}”, which you have to create first",
            f"There should be one more place to keep letters, named “{name}”, and “{subject}” shall be what lies in it",
        ],
        zh=[
            f"新建邮件文件夹“{name}”，把邮件“{subject}”移进去",
            f"在邮箱里创建“{name}”文件夹，然后把“{subject}”放进去",
            f"我想把“{subject}”这封邮件放到“{name}”文件夹，需要你先新建这个文件夹",
            f"邮箱里再添一个分类，名字就用“{name}”，添好之后把主题为“{subject}”的来信收到里面",
        ],
    )


LETTERS = table("tasks/mail", "letters", list[tuple[Words, Words]])


@task("mail.compose")
def compose(p: Params) -> Goal:
    subject, body = (p.t(*words) for words in p.choice(LETTERS))
    who = p.choice(p.people)
    return p.goal(
        [added("mail.mails", to=[who.email], subject=subject, body=Says(body), reply="", forward="")],
        en=[
            f"Send a mail to {who.name} with the subject “{subject}” and the text “{body}”",
            f"Write {who.name} a mail, subject “{subject}”: “{body}”",
            f"Mail {who.name}. Subject: {subject}. Text: {body}",
            f"Get a letter off to {who.name}, under the heading “{subject}”, and all that it has to say is “{body}”",
        ],
        zh=[
            f"给{who.name}发一封邮件，主题“{subject}”，正文“{body}”",
            f"写邮件给{who.name}，主题是“{subject}”，内容：{body}",
            f"用邮箱发给{who.name}，主题：{subject}，正文：{body}",
            f"麻烦通过电子邮件跟{who.name}说一声，信里就写“{body}”，标题栏请填“{subject}”",
        ],
    )


ANSWERS = table("tasks/mail", "answers", list[Words])


@task("mail.reply")
def reply(p: Params) -> Goal:
    known = {person.email for person in p.people}
    id, mail = p.entry("mail.mails", lambda m: m["folder"] in ("inbox", "archive") and m["sender"] in known)
    body, name, subject = p.t(*p.choice(ANSWERS)), mail["name"], mail["subject"]
    return p.goal(
        [added("mail.mails", reply=id, body=Says(body))],
        en=[
            f"Reply to {name}'s mail “{subject}”: {body}",
            f"Answer the mail “{subject}” from {name} with “{body}”",
            f"Write back to {name} about “{subject}”: “{body}”",
            f"{name} is waiting to hear from me concerning “{subject}”; my response to that message is “{body}”",
        ],
        zh=[
            f"回复{name}的邮件“{subject}”：{body}",
            f"给{name}那封“{subject}”回信，写“{body}”",
            f"回邮件“{subject}”（{name}发来的），内容是“{body}”",
            f"{name}来信提到“{subject}”，正等着我答复呢，请直接在那封信上回一句“{body}”",
        ],
    )


@task("mail.forward", held_out=True)
def forward(p: Params) -> Goal:
    id, mail = p.entry("mail.mails", lambda m: m["folder"] in ("inbox", "archive") and m["subject"] not in JUNK)
    who, subject = p.choice([person for person in p.people if person.email != mail["sender"]]), mail["subject"]
    return p.goal(
        [added("mail.mails", forward=id, to=[who.email])],
        en=[
            f"Forward the mail “{subject}” to {who.name}",
            f"Send the mail “{subject}” on to {who.name}",
            f"Let {who.name} have the mail “{subject}” too: forward it",
            f"{who.name} ought to know what is written under “{subject}”, therefore pass that message along",
        ],
        zh=[
            f"把邮件“{subject}”转发给{who.name}",
            f"转发“{subject}”这封邮件到{who.name}",
            f"将“{subject}”转给{who.name}看看",
            f"{who.name}也应该知道“{subject}”里面写了什么，请把那封信原样传过去一份",
        ],
    )


HEADINGS = table("tasks/mail", "headings", list[Words])


@task("mail.send_draft")
def send_draft(p: Params) -> Goal:
    id, draft = p.entry("mail.mails", lambda m: m["folder"] == "drafts")
    old, new = draft["subject"], p.t(*p.choice(HEADINGS))
    return p.goal(
        [changed("mail.mails", id, folder="sent", subject=new)],
        en=[
            f"Open the draft “{old}”, change its subject to “{new}” and send it",
            f"Send my draft “{old}”, but with the subject “{new}”",
            f"The draft “{old}” is ready: make the subject “{new}”, then send it",
            f"An unfinished letter called “{old}” still lies about; retitle it “{new}” and let it go out",
        ],
        zh=[
            f"打开草稿“{old}”，把主题改为“{new}”后发送",
            f"发送草稿“{old}”，但主题要改成“{new}”",
            f"草稿箱里的“{old}”可以发了，先把主题换成“{new}”",
            f"邮箱里还存着一封没写完的“{old}”，标题请重新拟为“{new}”，然后就寄出去吧",
        ],
    )


@task("mail.arrival")
def arrival(p: Params) -> Goal:
    id, mail = p.entry("mail.arrivals")
    name, star = mail["name"], p.chance(0.5)
    fields: dict[str, Any] = {"starred": True} if star else {"folder": "archive"}
    verb, zh = ("star", "加上星标") if star else ("archive", "归档")
    return p.goal(
        [changed("mail.arrivals", id, **fields)],
        en=[
            f"Refresh the inbox and {verb} the new mail that comes in from {name}",
            f"Check for new mail: {verb} the one from {name} that has just arrived",
            f"{name} has just sent me a mail. Refresh, then {verb} it",
            f"Something by {name} is still waiting on the server; have it fetched, and when it is there, {verb} it",
        ],
        zh=[
            f"刷新收件箱，把{name}新发来的邮件{zh}",
            f"收取新邮件，将刚到的{name}的邮件{zh}",
            f"{name}刚给我发了邮件，刷新一下并把它{zh}",
            f"服务器上应该还有一封{name}的信没收下来，请先让它进到手机里，收到后替我{zh}",
        ],
    )


QUESTIONS = table("tasks/mail", "questions", dict[str, Words])


def spellings(kind: str, value: str) -> list[str]:
    """Other ways to give the same fact."""
    if kind == "amount":
        return [value[1:], value.rstrip("0")] if value.endswith("0") else [value[1:]]
    if kind == "time":
        hour, minute = int(value[:2]), value[3:]
        half, early = (hour - 1) % 12 + 1, hour < 12
        en, zh = ("AM", "上午") if early else ("PM", "下午")
        whole = [f"{half} {en}", f"{hour}点", f"{zh}{half}点"]
        found = [f"{half}:{minute} {en}", f"{hour}:{minute}", f"{hour}点{minute}分", f"{zh}{half}点{minute}分"]
        return found + (whole if minute == "00" else [])
    return [value.split(" ", 1)[-1], value.rstrip("室口")]


@task("mail.ask_fact")
def ask_fact(p: Params) -> Goal:
    id, mail = p.entry("mail.mails", lambda m: m["fact"] and m["folder"] not in ("trash", "spam"))
    kind, value, subject = mail["fact"]["kind"], mail["fact"]["value"], mail["subject"]
    others = [m["fact"]["value"] for _, m in p.entries("mail.mails", lambda m: m["fact"].get("kind") == kind)]
    others += PLACES[kind].of(p.language) if kind in PLACES else []
    ask, frage = QUESTIONS[kind]
    en = ask.lower()
    return p.ask(
        value,
        [See("mail", "mail", {"mail": id}, subject, {"folder": (mail["folder"],)})],
        accept=spellings(kind, value),
        decoys=others,
        en=[
            f"{ask} the mail “{subject}”?",
            f"Look up the mail “{subject}” and tell me {en} it",
            f"{ask} what {mail['name']} wrote under “{subject}”?",
            f"My hands are full, so read “{subject}” by {mail['name']} in my stead. {ask} that text?",
        ],
        zh=[
            f"邮件“{subject}”里{frage}？",
            f"查一下“{subject}”这封邮件，告诉我里面{frage}",
            f"{mail['name']}发来的“{subject}”里{frage}？",
            f"我手上正忙，没空翻邮箱，请替我读一读{mail['name']}的那封来信“{subject}”，说说信中{frage}",
        ],
    )


@task("mail.ask_unread", held_out=True)
def ask_unread(p: Params) -> Goal:
    count = len(p.entries("mail.mails", lambda m: m["folder"] == "inbox" and not m["read"]))
    p.need(count > 1)
    return p.ask(
        str(count),
        [see("mail", "inbox")],
        decoys=[str(count + 1), str(count - 1), str(count + 2)],
        en=[
            "How many unread mails are in my inbox?",
            "Count the unread mails in the inbox",
            "How many mails in my inbox have I not read yet?",
            "Don't fetch anything new, just look at Mail and give me the number of letters I have yet to open",
        ],
        zh=[
            "我的收件箱里有几封未读邮件？",
            "收件箱的未读邮件一共多少封？",
            "看看邮箱，收件箱还有多少封没读",
            "不用收取新的，只要打开邮箱瞧一眼，告诉我现在有多少信件是我还没点开过的",
        ],
    )


TOPICS = table("tasks/mail", "topics", list[Words])


@task("mail.missing")
def missing(p: Params) -> Goal:
    topic = p.t(*p.choice(TOPICS))
    who = p.choice(p.people)
    texts = [f"{m['subject']} {m['body']}" for part in ("mails", "arrivals") for _, m in p.entries(f"mail.{part}")]
    p.need(not any(topic.casefold() in words.casefold() for words in texts))
    return p.impossible(
        [see("mail", "results", query=topic)],
        en=[
            f"Forward the mail about “{topic}” to {who.name}",
            f"Find the mail that mentions “{topic}” and send it on to {who.name}",
            f"{who.name} wants the mail I got about “{topic}”: forward it",
            f"There was correspondence concerning “{topic}” once; dig it up and see that {who.name} gets a copy",
        ],
        zh=[
            f"把关于“{topic}”的邮件转发给{who.name}",
            f"找到提到“{topic}”的邮件，转给{who.name}",
            f"{who.name}想要我收到的那封“{topic}”邮件，帮我转发",
            f"印象中我收过一封跟“{topic}”有关的来信，请把它翻找出来，让{who.name}也能拿到一份",
        ],
    )
