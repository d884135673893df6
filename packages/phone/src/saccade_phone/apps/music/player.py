"""Music: the player, the queue, the sleep timer, and the settings."""

from __future__ import annotations

import zlib
from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.music.content import LINES
from saccade_phone.apps.music.pages import MUSIC, QUALITIES, REPEATS, clock, found, of_album, of_artist, song_cell
from saccade_phone.goal_changes import Need, Way
from saccade_phone.widgets import Page, back, do, go

AFTER = {"off": "all", "all": "one", "one": "off"}
"""The mode that follows when the repeat button is tapped."""
SLEEPS = (5, 10, 15, 20, 25, 30, 40, 45, 60, 75, 90, 120)


@MUSIC.screen("player")
def player(v: View) -> Page:
    now = v.data["player"]
    id, on = now["song"], now["playing"]
    song, kept = v.data["songs"][id], now["song"] in v.data["liked"]
    album, artist = v.data["albums"][song["album"]], v.data["artists"][song["artist"]]
    at = song["seconds"] * (zlib.crc32(id.encode()) % 60 + 10) // 100
    sleep = v.data["sleep"]
    asleep = v.t(f"Sleep in {sleep} min", f"{sleep}分钟后关闭") if sleep else v.t("Sleep timer", "定时关闭")
    modes = [
        w.chip(
            v.t("Shuffle on", "随机播放：开") if now["shuffle"] else v.t("Shuffle off", "随机播放：关"),
            do("shuffle", on=not now["shuffle"]),
            now["shuffle"],
        ),
        w.chip(v.t(*REPEATS[now["repeat"]]), do("repeat", mode=AFTER[now["repeat"]]), now["repeat"] != "off"),
        w.chip(asleep, go("sleep"), bool(sleep)),
    ]
    heart = w.icon_button(
        "heart-off" if kept else "heart",
        v.t("Unlike", "取消喜欢") if kept else v.t("Like", "喜欢"),
        do("like", song=id, on=not kept),
    )
    pause = w.icon_button(
        "pause" if on else "play", v.t("Pause", "暂停") if on else v.t("Play", "播放"), do("playing", on=not on)
    )
    return Page(
        v.t("Now playing", "正在播放"),
        [
            w.picture(album["emoji"], tall=True),
            w.text(song["title"], "title"),
            w.text(f"{artist['name']} · {album['title']}", "quiet"),
            w.progress(at / song["seconds"], clock(at), clock(song["seconds"])),
            w.row(
                [
                    w.icon_button("skip-back", v.t("Previous", "上一首"), do("previous")),
                    pause,
                    w.icon_button("skip-forward", v.t("Next", "下一首"), do("next")),
                ]
            ),
            w.chips(modes),
            w.cell(v.t("Lyrics", "歌词"), icon="audio-lines", tap=go("lyrics", song=id)),
            w.cell(
                v.t("Up next", "播放列表"),
                "",
                v.t(f"{len(v.data['queue'])} songs", f"{len(v.data['queue'])}首"),
                icon="list-music",
                tap=go("queue"),
            ),
            w.cell(v.t("Add to playlist", "添加到歌单"), icon="list-plus", tap=go("add-to", song=id)),
            w.cell(
                v.t("Artist", "歌手"), "", artist["name"], icon="mic-vocal", tap=go("artist", artist=song["artist"])
            ),
            w.cell(v.t("Album", "专辑"), "", album["title"], icon="disc-3", tap=go("album", album=song["album"])),
        ],
        actions=[heart],
    )


@MUSIC.screen("lyrics")
def lyrics(v: View) -> Page:
    song = v.data["songs"][v.args["song"]]
    first = zlib.crc32(song["title"].encode())
    lines = [v.t(*LINES[(first + 5 * at) % len(LINES)]) for at in range(10)]
    return Page(song["title"], [w.text(v.data["artists"][song["artist"]]["name"], "quiet"), *map(w.text, lines)])


@MUSIC.screen("queue", style="sheet", form=lambda v: {"source": "queue"})
def queue(v: View) -> Page:
    return Page(v.t("Up next", "播放列表"), [w.section("", [song_cell(v, id) for id in v.data["queue"]])])


@MUSIC.screen("sleep", style="sheet")
def sleep(v: View) -> Page:
    now = v.data["sleep"]
    rows = [w.choice(v.t("Off", "不开启"), now == 0, do("sleep", minutes=0))]
    rows += [w.choice(v.t(f"{m} minutes", f"{m}分钟"), now == m, do("sleep", minutes=m)) for m in SLEEPS]
    return Page(v.t("Sleep timer", "定时关闭"), rows)


@MUSIC.screen("settings")
def settings(v: View) -> Page:
    return Page(
        v.t("Settings", "设置"),
        [
            w.section(
                v.t("Playback", "播放"),
                [
                    w.entry(
                        v.t("Sound quality", "音质"),
                        v.t(*QUALITIES[v.data["quality"]]),
                        go("quality"),
                        icon="headphones",
                    ),
                    w.entry(
                        v.t("Sleep timer", "定时关闭"),
                        v.t(f"{v.data['sleep']} min", f"{v.data['sleep']}分钟")
                        if v.data["sleep"]
                        else v.t("Off", "未开启"),
                        go("sleep"),
                        icon="moon",
                    ),
                ],
            ),
            w.section(
                v.t("Data", "流量"),
                [
                    w.switch(
                        v.t("Mobile data", "移动网络播放"),
                        v.data["mobile"],
                        do("mobile", on=not v.data["mobile"]),
                        v.t("Play without Wi-Fi", "无Wi-Fi时继续播放"),
                        icon="radio",
                    ),
                ],
            ),
            w.text(v.t("Music 6.2 · songs are streamed, not stored", "音乐 6.2 版 · 歌曲为在线播放"), "quiet"),
        ],
    )


@MUSIC.screen("quality", style="sheet")
def quality(v: View) -> Page:
    rows = [
        w.choice(v.t(*names), v.data["quality"] == level, do("quality", level=level))
        for level, names in QUALITIES.items()
    ]
    return Page(v.t("Sound quality", "音质"), rows)


# -- commands ----------------------------------------------------------------------------------------------------------


def context(h: CommandContext) -> list[str]:
    """What is played after a song: the rest of the list that it was chosen from."""
    source = h.form.get("source", "")
    for part, about in (("playlists", "playlist"), ("mixes", "mix")):
        if about in h.args:
            return list(h.data[part][h.args[about]]["songs"])
    if "album" in h.args:
        return of_album(h, h.args["album"])
    if "artist" in h.args:
        return of_artist(h, h.args["artist"])
    if "query" in h.args:
        return found(h, h.args["query"])[2]
    return list(h.data[source]) if source else list(h.data["queue"])


@MUSIC.command("play")
def play(h: CommandContext, song: str) -> None:
    queue = context(h)
    h.data["queue"] = queue if song in queue else [song, *queue]
    start(h, song)
    h.then(back() if h.form.get("source") == "queue" else go("player"))


def start(h: CommandContext, song: str) -> None:
    h.data["player"] = {**h.data["player"], "song": song, "playing": True}
    h.data["recent"] = [song, *(old for old in h.data["recent"] if old != song)][:12]


def beside(v: View, step: int) -> str:
    """The song that comes after or before this one."""
    now, queue = v.data["player"], list(v.data["queue"])
    if now["shuffle"]:
        queue.sort(key=lambda song: zlib.crc32(f"{song}{song}".encode()))
    at = queue.index(now["song"]) if now["song"] in queue else -step
    return str(queue[(at + step) % len(queue)]) if queue else str(now["song"])


@MUSIC.command("next")
def play_after(h: CommandContext) -> None:
    start(h, beside(h, 1))


@MUSIC.command("previous")
def play_before(h: CommandContext) -> None:
    start(h, beside(h, -1))


@MUSIC.command("playing")
def set_playing(h: CommandContext, on: bool) -> None:
    h.data["player"] = {**h.data["player"], "playing": on}


@MUSIC.command("shuffle")
def set_shuffle(h: CommandContext, on: bool) -> None:
    h.data["player"] = {**h.data["player"], "shuffle": on}


@MUSIC.command("repeat")
def set_repeat(h: CommandContext, mode: str) -> None:
    h.data["player"] = {**h.data["player"], "repeat": mode}


@MUSIC.command("sleep")
def set_sleep(h: CommandContext, minutes: int) -> None:
    h.data["sleep"] = minutes
    if minutes:
        h.toast(f"Music stops in {minutes} minutes", f"{minutes}分钟后停止播放")
    else:
        h.toast("Sleep timer is off", "已取消定时")
    h.then(back())


@MUSIC.command("quality")
def set_quality(h: CommandContext, level: str) -> None:
    h.data["quality"] = level
    h.then(back())


@MUSIC.command("mobile")
def set_mobile(h: CommandContext, on: bool) -> None:
    h.data["mobile"] = on


def player_way(v: View, wanted: Any) -> Way:
    """One thing after the other: the song, then how it is played."""
    now, song = v.data["player"], wanted["song"]
    if now["song"] != song:
        for command, step in (("next", 1), ("previous", -1)):
            if beside(v, step) == song:
                return Need("music", "player", commit=do(command))
        title = v.data["songs"][song]["title"]
        return Need("music", "results", {"query": title}, commit=do("play", song=song), query=title)
    for name in ("playing", "shuffle"):
        if now[name] != wanted[name]:
            return Need("music", "player", commit=do(name, on=wanted[name]))
    return Need("music", "player", commit=do("repeat", mode=AFTER[now["repeat"]]))


MUSIC.value("player", player_way)
MUSIC.value("sleep", lambda v, wanted: Need("music", "sleep", commit=do("sleep", minutes=wanted)))
MUSIC.value("quality", lambda v, wanted: Need("music", "quality", commit=do("quality", level=wanted)))
MUSIC.value("mobile", lambda v, wanted: Need("music", "settings", commit=do("mobile", on=wanted)))
