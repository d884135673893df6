"""Numbers and moments as pages write them."""

from __future__ import annotations

from datetime import UTC, datetime


def count_text(value: int) -> str:
    return f"{value:,}"


def tokens_text(value: int) -> str:
    """Tokens, shortened: 950, 12.3k, 4.5M."""
    for limit, letter in ((1_000_000, "M"), (10_000, "k")):
        if value >= limit:
            return f"{value / (1_000_000 if letter == 'M' else 1_000):.1f}{letter}"
    return f"{value:,}"


def seconds_text(value: float) -> str:
    """A duration: 120 ms, 3.2 s, 5 min 12 s, 2 h 5 min."""
    if value < 0.0995:
        return f"{max(0, round(value * 1000))} ms"
    if value < 59.5:
        return f"{value:.1f} s" if value < 9.95 else f"{round(value)} s"
    whole = round(value)
    hours, minutes = whole // 3600, whole % 3600 // 60
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {whole % 60} s"


def money_text(value: float) -> str:
    """US dollars; empty where nothing was paid."""
    if value <= 0:
        return ""
    return f"${value:.2g}" if value < 0.995 else f"${value:,.2f}"


def moment_text(value: float) -> str:
    """A moment as year, month, day, hour and minute, UTC."""
    try:
        return f"{datetime.fromtimestamp(value, UTC):%Y-%m-%d %H:%M}" if value else ""
    except (ValueError, OverflowError, OSError):
        return ""


def moment_iso(value: float) -> str:
    """A moment for `<time datetime>`: scripts write it in the reader's time zone."""
    return f"{moment_text(value).replace(' ', 'T')}Z" if moment_text(value) else ""


def cell_text(value: float) -> str:
    """A figure of a table."""
    return f"{value:.1f}" if abs(value) < 1000 else f"{value:,.0f}"
