"""Music: recommendations, search, a library of playlists and hearts, and a player."""

from __future__ import annotations

from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.music import pages as pages
from saccade_phone.apps.music import player as player
from saccade_phone.apps.music.pages import MUSIC
from saccade_phone.apps.patterns import cancel_or
from saccade_phone.goal_changes import Fields, Need, Way, plain
from saccade_phone.widgets import Page, Widget, back, do, go, tab

__all__ = ["MUSIC", "player"]

# -- the library ------------------------------------------------------------------------------------------------------


def library_page(v: View, here: str, body: list[Widget], actions: list[Widget]) -> Page:
    names = {
        "library": v.t("Playlists", "歌单"),
        "liked": v.t("Liked", "喜欢"),
        "saved": v.t("Albums", "专辑"),
        "following": v.t("Artists", "歌手"),
    }
    bar = w.segments([w.chip(words, tab(name), name == here) for name, words in names.items()])
    return Page(
        v.t("My music", "我的音乐"),
        body,
        actions=actions,
        head=[bar],
        tabs=pages.tabs(v, "library"),
        foot=pages.playing(v),
    )


@MUSIC.screen("library")
def library(v: View) -> Page:
    rows = []
    for id, playlist in v.data["playlists"].items():
        songs = playlist["songs"]
        cover = v.data["albums"][v.data["songs"][songs[0]]["album"]]["emoji"] if songs else "🎵"
        rows.append(
            w.cell(
                playlist["name"],
                v.t(f"{len(songs)} songs", f"{len(songs)}首"),
                emoji=cover,
                tap=go("playlist", playlist=id),
                hold=go("playlist-menu", playlist=id),
            )
        )
    add = w.icon_button("plus", v.t("New playlist", "新建歌单"), go("new-playlist", song=""))
    return library_page(
        v, "library", [w.section("", rows)] if rows else [w.empty(v.t("No playlists", "还没有歌单"))], [add]
    )


@MUSIC.screen("liked", form=lambda v: {"source": "liked"})
def liked(v: View) -> Page:
    return library_page(v, "liked", pages.listing(v, list(v.data["liked"])), [])


@MUSIC.screen("saved")
def saved(v: View) -> Page:
    cards = [pages.album_card(v, id) for id in v.data["saved"]]
    return library_page(
        v, "saved", [w.grid(cards)] if cards else [w.empty(v.t("No albums saved", "没有收藏专辑"), "💿")], []
    )


@MUSIC.screen("following")
def following(v: View) -> Page:
    rows = [pages.artist_cell(v, id) for id in v.data["following"]]
    nobody = w.empty(v.t("You follow nobody yet", "还没有关注歌手"), "🎤")
    return library_page(v, "following", [w.section("", rows)] if rows else [nobody], [])


@MUSIC.screen("playlist")
def playlist(v: View) -> Page:
    id = v.args["playlist"]
    chosen = v.data["playlists"][id]
    more = w.icon_button("ellipsis", v.t("More", "更多"), go("playlist-menu", playlist=id))
    return Page(chosen["name"], pages.listing(v, chosen["songs"], playlist=id), actions=[more], foot=pages.playing(v))


@MUSIC.screen("playlist-menu", style="sheet")
def playlist_menu(v: View) -> Page:
    return Page(
        v.data["playlists"][v.args["playlist"]]["name"],
        [
            w.cell(v.t("Rename", "重命名"), icon="pencil", tap=go("rename", **v.args)),
            w.cell(v.t("Delete playlist", "删除歌单"), icon="trash-2", tap=go("delete", **v.args)),
        ],
    )


def naming(v: View, title: str, commit: str, **args: Any) -> Page:
    return Page(
        title,
        [w.field("name", v.form["name"], v.t("Name of the playlist", "歌单名称"))],
        foot=[
            w.button(v.t("Cancel", "取消"), back(), style="plain"),
            w.button(v.t("Save", "保存"), do(commit, **args)),
        ],
    )


@MUSIC.screen("new-playlist", style="dialog", form=lambda v: {"name": ""})
def new_playlist(v: View) -> Page:
    return naming(v, v.t("New playlist", "新建歌单"), "create", **v.args)


@MUSIC.screen("rename", style="dialog", form=lambda v: {"name": v.data["playlists"][v.args["playlist"]]["name"]})
def rename(v: View) -> Page:
    return naming(v, v.t("Rename playlist", "重命名歌单"), "rename", **v.args)


@MUSIC.screen("delete", style="dialog")
def delete(v: View) -> Page:
    name = v.data["playlists"][v.args["playlist"]]["name"]
    return Page(
        v.t("Delete playlist?", "删除歌单？"),
        [
            w.text(
                v.t(
                    f"“{name}” will be gone. Its songs stay in the catalogue.",
                    f"将删除歌单“{name}”，其中的歌曲不会被删除。",
                )
            )
        ],
        foot=cancel_or(v, v.t("Delete", "删除"), do("delete", **v.args)),
    )


def close(h: CommandContext, about: str, id: str) -> None:
    """Close the top screens that show this entry."""
    for shown in reversed(h.state["nav"]["stacks"]["music"]):
        if shown["args"].get(about) != id:
            break
        h.then(back())


def free(h: CommandContext, name: str, but: str = "") -> bool:
    """Whether a playlist may have this name."""
    if not name:
        h.toast("Enter a name", "请输入名称")
        return False
    if any(each["name"] == name and id != but for id, each in h.data["playlists"].items()):
        h.toast("There is a playlist with this name", "已有同名歌单")
        return False
    return True


@MUSIC.command("create")
def create(h: CommandContext, song: str) -> None:
    name = h.form["name"].strip()
    if free(h, name):
        h.data["playlists"][h.new_id("pl")] = {"name": name, "songs": [song] if song else []}
        h.toast("Playlist created", "歌单已创建")
        close(h, "song", song)


@MUSIC.command("rename")
def do_rename(h: CommandContext, playlist: str) -> None:
    name = h.form["name"].strip()
    if free(h, name, playlist):
        h.data["playlists"][playlist]["name"] = name
        h.toast("Renamed", "已重命名")
        h.then(back(), back())


@MUSIC.command("delete")
def do_delete(h: CommandContext, playlist: str) -> None:
    del h.data["playlists"][playlist]
    h.toast("Playlist deleted", "歌单已删除")
    close(h, "playlist", playlist)


def create_way(v: View, fields: Fields) -> Way:
    """Made with one song at most; a playlist of many that was deleted does not come back."""
    songs = fields.get("songs", [])
    if len(songs) > 1:
        return None
    song = songs[0] if songs else ""
    query = v.data["songs"][song]["title"] if song else ""
    return Need(
        "music", "new-playlist", {"song": song}, {"name": plain(fields["name"])}, do("create", song=song), query
    )


def update_way(v: View, id: str, fields: Fields) -> Way:
    now = v.data["playlists"][id]["songs"]
    wanted = fields.get("songs", now)
    add = [song for song in wanted if song not in now]
    drop = [song for song in now if song not in wanted]
    if add:
        return Need(
            "music",
            "add-to",
            {"song": add[0]},
            commit=do("add", song=add[0], playlist=id),
            query=v.data["songs"][add[0]]["title"],
            through=around(v, add[0]),
        )
    if drop:
        args = {"song": drop[0], "playlist": id}
        return Need("music", "song-menu", args, commit=do("drop", **args))
    return Need("music", "rename", {"playlist": id}, {"name": plain(fields["name"])}, do("rename", playlist=id))


MUSIC.holds(
    "playlists",
    create=create_way,
    update=update_way,
    remove=lambda v, key: Need("music", "delete", {"playlist": key}, commit=do("delete", playlist=key)),
    defaults={"songs": []},
)


# -- what can be done with a song -------------------------------------------------------------------------------------


@MUSIC.screen("song-menu", style="sheet")
def song_menu(v: View) -> Page:
    id, where = v.args["song"], v.args.get("playlist", "")
    song, on = v.data["songs"][id], v.args["song"] in v.data["liked"]
    rows = [
        w.cell(
            v.t("Unlike", "取消喜欢") if on else v.t("Like", "喜欢"),
            icon="heart-off" if on else "heart",
            tap=do("like", song=id, on=not on),
        ),
        w.cell(v.t("Add to playlist", "添加到歌单"), icon="list-plus", tap=go("add-to", song=id)),
        w.cell(v.t("Play next", "下一首播放"), icon="list-start", tap=do("play-next", song=id)),
        w.cell(
            v.t("Artist", "歌手"),
            "",
            v.data["artists"][song["artist"]]["name"],
            icon="mic-vocal",
            tap=go("artist", artist=song["artist"]),
        ),
        w.cell(
            v.t("Album", "专辑"),
            "",
            v.data["albums"][song["album"]]["title"],
            icon="disc-3",
            tap=go("album", album=song["album"]),
        ),
    ]
    if where:
        rows.append(w.cell(v.t("Remove from playlist", "从歌单中移除"), icon="circle-minus", tap=do("drop", **v.args)))
    return Page(song["title"], rows)


@MUSIC.screen("add-to", style="sheet")
def add_to(v: View) -> Page:
    song = v.args["song"]
    rows = [w.cell(v.t("New playlist", "新建歌单"), icon="plus", tap=go("new-playlist", song=song))]
    for id, chosen in v.data["playlists"].items():
        inside = song in chosen["songs"]
        rows.append(
            w.cell(
                chosen["name"],
                v.t(f"{len(chosen['songs'])} songs", f"{len(chosen['songs'])}首"),
                v.t("Added", "已添加") if inside else "",
                icon="list-music",
                tap=None if inside else do("add", song=song, playlist=id),
            )
        )
    return Page(v.t("Add to playlist", "添加到歌单"), rows)


@MUSIC.command("add")
def add(h: CommandContext, song: str, playlist: str) -> None:
    chosen = h.data["playlists"][playlist]
    chosen["songs"] = sorted({*chosen["songs"], song})
    h.toast(f"Added to {chosen['name']}", f"已添加到“{chosen['name']}”")
    close(h, "song", song)


@MUSIC.command("drop")
def drop(h: CommandContext, song: str, playlist: str) -> None:
    h.data["playlists"][playlist]["songs"].remove(song)
    h.toast("Removed from the playlist", "已从歌单中移除")
    h.then(back())


@MUSIC.command("like")
def like(h: CommandContext, song: str, on: bool) -> None:
    if on:
        h.data["liked"][song] = {"song": song}
        h.toast("Added to liked songs", "已添加到我喜欢的音乐")
    else:
        h.data["liked"].pop(song, None)
        h.toast("Removed from liked songs", "已取消喜欢")
    close(h, "song", song)


@MUSIC.command("play-next")
def play_next(h: CommandContext, song: str) -> None:
    queue = [id for id in h.data["queue"] if id != song]
    now = h.data["player"]["song"]
    at = queue.index(now) + 1 if now in queue else 0
    h.data["queue"] = [*queue[:at], song, *queue[at:]]
    h.toast("Will be played next", "已添加到下一首播放")
    close(h, "song", song)


def around(v: View, id: str) -> dict[str, tuple[Any, ...]]:
    """Screens other than the search that list a song."""
    song = v.data["songs"][id]
    places = {
        name: tuple(key for key, each in v.data[part].items() if id in each["songs"])
        for name, part in (("playlist", "playlists"), ("mix", "mixes"))
    }
    return {"album": (song["album"],), "artist": (song["artist"],), **places}


def like_way(v: View, id: str, on: bool) -> Need:
    return Need(
        "music",
        "song-menu",
        {"song": id},
        commit=do("like", song=id, on=on),
        query=v.data["songs"][id]["title"],
        through=around(v, id),
    )


MUSIC.holds(
    "liked", create=lambda v, fields: like_way(v, fields["song"], True), remove=lambda v, key: like_way(v, key, False)
)
