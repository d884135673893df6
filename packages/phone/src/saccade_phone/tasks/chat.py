"""Tasks in the chat app."""

from __future__ import annotations

from typing import Any

from saccade_phone.apps.chat.content import message
from saccade_phone.apps.chat.moments import AUDIENCES
from saccade_phone.data_files import Words, table
from saccade_phone.goal_changes import Removed, See, added, changed, see
from saccade_phone.tasks.base import Goal, Params, task

WORDS = table("tasks/chat", "words", list[Words])
REPLIES = table("tasks/chat", "replies", list[Words])
NAMES = table("tasks/chat", "names", list[Words])
COMMENTS = table("tasks/chat", "comments", list[Words])
MOMENTS = table("tasks/chat", "moments", list[Words])
STRANGERS = table("tasks/chat", "strangers", list[Words])
CODES = table("tasks/chat", "codes", tuple[tuple[str, str, str, str], ...])


def alone(thread: dict[str, Any]) -> bool:
    return len(thread["members"]) == 1


def said(p: Params) -> tuple[str, dict[str, Any]]:
    """A message in a chat with one person whose text occurs only once."""
    threads = p.data("chat")["threads"]
    texts = [each["text"] for _, each in p.entries("chat.messages")]
    return p.entry(
        "chat.messages",
        lambda each: (
            each["sender"] != "me"
            and alone(threads[each["thread"]])
            and 5 <= len(each["text"]) <= 50
            and texts.count(each["text"]) == 1
        ),
    )


def called(p: Params, id: str) -> str:
    """How an instruction names a thread."""
    thread = p.data("chat")["threads"][id]
    return str(thread["name"]) if alone(thread) else p.t(f"the group {thread['name']}", f"群聊“{thread['name']}”")


@task("chat.send")
def send(p: Params) -> Goal:
    id, thread = p.entry("chat.threads")
    words, to = p.t(*p.choice(WORDS)), called(p, id)
    p.need(thread["name"])
    return p.goal(
        [added("chat.messages", thread=id, text=words)],
        en=[
            f'Send "{words}" to {to} in Chat',
            f'Message {to} on Chat: "{words}"',
            f'Tell {to} in the Chat app: "{words}"',
            f'Open my conversation with {to} and leave these words there, exactly as they stand: "{words}"',
        ],
        zh=[
            f"在微聊里给{to}发消息：“{words}”",
            f"微聊上跟{to}说：“{words}”",
            f"给{to}发一条微聊，内容是“{words}”",
            f"请进入{to}的聊天窗口，原封不动地输入“{words}”这句话并发出去",
        ],
    )


@task("chat.quote")
def quote(p: Params) -> Goal:
    id, each = said(p)
    name, words = called(p, each["thread"]), p.t(*p.choice(REPLIES))
    return p.goal(
        [added("chat.messages", thread=each["thread"], reply=id, text=words)],
        en=[
            f'Quote {name}\'s message "{each["text"]}" and reply "{words}"',
            f'Reply "{words}" to {name}\'s message "{each["text"]}", quoting it',
            f'In my chat with {name}, quote "{each["text"]}" and answer "{words}"',
            f'{name} wrote me "{each["text"]}". Use the quote function on exactly that bubble so that it is clear '
            f'what I refer to, and write back "{words}"',
        ],
        zh=[
            f"引用{name}的消息“{each['text']}”，回复“{words}”",
            f"对{name}说的“{each['text']}”进行引用回复：“{words}”",
            f"在和{name}的聊天里引用“{each['text']}”这条，回“{words}”",
            f"{name}之前发过一句“{each['text']}”，请用引用功能针对这个气泡作答，好让对方知道我指的是哪句，"
            f"答复内容写“{words}”",
        ],
    )


@task("chat.forward")
def forward(p: Params) -> Goal:
    id, each = said(p)
    to, _ = p.entry("chat.threads", lambda thread: thread["members"] != [each["thread"]])
    name, other = called(p, each["thread"]), called(p, to)
    return p.goal(
        [added("chat.messages", thread=to, forwarded=id, text=each["text"])],
        en=[
            f'Forward {name}\'s message "{each["text"]}" to {other}',
            f'Pass {name}\'s "{each["text"]}" on to {other} with the forward function',
            f'Share the message "{each["text"]}" from {name} with {other} by forwarding it',
            f'What {name} wrote me, "{each["text"]}", should be seen by {other} too: find that bubble, choose forward, '
            f"and pick them as the receiver",
        ],
        zh=[
            f"把{name}发的“{each['text']}”转发给{other}",
            f"将{name}的消息“{each['text']}”转发到{other}",
            f"用转发功能把{name}说的“{each['text']}”发给{other}",
            f"{name}跟我说过“{each['text']}”，我想让{other}也看到，请长按那个气泡并选择转发",
        ],
    )


@task("chat.pin")
def pin(p: Params) -> Goal:
    id, thread = p.entry("chat.threads")
    on, name = not thread["pinned"], called(p, id)
    return p.goal(
        [changed("chat.threads", id, pinned=on)],
        en=[
            f"Pin my chat with {name} to the top" if on else f"Unpin my chat with {name}",
            f"Keep the conversation with {name} at the top" if on else f"Stop pinning the conversation with {name}",
            f"Make {name} a pinned chat" if on else f"Remove the pin from {name} in Chat",
            f"The thread with {name} keeps sinking down the message list; fix it in first place for good"
            if on
            else f"The thread with {name} no longer deserves its fixed place above all others in the list; let it go",
        ],
        zh=[
            f"把{name}的聊天置顶" if on else f"取消{name}的聊天置顶",
            f"置顶{name}的会话" if on else f"{name}的会话不用置顶了",
            f"在微聊里将{name}设为置顶" if on else f"在微聊里解除{name}的置顶",
            f"{name}的对话总被新消息压到下面，请让它固定待在消息列表的最上方"
            if on
            else f"{name}的对话没必要一直占着列表最上方的位置了，请恢复成普通排序",
        ],
    )


@task("chat.mute")
def mute(p: Params) -> Goal:
    id, thread = p.entry("chat.threads")
    on, name = not thread["muted"], called(p, id)
    return p.goal(
        [changed("chat.threads", id, muted=on)],
        en=[
            f"{'Mute' if on else 'Unmute'} {name} in Chat",
            f"Turn {'on' if on else 'off'} mute for the chat with {name}",
            f"I {'do not want' if on else 'want'} notifications from {name} in Chat{'' if on else ' again'}",
            f"Messages from {name} keep disturbing me all day: silence that one conversation"
            if on
            else f"Messages from {name} pass unnoticed since I silenced that conversation: let it ring once more",
        ],
        zh=[
            f"{'开启' if on else '关闭'}{name}的消息免打扰",
            f"把{name}的聊天{'设为免打扰' if on else '取消免打扰'}",
            f"微聊里{name}的消息{'不要再提醒我' if on else '恢复提醒'}",
            f"{name}那边整天叮叮咚咚响个不停，我只想让这一个会话安静下来"
            if on
            else f"{name}那边因为被我静音了老是错过，请让这个会话重新响起来",
        ],
    )


@task("chat.delete_thread")
def delete_thread(p: Params) -> Goal:
    id, _ = p.entry("chat.threads")
    name = called(p, id)
    return p.goal(
        [Removed("chat.threads", id)],
        en=[
            f"Delete the chat with {name}",
            f"Remove my conversation with {name} from Chat",
            f"Get rid of the chat thread with {name}",
            f"I want a tidier message list, so throw out the whole entry for {name} and confirm when you are asked",
        ],
        zh=[
            f"删除{name}的聊天",
            f"把{name}的会话从微聊里删掉",
            f"移除{name}这个会话",
            f"消息列表太乱了想清理一下，{name}那一整项都不要了，弹出确认时点同意即可",
        ],
    )


@task("chat.new_group")
def new_group(p: Params) -> Goal:
    name = p.t(*p.choice(NAMES))
    ids = p.sample([id for id, _ in p.entries("chat.friends")], p.integer(2, 3))
    names = [p.data("chat")["friends"][id]["name"] for id in ids]
    en, zh = f"{', '.join(names[:-1])} and {names[-1]}", "、".join(names)
    return p.goal(
        [added("chat.threads", name=name, members=sorted(ids))],
        en=[
            f'Create a group chat "{name}" with {en}',
            f'Start a new group named "{name}" and add {en}',
            f'Make a Chat group for {en}, called "{name}"',
            f'I would like to talk to {en} all at once: set up a shared room for us, and let its title be "{name}"',
        ],
        zh=[
            f"新建群聊“{name}”，成员是{zh}",
            f"拉一个群，群名叫“{name}”，把{zh}加进来",
            f"和{zh}建一个微聊群，命名为“{name}”",
            f"我想跟{zh}这几位一起聊天，请把他们聚到同一个群里，名称栏填“{name}”",
        ],
    )


@task("chat.like_and_comment")
def like_and_comment(p: Params) -> Goal:
    authors = [post["author"] for _, post in p.entries("chat.posts")]
    id, post = p.entry("chat.posts", lambda post: post["author"] != "me" and authors.count(post["author"]) == 1)
    name, words = p.data("chat")["friends"][post["author"]]["name"], p.t(*p.choice(COMMENTS))
    return p.goal(
        [changed("chat.posts", id, liked=True), added("chat.comments", post=id, text=words)],
        en=[
            f'Like {name}\'s moment and comment "{words}"',
            f'Give {name}\'s post in Moments a like and write "{words}" below it',
            f'In Moments, like what {name} posted and leave the comment "{words}"',
            f"{name} has shared something with friends. Show that I enjoyed it by tapping the heart, then add a remark "
            f'that reads "{words}"',
        ],
        zh=[
            f"给{name}的动态点赞并评论“{words}”",
            f"在微聊动态里赞一下{name}发的内容，再评论“{words}”",
            f"点赞{name}的那条动态，留言“{words}”",
            f"{name}最近分享了一条近况，我看了很高兴，请替我按下爱心，并在下面写上“{words}”几个字",
        ],
    )


@task("chat.post", held_out=True)
def post_moment(p: Params) -> Goal:
    words, audience = p.t(*p.choice(MOMENTS)), p.choice(sorted(AUDIENCES))
    seen = p.t(*AUDIENCES[audience])
    return p.goal(
        [added("chat.posts", text=words, audience=audience)],
        en=[
            f'Post "{words}" in Moments, visible to: {seen}',
            f'Publish a moment that says "{words}" with the audience {seen}',
            f'Share "{words}" in Moments and set who can see it to {seen}',
            f'I feel like sharing a line in the feed of Chat: "{words}". Before it goes out, choose "{seen}" for '
            f"whom it is shown to",
        ],
        zh=[
            f"发一条动态“{words}”，可见范围选“{seen}”",
            f"在微聊动态里发表“{words}”，谁可以看设为“{seen}”",
            f"发动态：“{words}”，权限为“{seen}”",
            f"我想在微聊里记录一句心情“{words}”，发出去之前请先把能看到它的人改成“{seen}”这一档",
        ],
    )


@task("chat.ask_code")
def ask_code(p: Params) -> Goal:
    en, zh, *told = p.choice(CODES)
    kind, form = p.t(en, zh), p.t(*told)
    ids = p.sample([id for id, _ in p.entries("chat.threads", alone)], 3)
    codes = p.random.sample(range(100000, 999999), 3)
    for id, code in zip(ids, codes, strict=True):
        messages = p.data("chat")["messages"]
        messages[f"code-{id}"] = message(id, id, form.format(code), p.state["now"])
        messages[f"thanks-{id}"] = message(id, "me", p.t("Got it, thank you", "收到，谢谢"), p.state["now"])
    name = called(p, ids[0])
    return p.ask(
        str(codes[0]),
        [see("chat", "thread", thread=ids[0])],
        decoys=[str(code) for code in codes[1:]],
        en=[
            f"What is the {kind} that {name} sent me in Chat?",
            f"Look up the {kind} from {name} in Chat",
            f"Which {kind} did {name} write to me?",
            f"Somewhere in our conversation {name} mentioned a {kind}; I need those digits now, please read them out",
        ],
        zh=[
            f"{name}在微聊里发给我的{kind}是多少？",
            f"查一下{name}发来的{kind}",
            f"{name}跟我说的{kind}是什么？",
            f"我记得在微聊对话中{name}提到过一个{kind}，现在急着用，帮我翻出那串数字念给我听",
        ],
    )


@task("chat.ask_members", held_out=True)
def ask_members(p: Params) -> Goal:
    id, thread = p.entry("chat.threads", lambda thread: not alone(thread))
    count = len(thread["members"]) + 1
    others = [len(other["members"]) + 1 for _, other in p.entries("chat.threads", lambda other: not alone(other))]
    name = thread["name"]
    return p.ask(
        str(count),
        [see("chat", "thread", thread=id)],
        decoys=[str(count - 1), str(count + 1), *(str(other) for other in others)],
        en=[
            f'How many people are in the Chat group "{name}", including me?',
            f'Count the members of the group "{name}" in Chat, me included',
            f'What is the size of my Chat group "{name}" with me in it?',
            f'For a table reservation I need to know how many of us belong to the "{name}" round; do not forget to '
            f"count myself as well",
        ],
        zh=[
            f"微聊群“{name}”里连我一共有多少人？",
            f"“{name}”这个群聊有几个人（包括我）？",
            f"数一数群聊“{name}”的人数，把我也算上",
            f"我要按“{name}”这帮朋友的人头去订座位，请看看群里总共几位，别漏掉我自己",
        ],
    )


@task("chat.no_such_friend")
def no_such_friend(p: Params) -> Goal:
    name, words = p.t(*p.choice(STRANGERS)), p.t(*p.choice(WORDS))
    names = [friend["name"] for _, friend in p.entries("chat.friends")]
    p.need(name not in names)
    return p.impossible(
        [See("chat", "results", {"query": name}, query=name)],
        en=[
            f'Send {name} the message "{words}" in Chat',
            f'Write "{words}" to {name} on Chat',
            f'Let {name} know in Chat: "{words}"',
            f'My old acquaintance {name} ought to be among my Chat friends; drop them a note that reads "{words}"',
        ],
        zh=[
            f"在微聊里给好友{name}发“{words}”",
            f"微聊联系{name}，说“{words}”",
            f"让{name}知道：“{words}”，用微聊发",
            f"微聊好友当中应该有一位叫{name}的老熟人，请给这个人捎个话，就写“{words}”",
        ],
    )
