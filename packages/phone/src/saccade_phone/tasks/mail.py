"""Tasks in the mail app."""

from __future__ import annotations

from typing import Any

from saccade_phone.apps.mail.content import PLACES, SPAM_EN, SPAM_ZH
from saccade_phone.changes import Says, See, added, changed, see
from saccade_phone.tasks.base import Goal, Params, task

JUNK = {letter.subject for letter in (*SPAM_EN, *SPAM_ZH)}

MARKS = {
    "star": (
        ["Star the mail “{s}”", "Put a star on the mail “{s}”", "Give the inbox mail “{s}” a star",
         "I will have to find the message titled “{s}” again soon, so flag it as a favourite"],
        ["给邮件“{s}”加星标", "把“{s}”这封邮件标上星", "收件箱里的“{s}”加个星标",
         "主题叫“{s}”的那封信我过几天还得翻出来看，帮我把它设成星标邮件"],
    ),
    "unstar": (
        ["Remove the star from the mail “{s}”", "Unstar the mail “{s}”", "Take the star off “{s}”",
         "The message titled “{s}” is no longer important to me, and it must not be among the starred ones"],
        ["取消邮件“{s}”的星标", "把“{s}”的星标去掉", "“{s}”这封邮件不要星标了",
         "主题叫“{s}”的那封信现在没那么要紧了，别让它继续出现在星标列表里"],
    ),
    "archive": (
        ["Archive the mail “{s}”", "Move “{s}” from the inbox to the archive", "Put the mail “{s}” into the archive",
         "I am through with the message titled “{s}”; keep it, but not in the inbox: the archive is its place"],
        ["归档邮件“{s}”", "把收件箱里的“{s}”归档", "“{s}”这封邮件放进归档",
         "主题叫“{s}”的那封信已经处理完了，留着备查，但别占着收件箱，收进归档里"],
    ),
    "trash": (
        ["Delete the mail “{s}”", "Throw away the mail “{s}”", "Put “{s}” from my inbox into the trash",
         "Nobody needs the message titled “{s}” any more, so let it vanish from my inbox into the bin"],
        ["删除邮件“{s}”", "把“{s}”这封邮件删掉", "收件箱里的“{s}”不要了，删除它",
         "主题叫“{s}”的那封信留着没有任何用处，让它从收件箱消失，扔进已删除里"],
    ),
    "spam": (
        ["Report the mail “{s}” as spam", "Mark “{s}” as spam", "The mail “{s}” is junk, move it to spam",
         "Some swindler has sent me the message titled “{s}”; see to it that it lands where junk belongs"],
        ["举报“{s}”为垃圾邮件", "把邮件“{s}”标记为垃圾邮件", "“{s}”是垃圾邮件，移到垃圾箱里",
         "不知哪个骗子发来主题叫“{s}”的信，请让它去该去的地方，跟其他骚扰信放一块儿"],
    ),
    "restore": (
        ["Restore the deleted mail “{s}”", "Bring the mail “{s}” back from the trash",
         "Get “{s}” out of the trash and back into the inbox",
         "By mistake I threw away the message titled “{s}”; undo that so I can read it in the inbox again"],
        ["恢复已删除的邮件“{s}”", "把“{s}”从已删除里恢复", "找回被删掉的邮件“{s}”，放回收件箱",
         "主题叫“{s}”的那封信是我手滑扔掉的，请撤回这个操作，让我还能在收件箱看到"],
    ),
}  # fmt: skip


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
    en, zh = ([words.format(s=mail["subject"]) for words in part] for part in MARKS[act])
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


NEW_FOLDERS = [
    ("Wedding", "婚礼"), ("Taxes", "报税"), ("Garden", "花园"), ("Job hunt", "求职"), ("Kids", "孩子"),
    ("Health", "健康"), ("Insurance", "保险"), ("Clients", "客户"), ("Recipes", "菜谱"), ("Moving", "搬家"),
    ("Music", "音乐"), ("Club", "社团"), ("Warranty", "保修"), ("Volunteering", "志愿者"), ("Car", "汽车"),
    ("Renovation", "装修"),
]  # fmt: skip


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


LETTERS = [
    (("Lunch on Friday", "周五午饭"), ("Shall we meet at noon by the fountain?", "中午在喷泉旁边见可以吗？")),
    (("Lost umbrella", "雨伞丢了"), ("Did I leave my umbrella at your place?", "我的伞是不是落在你家了？")),
    (("Moving day", "搬家那天"), ("Could you help me carry the piano on Sunday?", "周日能来帮我抬钢琴吗？")),
    (("New phone number", "换号通知"), ("My number changes next week, I will call you.", "我下周换号码，到时打给你。")),
    (("Train times", "火车班次"), ("I will arrive at ten past six.", "我六点十分到站。")),
    (("Cat food", "猫粮"), ("Please feed the cat twice a day.", "麻烦每天喂两次猫。")),
    (("Contract signed", "合同签了"), ("The contract is signed and on its way to you.", "合同已签好，正寄往你处。")),
    (("Swimming lessons", "游泳课"), ("The course starts in two weeks.", "课程两周后开始。")),
    (("Broken printer", "打印机坏了"), ("The printer on the third floor is broken again.", "三楼的打印机又坏了。")),
    (("Concert", "音乐会"), ("I have a spare ticket for tonight.", "我今晚多一张票。")),
    (("Parking permit", "停车证"), ("Please renew the parking permit this month.", "这个月记得续办停车证。")),
    (("Sourdough", "酸面团"), ("Your starter is alive and bubbling.", "你给的酵头活得很好，还冒泡呢。")),
    (("Hiking boots", "登山鞋"), ("May I borrow your boots for the weekend?", "周末能借你的登山鞋吗？")),
    (("Weekly figures", "本周数据"), ("Sales went up by four percent.", "销售额上涨了百分之四。")),
]


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


ANSWERS = [
    ("Yes, count me in.", "好的，算我一个。"), ("I will get back to you tomorrow.", "我明天再答复你。"),
    ("Sorry, I can't make it.", "抱歉，我来不了。"), ("Thanks, that is perfect.", "谢谢，这样正好。"),
    ("Please ask Martin about it.", "这件事请问一下马丁。"), ("Let us talk on the phone.", "我们电话里说吧。"),
    ("Great news, congratulations!", "太好了，恭喜恭喜！"), ("I need two more days.", "我还需要两天时间。"),
    ("Could you send it again?", "能再发一次吗？"), ("Let's do it next month.", "我们下个月再办吧。"),
    ("I have it in writing.", "我这儿有书面材料。"), ("See you on Sunday.", "周日见。"),
    ("That sounds too expensive.", "听起来太贵了。"), ("I'll bring my sister.", "我会带上我妹妹。"),
]  # fmt: skip


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


HEADINGS = [
    ("One more idea", "再补充一点"), ("As promised", "说好的事"), ("A small request", "一个小请求"),
    ("Before I forget", "趁我还记得"), ("For your calendar", "请记在日历上"), ("News from me", "我的近况"),
    ("Good morning", "早上好"), ("About next week", "关于下周"), ("Just a thought", "一点想法"), ("Plan B", "备选方案"),
    ("Second try", "再试一次"), ("Short and sweet", "长话短说"),
]  # fmt: skip


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


QUESTIONS = {
    "amount": ("What sum of money is named in", "写的金额是多少"),
    "code": ("What number or code is given in", "给的号码或密码是什么"),
    "time": ("What time of day is given in", "写的是几点"),
    "gate": ("Which gate is named in", "写的是哪个口"),
    "room": ("Which room is named in", "写的是哪个房间"),
    "spot": ("Which venue is named in", "写的地点是哪里"),
}


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
    others += p.t(*PLACES[kind]) if kind in PLACES else []
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


TOPICS = [
    ("kayak rental", "皮划艇租赁"), ("passport renewal", "护照换发"), ("violin strings", "小提琴琴弦"),
    ("jury duty", "陪审通知"), ("marathon number", "马拉松号码布"), ("beekeeping", "养蜂课程"),
    ("solar panels", "太阳能板"), ("parking fine", "违章停车罚单"),
    ("pottery class", "陶艺班"), ("scholarship", "奖学金"), ("puppy training", "幼犬训练"), ("hearing aid", "助听器"),
    ("chess tournament", "象棋比赛"), ("visa interview", "签证面谈"),
]  # fmt: skip


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
