"""What stands in calendars: appointments in both languages, and the holidays of the years around now."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

KINDS = {
    "work": ("Work", "工作", "💼", "#3b6fb6"),
    "life": ("Life", "生活", "🌿", "#4f9a68"),
    "family": ("Family", "家庭", "🏡", "#c8553d"),
    "health": ("Health", "健康", "🩺", "#b0578d"),
    "study": ("Study", "学习", "📚", "#7c65c1"),
}

# kind | start | minutes | guests | title | place | notes
EVENTS_EN = """
work|09:30|60|3|Sprint planning|Room Juniper|Bring the open bug list and last sprint's numbers.
work|11:00|30|1|One-on-one|Corner office|Talk about the conference budget.
work|14:00|90|3|Budget review|Boardroom, floor 4|Finance wants the March figures first.
work|10:00|45|2|Client call Northwind|Online|Dial in five minutes early, the line is slow.
work|15:30|60|2|Design critique|Studio B|Print the three checkout drafts.
work|09:00|120|2|Job interviews|Room Maple|Two candidates for the data team.
work|16:00|30|0|Expense report|Desk|Receipts are in the blue envelope.
work|13:00|180|3|Warehouse tour|Harbor Road 12|Closed shoes are required.
work|17:00|45|2|Release retrospective|Room Juniper|One thing to keep, one thing to change.
work|08:30|60|3|Breakfast with sales|Bluebird Diner|They bring the new price list.
life|12:30|60|1|Lunch at Marlow's|Marlow's Kitchen|The table is by the window.
life|18:00|120|2|Board game night|Player One Café|Bring the train game.
life|10:00|45|0|Haircut|Clip & Co.|Ask for the same cut as last time.
life|09:00|90|0|Car inspection|Garage Pollard|Registration papers are in the glove box.
life|11:00|120|1|Farmers market|Old Mill Square|Honey, rye bread, early tomatoes.
life|19:30|150|2|Open-air cinema|Riverside Park|Blankets and bug spray.
life|16:00|30|0|Pick up the parcel|Post office, Elm Street|Take an ID along.
life|20:00|120|2|Jazz at the cellar|Blue Note Cellar|Doors open at half past seven.
life|14:00|60|0|Plumber visit|Home|The kitchen tap and the bathroom drain.
life|17:30|60|0|Water the neighbor's plants|Apartment 5C|The key is under the gnome.
life|10:30|180|3|Ridge hike|Pine Ridge trailhead|Two liters of water each.
life|15:00|90|1|Flat viewing|Cedar Court 8|Ask about the heating and the cellar.
family|18:30|120|2|Grandma's birthday dinner|Villa Rosa|She likes white lilies.
family|17:00|60|0|School play rehearsal|Lincoln School hall|Costume: green cloak.
family|16:30|60|1|Parent-teacher talk|Room 204|Ask about the reading group.
family|11:00|180|3|Family brunch|Mom's house|We bring the fruit salad.
family|14:30|90|0|Swim lesson pickup|City pool|Towel and dry socks in the bag.
family|13:00|240|2|Zoo day|City Zoo, north gate|Penguin feeding is at half past two.
family|19:00|60|1|Call with Uncle Ray|Video call|He has photos from the cabin.
family|10:00|60|0|Puppy training|Dog park east|Treats and the long leash.
health|08:00|45|0|Dentist check-up|Dr. Feld, Oak Avenue|Mention the cold-sensitive molar.
health|07:00|60|1|Morning run|Canal path|Easy pace, six kilometers.
health|18:00|60|0|Yoga class|Lotus Studio|Bring your own mat.
health|15:00|30|0|Eye test|ClearView Optics|Old glasses in the case.
health|09:15|30|0|Blood test|Mercy Clinic|No breakfast before.
health|17:45|75|0|Physiotherapy|Back in Motion|Sixth session of ten.
health|12:00|30|0|Flu shot|Corner pharmacy|Insurance card.
health|19:00|60|1|Climbing gym|Granite Hall|Renew the ten-visit pass.
study|18:30|90|0|Spanish course|Language house, room 7|Chapter nine, past tense.
study|19:00|120|0|Pottery workshop|Clay & Kiln|Wear something old.
study|10:00|120|1|Photography walk|Botanic garden|Charge the spare battery.
study|20:00|60|0|Online statistics class|Online|Quiz two is due before.
study|17:00|60|0|Guitar lesson|Music school|Practice the second verse.
study|14:00|60|0|Return library books|Central library|Three books, one is overdue.
study|16:00|120|2|First aid training|Red Cross house|Certificate is valid for two years.
study|18:00|90|1|Book club|Page Turner Books|We talk about part two.
"""

EVENTS_ZH = """
work|09:30|60|3|周会|3号会议室|带上本周排期表和遗留问题。
work|11:00|30|1|绩效面谈|总监办公室|提前填好自评表。
work|14:00|90|3|预算评审|18楼大会议室|财务要先看三月份的数字。
work|10:00|45|2|客户电话会|线上|线路慢，提前五分钟接入。
work|15:30|60|2|设计评审|创意空间B座|打印三版结算页草图。
work|09:00|120|2|校招面试|2号洽谈室|数据组两位候选人。
work|16:00|30|0|整理报销单|工位|发票都在蓝色信封里。
work|13:00|180|3|仓库参观|临港路12号|要穿不露脚趾的鞋。
work|17:00|45|2|版本复盘|3号会议室|每人说一条要保留的、一条要改的。
work|08:30|60|3|和销售吃早餐|金鼎轩|他们会带新的报价单。
life|12:30|60|1|老友午饭|绿茶餐厅|靠窗的位子已经订好。
life|18:00|120|2|桌游之夜|玩家一号桌游吧|记得带上那盒火车游戏。
life|10:00|45|0|理发|剪艺坊|照上次的样子剪。
life|09:00|90|0|汽车年检|城东检测站|行驶证放在手套箱里。
life|11:00|120|1|逛早市|老磨坊广场|买蜂蜜、杂粮饼和头茬番茄。
life|19:30|150|2|露天电影|滨江公园|带毯子和驱蚊水。
life|16:00|30|0|取快递|菜鸟驿站|取件码在短信里，带身份证。
life|20:00|120|2|听爵士乐|蓝调地下室|七点半开始入场。
life|14:00|60|0|水管师傅上门|家里|厨房龙头和卫生间地漏。
life|17:30|60|0|帮邻居浇花|5单元502|钥匙在门口的小石狮下面。
life|10:30|180|3|爬香山|香山东门|每人至少带两升水。
life|15:00|90|1|看房|雪松苑8栋|问清楚暖气和物业费。
family|18:30|120|2|外婆生日宴|聚福楼牡丹厅|她最喜欢百合花。
family|17:00|60|0|儿子话剧排练|实验小学礼堂|服装是绿色斗篷。
family|16:30|60|1|家长会|三年级二班教室|问问阅读小组的事。
family|11:00|180|3|家庭聚餐|爸妈家|我们负责带水果。
family|14:30|90|0|接孩子游泳课|市游泳馆|包里放毛巾和干袜子。
family|13:00|240|2|动物园一日游|动物园北门|两点半有企鹅喂食表演。
family|19:00|60|1|和舅舅视频|视频通话|他要给我们看老家的照片。
family|10:00|60|0|小狗训练课|东湖宠物公园|带零食和长牵引绳。
health|08:00|45|0|看牙|瑞尔口腔|右下磨牙怕冷，记得告诉医生。
health|07:00|60|1|晨跑|运河步道|慢跑六公里。
health|18:00|60|0|瑜伽课|莲花瑜伽馆|自己带瑜伽垫。
health|15:00|30|0|配眼镜|明视眼镜店|带上旧眼镜和验光单。
health|09:15|30|0|抽血化验|仁和医院门诊|要空腹，不能吃早饭。
health|17:45|75|0|理疗|康复中心二楼|十次疗程的第六次。
health|12:00|30|0|打流感疫苗|社区卫生服务站|带医保卡。
health|19:00|60|1|攀岩|岩时攀岩馆|十次卡要续费了。
study|18:30|90|0|日语课|新桥语言学校7班|第九课，复习动词变形。
study|19:00|120|0|陶艺体验|泥与火工作室|穿旧衣服去。
study|10:00|120|1|摄影外拍|植物园|备用电池要充满。
study|20:00|60|0|统计学网课|线上|课前交第二次小测。
study|17:00|60|0|吉他课|琴韵艺术中心|练熟第二段副歌。
study|14:00|60|0|还书|市图书馆|三本书，有一本已经超期。
study|16:00|120|2|急救培训|红十字会教室|证书两年有效。
study|18:00|90|1|读书会|纸间书店|这次聊下半部。
"""


class Happening(NamedTuple):
    """An appointment before it has a day."""

    kind: str
    start: str
    minutes: int
    guests: int
    title: str
    place: str
    notes: str


@cache
def happenings(language: str) -> list[Happening]:
    lines = (EVENTS_ZH if language == "zh" else EVENTS_EN).strip().splitlines()
    parts = (line.split("|") for line in lines)
    return [Happening(kind, start, int(minutes), int(guests), *rest) for kind, start, minutes, guests, *rest in parts]


class Holiday(NamedTuple):
    id: str
    name: str
    date: str
    emoji: str
    off: bool
    """A day without work."""
    about: str


# month-day, or the how-manieth weekday (Monday: 0) of a month | name | emoji | off | about
HOLIDAYS_EN = """
01-01|New Year's Day|🎆|1|The first day of the year.
01/3/0|Martin Luther King Day|🕊️|1|Third Monday in January, in memory of the civil rights leader.
02-14|Valentine's Day|💝|0|Flowers, cards and a good dinner.
02/3/0|Presidents' Day|🏛️|1|Third Monday in February.
03-17|St. Patrick's Day|☘️|0|Wear something green.
easter|Easter Sunday|🐣|0|The Sunday after the first full moon of spring.
04-22|Earth Day|🌍|0|A day for parks, rivers and clean air.
05/2/6|Mother's Day|💐|0|Second Sunday in May.
05/-1/0|Memorial Day|🎗️|1|Last Monday in May.
06-19|Juneteenth|✊|1|The end of slavery, remembered since 1865.
06/3/6|Father's Day|👔|0|Third Sunday in June.
07-04|Independence Day|🎇|1|Parades, cook-outs and fireworks.
09/1/0|Labor Day|🛠️|1|First Monday in September.
10/2/0|Columbus Day|⛵|1|Second Monday in October.
10-31|Halloween|🎃|0|Costumes, lanterns and sweets.
11-11|Veterans Day|🎖️|1|In honor of all who served.
11/4/3|Thanksgiving|🦃|1|Fourth Thursday in November.
12-24|Christmas Eve|🕯️|0|The evening before Christmas.
12-25|Christmas Day|🎄|1|Presents under the tree.
12-31|New Year's Eve|🥂|0|The last evening of the year.
"""

HOLIDAYS_ZH = """
01-01|元旦|🎆|1|新年的第一天。
eve|除夕|🧨|1|全家团圆，吃年夜饭，守岁。
spring|春节|🧧|1|农历正月初一，拜年、发红包。
lantern|元宵节|🏮|0|正月十五，赏花灯、吃汤圆。
02-14|情人节|💝|0|鲜花、卡片和一顿好吃的。
03-08|妇女节|🌷|0|国际劳动妇女节。
03-12|植树节|🌳|0|种一棵树，添一片绿。
qingming|清明节|🌿|1|踏青、扫墓，缅怀先人。
05-01|劳动节|🛠️|1|国际劳动节。
05-04|青年节|🚩|0|纪念五四运动。
05/2/6|母亲节|💐|0|五月的第二个星期日。
06-01|儿童节|🎈|0|孩子们的节日。
dragon|端午节|🐉|1|农历五月初五，吃粽子、赛龙舟。
06/3/6|父亲节|👔|0|六月的第三个星期日。
qixi|七夕|🎋|0|农历七月初七，牛郎织女相会。
09-10|教师节|🍎|0|感谢老师的日子。
moon|中秋节|🥮|1|农历八月十五，赏月、吃月饼。
10-01|国庆节|🎇|1|中华人民共和国成立纪念日。
ninth|重阳节|🏔️|0|农历九月初九，登高敬老。
solstice|冬至|🥟|0|一年里白天最短的一天，吃饺子。
12-24|平安夜|🕯️|0|圣诞节的前夜。
"""

LUNAR = {
    2025: {"spring": "01-29", "qingming": "04-04", "dragon": "05-31", "qixi": "08-29", "moon": "10-06",
           "ninth": "10-29", "solstice": "12-21"},
    2026: {"spring": "02-17", "qingming": "04-05", "dragon": "06-19", "qixi": "08-19", "moon": "09-25",
           "ninth": "10-18", "solstice": "12-22"},
    2027: {"spring": "02-06", "qingming": "04-05", "dragon": "06-09", "qixi": "08-08", "moon": "09-15",
           "ninth": "10-08", "solstice": "12-22"},
    2028: {"spring": "01-26", "qingming": "04-04", "dragon": "05-28", "qixi": "08-26", "moon": "10-03",
           "ninth": "10-26", "solstice": "12-21"},
}  # fmt: skip
"""Days that the moon or the sun settles, from the almanac."""


def on_weekday(year: int, month: int, count: int, weekday: int) -> date:
    """The how-manieth such weekday of a month; -1: the last."""
    if count > 0:
        first = date(year, month, 1)
        return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (count - 1))
    last = date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
    return last - timedelta(days=(last.weekday() - weekday) % 7)


def easter(year: int) -> date:
    """The Sunday after the full moon on or after March 21, by the Gregorian computus."""
    golden, century = year % 19, year // 100
    epact = (century - century // 4 - (8 * century + 13) // 25 + 19 * golden + 15) % 30
    epact -= (epact // 28) * (1 - (29 // (epact + 1)) * ((21 - golden) // 11))
    moon = date(year, 3, 21) + timedelta(days=epact)
    return moon + timedelta(days=(6 - moon.weekday()) % 7 or 7)


def day_of(rule: str, year: int) -> date | None:
    if rule == "easter":
        return easter(year)
    if "/" in rule:
        return on_weekday(year, *(int(part) for part in rule.split("/")))
    if rule in ("eve", "lantern"):
        spring = day_of("spring", year)
        return spring and spring + timedelta(days=-1 if rule == "eve" else 14)
    if not rule[0].isdigit():
        if year not in LUNAR:
            return None
        rule = LUNAR[year][rule]
    return date.fromisoformat(f"{year}-{rule}")


@cache
def holidays(language: str, year: int) -> list[Holiday]:
    """A year's holidays, in order."""
    found = []
    for line in (HOLIDAYS_ZH if language == "zh" else HOLIDAYS_EN).strip().splitlines():
        rule, name, emoji, off, about = line.split("|")
        when = day_of(rule, year)
        if when is not None:
            id = f"{rule.replace('/', '.')}-{year}"
            found.append(Holiday(id, name, when.isoformat(), emoji, off == "1", about))
    return sorted(found, key=lambda holiday: holiday.date)


@cache
def holidays_by_day(language: str, year: int) -> dict[str, Holiday]:
    return {holiday.date: holiday for holiday in holidays(language, year)}
