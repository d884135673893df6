"""Values that the tasks across apps ask for."""

from __future__ import annotations

from saccade_phone.data_files import Words, table

ALARMS = [f"{hour:02}:{minute:02}" for hour in range(5, 11) for minute in range(0, 60, 5)]
MINUTES = (8, 10, 12, 15, 20, 25, 30, 40, 45, 60, 75, 90)
BOOKINGS = {"train": ("train", "火车"), "flight": ("flight", "飞机")}
DOINGS = table("tasks/across", "doings", list[Words])
BRING = table("tasks/across", "bring", list[tuple[str, str, str, str]])
STRANGERS = table("tasks/across", "strangers", list[Words])
