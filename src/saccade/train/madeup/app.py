"""One made-up app: how it is laid out, what its buttons are called, and what it holds. All of it is drawn."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from saccade.train.madeup.words import COMPARED, Attribute, Domain, Verb, brand, day, domains

LABELS: dict[str, tuple[str, str]] = {
    "search": ("Search;Find;Search {items};Search {items}…;Look for {items}",
               "搜索;查找;搜索{items};搜{items};找{items}"),
    "find": ("Search;Find", "搜索;查找"),
    "list": ("Home;Discover;All {items};Browse;Explore", "首页;发现;全部{items};浏览;广场"),
    "cats": ("Categories;Kinds;Browse;Catalogue;Sections", "分类;类别;目录;频道;品类"),
    "mine": ("Orders;My orders;Bookings;My bookings;Appointments", "订单;我的订单;预订;我的预订;预约"),
    "lists": ("Lists;Collections;My lists;Folders;Shelves", "清单;收藏夹;我的清单;文件夹;书架"),
    "settings": ("Settings;Options;Preferences;Me", "设置;选项;偏好设置;我的"),
    "rank": ("Top;Ranking;Charts;Most popular;Top 20", "排行;榜单;排行榜;热门;人气榜"),
    "save": ("Save;Done;Confirm;OK;Submit", "保存;完成;确认;确定;提交"),
    "pay": ("Pay;Confirm;Place order;Pay now;Confirm and pay", "支付;确认;提交订单;立即支付;确认支付"),
    "cancel": ("Cancel;Keep it;No", "取消;再想想;不了"),
    "delete": ("Delete;Remove;Delete {item};Discard", "删除;移除;删除{item};删掉"),
    "edit": ("Edit;Change;Edit {item};Modify", "编辑;修改;编辑{item};更改"),
    "more": ("More;More options;Actions;⋮", "更多;更多操作;操作;⋮"),
    "share": ("Share;Send;Forward", "分享;发送;转发"),
    "new": ("New {item};Add {item};Add;New;Create", "新建{item};添加{item};添加;新建;新增"),
    "addto": ("Add to list;Add to…;Save to list;Put on a list", "加入清单;添加到…;存到清单;放进清单"),
    "takeout": ("Remove from list;Take off the list;Drop from list", "移出清单;从清单删除;从清单拿掉"),
    "sort": ("Sort;Sort by;Order by", "排序;排序方式;排列"),
    "back": ("Back", "返回"), "close": ("Close", "关闭"), "clear": ("Clear", "清除"),
    "void": ("Cancel booking;Cancel order;Refund;Call it off", "取消预订;取消订单;退款;退订"),
    "nothing": ("Nothing found;No results;No such {item}", "没有找到;无结果;没有这样的{item}"),
    "yes": ("Yes;OK;Confirm;Continue", "是;确定;确认;继续"),
    "details": ("Details;About;Facts", "详情;介绍;资料"),
}  # fmt: skip
SHARED = (
    ("Favourite=收藏=add {x} to my favourites; favourite {x}; keep {x} among my favourites=收藏{x}; 把{x}加入收藏"),
    ("Follow=关注=follow {x}; keep me up to date about {x}=关注{x}; 我想随时了解{x}的动态"),
    ("Like=点赞=like {x}; give {x} a like=给{x}点赞; 赞一下{x}"),
    ("Notify me=通知我=notify me about {x}; turn on notifications for {x}=打开{x}的通知; {x}有消息就通知我"),
    ("Pin=置顶=pin {x}; keep {x} at the top=置顶{x}; 把{x}放到最前面"),
    ("Save for later=稍后再看=save {x} for later; set {x} aside for later=把{x}存到稍后再看; {x}留着以后看"),
)
SETTINGS = (
    ("Notifications=通知", "Dark mode=深色模式", "Sound=声音", "Automatic updates=自动更新",
    "Use mobile data=使用移动数据",
     "Show prices=显示价格", "Weekly report=每周报告", "Location=位置信息", "Large text=大字体", "Sync=同步",
     "Backup=备份",
     "Vibration=振动", "Private profile=私密资料"),
    ("Language=语言=English,German,Spanish,Arabic/中文,英文,日文,法文",
    "Units=单位=Metric,Imperial,Mixed/公制,英制,混合",
     "Start page=启动页=Home,News,Favourites/首页,动态,收藏", "Theme=主题=Light,Dark,Sepia,Forest/浅色,深色,护眼,森林",
     "Reminder=提醒=Never,Daily,Weekly,Monthly/从不,每天,每周,每月",
     "Currency=货币=Euro,Dollar,Pound,Yen/人民币,欧元,美元,英镑",
     "Font size=字号=Small,Normal,Large,Huge/小,标准,大,特大",
     "Map style=地图样式=Plain,Terrain,Satellite/标准,地形,卫星"),
)  # fmt: skip
LISTS = ("Weekend=周末", "Gift ideas=礼物清单", "For Mum=给妈妈", "Summer=夏天", "To try=想试试", "Work=工作",
         "Old ones=旧的",
         "Wish list=心愿单", "Next year=明年", "Best of=精选", "Club=俱乐部", "Maybe=也许")  # fmt: skip
CHOICES = (
    ("When=时间", "08:30,09:00,10:15,11:45,13:00,14:30,16:15,18:00,19:30"),
    ("For whom=使用人", "Me,My son,My mother,A friend,The whole team/我自己,儿子,妈妈,朋友,全队"),
    ("Class=档次", "Standard,Comfort,Premium/标准,舒适,尊享"),
    ("Payment=付款方式", "Card,Voucher,Bank transfer,Cash/银行卡,代金券,转账,现金"),
    ("Delivery=取货方式", "Pick up,Courier,Locker/自提,快递,储物柜"),
    ("Size=规格", "Small,Medium,Large,Extra large/小份,中份,大份,特大份"),
)  # fmt: skip


@dataclass
class Item:
    """One entry of an app."""

    key: int
    name: str
    category: str
    values: dict[str, tuple[float, str]]
    flags: set[str] = field(default_factory=set)


@dataclass
class Booking:
    key: int
    item: str
    chosen: dict[str, str]
    cancelled: bool = False


@dataclass
class Field:
    """A field of a form. Its kind is text, choice, stepper or switch."""

    key: str
    kind: str
    options: tuple[str, ...] = ()
    value: str = ""


@dataclass
class App:
    """What an app is, before anybody touched it, and what it holds now."""

    domain: Domain
    chance: random.Random
    name: str = ""
    plain: bool = True
    """Does its name say what it is for?"""
    label: dict[str, str] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    bookings: list[Booking] = field(default_factory=list)
    lists: dict[str, list[int]] = field(default_factory=dict)
    settings: dict[str, Field] = field(default_factory=dict)
    tabs: list[str] = field(default_factory=list)
    dropped: dict[str, str] = field(default_factory=dict)
    """Of a choice one that is not offered here."""

    def __post_init__(self) -> None:
        chance, domain = self.chance, self.domain
        self.zh = domain.zh
        self.plain = chance.random() < 0.6
        self.name = chance.choice(domain.apps) if self.plain else brand(chance, self.zh)
        for key, both in LABELS.items():
            self.label[key] = chance.choice(both[self.zh].split(";")).format(item=domain.item, items=domain.items)
        self.attributes = chance.sample(domain.attributes, chance.randint(4, len(domain.attributes)))
        numbers = [each for each in self.attributes if each.kind in COMPARED]
        self.shown: Attribute = chance.choice(numbers or self.attributes)
        self.categories = chance.sample(domain.categories, chance.randint(3, len(domain.categories)))
        self.draw_layout(chance)
        self.draw_content(chance)

    def t(self, en: str, zh: str) -> str:
        return zh if self.zh else en

    def side(self, text: str) -> str:
        return text.split("=")[self.zh]

    def draw_layout(self, chance: random.Random) -> None:
        """Where things are."""
        self.home = chance.choice(("list", "list", "chips", "cats"))
        self.search = chance.choice(("field", "icon", "tab", "", ""))
        self.live, self.fuzzy, self.ready = chance.random() < 0.6, chance.random() < 0.4, chance.random() < 0.5
        self.tabs_at = chance.choice(("bottom", "bottom", "bottom", "top", "menu"))
        self.row = chance.choice((52, 58, 66, 70, 78))
        self.inset = chance.choice((0, 0, 12, 16))
        self.icons, self.asks, self.save_on_top = chance.random() < 0.5, chance.random() < 0.7, chance.random() < 0.5
        self.sorts, self.radio, self.numbered = chance.random() < 0.5, chance.random() < 0.4, chance.random() < 0.7
        self.done_page, self.order_late, self.holds = (
            chance.random() < 0.5,
            chance.random() < 0.3,
            chance.random() < 0.5,
        )
        self.new_at = chance.choice(("bar", "float"))
        others = ["mine", "lists", "rank", "settings"]
        chance.shuffle(others)
        self.tabs = ["cats" if self.home == "cats" else "list", *others[: chance.randint(3, 4)]]
        if self.search == "tab":
            self.tabs = [self.tabs[0], "search", *self.tabs[1:4]]
        verbs = [Verb(self.side(each), tuple(said.split("; "))) for each, said in (
            (text, text.split("=")[2 + self.zh]) for text in chance.sample(SHARED, 2))]  # fmt: skip
        self.verbs = [*chance.sample(self.domain.verbs, 1), *verbs]
        places = [*(verb.label for verb in self.verbs), "edit", "delete", "addto"]
        self.place = {each: chance.choice(("bar", "page", "more", "more")) for each in places}
        in_bar = [each for each in places if self.place[each] == "bar"]
        for each in in_bar[2:]:
            self.place[each] = "more"

    def draw_content(self, chance: random.Random) -> None:
        """What it holds."""
        names: set[str] = set()
        for key in range(chance.randint(10, 26)):
            while (name := self.domain.title(chance)) in names:
                pass
            names.add(name)
            self.items.append(self.item(key, name))
        self.missing = next(name for name in iter(lambda: self.domain.title(chance), "") if name not in names)
        for name in chance.sample(LISTS, chance.randint(2, 5)):
            keys = chance.sample(range(len(self.items)), chance.randint(1, 5))
            self.lists[self.side(name)] = keys
        chosen = chance.sample(CHOICES, chance.randint(1, 3))
        self.choices = [self.field_of(text, options) for text, options in chosen]
        month, first = chance.randint(1, 12), chance.randint(1, 18)
        days = tuple(day(month, first + at, self.zh) for at in range(chance.randint(4, 9)))
        if chance.random() < 0.6:
            self.choices.append(Field(self.t("Date", "日期"), "choice", days, days[0]))
        if chance.random() < 0.6:
            self.choices.append(Field(self.t("How many", "数量"), "stepper", (), "1"))
        chance.shuffle(self.choices)
        for key, item in enumerate(chance.sample(self.items, chance.randint(2, 6))):
            spec = self.choices[0]
            self.bookings.append(Booking(key, item.name, {spec.key: chance.choice(spec.options or ("1", "2", "3"))}))
        for text in chance.sample(SETTINGS[0], chance.randint(3, 7)):
            self.settings[self.side(text)] = Field(self.side(text), "switch", (), chance.choice(("", "on")))
        for text in chance.sample(SETTINGS[1], chance.randint(1, 4)):
            name = self.side(text)
            options = tuple(text.split("=")[2].split("/")[self.zh].split(","))
            self.settings[name] = Field(name, "choice", options, chance.choice(options))

    def field_of(self, text: str, options: str) -> Field:
        found = tuple((options.split("/") * 2)[self.zh].split(","))
        kept = tuple(each for each in found if self.chance.random() < 0.85) or found
        self.dropped |= {self.side(text): each for each in found if each not in kept}
        return Field(self.side(text), "choice", kept, self.chance.choice((kept[0], "")))

    def item(self, key: int, name: str) -> Item:
        values = {each.name: each.draw(self.chance, self.zh) for each in self.attributes}
        flags = {verb.label for verb in self.verbs if self.chance.random() < 0.1}
        return Item(key, name, self.chance.choice(self.categories), values, flags)

    def named(self, key: int) -> Item:
        return next(each for each in self.items if each.key == key)


def draw(chance: random.Random, zh: bool) -> App:
    return App(chance.choice(domains(zh)), chance)
