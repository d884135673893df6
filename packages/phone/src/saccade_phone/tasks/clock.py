"""Tasks in the clock."""

from __future__ import annotations

from saccade_phone.app import View
from saccade_phone.apps.clock import CITIES, HOME, SOUNDS, TIMES, city_time
from saccade_phone.data_files import Words, table
from saccade_phone.goal_changes import Removed, Value, added, changed, see
from saccade_phone.tasks.base import Goal, Params, task

ALARM_TIMES = [f"{hour:02}:{minute:02}" for hour in range(5, 23) for minute in range(0, 60, 5)]
REPEATS = table("tasks/clock", "repeats", list[tuple[list[int], str, str]])
UNKNOWN = table("tasks/clock", "unknown", tuple[Words, ...])
"""Cities that the world clock does not have."""


def spoken(time: str) -> list[str]:
    """Other ways to say a time."""
    hour, minute = int(time[:2]), time[3:]
    half = f"{hour % 12 or 12}:{minute} {'am' if hour < 12 else 'pm'}"
    return [half, f"{hour}:{minute}"]


@task("clock.add_alarm")
def add_alarm(p: Params) -> Goal:
    taken = {alarm["time"] for _, alarm in p.entries("clock.alarms")}
    time = p.choice([time for time in ALARM_TIMES if time not in taken])
    days, en, zh = p.choice(REPEATS)
    return p.goal(
        [added("clock.alarms", time=time, days=days)],
        en=[
            f"Set an alarm for {time}, repeating {en}",
            f"Wake me at {time} {en}",
            f"I need a new alarm: {time}, {en}",
            f"Please make the phone's clock ring {en}; the hour I have in mind is {time}",
        ],
        zh=[
            f"设一个{time}的闹钟，重复：{zh}",
            f"{zh}{time}叫我起床",
            f"新建闹钟，时间{time}，{zh}响铃",
            f"麻烦在时钟应用里帮我加一个闹铃，响铃时刻是{time}，周期选{zh}",
        ],
    )


@task("clock.toggle_alarm")
def toggle_alarm(p: Params) -> Goal:
    id, alarm = p.entry("clock.alarms")
    on = not alarm["on"]
    return p.goal(
        [changed("clock.alarms", id, on=on)],
        en=[
            f"Turn {'on' if on else 'off'} the {alarm['time']} alarm",
            f"Switch my {alarm['time']} alarm {'on' if on else 'off'}",
            f"The alarm at {alarm['time']} should be {'on' if on else 'off'}",
            f"Look at my list of alarms and make sure that the one for {alarm['time']} is "
            f"{'enabled' if on else 'disabled'}",
        ],
        zh=[
            f"{'打开' if on else '关闭'}{alarm['time']}的闹钟",
            f"把{alarm['time']}那个闹钟{'开启' if on else '关掉'}",
            f"我{'需要' if on else '不需要'}{alarm['time']}的闹钟了，请{'打开' if on else '关闭'}它",
            f"请检查一下闹钟列表，让时间为{alarm['time']}的那一项处于{'启用' if on else '停用'}状态",
        ],
    )


@task("clock.delete_alarm")
def delete_alarm(p: Params) -> Goal:
    id, alarm = p.entry("clock.alarms")
    return p.goal(
        [Removed("clock.alarms", id)],
        en=[
            f"Delete the {alarm['time']} alarm",
            f"Remove my alarm at {alarm['time']}",
            f"Get rid of the alarm set for {alarm['time']}",
            f"There is an alarm at {alarm['time']} which I will never need again, so erase it from the clock",
        ],
        zh=[
            f"删除{alarm['time']}的闹钟",
            f"把{alarm['time']}的闹钟删掉",
            f"移除设在{alarm['time']}的那个闹钟",
            f"时钟里有个{alarm['time']}的闹铃以后都用不上了，请帮我彻底清除",
        ],
    )


@task("clock.start_timer")
def start_timer(p: Params) -> Goal:
    minutes = p.choice(TIMES)
    return p.goal(
        [Value("clock.timer", {"minutes": minutes, "running": True})],
        en=[
            f"Start a timer for {minutes} minutes",
            f"Set the timer to {minutes} minutes and start it",
            f"Count down {minutes} minutes",
            f"I am cooking something that takes {minutes} minutes: let the clock app tell me when they are over",
        ],
        zh=[
            f"开始一个{minutes}分钟的计时器",
            f"把计时器设为{minutes}分钟并启动",
            f"倒计时{minutes}分钟",
            f"我正在煮东西，需要在时钟应用里计时，时长{minutes}分钟，到点提醒我",
        ],
    )


@task("clock.add_city")
def add_city(p: Params) -> Goal:
    city = p.choice([city for city in CITIES if city not in p.data("clock")["cities"] and city not in HOME])
    name = p.t(*CITIES[city][:2])
    return p.goal(
        [added("clock.cities", city=city)],
        en=[
            f"Add {name} to the world clock",
            f"Show the time of {name} in the world clock",
            f"I want {name} in my list of world clocks",
            f"My sister has moved to {name}; put that place among the time zones in the clock app",
        ],
        zh=[
            f"在世界时钟里添加{name}",
            f"世界时钟中加上{name}的时间",
            f"把{name}加入世界时钟列表",
            f"我姐姐搬去了{name}，请在时钟应用的时区列表里也放上这座城市",
        ],
    )


@task("clock.ask_label", held_out=True)
def ask_label(p: Params) -> Goal:
    _, alarm = p.entry("clock.alarms", lambda alarm: alarm["label"])
    return p.ask(
        alarm["time"],
        [see("clock", "alarms")],
        accept=spoken(alarm["time"]),
        decoys=[other["time"] for _, other in p.entries("clock.alarms")],
        en=[
            f"What time is my alarm named {alarm['label']} set for?",
            f"When does the {alarm['label']} alarm ring?",
            f"Tell me the time of the alarm {alarm['label']}",
            f"I forgot at which hour the alarm with the label {alarm['label']} goes off; look it up and tell me",
        ],
        zh=[
            f"标签为{alarm['label']}的闹钟是几点？",
            f"{alarm['label']}的闹钟设在什么时间？",
            f"告诉我{alarm['label']}闹钟的时间",
            f"我忘了备注写着{alarm['label']}的那个闹铃几点会响，帮我查一下再告诉我",
        ],
    )


@task("clock.edit_alarm")
def edit_alarm(p: Params) -> Goal:
    id, alarm = p.entry("clock.alarms", lambda alarm: alarm["on"])
    taken = {each["time"] for _, each in p.entries("clock.alarms")}
    old, time = alarm["time"], p.choice([time for time in ALARM_TIMES if time not in taken])
    sound = p.choice([sound for sound in sorted(SOUNDS) if sound != alarm["sound"]])
    name = p.t(*SOUNDS[sound])
    return p.goal(
        [changed("clock.alarms", id, time=time, sound=sound)],
        en=[
            f"Move my {old} alarm to {time} and let it ring with the sound “{name}”",
            f"Change the alarm at {old}: new time {time}, new sound “{name}”",
            f"The {old} alarm should ring at {time} instead, with “{name}” as its sound",
            f"My plans have shifted, so what used to wake me at {old} must now do so at {time}, and I would rather "
            f"hear “{name}” when it happens",
        ],
        zh=[
            f"把{old}的闹钟改到{time}，铃声换成“{name}”",
            f"修改{old}那个闹钟：时间改为{time}，铃声改为“{name}”",
            f"{old}的闹钟调整为{time}响，用“{name}”作铃声",
            f"我的日程有变，原先定在{old}叫醒我的那一项请挪到{time}，顺便让它到时播放“{name}”",
        ],
    )


@task("clock.remove_city", held_out=True)
def remove_city(p: Params) -> Goal:
    city, _ = p.entry("clock.cities")
    name = p.t(*CITIES[city][:2])
    return p.goal(
        [Removed("clock.cities", city)],
        en=[
            f"Remove {name} from the world clock",
            f"Take {name} off my list of world clocks",
            f"I no longer need the time of {name} in the world clock; remove it",
            f"Nobody I know lives in {name} any more, so that place may disappear from the time zones I keep",
        ],
        zh=[
            f"从世界时钟里移除{name}",
            f"把{name}从世界时钟列表中删掉",
            f"世界时钟不用再显示{name}了，去掉吧",
            f"在{name}的朋友已经回国，时区列表里留着那座城市没有意义，请清理一下",
        ],
    )


@task("clock.ask_city_time")
def ask_city_time(p: Params) -> Goal:
    city, _ = p.entry("clock.cities")
    view = View(p.state, "clock", {}, {})
    name, time = p.t(*CITIES[city][:2]), city_time(view, city)
    shown = [city_time(view, other) for other, _ in p.entries("clock.cities")]
    return p.ask(
        time,
        [see("clock", "world", widget=name)],
        accept=spoken(time),
        decoys=[*shown, city_time(view, p.t(*HOME))],
        en=[
            f"What time is it in {name} according to the world clock?",
            f"How late is it now in {name}? Look at the world clock",
            f"Tell me the current time in {name} from the world clock",
            f"I am about to ring a friend who lives in {name} and would hate to wake her: which hour and minute does "
            f"the phone give for over there",
        ],
        zh=[
            f"世界时钟里{name}现在几点？",
            f"看一下世界时钟，{name}现在是什么时间？",
            f"告诉我世界时钟显示的{name}当前时间",
            f"我打算给住在{name}的朋友打电话，怕吵醒人家，请查查那边此刻是几时几分",
        ],
    )


@task("clock.missing_city")
def missing_city(p: Params) -> Goal:
    name = p.t(*p.choice(UNKNOWN))
    return p.impossible(
        [see("clock", "cities", query=name)],
        en=[
            f"Add {name} to the world clock",
            f"Put {name} on my list of world clocks",
            f"I would like to see the time of {name} in the world clock",
            f"Next month I fly to {name} on business, therefore include it among the places whose hours the clock "
            f"app displays",
        ],
        zh=[
            f"在世界时钟里添加{name}",
            f"把{name}放进世界时钟列表",
            f"我想在世界时钟里看到{name}的时间",
            f"下个月要去{name}出差，希望时钟应用也能列出当地的钟点，请替我加进去",
        ],
    )
