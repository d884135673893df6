"""Tasks in the music app."""

from __future__ import annotations

from typing import Any

from saccade_phone.apps.music.player import SLEEPS
from saccade_phone.data_files import Words, table
from saccade_phone.goal_changes import Removed, See, Value, added, changed, see
from saccade_phone.tasks.base import Goal, Params, task

NAMES = table("tasks/music", "names", list[Words])
MISSING = table("tasks/music", "missing", list[Words])
MODES = {
    "off": ("repeat switched off", "不循环"),
    "all": ("repeat set to all songs", "列表循环"),
    "one": ("repeat set to one song", "单曲循环"),
}


def title(p: Params, song: str) -> str:
    return str(p.data("music")["songs"][song]["title"])


def singer(p: Params, song: str) -> str:
    data = p.data("music")
    return str(data["artists"][data["songs"][song]["artist"]]["name"])


@task("music.like_song")
def like_song(p: Params) -> Goal:
    hearts = p.data("music")["liked"]
    id, song = p.entry("music.songs")
    name, who = song["title"], singer(p, id)
    if id in hearts:
        return p.goal(
            [Removed("music.liked", id)],
            en=[
                f"Take “{name}” off my liked songs",
                f"Unlike the song “{name}” by {who}",
                f"I no longer like “{name}”: remove its heart",
                f"Somewhere among my favourites there is {who}'s “{name}”, which should not count as one of them any "
                f"longer",
            ],
            zh=[
                f"取消喜欢歌曲“{name}”",
                f"把《{name}》从喜欢的歌里去掉",
                f"我不再喜欢{who}的“{name}”了，取消红心",
                f"音乐应用的收藏里有一首{who}唱的“{name}”，听腻了，别再算作我的心头好",
            ],
        )
    return p.goal(
        [added("music.liked", song=id)],
        en=[
            f"Like the song “{name}”",
            f"Add “{name}” by {who} to my liked songs",
            f"Put a heart on “{name}”",
            f"That track called “{name}” which {who} recorded is lovely, so mark it as one of my favourites in the "
            f"music app",
        ],
        zh=[
            f"给歌曲“{name}”点个喜欢",
            f"把{who}的《{name}》加到我喜欢的音乐",
            f"给《{name}》加红心",
            f"刚听到{who}唱的“{name}”，太动人了，请在音乐应用里将它标为心头好",
        ],
    )


@task("music.new_playlist")
def new_playlist(p: Params) -> Goal:
    name = p.t(*p.choice(NAMES))
    song, _ = p.entry("music.songs")
    named = title(p, song)
    return p.goal(
        [added("music.playlists", name=name, songs=[song])],
        en=[
            f"Make a playlist called “{name}” with the song “{named}” in it",
            f"Create a new playlist “{name}” and add “{named}”",
            f"Start a playlist named “{name}” that holds just “{named}”",
            f"I am going to collect tunes under the heading “{name}”; set that list up in the music app with "
            f"“{named}” as "
            f"its only track so far",
        ],
        zh=[
            f"新建歌单“{name}”，并把《{named}》加进去",
            f"创建一个叫“{name}”的歌单，里面放《{named}》",
            f"建个歌单“{name}”，只收录“{named}”这首歌",
            f"我打算攒一批曲子，合集名字定为“{name}”，请在音乐应用里建好它，目前仅含“{named}”一首",
        ],
    )


@task("music.tidy_playlists")
def tidy_playlists(p: Params) -> Goal:
    (gone, old), (kept, now) = p.random.sample(p.entries("music.playlists"), 2)
    name = p.t(*p.choice(NAMES))
    return p.goal(
        [Removed("music.playlists", gone), changed("music.playlists", kept, name=name)],
        en=[
            f"Delete the playlist “{old['name']}” and rename “{now['name']}” to “{name}”",
            f"Rename my playlist “{now['name']}” to “{name}”, and delete “{old['name']}”",
            f"Remove the playlist “{old['name']}”; the playlist “{now['name']}” should be called “{name}”",
            f"Time to tidy up my music library: “{old['name']}” can be thrown away altogether, whereas "
            f"“{now['name']}” stays "
            f"but gets “{name}” as its title",
        ],
        zh=[
            f"删除歌单“{old['name']}”，再把歌单“{now['name']}”改名为“{name}”",
            f"把“{now['name']}”歌单重命名成“{name}”，并删掉“{old['name']}”歌单",
            f"歌单“{old['name']}”不要了，删掉；“{now['name']}”改叫“{name}”",
            f"帮我整理一下音乐库：“{old['name']}”整个清除掉，而“{now['name']}”予以保留，只是标题换成“{name}”",
        ],
    )


@task("music.add_to_playlist")
def add_to_playlist(p: Params) -> Goal:
    id, playlist = p.entry("music.playlists")
    song, _ = p.entry("music.songs", lambda song: True)
    p.need(song not in playlist["songs"])
    name, who = title(p, song), singer(p, song)
    return p.goal(
        [changed("music.playlists", id, songs=sorted([*playlist["songs"], song]))],
        en=[
            f"Add “{name}” to my playlist “{playlist['name']}”",
            f"Put the song “{name}” by {who} into “{playlist['name']}”",
            f"“{name}” is missing from the playlist “{playlist['name']}”: add it",
            f"When I play “{playlist['name']}” I would love to hear {who} with “{name}” too, so extend that list of "
            f"mine by it",
        ],
        zh=[
            f"把《{name}》添加到歌单“{playlist['name']}”",
            f"将{who}的“{name}”加入“{playlist['name']}”歌单",
            f"歌单“{playlist['name']}”里加一首《{name}》",
            f"以后放“{playlist['name']}”时，我还想听见{who}的那首“{name}”，请替我收录进去",
        ],
    )


@task("music.remove_from_playlist")
def remove_from_playlist(p: Params) -> Goal:
    id, playlist = p.entry("music.playlists", lambda each: len(each["songs"]) > 2)
    song = p.random.choice(playlist["songs"])
    name, rest = title(p, song), [each for each in playlist["songs"] if each != song]
    return p.goal(
        [changed("music.playlists", id, songs=rest)],
        en=[
            f"Remove “{name}” from the playlist “{playlist['name']}”",
            f"Take the song “{name}” out of “{playlist['name']}”",
            f"“{name}” does not belong in “{playlist['name']}”, remove it from that playlist",
            f"My list “{playlist['name']}” would be better without {singer(p, song)}'s “{name}”; please drop this "
            f"one track "
            f"and leave the others alone",
        ],
        zh=[
            f"从歌单“{playlist['name']}”里移除《{name}》",
            f"把“{name}”从“{playlist['name']}”歌单中删掉",
            f"歌单“{playlist['name']}”不要《{name}》了，移除这首歌",
            f"我的“{playlist['name']}”里混进了{singer(p, song)}的“{name}”，听着不搭，只去掉它，其余不动",
        ],
    )


@task("music.play_sleep")
def play_sleep(p: Params) -> Goal:
    now = p.data("music")["player"]
    song, _ = p.entry("music.songs")
    p.need(song != now["song"])
    name, minutes = title(p, song), p.choice(SLEEPS)
    return p.goal(
        [Value("music.player", {**now, "song": song, "playing": True}), Value("music.sleep", minutes)],
        en=[
            f"Play “{name}” and set the sleep timer to {minutes} minutes",
            f"Put on the song “{name}” and let the music stop after {minutes} minutes",
            f"Play “{name}” with a {minutes}-minute sleep timer",
            f"I am off to bed: let me hear “{name}” by {singer(p, song)}, and have the app fall silent once {minutes} "
            f"minutes have passed",
        ],
        zh=[
            f"播放《{name}》，并设置{minutes}分钟后定时关闭",
            f"放一首“{name}”，{minutes}分钟后停止播放",
            f"播放歌曲《{name}》，睡眠定时设为{minutes}分钟",
            f"我要睡了，想听{singer(p, song)}的“{name}”，记得让音乐应用在{minutes}分钟以后自己安静下来",
        ],
    )


@task("music.player_modes")
def player_modes(p: Params) -> Goal:
    now = p.data("music")["player"]
    shuffle = not now["shuffle"]
    repeat = p.choice([mode for mode in MODES if mode != now["repeat"]])
    on, zh_on, (mode, zh_mode) = "on" if shuffle else "off", "打开" if shuffle else "关闭", MODES[repeat]
    return p.goal(
        [Value("music.player", {**now, "shuffle": shuffle, "repeat": repeat})],
        en=[
            f"In the music player, turn shuffle {on} and have {mode}",
            f"Turn {on} shuffle in Music; I also want {mode}",
            f"The player should have shuffle {on} and {mode}",
            f"Without touching whatever song is up at the moment, change how the queue runs in Music: {mode}, and "
            f"random "
            f"order {'enabled' if shuffle else 'disabled'}",
        ],
        zh=[
            f"在音乐播放器里{zh_on}随机播放，并设为{zh_mode}",
            f"把音乐的随机播放{zh_on}，循环方式改成{zh_mode}",
            f"播放器设置：{zh_on}随机播放，{zh_mode}",
            f"当前这首歌别动，只调整音乐应用接下来怎么放：循环那一项选“{zh_mode}”，"
            f"打乱顺序则{'要' if shuffle else '不要'}",
        ],
    )


@task("music.follow_and_save")
def follow_and_save(p: Params) -> Goal:
    data = p.data("music")
    id, album = p.entry("music.albums")
    who = album["artist"]
    p.need(id not in data["saved"] and who not in data["following"])
    name = data["artists"][who]["name"]
    return p.goal(
        [added("music.following", artist=who), added("music.saved", album=id)],
        en=[
            f"Follow {name} and save their album “{album['title']}”",
            f"Save the album “{album['title']}” to my library and follow the artist {name}",
            f"In Music, follow {name}; also save “{album['title']}”",
            f"I discovered {name} yesterday: keep me posted on their releases, and put the record “{album['title']}” "
            f"on my "
            f"own shelf as well",
        ],
        zh=[
            f"关注歌手{name}，并收藏专辑《{album['title']}》",
            f"收藏{name}的专辑“{album['title']}”，顺便关注{name}",
            f"在音乐里关注{name}，再把专辑《{album['title']}》收藏起来",
            f"昨天刚发现{name}很好听，以后有动态都想知道；另外“{album['title']}”整张唱片也放进我的音乐库",
        ],
    )


@task("music.ask_year")
def ask_year(p: Params) -> Goal:
    id, album = p.entry("music.albums")
    albums: dict[str, Any] = p.data("music")["albums"]
    return p.ask(
        str(album["year"]),
        [see("music", "album", query=album["title"], album=id)],
        decoys=[str(each["year"]) for each in albums.values()],
        accept=[f"{album['year']}年"],
        en=[
            f"In which year was the album “{album['title']}” released?",
            f"When did the album “{album['title']}” come out? I need the year",
            f"Tell me the release year of “{album['title']}”",
            f"My friend and I have a bet about how old the record “{album['title']}” is: find out in the music app "
            f"what year "
            f"it appeared and answer with that",
        ],
        zh=[
            f"专辑《{album['title']}》是哪一年发行的？",
            f"查一下“{album['title']}”这张专辑的发行年份",
            f"告诉我专辑《{album['title']}》的发行年份",
            f"我跟朋友打赌“{album['title']}”这张唱片有多老，请到音乐应用里看看它面世于何年并回答",
        ],
    )


@task("music.ask_chart")
def ask_chart(p: Params) -> Goal:
    chart = p.data("music")["chart"]
    place = p.choice(list(range(2, 26)))
    answer = title(p, chart[place - 1])
    return p.ask(
        answer,
        [see("music", "chart", widget=f"{place}. {answer}")],
        decoys=[title(p, song) for song in chart],
        en=[
            f"Which song is number {place} on this week's chart?",
            f"What is the title of the song at place {place} of the weekly chart?",
            f"Tell me the number {place} song in the music charts",
            f"Scroll through the ranking that the music app publishes every week and name the track standing at "
            f"position "
            f"{place}",
        ],
        zh=[
            f"本周热歌榜第{place}名是哪首歌？",
            f"音乐排行榜上第{place}位的歌叫什么名字？",
            f"告诉我本周榜单第{place}首歌的歌名",
            f"翻一翻音乐应用每周公布的排行，看看名次为{place}的曲目是什么，把名称回答给我",
        ],
    )


@task("music.missing_song")
def missing_song(p: Params) -> Goal:
    name = p.t(*p.choice(MISSING))
    return p.impossible(
        [See("music", "results", {"query": name}, name)],
        en=[
            f"Play the song “{name}”",
            f"Search for “{name}” and play it",
            f"I want to hear “{name}” now",
            f"A colleague keeps humming something titled “{name}”; look for it in the music app and start it for me",
        ],
        zh=[
            f"播放歌曲《{name}》",
            f"搜索“{name}”并播放",
            f"我现在想听《{name}》",
            f"同事一直在哼一首名叫“{name}”的曲子，请到音乐应用里找出来放给我听",
        ],
    )
