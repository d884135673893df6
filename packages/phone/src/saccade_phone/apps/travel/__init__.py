"""Travel: trains, flights and hotels to search and book, tickets to refund or change, passengers."""

from __future__ import annotations

from saccade_phone.apps.travel import account, booking, search, tickets, timetables
from saccade_phone.apps.travel.trips import TRAVEL

__all__ = ["TRAVEL", "account", "booking", "search", "tickets", "timetables"]
