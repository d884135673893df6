"""What people write down: notes, facts worth asking for, and things to do, in both languages."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

FOLDERS = {
    "quick": ("Quick notes", "随手记", "📝"),
    "work": ("Work", "工作", "💼"),
    "home": ("Home", "家里", "🏠"),
    "travel": ("Trips", "旅行", "🧳"),
    "recipes": ("Recipes", "菜谱", "🍳"),
    "ideas": ("Ideas", "灵感", "💡"),
}
COLORS = {
    "white": ("White", "白色", "⬜", "#8e8e93"),
    "yellow": ("Yellow", "黄色", "🟨", "#e0b000"),
    "green": ("Green", "绿色", "🟩", "#4f9a68"),
    "blue": ("Blue", "蓝色", "🟦", "#3b7fc4"),
    "red": ("Red", "红色", "🟥", "#cf4b43"),
    "purple": ("Purple", "紫色", "🟪", "#8a5fc0"),
}

# folder | emoji | title | lines, parted by a slash
NOTES_EN = """
quick|🎁|Gift ideas|Mom: pottery class voucher/Dad: headlamp for night walks/The twins: a kite with two lines
quick|📖|Books to read|The one with the lighthouse keeper/A short history of salt/Something funny for the train
quick|🎬|Films people recommended|The heist in the bakery/Snow over Tromsø/That long documentary about glaciers
quick|🗣️|Words I looked up|Petrichor: the smell of rain on dry earth/Sonder: everyone has a story/Limerence: not love yet
quick|🧠|Things Leo said|“Clouds are sky pillows.”/“Is Tuesday finished yet?”
work|📊|Quarterly goals|Answer every ticket within a day/Halve the number of open bugs/Write the chapter on releases
work|🗒️|Meeting notes, Monday|Budget is frozen until May/Nina takes over the newsletter/Next review in two weeks
work|🎤|Talk outline|Start with the broken elevator story/Three numbers, no more/End with a question
work|📞|Questions for the supplier|How long is the lead time?/Can they print on both sides?/What about returns?
work|🌱|Onboarding checklist|Laptop and badge on day one/Lunch with the team/First small fix by Friday
home|🪴|Watering plan|Basil every day/Fern twice a week/Cactus only when I feel sorry for it
home|🎨|Paint for the hallway|Color: oat milk, matte/Two coats, eight hours apart/Tape the door frames first
home|🧺|Stains and how they go|Red wine: salt, then soda water/Grass: vinegar/Ink: milk overnight
home|🐈|Cat sitter notes|Half a tin in the morning, half at night/Hides behind the washing machine/Vet's card: fridge
home|🔧|Repairs to do|Squeaking bedroom door/Loose tile near the sink/Light in the cellar
travel|🏔️|Packing for the mountains|Rain jacket and wool socks/Blister plasters/Paper map, phones die up there
travel|🏖️|Week by the sea|Ferry at noon, be there by half past eleven/House has bikes/Try the clam shack on the pier
travel|🚆|Night train tips|Top bunk is warmer/Bring earplugs and slippers/Breakfast must be ordered before ten
travel|🗺️|Lisbon wish list|Tram up the hill at sunrise/Tile museum/Custard tarts, the ones with cinnamon
recipes|🍜|Miso noodle soup|Two spoons of miso, never boil it/Soft egg, six and a half minutes/Spring onions on top
recipes|🍞|Overnight bread|500 g flour, 380 g water, 10 g salt/A pinch of yeast/Bake hot, lid on for half an hour
recipes|🥗|Lentil salad|Green lentils, twenty minutes/Lemon, mustard, olive oil/Feta at the very end
recipes|🍛|Grandma's curry|Onions until golden, at least fifteen minutes/Coconut milk last/Better the next day
recipes|🥞|Sunday pancakes|Three eggs, a cup of milk, a cup of flour/Let it rest/First one is always for the cook
ideas|📻|Podcast about objects|One object an episode, ten minutes/Start with the paper clip/Ask museums for sounds
ideas|🎲|Board game idea|Players are rival beekeepers/Weather deck decides the harvest/Should fit in a lunch break
ideas|✍️|Story beginnings|The letter came back unopened for the third time./Nobody in town owned a clock.
ideas|🏡|Balcony project|Fold-down table/Herbs in a gutter pipe/Fairy lights on a timer
"""

NOTES_ZH = """
quick|🎁|礼物清单|妈妈：陶艺体验券/爸爸：夜跑头灯/双胞胎：双线风筝
quick|📖|想看的书|讲灯塔看守人的那本/盐的简史/路上看的轻松小说
quick|🎬|朋友推荐的电影|面包店大劫案/特罗姆瑟的雪/那部讲冰川的长纪录片
quick|🗣️|新学的成语|未雨绸缪：事先做好准备/春风化雨：良好的教育/举重若轻：做难事也轻松
quick|🧠|女儿的童言|“云是天空的枕头。”/“星期二用完了吗？”
work|📊|季度目标|工单当天回复/未解决的缺陷减半/写完发布流程手册
work|🗒️|周一会议纪要|预算五月前冻结/简报交给小宁负责/两周后再评审
work|🎤|分享提纲|从电梯坏掉的故事讲起/只放三个数字/以一个问题收尾
work|📞|问供应商的问题|交货周期多久？/能不能双面印刷？/退换货怎么处理？
work|🌱|新人入职清单|第一天领电脑和工牌/和团队吃顿午饭/周五前完成第一个小改动
home|🪴|浇花计划|薄荷每天一次/蕨类一周两次/仙人掌想起来再浇
home|🎨|玄关刷漆|颜色：燕麦奶，哑光/刷两遍，间隔八小时/先贴门框胶带
home|🧺|去污小窍门|红酒渍：先撒盐再用苏打水/草渍：白醋/墨水：牛奶泡一夜
home|🐈|猫咪寄养须知|早晚各半罐/害怕时躲在洗衣机后面/医院名片贴在冰箱上
home|🔧|待修的东西|卧室门吱呀响/水槽边的瓷砖松了/地下室的灯不亮
travel|🏔️|进山装备|冲锋衣和羊毛袜/防水泡贴/纸质地图，山里没信号
travel|🏖️|海边一周|中午的船，十一点半前到码头/民宿有自行车/栈桥上的海鲜大排档
travel|🚆|夜火车心得|上铺暖和些/带耳塞和拖鞋/早餐要在十点前预订
travel|🗺️|成都必去|清晨去人民公园喝盖碗茶/看熊猫要赶早/蛋烘糕要加奶油肉松
recipes|🍜|番茄牛腩面|牛腩焯水后炖一个半小时/番茄炒出沙再加汤/出锅撒香菜
recipes|🍞|手工馒头|面粉五百克，温水二百六十克/酵母五克，发到两倍大/关火后焖三分钟
recipes|🥗|凉拌木耳|木耳泡发两小时，焯水一分钟/蒜末、香醋、生抽/最后淋一勺热油
recipes|🍛|外婆红烧肉|冰糖炒到枣红色/黄酒代替水，小火一小时/第二天更入味
recipes|🥞|葱花饼|面团醒半小时/油酥里加一点五香粉/第一张永远是厨师的
ideas|📻|老物件播客|一期讲一样东西，十分钟/第一期从回形针讲起/向博物馆要录音
ideas|🎲|桌游点子|玩家是互相竞争的养蜂人/天气牌决定收成/一个午休能玩完
ideas|✍️|故事开头|那封信第三次原封不动地退了回来。/镇上没有一户人家有钟。
ideas|🏡|阳台改造|折叠小桌/用排水槽种香草/定时的串灯
"""

# folder | emoji | title | label | pattern of what is asked for | the other lines
FACTS_EN = """
work|📶|Office Wi-Fi|Password|maple-####|Network: Lakeview-5G/Changes every quarter
work|🖨️|Printer on floor 3|PIN|####|Turn it off and on if it blinks/Paper is in the tall cabinet
work|🗄️|Locker room|Locker number|#0#|Left row, by the window
home|🚪|Building entrance|Door code|##40##|Works after ten at night only
home|🚲|Bike lock|Combination|7###|Spare key is with the neighbor
home|🅿️|Underground parking|Parking spot|B-2##|Gate closes at midnight
home|⚡|Electricity|Meter number|88######|Read it on the first of the month
home|📚|Library card|Card number|LC-####|Valid until December
travel|🛄|Suitcase|Lock code|#5#|The blue one, not the grey one
travel|🏨|Cabin rental|Key box code|29##|Host: answers only in the evening
quick|👟|Running shoes|Model|Trail ###|Half a size larger than usual
"""

FACTS_ZH = """
work|📶|公司无线网|密码|fenglin####|名称：湖景5G/每个季度换一次
work|🖨️|三楼打印机|打印口令|####|指示灯闪就重启/纸在高柜子里
work|🗄️|更衣室|柜子编号|#0#|靠窗左边那一排
home|🚪|单元门|门禁密码|##40##|晚上十点以后才要输
home|🚲|自行车锁|锁码|7###|备用钥匙在邻居那里
home|🅿️|地下车库|车位号|B-2##|半夜十二点关闸
home|⚡|电费|户号|88######|每月一号抄表
home|📚|借书证|证号|LC-####|十二月底到期
travel|🛄|行李箱|箱锁密码|#5#|蓝色那只，不是灰色
travel|🏨|山间民宿|钥匙盒密码|29##|房东晚上才回消息
quick|👟|跑鞋|型号|越野###|比平时大半码
"""

# list | name | emoji | things
TODOS_EN = """
shopping|Shopping|🛒|Oat milk/Rye bread/Dishwasher tabs/Tomatoes/Cat food/Coffee beans/Toothpaste/Olive oil/Candles
office|Office|🖇️|Send the invoice to Northwind/Book the meeting room/Renew the domain/Answer the survey/\
Back up the laptop/Order new badges/Review the contract/Update the team page
house|House|🧹|Change the bed sheets/Descale the kettle/Take out the glass/Clean the windows/Call the landlord/\
Fix the squeaking door/Defrost the freezer/Sort the basement
trip|Trip|🎒|Print the tickets/Check the passports/Pack the charger/Tell the neighbors/Download offline maps/\
Buy sun cream/Reserve seats/Weigh the suitcase
family|Family|👨‍👩‍👧|Sign the school form/Buy football boots/Wrap the present/Call grandma/Book the dentist for Mia/\
Return the library books/Bake for the school fair
"""

TODOS_ZH = """
shopping|购物|🛒|燕麦奶/全麦面包/洗碗块/番茄/猫粮/咖啡豆/牙膏/橄榄油/生日蜡烛
office|办公|🖇️|把发票寄给客户/预订会议室/续费域名/填满意度问卷/备份电脑/申请新工牌/审阅合同/更新团队主页
house|家务|🧹|换床单/给水壶除垢/倒厨余垃圾/擦窗户/给房东打电话/修吱呀响的门/清理冰箱/整理地下室
trip|出行|🎒|打印车票/检查证件有效期/装好充电器/跟邻居打声招呼/下载离线地图/买防晒霜/选座位/称行李重量
family|家人|👨‍👩‍👧|签学校回执/买足球鞋/包装礼物/给外婆打电话/给女儿约牙医/还图书馆的书/烤义卖的饼干
"""


class Written(NamedTuple):
    """A note before it is anybody's. `pattern` is empty unless it holds a fact."""

    folder: str
    emoji: str
    title: str
    body: str
    label: str = ""
    pattern: str = ""


class TodoList(NamedTuple):
    id: str
    name: str
    emoji: str
    items: list[str]


@cache
def notes(language: str) -> list[Written]:
    lines = (NOTES_ZH if language == "zh" else NOTES_EN).strip().splitlines()
    parts = (line.split("|") for line in lines)
    return [Written(folder, emoji, title, body.replace("/", "\n")) for folder, emoji, title, body in parts]


@cache
def facts(language: str) -> list[Written]:
    """Notes with a line that says what something is: `label: …`."""
    found = []
    for line in (FACTS_ZH if language == "zh" else FACTS_EN).strip().splitlines():
        folder, emoji, title, label, pattern, rest = line.split("|")
        found.append(Written(folder, emoji, title, rest.replace("/", "\n"), label, pattern))
    return found


def fact_line(language: str, label: str) -> str:
    """How the line of a fact begins."""
    return f"{label}：" if language == "zh" else f"{label}: "


@cache
def todo_lists(language: str) -> list[TodoList]:
    lines = (TODOS_ZH if language == "zh" else TODOS_EN).strip().splitlines()
    parts = (line.split("|") for line in lines)
    return [TodoList(id, name, emoji, items.split("/")) for id, name, emoji, items in parts]
