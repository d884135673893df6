"""Tasks across apps: calendar with chat, clock or contacts; and two settings at once."""

from __future__ import annotations

from saccade_phone.goal_changes import Value, added
from saccade_phone.tasks.across_base import card, event_of, friend, tell
from saccade_phone.tasks.across_tables import ALARMS, MINUTES
from saccade_phone.tasks.base import Goal, Params, task


@task("across.tell_start", "calendar", "chat")
def tell_start(p: Params) -> Goal:
    event, where = event_of(p)
    who, name = friend(p)
    return p.goal(
        [tell(who, event["start"])],
        sees=[where],
        en=[
            f"Tell {name} in Chat at what time “{event['title']}” begins",
            f"Look up when “{event['title']}” starts in my calendar and message the time to {name}",
            f"Message {name} the start time of “{event['title']}”",
            f"For {name}: check the hour at which “{event['title']}” is due to begin and report it in a chat (like 09:30)",
        ],
        zh=[
            f"在微聊告诉{name}“{event['title']}”几点开始",
            f"查一下日历里“{event['title']}”的开始时间，发消息给{name}",
            f"把日程“{event['title']}”的开始时间发给{name}",
            f"请替{name}看看“{event['title']}”究竟安排在什么时刻，再以09:30这样的形式用聊天回复",
        ],
    )


@task("across.tell_place", "calendar", "chat", held_out=True)
def tell_place(p: Params) -> Goal:
    event, where = event_of(p, lambda each: each["place"])
    who, name = friend(p)
    return p.goal(
        [tell(who, event["place"])],
        sees=[where],
        en=[
            f"Tell {name} in Chat where “{event['title']}” takes place",
            f"Find the place of “{event['title']}” in Calendar and message it to {name}",
            f"Send {name} the location of “{event['title']}”",
            f"{name} does not know where to go for “{event['title']}”: look it up among my appointments and write back",
        ],
        zh=[
            f"在微聊告诉{name}“{event['title']}”在哪里举行",
            f"在日历里查“{event['title']}”的地点，发消息给{name}",
            f"把“{event['title']}”的地点发给{name}",
            f"{name}不清楚参加“{event['title']}”要去什么地方，请在我的日程中查明并回个消息",
        ],
    )


@task("across.alarm_for_event", "calendar", "clock")
def alarm_for_event(p: Params) -> Goal:
    taken = {alarm["time"] for _, alarm in p.entries("clock.alarms")}
    event, where = event_of(p, lambda each: each["start"] not in taken)
    return p.goal(
        [added("clock.alarms", time=event["start"])],
        sees=[where],
        en=[
            f"Set an alarm for the time at which “{event['title']}” starts",
            f"Check when “{event['title']}” begins and set an alarm at that time",
            f"I don't want to miss “{event['title']}”: set an alarm for its start time",
            f"Make the clock ring just when the appointment “{event['title']}” in my calendar is due to start, one time only",
        ],
        zh=[
            f"按“{event['title']}”的开始时间设一个闹钟",
            f"看看日历里“{event['title']}”几点开始，就在那个时间设闹钟",
            f"我不想错过“{event['title']}”，设一个开始时间的闹钟",
            f"让手机恰好在日程“{event['title']}”开始的那一刻响铃，只响一次即可，具体时刻请自己查",
        ],
    )


@task("across.whose_number", "calendar", "contacts")
def whose_number(p: Params) -> Goal:
    event, where = event_of(p, lambda each: len(each["invited"]) == 1)
    guest = event["invited"][0]
    entry = p.data("contacts")["people"][guest]
    return p.ask(
        entry["phone"],
        [where, card(guest, entry["name"])],
        decoys=[each["phone"] for id, each in p.entries("contacts.people") if id != guest],
        en=[
            f"What is the phone number of the person invited to “{event['title']}”?",
            f"Who is invited to “{event['title']}”? Tell me their phone number",
            f"Give me the number of the one guest of “{event['title']}”",
            f"My appointment “{event['title']}” has a single participant besides me: how could I ring that person up?",
        ],
        zh=[
            f"“{event['title']}”邀请的人电话号码是多少？",
            f"谁被邀请参加“{event['title']}”？告诉我对方的手机号",
            f"“{event['title']}”的参与人，他的电话是多少",
            f"除我以外只有一个人参加“{event['title']}”这项日程，我该拨哪个号码才能找到那个人呢",
        ],
    )


@task("across.quiet_night", "settings", "clock")
def quiet_night(p: Params) -> Goal:
    p.data("settings")["dnd"] = False
    taken = {alarm["time"] for _, alarm in p.entries("clock.alarms")}
    time = p.choice([each for each in ALARMS if each not in taken])
    return p.goal(
        [Value("settings.dnd", True), added("clock.alarms", time=time)],
        en=[
            f"Turn on Do Not Disturb and set an alarm for {time}",
            f"I'm going to bed: Do Not Disturb on, alarm at {time}",
            f"Set an alarm for {time} and switch Do Not Disturb on",
            f"Nobody should be able to disturb me tonight, but I do want to be woken at {time}: arrange both, please",
        ],
        zh=[
            f"打开勿扰模式，并设一个{time}的闹钟",
            f"我要睡了：开勿扰，闹钟定在{time}",
            f"设{time}的闹钟，同时开启勿扰模式",
            f"今晚谁也别来打搅我，不过到了{time}要叫醒我，这两件事请一并安排妥当",
        ],
    )


@task("across.save_and_time", "settings", "clock")
def save_and_time(p: Params) -> Goal:
    p.data("settings")["battery_saver"] = False
    minutes = p.choice(MINUTES)
    p.need(not p.data("clock")["timer"]["running"])
    return p.goal(
        [Value("settings.battery_saver", True), Value("clock.timer", {"minutes": minutes, "running": True})],
        en=[
            f"Turn on battery saver and start a {minutes} minute timer",
            f"Start a timer for {minutes} minutes and switch the battery saver on",
            f"Battery saver on, and count down {minutes} minutes",
            f"The charge is running low, so make the phone save power; besides, I need a countdown lasting {minutes} minutes",
        ],
        zh=[
            f"打开省电模式，并启动{minutes}分钟的计时器",
            f"启动一个{minutes}分钟计时，再开启省电模式",
            f"开省电模式，倒计时{minutes}分钟",
            f"电量所剩不多，请让手机节约用电，另外我还需要一段持续{minutes}分钟的倒计时",
        ],
    )
