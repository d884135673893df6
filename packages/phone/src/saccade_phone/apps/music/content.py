"""What is in the music app's catalogue: invented artists, albums and songs, a set for each language."""

from __future__ import annotations

from typing import Any, NamedTuple

from saccade_phone.draw import Draw


class AlbumPool(NamedTuple):
    title: str
    year: int
    emoji: str
    songs: list[str]


class ArtistPool(NamedTuple):
    name: str
    genre: str
    emoji: str
    about: str
    albums: list[AlbumPool]


EN = """
Odette Varga | Indie folk | 🌾 | Writes on an old nylon-string guitar in a cabin by the lake.
  Letters to the Valley | 2017 | 🌾 | Wheatfield Radio; Slow Ferry Home; My Brother's Raincoat; Half a Mile of Snow
  Kitchen Table Hymns | 2021 | 🫖 | Kettle Song; Two Chairs; Blue Enamel; Sunday, Unhurried
Neon Orchard | Synth-pop | 🍑 | A duo with six synthesizers and no patience for slow tempos.
  Plastic Peaches | 2018 | 🍑 | Fluorescent; Car Park Constellations; Hello From the Arcade; Glow Season
  Orbit Club | 2023 | 🛸 | Zero Gravity Disco; Satellite Crush; Telescope Eyes; Last Shuttle Downtown
Saltwater Choir | Dream pop | 🌊 | Nine voices, one rehearsal room above a fish market.
  Tidal Tables | 2016 | 🌊 | Low Water; Lighthouse Keeper's Daughter; Foam and Feather; Harbour Bells
  The Long Shore | 2022 | 🐚 | Driftwood Letters; Fog Signal; Every Gull in Town; Moon Over the Pier
Copper Kettle Trio | Jazz | 🎷 | Piano, bass and drums, recorded after midnight.
  Steam at Two a.m. | 2015 | ☕ | Corner Booth; Brass Buttons; Waltz for the Night Porter; Umbrella Stand Blues
  Upstairs Session | 2020 | 🎹 | Staircase Rag; Velvet Elevator; Nine Cups of Coffee; Curtain Up
Juno Ashdown | Soul | 🌻 | A voice that fills the hall without a microphone.
  Gold on the Windowsill | 2019 | 🌻 | Honey, Be Patient; Borrowed Sunlight; Call Me by Thursday; Steady Hands
  Room for One More | 2024 | 🛋️ | Set the Table; Grandmother's Keys; Louder Than Sorry; Marigold
Silver Tram | Rock | 🚋 | Four schoolfriends from the end of line seven.
  Terminus | 2014 | 🚋 | Third Rail Heart; Ticket Inspector; Sparks on the Wire; Depot
  Wrong Side of the River | 2019 | 🌉 | Bridge Out; Gasoline Lullaby; Concrete Summer; Shouting at Clouds
Delphine Okoro | R&B | 💜 | Producer first, singer second, night owl always.
  Velour | 2021 | 💜 | Slow Motion Weekend; Voicemail in Violet; Silk Alarm; Off the Grid
Moth & Candle | Ambient | 🕯️ | Field recordings, tape loops and a very patient cello.
  Rooms Without Clocks | 2020 | 🕯️ | Paper Snowfall; Breathing Wood; Attic Light; Four Minutes of Moss; Hush Machine
Rafferty Bloom | Country | 🐎 | Tells long stories in short songs.
  Dust and Denim | 2018 | 🐎 | Gravel Road Gospel; Whiskey for the Horses; Porch Light On; Mama's Old Station Wagon
  Tall Grass Radio | 2023 | 🌽 | County Fair Queen; Fence Post Philosophy; Rain Check; Truck Stop Sunrise
Kiko Tanabe Quartet | Jazz fusion | 🎺 | Trumpet lines that take the scenic route.
  Glass Metro | 2022 | 🎺 | Platform Nine Bossa; Vending Machine Blue; Night Bus Samba; Crossing Signal; Umbrella Dance
The Winter Postmen | Post-rock | ❄️ | Long crescendos for long walks.
  Undelivered | 2013 | 📮 | Return to Sender, Gently; Snowplough; Sorting Office; Address Unknown
  Northern Rounds | 2018 | ❄️ | Frost Map; Mitten Weather; Parcel From the Arctic; Thaw
Pixel Parade | Electronic | 🎮 | Chiptune drums, stadium choruses.
  Continue Screen | 2021 | 🎮 | Press Any Button; Extra Life; Boss Level Ballet; Save Point; High Score Heartbreak
"""

ZH = """
苏晚禾 | 民谣 | 🌾 | 在山脚的小院里写歌，吉他旁总放着一壶茶。
  山谷来信 | 2017 | 🌾 | 麦浪电台; 慢慢开的渡船; 外婆的蓝围裙; 走了半里雪
  灶台上的月亮 | 2021 | 🫖 | 水开了; 两把竹椅; 青花碗; 星期天不着急
霓虹果园 | 电子流行 | 🍑 | 两个人、六台合成器，只写快歌。
  塑料水蜜桃 | 2018 | 🍑 | 荧光雨衣; 停车场的星座; 你好游戏厅; 会发光的季节
  环形舞池 | 2023 | 🛸 | 失重迪斯科; 爱上一颗卫星; 望远镜眼睛; 末班飞船进城
旧码头合唱团 | 梦幻流行 | 🌊 | 九个声部，排练室在鱼市楼上。
  潮汐时刻表 | 2016 | 🌊 | 退潮以后; 守灯塔的人; 泡沫与羽毛; 港口的钟声
  漫长海岸线 | 2022 | 🐚 | 漂流瓶第七封; 雾中汽笛; 全城的海鸥; 栈桥月色
铜壶三重奏 | 爵士 | 🎷 | 钢琴、贝斯和鼓，只在午夜之后录音。
  凌晨两点的蒸汽 | 2015 | ☕ | 转角的卡座; 黄铜纽扣; 夜班门童圆舞曲; 雨伞架布鲁斯
  阁楼现场 | 2020 | 🎹 | 楼梯拉格泰姆; 丝绒电梯; 第九杯咖啡; 大幕拉开
陆知遥 | 灵魂乐 | 🌻 | 不用话筒也能唱满整个礼堂。
  窗台上的金色 | 2019 | 🌻 | 亲爱的别心急; 借来的阳光; 星期四打给我; 稳稳的手
  再添一双筷子 | 2024 | 🛋️ | 开饭啦; 奶奶的钥匙串; 比抱歉更大声; 万寿菊
七号线乐队 | 摇滚 | 🚋 | 四个住在终点站的老同学。
  终点站 | 2014 | 🚋 | 第三轨的心跳; 查票员; 电线上的火花; 车库夜谈
  河的另一边 | 2019 | 🌉 | 断桥; 汽油摇篮曲; 水泥色的夏天; 朝着云大喊
温以澜 | 节奏布鲁斯 | 💜 | 先是制作人，然后才是歌手，永远是夜猫子。
  天鹅绒 | 2021 | 💜 | 慢动作周末; 紫色留言; 丝绸闹钟; 信号之外
飞蛾与烛 | 氛围 | 🕯️ | 田野录音、磁带循环，还有一把很有耐心的大提琴。
  没有钟的房间 | 2020 | 🕯️ | 纸上落雪; 木头的呼吸; 天窗微光; 四分钟苔藓; 安静机器
马小川 | 乡村 | 🐎 | 用很短的歌讲很长的故事。
  尘土与牛仔布 | 2018 | 🐎 | 石子路上; 给老马的酒; 门廊留着灯; 爸爸的旧皮卡
  高草电台 | 2023 | 🌽 | 庙会姑娘; 篱笆哲学; 改天再下雨; 加油站日出
田边巷四重奏 | 融合爵士 | 🎺 | 小号总爱绕最远、风景最好的那条路。
  玻璃地铁 | 2022 | 🎺 | 九号站台; 自动贩卖机蓝; 夜班车桑巴; 红绿灯对话; 雨伞之舞
冬日邮差 | 后摇 | ❄️ | 适合走很远的路时听的长曲子。
  无法投递 | 2013 | 📮 | 请轻轻退回; 扫雪车; 分拣室; 查无此人
  北方投递线 | 2018 | ❄️ | 霜的地图; 戴手套的天气; 来自极地的包裹; 解冻
像素游行 | 电子 | 🎮 | 八位机的鼓点，体育场的副歌。
  是否继续 | 2021 | 🎮 | 按任意键开始; 多一条命; 关底芭蕾; 存档点; 最高分心碎
"""

MIXES = [
    ("Morning coffee", "清晨咖啡", "☕"), ("Rainy window", "雨天窗边", "🌧️"), ("Run faster", "跑步加速", "🏃"),
    ("Deep focus", "专注时刻", "🧠"), ("Road trip", "公路旅行", "🚗"), ("Slow cooking", "慢火厨房", "🍲"),
    ("Late night bus", "深夜巴士", "🌃"), ("Sunday cleaning", "周末大扫除", "🧹"),
]  # fmt: skip
PLAYLISTS = [
    ("Gym hour", "健身一小时"), ("Songs for Mum", "妈妈爱听"), ("Commute", "通勤路上"), ("Cosy evenings", "温柔夜晚"),
    ("Birthday party", "生日派对"), ("Study hall", "自习室"), ("Camping trip", "露营歌单"),
    ("Old favourites", "老歌收藏"), ("Karaoke night", "KTV必点"), ("Yoga mat", "瑜伽时间"), ("Long drives", "长途驾驶"),
    ("Afternoon tea", "下午茶"),
]  # fmt: skip
TRENDING = [
    ("live session", "现场版"), ("piano", "钢琴曲"), ("summer", "夏天"), ("umbrella", "雨伞"), ("night", "夜"),
    ("radio", "电台"), ("blue", "蓝"), ("snow", "雪"),
]  # fmt: skip
LINES = [
    ("The street is washed, the lamps are low", "街道刚被雨洗过，路灯低低地亮着"),
    ("You keep the window half ajar", "你把窗户留了半扇"),
    ("I count the stops until your door", "我数着站，一直数到你家门前"),
    ("And every platform looks the same", "每一个站台看起来都一样"),
    ("Don't hurry, morning, don't be late", "清晨啊别着急，也别迟到"),
    ("There's bread and honey on the plate", "盘子里有面包，也有蜂蜜"),
    ("We danced until the needle skipped", "我们一直跳到唱针打滑"),
    ("The radio forgot the words", "收音机也忘了歌词"),
    ("Somebody hums it down the hall", "走廊那头有人轻轻哼着"),
    ("So leave the porch light burning on", "所以门口的灯，就让它亮着吧"),
    ("I folded all the maps away", "我把地图都折好收起来了"),
    ("The river knows the long way home", "河水知道回家最远的那条路"),
]


def pool(words: str) -> list[ArtistPool]:
    """Read one of the tables above."""
    artists: list[ArtistPool] = []
    for line in words.strip().splitlines():
        parts = [part.strip() for part in line.split("|")]
        if line.startswith(" "):
            songs = [song.strip() for song in parts[3].split(";")]
            artists[-1].albums.append(AlbumPool(parts[0], int(parts[1]), parts[2], songs))
        else:
            artists.append(ArtistPool(parts[0], parts[1], parts[2], parts[3], []))
    return artists


POOLS = {"en": pool(EN), "zh": pool(ZH)}


def catalogue(draw: Draw) -> dict[str, Any]:
    """The artists that this phone's shop has, with their albums and songs.

    Songs are numbered at random: playlists are kept in the order of these numbers, which then looks like nobody's.
    """
    chosen = draw.sample(POOLS[draw.language], 9)
    numbers = draw.shuffled(range(1, 1 + sum(len(album.songs) for artist in chosen for album in artist.albums)))
    artists: dict[str, Any] = {}
    albums: dict[str, Any] = {}
    songs: dict[str, Any] = {}
    for at, artist in enumerate(chosen, 1):
        artists[f"ar{at}"] = {"name": artist.name, "genre": artist.genre, "emoji": artist.emoji, "about": artist.about,
                              "fans": draw.integer(12, 980)}  # fmt: skip
        for album in artist.albums:
            where = f"al{len(albums) + 1}"
            albums[where] = {"title": album.title, "artist": f"ar{at}", "year": album.year, "emoji": album.emoji}
            for track, title in enumerate(album.songs, 1):
                songs[f"s{numbers.pop():02}"] = {"title": title, "artist": f"ar{at}", "album": where, "track": track,
                                                 "seconds": draw.integer(125, 330)}  # fmt: skip
    return {"artists": artists, "albums": albums, "songs": songs}


def collection(draw: Draw, songs: list[str]) -> dict[str, Any]:
    """What the phone's owner has made of it: playlists, hearts, what was played."""
    playlists = {
        f"pl{at}": {"name": draw.t(*names), "songs": sorted(draw.sample(songs, draw.integer(4, 13)))}
        for at, names in enumerate(draw.sample(PLAYLISTS, 6), 1)
    }
    mixes = {
        f"mix{at}": {"name": draw.t(en, zh), "emoji": emoji, "songs": draw.sample(songs, 12)}
        for at, (en, zh, emoji) in enumerate(draw.sample(MIXES, 6), 1)
    }
    chart = draw.sample(songs, 25)
    return {
        "playlists": playlists,
        "mixes": mixes,
        "chart": chart,
        "liked": {song: {"song": song} for song in draw.sample(songs, draw.integer(14, 20))},
        "queue": chart[:12],
        "recent": draw.sample(songs, 6),
        "history": [draw.t(*words) for words in draw.sample(TRENDING, 3)],
        "offset": 0,
    }
