"""Music: lists and pages of songs, albums and artists, and the search."""

from __future__ import annotations

from saccade_phone import widgets as w
from saccade_phone.app import App, CommandContext, Data, View
from saccade_phone.apps.music.content import TRENDING, catalogue, collection
from saccade_phone.goal_changes import Need
from saccade_phone.seeded_random import Draw
from saccade_phone.widgets import Page, Widget, do, go, put

MUSIC = App("music", "Music", "音乐", "music", "#8e44ad", "vant")

REPEATS = {"off": ("Repeat off", "不循环"), "all": ("Repeat all", "列表循环"), "one": ("Repeat one", "单曲循环")}
QUALITIES = {
    "saver": ("Data saver", "省流"),
    "normal": ("Standard", "标准"),
    "high": ("High", "高品质"),
    "lossless": ("Lossless", "无损"),
}


@MUSIC.seed
def seed(draw: Draw) -> Data:
    data = catalogue(draw)
    songs = sorted(data["songs"])
    own = collection(draw, songs)
    player = {
        "song": draw.choice(own["queue"]),
        "playing": draw.chance(0.5),
        "shuffle": draw.chance(0.4),
        "repeat": draw.choice(sorted(REPEATS)),
    }
    return {
        **data,
        **own,
        "saved": {album: {"album": album} for album in draw.sample(sorted(data["albums"]), 5)},
        "following": {artist: {"artist": artist} for artist in draw.sample(sorted(data["artists"]), 3)},
        "player": player,
        "sleep": 0,
        "quality": draw.choice(sorted(QUALITIES)),
        "mobile": draw.chance(0.5),
    }


# -- parts of screens -------------------------------------------------------------------------------------------------


def tabs(v: View, here: str) -> list[Widget]:
    return [
        w.tab_item(v.t("Home", "首页"), "house", "home", here == "home"),
        w.tab_item(v.t("Search", "搜索"), "search", "search", here == "search"),
        w.tab_item(v.t("Library", "我的"), "library", "library", here == "library"),
    ]


def clock(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02}"


def song_cell(v: View, id: str, *, number: int = 0, playlist: str = "") -> Widget:
    """A song in a list: a tap plays it, a long press opens its menu."""
    song = v.data["songs"][id]
    album = v.data["albums"][song["album"]]
    menu = go("song-menu", song=id, playlist=playlist) if playlist else go("song-menu", song=id)
    title = f"{number}. {song['title']}" if number else song["title"]
    return w.cell(
        title,
        f"{v.data['artists'][song['artist']]['name']} · {album['title']}",
        clock(song["seconds"]),
        emoji=album["emoji"],
        badge="♥" if id in v.data["liked"] else "",
        tap=do("play", song=id),
        hold=menu,
        strong=id == v.data["player"]["song"],
    )


def album_card(v: View, id: str) -> Widget:
    album = v.data["albums"][id]
    words = f"{v.data['artists'][album['artist']]['name']} · {album['year']}"
    return w.card(album["title"], words, emoji=album["emoji"], tap=go("album", album=id))


def artist_cell(v: View, id: str) -> Widget:
    artist = v.data["artists"][id]
    followed = v.t("Following", "已关注") if id in v.data["following"] else ""
    return w.cell(artist["name"], artist["genre"], followed, emoji=artist["emoji"], tap=go("artist", artist=id))


def playing(v: View) -> list[Widget]:
    """The bar at the foot of the main screens that opens the player."""
    now = v.data["player"]
    song = v.data["songs"][now["song"]]
    state = v.t("Playing", "播放中") if now["playing"] else v.t("Paused", "已暂停")
    return [
        w.cell(
            song["title"],
            v.data["artists"][song["artist"]]["name"],
            state,
            emoji=v.data["albums"][song["album"]]["emoji"],
            tap=go("player"),
        )
    ]


def of_album(v: View, album: str) -> list[str]:
    songs = v.data["songs"]
    return sorted((id for id in songs if songs[id]["album"] == album), key=lambda song: int(songs[song]["track"]))


def of_artist(v: View, artist: str) -> list[str]:
    return [id for album in albums_of(v, artist) for id in of_album(v, album)]


def albums_of(v: View, artist: str) -> list[str]:
    return [id for id, album in v.data["albums"].items() if album["artist"] == artist]


# -- home and search --------------------------------------------------------------------------------------------------


@MUSIC.screen("home")
def home(v: View) -> Page:
    data = v.data
    mixes = [
        w.card(mix["name"], v.t("12 songs", "12首"), emoji=mix["emoji"], tap=go("mix", mix=id))
        for id, mix in data["mixes"].items()
    ]
    shelf = [
        w.tile(v.t("Charts", "排行榜"), icon="list-ordered", tap=go("chart")),
        w.tile(v.t("Albums", "专辑"), icon="disc-3", tap=go("shelf")),
        w.tile(v.t("Artists", "歌手"), icon="mic-vocal", tap=go("artists")),
        w.tile(v.t("Sleep", "定时"), icon="moon", tap=go("sleep")),
    ]
    ids = sorted(data["songs"])
    first = (7 * data["offset"]) % len(ids)
    newest = sorted(data["albums"], key=lambda album: -int(data["albums"][album]["year"]))
    top = data["songs"][data["chart"][0]]
    return Page(
        v.t("Music", "音乐"),
        [
            w.banner(
                v.t("This week's number one", "本周榜首"), top["title"], emoji="🏆", tint="#8e44ad", tap=go("chart")
            ),
            w.grid(shelf, 4),
            w.section(v.t("Made for you", "为你推荐"), [w.grid(mixes, 3)]),
            w.section(v.t("You may like", "猜你喜欢"), [song_cell(v, id) for id in (ids + ids)[first : first + 8]]),
            w.section(v.t("New albums", "新碟上架"), [w.grid([album_card(v, id) for id in newest[:4]])]),
            w.section(v.t("Played lately", "最近播放"), [song_cell(v, id) for id in data["recent"][:6]]),
        ],
        actions=[w.icon_button("settings", v.t("Settings", "设置"), go("settings"))],
        tabs=tabs(v, "home"),
        foot=playing(v),
        pull=do("refresh"),
    )


@MUSIC.screen("search", form=lambda v: {"query": ""})
def search(v: View) -> Page:
    words = v.form["query"].strip()
    ask = w.field(
        "query",
        v.form["query"],
        v.t("Songs, artists, albums", "歌曲、歌手、专辑"),
        style="search",
        submit=go("results", query=words) if words else None,
    )
    if words:
        names = [
            entry[key]
            for part, key in (("artists", "name"), ("albums", "title"), ("songs", "title"))
            for entry in v.data[part].values()
        ]
        near = [name for name in names if words.casefold() in name.casefold()][:8]
        rows = [w.cell(name, icon="search", tap=go("results", query=name)) for name in near]
        return Page(v.t("Search", "搜索"), [w.section("", rows)], head=[ask], tabs=tabs(v, "search"))
    body = []
    if v.data["history"]:
        old = [w.chip(words, go("results", query=words)) for words in v.data["history"]]
        clear = w.button(v.t("Clear history", "清空历史"), do("forget"), style="plain")
        body = [w.section(v.t("Recent searches", "搜索历史"), [w.chips(old), clear])]
    hot = [
        w.cell(f"{at}. {v.t(*words)}", icon="trending-up", tap=go("results", query=v.t(*words)))
        for at, words in enumerate(TRENDING, 1)
    ]
    body.append(w.section(v.t("Trending", "大家都在搜"), hot))
    return Page(v.t("Search", "搜索"), body, head=[ask], tabs=tabs(v, "search"), foot=playing(v))


def found(v: View, query: str) -> tuple[list[str], list[str], list[str]]:
    """The artists, albums and songs whose names contain the query."""
    data, words = v.data, query.strip().casefold()
    artists = [id for id, artist in data["artists"].items() if words in artist["name"].casefold()]
    albums = [
        id for id, album in data["albums"].items() if words in album["title"].casefold() or album["artist"] in artists
    ]
    songs = [id for id, song in data["songs"].items() if words in song["title"].casefold() or song["artist"] in artists]
    return artists, albums, songs


def note_search(h: CommandContext) -> None:
    query = h.args["query"]
    if query:
        h.data["history"] = [query, *(old for old in h.data["history"] if old != query)][:8]


@MUSIC.screen("results", form=lambda v: {"part": "all"}, opened=note_search)
def results(v: View) -> Page:
    artists, albums, songs = found(v, v.args["query"])
    names = {
        "all": v.t("All", "全部"),
        "songs": v.t("Songs", "单曲"),
        "artists": v.t("Artists", "歌手"),
        "albums": v.t("Albums", "专辑"),
    }
    part = v.form["part"]
    parts = {
        "artists": [artist_cell(v, id) for id in artists],
        "songs": [song_cell(v, id) for id in songs],
        "albums": [w.grid([album_card(v, id) for id in albums])] if albums else [],
    }
    body = [w.section(names[name], rows) for name, rows in parts.items() if rows and part in ("all", name)]
    nothing = w.empty(v.t(f"Nothing found for “{v.args['query']}”", f"没有找到“{v.args['query']}”"), "🔍")
    bar = w.segments([w.chip(words, put("part", name), part == name) for name, words in names.items()])
    return Page(v.args["query"], list(body) or [nothing], head=[bar], foot=playing(v))


# -- lists of songs ---------------------------------------------------------------------------------------------------


def listing(v: View, ids: list[str], *, numbers: bool = False, playlist: str = "") -> list[Widget]:
    if not ids:
        return [w.empty(v.t("No songs yet", "还没有歌曲"), "🎵")]
    every = w.button(
        v.t(f"Play all ({len(ids)})", f"播放全部（{len(ids)}）"), do("play", song=ids[0]), icon="circle-play"
    )
    return [
        every,
        w.section(
            "", [song_cell(v, id, number=at if numbers else 0, playlist=playlist) for at, id in enumerate(ids, 1)]
        ),
    ]


@MUSIC.screen("chart", form=lambda v: {"source": "chart"})
def chart(v: View) -> Page:
    return Page(v.t("Weekly chart", "本周热歌榜"), listing(v, v.data["chart"], numbers=True), foot=playing(v))


@MUSIC.screen("mix")
def mix(v: View) -> Page:
    chosen = v.data["mixes"][v.args["mix"]]
    return Page(chosen["name"], [w.picture(chosen["emoji"]), *listing(v, chosen["songs"])], foot=playing(v))


@MUSIC.screen("shelf")
def shelf(v: View) -> Page:
    albums = sorted(v.data["albums"], key=lambda album: str(v.data["albums"][album]["title"]))
    return Page(v.t("All albums", "全部专辑"), [w.grid([album_card(v, id) for id in albums])], foot=playing(v))


@MUSIC.screen("artists")
def artists(v: View) -> Page:
    return Page(
        v.t("Artists", "歌手"), [w.section("", [artist_cell(v, id) for id in v.data["artists"]])], foot=playing(v)
    )


@MUSIC.screen("album")
def album(v: View) -> Page:
    id = v.args["album"]
    record = v.data["albums"][id]
    who, kept = v.data["artists"][record["artist"]], id in v.data["saved"]
    keep = w.button(
        v.t("Saved", "已收藏") if kept else v.t("Save album", "收藏专辑"),
        do("save", album=id, on=not kept),
        style="plain",
        icon="check" if kept else "plus",
    )
    length = sum(v.data["songs"][song]["seconds"] for song in of_album(v, id)) // 60
    return Page(
        record["title"],
        [
            w.picture(record["emoji"], tall=True),
            w.text(record["title"], "title"),
            w.text(v.t(f"Released {record['year']} · {length} min", f"{record['year']}年发行 · {length}分钟"), "quiet"),
            w.cell(who["name"], who["genre"], emoji=who["emoji"], tap=go("artist", artist=record["artist"])),
            keep,
            *listing(v, of_album(v, id)),
        ],
        foot=playing(v),
    )


@MUSIC.screen("artist")
def artist(v: View) -> Page:
    id = v.args["artist"]
    who, on = v.data["artists"][id], id in v.data["following"]
    follow = w.button(
        v.t("Unfollow", "取消关注") if on else v.t("Follow", "关注"),
        do("follow", artist=id, on=not on),
        style="plain" if on else "primary",
    )
    fans = v.t(f"{who['fans']}K listeners", f"{who['fans']}万粉丝")
    return Page(
        who["name"],
        [
            w.picture(who["emoji"], tall=True),
            w.text(f"{who['genre']} · {fans}", "quiet"),
            w.text(who["about"]),
            follow,
            w.section(v.t("Albums", "专辑"), [w.grid([album_card(v, album) for album in albums_of(v, id)])]),
            w.section(v.t("Songs", "歌曲"), [song_cell(v, song) for song in of_artist(v, id)]),
        ],
        foot=playing(v),
    )


MUSIC.forgets("history", "offset", "queue", "recent")


@MUSIC.command("forget")
def forget(h: CommandContext) -> None:
    h.data["history"] = []


@MUSIC.command("refresh")
def refresh(h: CommandContext) -> None:
    h.data["offset"] += 1
    h.toast("New picks for you", "已更新推荐")


@MUSIC.command("save")
def save(h: CommandContext, album: str, on: bool) -> None:
    if on:
        h.data["saved"][album] = {"album": album}
        h.toast("Saved to your library", "已收藏到我的音乐")
    else:
        h.data["saved"].pop(album, None)
        h.toast("Removed from your library", "已取消收藏")


@MUSIC.command("follow")
def follow(h: CommandContext, artist: str, on: bool) -> None:
    if on:
        h.data["following"][artist] = {"artist": artist}
        h.toast("Following", "关注成功")
    else:
        h.data["following"].pop(artist, None)
        h.toast("No longer following", "已取消关注")


def album_way(v: View, id: str, on: bool) -> Need:
    album = v.data["albums"][id]
    return Need(
        "music",
        "album",
        {"album": id},
        commit=do("save", album=id, on=on),
        query=album["title"],
        through={"artist": (album["artist"],)},
    )


def artist_way(v: View, id: str, on: bool) -> Need:
    return Need(
        "music",
        "artist",
        {"artist": id},
        commit=do("follow", artist=id, on=on),
        query=v.data["artists"][id]["name"],
        through={"album": tuple(albums_of(v, id))},
    )


MUSIC.holds(
    "saved",
    create=lambda v, fields: album_way(v, fields["album"], True),
    remove=lambda v, key: album_way(v, key, False),
)
MUSIC.holds(
    "following",
    create=lambda v, fields: artist_way(v, fields["artist"], True),
    remove=lambda v, key: artist_way(v, key, False),
)
