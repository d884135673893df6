"""Tasks across apps: do in another app what somebody asked for in the chat."""

from __future__ import annotations

from saccade_phone.goal_changes import added, changed
from saccade_phone.tasks.across_base import friend, hear, person
from saccade_phone.tasks.across_tables import ALARMS, BRING, DOINGS
from saccade_phone.tasks.base import Goal, Params, task


@task("across.agreed_date", "chat", "calendar")
def agreed_date(p: Params) -> Goal:
    who, name = friend(p)
    en, zh = p.choice(DOINGS)
    day, hour = p.day(1, 20), p.integer(9, 20)
    said = hear(p, who, p.t(f"{en} on {day.isoformat()} at {hour:02}:00?", f"{day.isoformat()} {hour:02}:00一起{zh}？"))
    title = p.t(f"{en} with {name}", f"和{name}{zh}")
    return p.goal(
        [added("calendar.events", title=title, date=day.isoformat(), start=f"{hour:02}:00")],
        sees=[said],
        en=[
            f"{name} proposed a date in Chat. Add it to my calendar as “{title}”",
            f"Put what {name} last suggested in Chat into the calendar; call it “{title}”",
            f"Make an event “{title}” at the date and time that {name} wrote in Chat",
            f"Read the newest message by {name}, then enter an appointment for that very day and hour, named “{title}”",
        ],
        zh=[
            f"{name}在微聊里约了时间，把它加到日历，标题“{title}”",
            f"按{name}最后一条微聊消息里的时间新建日程“{title}”",
            f"把微聊里{name}提议的日期和时间记到日历，名称写“{title}”",
            f"请看{name}刚刚发来的话，依照其中的日子与钟点在日历中登记一项安排，叫作“{title}”",
        ],
    )


@task("across.asked_alarm", "chat", "clock")
def asked_alarm(p: Params) -> Goal:
    who, name = friend(p)
    taken = {alarm["time"] for _, alarm in p.entries("clock.alarms")}
    time = p.choice([each for each in ALARMS if each not in taken])
    said = hear(p, who, p.t(f"Please be up at {time} tomorrow", f"明天{time}要起床哦"))
    return p.goal(
        [added("clock.alarms", time=time)],
        sees=[said],
        en=[
            f"{name} wrote in Chat when I have to get up. Set an alarm for that time",
            f"Set an alarm for the time in {name}'s last chat message",
            f"Check what time {name} mentioned in Chat and set an alarm for it",
            f"In our conversation {name} has just named an hour for rising: have the clock wake me at exactly this hour",
        ],
        zh=[
            f"{name}在微聊里说了我几点要起床，按那个时间设闹钟",
            f"按{name}最后一条微聊消息里的时间设一个闹钟",
            f"看看{name}在微聊里提到的时间，然后设好闹钟",
            f"刚才{name}跟我聊天时讲了该几时醒来，请照着那个钟点让时钟叫醒我",
        ],
    )


@task("across.new_number", "chat", "contacts")
def new_number(p: Params) -> Goal:
    id, entry = person(p)
    p.need(id in p.data("chat")["threads"])
    digits = "".join(str(p.integer(0, 9)) for _ in range(8))
    number = p.t(f"555-{digits[:3]}-{digits[3:7]}", f"139{digits}")
    said = hear(p, id, p.t(f"My new number is {number}", f"我换号码了：{number}"))
    return p.goal(
        [changed("contacts.people", id, phone=number)],
        sees=[said],
        en=[
            f"{entry['name']} sent a new phone number in Chat. Update the contact",
            f"Change {entry['name']}'s phone number in Contacts to the one from the chat",
            f"Save the new number that {entry['name']} just messaged me in their contact",
            f"The digits I have stored for {entry['name']} are out of date; the right ones stand in our latest conversation",
        ],
        zh=[
            f"{entry['name']}在微聊里发了新号码，更新一下通讯录",
            f"把通讯录里{entry['name']}的电话改成微聊里发来的号码",
            f"{entry['name']}换号了，按微聊消息修改联系人的手机号",
            f"我存的{entry['name']}那串数字已经过时，正确的在我俩最近的聊天中，请改过来",
        ],
    )


@task("across.asked_todo", "chat", "notes")
def asked_todo(p: Params) -> Goal:
    who, name = friend(p)
    en, zh, *_ = p.choice(BRING)
    thing = p.t(en, zh)
    said = hear(p, who, p.t(f"We are out of this: {thing}", f"家里缺这个：{thing}"))
    listed = p.data("notes")["lists"]["shopping"]["name"]
    p.need(all(todo["text"] != thing for _, todo in p.entries("notes.todos")))
    return p.goal(
        [added("notes.todos", text=thing, list="shopping")],
        sees=[said],
        en=[
            f"{name} wrote in Chat what we are out of. Put it on the {listed} list in Notes",
            f"Add what {name} says is missing to my {listed} to-do list",
            f"Read {name}'s last message and add the thing to the list {listed}",
            f"According to {name} something has run out at home: note down precisely that item under {listed}",
        ],
        zh=[
            f"{name}在微聊里说家里缺东西，把它加到便签的“{listed}”清单",
            f"把{name}说缺的东西加进“{listed}”待办清单",
            f"看{name}最后一条消息，把那样东西加到“{listed}”清单里",
            f"据{name}讲家中有件东西用完了，请把这件东西的名字原样记到“{listed}”那一栏待办",
        ],
    )


@task("across.recommended", "chat", "shop")
def recommended(p: Params) -> Goal:
    who, name = friend(p)
    shop = p.data("shop")
    product = p.choice([id for id in shop["products"] if id not in shop["favorites"]])
    ware = shop["products"][product]["name"]
    said = hear(p, who, p.t(f"You should look at this: {ware}", f"推荐你看看这个：{ware}"))
    return p.goal(
        [added("shop.favorites", product=product)],
        sees=[said],
        en=[
            f"{name} recommended a product in Chat. Add it to my favorites in Shop",
            f"Find what {name} recommended in Chat in the shop and favorite it",
            f"Save the product from {name}'s last message to the favorites in Shop",
            f"My friend {name} is enthusiastic about some article: look up which, and mark it with a heart where I buy things",
        ],
        zh=[
            f"{name}在微聊里推荐了一件商品，到优购收藏它",
            f"把{name}在微聊推荐的东西在优购里加入收藏",
            f"看{name}最后一条消息里的商品，在优购收藏",
            f"好友{name}对某样东西赞不绝口，请查清楚是哪件，然后去购物应用里点上收藏",
        ],
    )
