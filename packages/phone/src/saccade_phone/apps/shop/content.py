"""What the shop sells, and the words around it. Names, colours and prices are each language's own."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from saccade_phone.draw import Draw

CATEGORIES = {
    "digital": ("Electronics", "数码", "🎧", "#3a6ea5"), "home": ("Home", "家居", "🛋️", "#8d6e63"),
    "kitchen": ("Kitchen", "厨房", "🍳", "#c2703d"), "clothes": ("Clothing", "服饰", "👕", "#5c7cfa"),
    "shoes": ("Shoes & bags", "鞋包", "👟", "#2b9348"), "beauty": ("Beauty", "个护", "🧴", "#d6336c"),
    "food": ("Groceries", "食品", "🍪", "#e09f3e"), "sport": ("Sports", "运动", "🏸", "#0c8599"),
}  # fmt: skip
SELLERS = {
    "digital": ("Northlight Audio & Tech", "北光数码旗舰店"), "home": ("Slow House", "慢屋生活馆"),
    "kitchen": ("Copper & Clay", "炊烟厨具专营店"), "clothes": ("Plainfolk Apparel", "素人衣橱旗舰店"),
    "shoes": ("Wander Goods", "行野鞋包官方店"), "beauty": ("Bare Botanics", "本草初颜护肤"),
    "food": ("The Corner Pantry", "街角食铺"), "sport": ("Uphill Outfitters", "向山户外用品"),
}  # fmt: skip

OPTIONS: dict[str, tuple[tuple[str, str], tuple[str, ...], tuple[str, ...]]] = {
    "dark": (("Color", "颜色"), ("Black", "White", "Navy"), ("曜石黑", "珍珠白", "藏青")),
    "earth": (("Color", "颜色"), ("Sand", "Sage", "Charcoal"), ("燕麦色", "鼠尾草绿", "炭灰")),
    "bright": (("Color", "颜色"), ("Red", "Sky blue", "Yellow"), ("石榴红", "天空蓝", "柠檬黄")),
    "soft": (("Color", "颜色"), ("Cream", "Rose", "Lilac"), ("奶油白", "玫瑰粉", "丁香紫")),
    "wear": (("Size", "尺码"), ("S", "M", "L", "XL"), ("S", "M", "L", "XL")),
    "feet": (("Size", "鞋码"), ("US 7", "US 8", "US 9", "US 10"), ("38码", "39码", "40码", "41码")),
    "bed": (("Size", "尺寸"), ("Twin", "Queen", "King"), ("1.5米床", "1.8米床", "2米床")),
    "frame": (("Size", "尺寸"), ("12 × 16 in", "16 × 20 in", "20 × 28 in"), ("30×40厘米", "40×50厘米", "50×70厘米")),
    "litre": (("Capacity", "容量"), ("12 oz", "16 oz", "24 oz"), ("350毫升", "500毫升", "750毫升")),
    "pot": (("Diameter", "直径"), ("8 inch", "10 inch", "12 inch"), ("20厘米", "24厘米", "28厘米")),
    "gram": (("Weight", "净含量"), ("8 oz", "1 lb", "2 lb"), ("250克", "500克", "1千克")),
    "tube": (("Volume", "规格"), ("50 ml", "100 ml", "200 ml"), ("50毫升", "100毫升", "200毫升")),
    "scent": (("Scent", "香型"), ("Unscented", "Lavender", "Orange blossom"), ("无香", "薰衣草", "橙花")),
    "shade": (("Shade", "色号"), ("Brick", "Plum", "Nude"), ("砖红", "梅子", "裸豆沙")),
    "sweet": (("Flavor", "口味"), ("Original", "Sea salt", "Orange peel"), ("原味", "海盐", "陈皮")),
    "spicy": (("Flavor", "口味"), ("Mild", "Hot", "Extra hot"), ("微辣", "中辣", "特辣")),
    "plug": (("Cable", "套餐"), ("No cable", "With 3 ft cable", "With 6 ft cable"), ("单头", "配1米线", "配2米线")),
    "switch": (("Switches", "轴体"), ("Linear", "Tactile", "Silent"), ("线性轴", "段落轴", "静音轴")),
    "load": (("Weight", "重量"), ("2 × 10 lb", "2 × 20 lb", "2 × 30 lb"), ("2×5千克", "2×10千克", "2×15千克")),
    "grip": (("Grip", "手柄"), ("G4", "G5"), ("G4偏粗", "G5常规")),
}  # fmt: skip

Ware = tuple[str, str, str, str, int, int, str, str, str]
WARES: tuple[Ware, ...] = (
    ("digital", "🎧", "Murmur wireless earbuds", "低语真无线蓝牙耳机", 59, 299, "dark",
     "Noise cancelling that lasts a whole flight: 32 hours with the case.",
     "主动降噪，连同充电盒可听32小时，长途飞行也够用。"),
    ("digital", "⌨️", "Clack mechanical keyboard", "键韵75键机械键盘", 89, 369, "earth switch",
     "Hot-swappable switches and a knob that turns like butter.", "支持热插拔，旋钮顺滑，敲起来像雨点落在窗台上。"),
    ("digital", "🖱️", "Glide silent mouse", "轻滑静音无线鼠标", 24, 89, "soft",
     "So quiet that you can work beside a sleeping cat.", "按键几乎无声，深夜加班也不吵醒家人。"),
    ("digital", "🔋", "Pebble slim power bank", "卵石超薄充电宝", 35, 129, "dark plug",
     "Thinner than a phone, and charges two at once.", "比手机还薄，可同时给两台设备充电。"),
    ("digital", "⌚", "Orbit fitness watch", "环行运动手表", 129, 699, "dark",
     "Two weeks on one charge, GPS, heart rate, and no nagging.", "一次充电用两周，支持定位和心率监测。"),
    ("digital", "📷", "Sunday instant camera", "周末拍立得相机", 79, 459, "soft",
     "Prints wallet-sized memories in ninety seconds.", "九十秒出片，聚会时人人都想借来拍一张。"),
    ("digital", "🔌", "Trio 65 W fast charger", "三口65瓦快充头", 32, 119, "dark plug",
     "Three ports, one socket, no brick.", "一个插座带三台设备，体积只有饼干大小。"),
    ("digital", "🔊", "Barrel bluetooth speaker", "木桶蓝牙音箱", 69, 329, "earth",
     "Warm wooden sound, waterproof enough for the pool.", "木质箱体，声音温润，泼水也不怕。"),
    ("home", "🛏️", "Cloud cotton bedding set", "云朵纯棉四件套", 95, 329, "soft bed",
     "Washed cotton that is soft from the first night.", "水洗棉面料，第一晚就像睡旧了的被窝一样软。"),
    ("home", "🕯️", "Quiet evening candle", "静夜香薰蜡烛", 22, 79, "scent",
     "Soy wax, cotton wick, burns for fifty hours.", "大豆蜡配棉芯，可燃五十小时，没有黑烟。"),
    ("home", "💡", "Halo bedside lamp", "月晕床头灯", 45, 159, "earth",
     "Dims with a tap and remembers how you like it.", "轻触调光，会记住你上次的亮度。"),
    ("home", "🪑", "Folding balcony chair", "阳台折叠椅", 65, 189, "earth",
     "Folds flat to a hand's width and holds 260 lb.", "收起来只有一掌厚，承重一百二十公斤。"),
    ("home", "🧺", "Woven laundry basket", "手编脏衣篮", 38, 99, "earth",
     "Paper rope on a steel frame, with a lining to wash.", "纸绳手编，钢架不塌，内衬可拆洗。"),
    ("home", "🖼️", "Fern wall print", "蕨叶装饰挂画", 42, 139, "frame",
     "Archival ink on thick matte paper, framed in ash.", "水曲柳画框，哑光厚纸，挂上去就有春天。"),
    ("home", "🧹", "Long-handled broom set", "长柄扫把套装", 27, 69, "bright",
     "Stands up by itself; its teeth comb out the hair.", "簸箕带刮齿，头发丝一刮就掉，立着就能收纳。"),
    ("home", "⏰", "Wooden alarm clock", "木纹电子闹钟", 29, 89, "earth",
     "Lights up when you clap, sleeps when you do.", "拍手亮屏，夜里自动变暗。"),
    ("kitchen", "🍳", "Everyday cast-iron skillet", "老灶铸铁煎锅", 49, 199, "pot",
     "Seasoned three times; ready for eggs today.", "出厂已开锅三遍，今天就能煎蛋。"),
    ("kitchen", "☕", "Slow drip coffee set", "手冲咖啡壶套装", 55, 218, "earth",
     "Kettle, dripper and server, made to pour slowly.", "细口壶、滤杯、分享壶一次配齐。"),
    ("kitchen", "🔪", "Santoku chef's knife", "三德主厨刀", 72, 269, "earth",
     "High-carbon steel that keeps its edge for months.", "高碳钢锻打，切番茄不压汁。"),
    ("kitchen", "🍱", "Two-tier lunch box", "双层分格便当盒", 26, 79, "bright",
     "Leakproof lids; both tiers go in the microwave.", "密封不漏汤，上下两层都能进微波炉。"),
    ("kitchen", "🥤", "Arctic insulated tumbler", "极地保温随行杯", 28, 109, "bright litre",
     "Ice in the morning is still ice in the evening.", "早上的冰块，晚上还在杯子里响。"),
    ("kitchen", "🥣", "Hand-glazed soup bowl", "手釉陶瓷汤碗", 18, 49, "earth",
     "Every bowl comes out of the kiln a little different.", "窑变釉色，每一只都略有不同。"),
    ("kitchen", "🥢", "Ironwood chopsticks set", "铁木筷子礼盒", 19, 59, "soft",
     "Ten pairs, no lacquer, no wax.", "十双一盒，无漆无蜡，不发霉。"),
    ("kitchen", "🧂", "Peppercorn hand mill", "手摇胡椒研磨器", 23, 68, "earth",
     "Ceramic grinder with five grades of coarse.", "陶瓷磨芯，五档粗细随手调。"),
    ("clothes", "👕", "Heavyweight cotton T-shirt", "重磅纯棉短袖", 26, 89, "dark wear",
     "Keeps its collar after a hundred washes.", "洗一百次领口也不变形。"),
    ("clothes", "🧥", "Featherlight down jacket", "轻羽薄款羽绒服", 119, 499, "earth wear",
     "Folds into its own pocket; weighs as much as an apple.", "可收进自带口袋，重量像一个苹果。"),
    ("clothes", "👖", "Straight-leg jeans", "直筒复古牛仔裤", 58, 219, "dark wear",
     "Rigid at first, yours after a week.", "初穿挺括，一周后就是你的形状。"),
    ("clothes", "👗", "Meadow linen dress", "原野亚麻连衣裙", 74, 289, "soft wear",
     "Real pockets, loose waist, dries by lunchtime.", "真口袋、宽松腰，洗完半天就干。"),
    ("clothes", "🧦", "Merino hiking socks", "美利奴徒步袜", 17, 45, "earth",
     "Dry heels on long days; no smell after three.", "走一整天脚跟也干爽，连穿三天不臭。"),
    ("clothes", "🧣", "Lambswool scarf", "羊羔绒围巾", 36, 129, "soft",
     "Woven wide enough to be a blanket on the train.", "够宽够长，坐火车时还能当小毯子。"),
    ("clothes", "👔", "No-iron office shirt", "免烫通勤衬衫", 44, 169, "dark wear",
     "Out of the dryer and into the meeting.", "洗完抖一抖就能穿去开会。"),
    ("clothes", "🧢", "Washed baseball cap", "水洗棒球帽", 21, 59, "bright",
     "Soft crown, brass buckle, one size.", "软顶不挑头型，铜扣可调节。"),
    ("shoes", "👟", "Tailwind running shoes", "顺风缓震跑鞋", 98, 399, "bright feet",
     "Springy foam for the days your legs have none.", "回弹中底，腿没劲的日子它有。"),
    ("shoes", "🥾", "Ridge waterproof boots", "山脊防水登山靴", 139, 569, "earth feet",
     "Gripping soles and a liner that keeps streams out.", "深齿大底抓得牢，趟水过溪不湿袜。"),
    ("shoes", "👡", "Strappy cork sandals", "软木底凉鞋", 48, 159, "soft feet",
     "Moulds to your foot by the end of the first week.", "软木鞋床，一周贴合你的脚型。"),
    ("shoes", "🥿", "Pocket ballet flats", "折叠芭蕾平底鞋", 39, 139, "soft feet",
     "Rolls up and waits in your bag for the way home.", "能卷起来放包里，下班路上换着穿。"),
    ("shoes", "🎒", "Metro commuter backpack", "都市通勤双肩包", 68, 239, "dark",
     "A laptop sleeve, a hidden pocket, and rain does nothing.", "独立电脑仓，背面暗袋，下雨也不慌。"),
    ("shoes", "👜", "Market day tote bag", "赶集日托特包", 34, 119, "earth",
     "Waxed canvas that carries a week of vegetables.", "油蜡帆布，装得下一周的菜。"),
    ("shoes", "🧳", "Carry-on suitcase", "静音登机箱", 109, 429, "bright",
     "Wheels that do not rattle on cobblestones.", "万向静音轮，石板路上也不吵。"),
    ("shoes", "👛", "Zip coin purse", "拉链零钱包", 16, 49, "soft",
     "Holds eight cards, keys and small change.", "放得下八张卡、钥匙和零钱。"),
    ("beauty", "🧴", "Oat milk body lotion", "燕麦奶身体乳", 19, 79, "scent tube",
     "Sinks in before you have found your socks.", "吸收很快，擦完就能穿衣服。"),
    ("beauty", "🧼", "Goat milk soap bar", "羊奶手工皂", 9, 29, "scent",
     "Cold-pressed, cured for six weeks.", "冷制工艺，熟成六周，洗后不紧绷。"),
    ("beauty", "💄", "Velvet matte lipstick", "丝绒哑光口红", 22, 139, "shade",
     "Stays through coffee, leaves with oil.", "喝咖啡不沾杯，卸妆油一擦就干净。"),
    ("beauty", "💅", "Five-free nail polish", "无味指甲油", 12, 39, "shade",
     "Dries in a minute and does not smell of paint.", "一分钟速干，没有刺鼻气味。"),
    ("beauty", "🌿", "Green clay face mask", "绿泥清洁面膜", 24, 99, "tube",
     "Ten minutes, once a week, no tightness.", "每周一次，敷十分钟，清爽不拔干。"),
    ("beauty", "🌞", "Daily light sunscreen", "轻透日常防晒霜", 21, 89, "tube",
     "No white cast, no stickiness, SPF 50.", "不泛白不搓泥，SPF50通勤刚好。"),
    ("beauty", "💨", "Ionic hair dryer", "负离子吹风机", 84, 299, "soft",
     "Dries long hair in four minutes, quietly.", "长发四分钟吹干，声音不吓猫。"),
    ("beauty", "✂️", "Steel grooming kit", "不锈钢修容套装", 25, 69, "dark",
     "Seven tools in a case as big as a wallet.", "七件套，收纳盒只有钱包大。"),
    ("food", "🍪", "Brown butter cookies", "焦香黄油曲奇", 14, 49, "sweet gram",
     "Baked the day they ship; crisp edge, soft heart.", "当天现烤当天发，边脆心软。"),
    ("food", "🍵", "Spring picked green tea", "明前龙井茶", 29, 168, "gram",
     "Picked before the rains, pan-fired by hand.", "明前头采，手工炒制，豆香清甜。"),
    ("food", "🍫", "Estate dark chocolate", "单一庄园黑巧", 18, 69, "sweet",
     "Seventy-two percent, with notes of dried cherry.", "百分之七十二可可，回味有樱桃干的酸香。"),
    ("food", "🥜", "Trail mix nuts", "每日混合坚果", 16, 79, "sweet gram",
     "Six nuts, two berries, nothing else.", "六种坚果两种果干，不加一粒糖。"),
    ("food", "🍯", "Wildflower honey", "深山百花蜜", 15, 88, "gram",
     "From hives that stand in the hills all summer.", "蜂箱整个夏天都放在山里。"),
    ("food", "🍜", "Chengdu noodle kit", "成都担担面礼盒", 17, 45, "spicy",
     "Four bowls in ten minutes, sauce included.", "四人份，十分钟出锅，酱料都配好了。"),
    ("food", "🌶️", "Crispy chili oil", "香脆油泼辣子", 11, 28, "spicy",
     "Crunch first, heat later. Good on everything.", "先脆后辣，拌面蘸饺子都香。"),
    ("food", "🍚", "New harvest rice", "五常新米", 13, 59, "gram",
     "Milled last week, and it smells like it.", "上周现碾，一煮满屋米香。"),
    ("sport", "🧘", "Cork yoga mat", "天然软木瑜伽垫", 52, 199, "earth",
     "Grips better the more you sweat.", "越出汗越防滑，底面是天然橡胶。"),
    ("sport", "🏸", "Carbon badminton racket", "全碳素羽毛球拍", 64, 259, "bright grip",
     "Seventy-eight grams, strung and ready to smash.", "七十八克，已穿线，到手就能杀球。"),
    ("sport", "🏀", "Street court basketball", "街头耐磨篮球", 30, 119, "bright",
     "Deep seams that survive asphalt.", "深沟槽耐磨皮，水泥地也打不坏。"),
    ("sport", "⛺", "Three-person tent", "三人速开帐篷", 135, 459, "earth",
     "Up in two minutes, even in wind.", "两分钟搭好，起风也不怕。"),
    ("sport", "🥽", "Anti-fog swim goggles", "防雾泳镜", 18, 69, "bright",
     "Clear for the whole hour, soft on the eyes.", "游一小时不起雾，不勒眼眶。"),
    ("sport", "🏋️", "Adjustable dumbbells", "可调节哑铃", 145, 399, "load",
     "A whole rack in the space of a shoebox.", "一个鞋盒的地方，放下整排哑铃。"),
    ("sport", "🔦", "Trail headlamp", "越野跑头灯", 33, 129, "dark",
     "Four hundred lumens that do not bounce.", "四百流明，跑起来不晃。"),
    ("sport", "🚲", "City bike helmet", "城市骑行头盔", 47, 179, "earth wear",
     "Eleven vents, a tail light, and it looks good.", "十一个通风孔，带尾灯，好看才会天天戴。"),
)  # fmt: skip
REVIEWS = (
    ("Better than in the pictures. My sister wants one too.", "比图片还好看，妹妹也让我帮她买一个。"),
    ("Arrived in two days, well packed.", "两天就到了，包装很结实。"),
    ("Second one I buy. The first is still fine after a year.", "回购了，上一个用了一年还好好的。"),
    ("Good for the price, though the box was dented.", "性价比不错，就是外箱压瘪了一点。"),
    ("Exactly as described.", "和描述一模一样，没有色差。"),
    ("A present for my father. He uses it every day.", "送给爸爸的，他每天都在用。"),
    ("The seller answered within minutes.", "客服回复很快，态度也好。"),
    ("Smaller than I thought; check the measurements.", "比想象中小一些，大家看清尺寸再下单。"),
    ("I waited for the sale and do not regret it.", "等到活动才下手，值了。"),
    ("Feels solid. No smell, no loose threads.", "做工扎实，没有异味和线头。"),
)
FANS = (("m***a", "小***鱼"), ("Jo***n", "爱***糖"), ("k***9", "7***号"), ("Te***s", "木***子"), ("b***y", "晴***天"))
COUPONS = (
    ("Welcome gift", "新人见面礼"), ("Spring deal", "春日福利券"), ("Member day", "会员日专享"),
    ("Weekend bonus", "周末加油包"), ("Thank-you voucher", "老友回馈券"), ("Lucky draw prize", "幸运抽奖券"),
    ("App only offer", "客户端专享券"), ("Birthday treat", "生日礼遇券"),
)  # fmt: skip
OFFERS = (((3, 0), (5, 0)), ((5, 30), (15, 99)), ((8, 60), (25, 199)), ((15, 100), (50, 399)), ((25, 180), (90, 699)))
COURIERS = (("Swiftpost", "迅达快递"), ("Meridian Express", "南风速运"), ("Bluebird Courier", "青鸟物流"))
PAYMENTS = {
    "card": ("Bank card (4417)", "银行卡（4417）", "credit-card"),
    "wallet": ("Wallet balance", "零钱余额", "wallet"),
    "later": ("Pay next month", "先用后付", "calendar-clock"),
    "cash": ("Cash on delivery", "货到付款", "banknote"),
}
STATUSES = {
    "unpaid": ("Unpaid", "待付款", "wallet"),
    "unshipped": ("To ship", "待发货", "package"),
    "shipped": ("Shipped", "待收货", "truck"),
    "done": ("Done", "已完成", "package-check"),
    "cancelled": ("Cancelled", "已取消", "package-x"),
}
REASONS = {
    "mistake": ("Ordered by mistake", "拍错了"),
    "address": ("Wrong address", "地址填错了"),
    "price": ("Found it cheaper", "别处更便宜"),
    "slow": ("Takes too long", "等太久了"),
    "mind": ("Changed my mind", "不想要了"),
}
OWNER = (("Robin Hale", "555-010-4471"), ("程一诺", "13800104471"))
LABELS = {
    "home": ("Home", "家"),
    "office": ("Office", "公司"),
    "parents": ("Parents", "父母家"),
    "school": ("School", "学校"),
    "holiday": ("Holiday", "度假屋"),
}
HOT = (
    ("backpack", "双肩包"), ("tea", "茶"), ("running shoes", "跑鞋"), ("candle", "香薰"), ("dress", "连衣裙"),
    ("tent", "帐篷"), ("dumbbells", "哑铃"), ("broom", "扫把"),
)  # fmt: skip
PAST = (
    ("jeans", "牛仔裤"), ("honey", "蜂蜜"), ("lamp", "床头灯"), ("soap", "手工皂"), ("charger", "快充"),
    ("scarf", "围巾"), ("cap", "棒球帽"), ("knife", "主厨刀"),
)  # fmt: skip
REGIONS_EN = (
    "Asheville, NC", "Boulder, CO", "Burlington, VT", "Charleston, SC", "Chicago, IL", "Denver, CO", "Eugene, OR",
    "Madison, WI", "Nashville, TN", "Oakland, CA", "Portland, ME", "Portland, OR", "Providence, RI", "Raleigh, NC",
    "Sacramento, CA", "Santa Fe, NM", "Savannah, GA", "Seattle, WA", "Tacoma, WA", "Tucson, AZ",
)  # fmt: skip
REGIONS_ZH = (
    "北京市海淀区", "北京市朝阳区", "上海市徐汇区", "上海市浦东新区",
    "广州市天河区", "深圳市南山区", "杭州市西湖区", "杭州市滨江区",
    "南京市鼓楼区", "苏州市姑苏区", "成都市武侯区", "成都市青羊区", "重庆市渝中区",
    "武汉市洪山区", "长沙市岳麓区", "西安市雁塔区", "厦门市思明区",
    "青岛市市南区", "天津市和平区", "昆明市盘龙区",
)  # fmt: skip
STREETS_EN = (
    "18 Maple Street, Apt 4B", "702 Harbor Road", "55 Linden Avenue, Floor 3", "9 Orchard Lane", "231 Mill Street",
    "14 Chestnut Court", "860 Juniper Drive", "47 Old Station Road", "3 Willow Terrace, Unit 12", "126 Prospect Street",
    "78 Sycamore Way", "510 Bridge Street, Suite 20",
)  # fmt: skip
STREETS_ZH = (
    "桂花路18号2单元401室", "望江花园7栋1203室", "科创大厦B座15层", "梧桐里9号院3号楼502室", "学府路66号",
    "银杏苑12栋802室", "临湖路233号3单元601室", "创业园5号楼4层",
    "幸福里小区1栋2201室", "文昌街45号", "听雨轩6栋302室", "东风大道158号金茂中心",
)  # fmt: skip


def catalogue(draw: Draw) -> dict[str, Any]:
    """Seven of each category's eight wares, at prices of this phone's own: neither is to be known by heart."""
    absent = {draw.choice([at for at, ware in enumerate(WARES) if ware[0] == name]) for name in CATEGORIES}
    found = {}
    for at, (category, emoji, en, zh, usd, cny, options, _, _) in enumerate(WARES):
        if at in absent:
            continue
        factor = draw.random.uniform(0.8, 1.25)
        price, fraction = int(draw.t(usd, cny) * factor), draw.t(draw.choice((0.49, 0.99)), draw.choice((0, 0.5, 0.9)))
        full = round((price + fraction) * draw.choice((1.1, 1.25, 1.4)))
        groups = [[draw.t(*OPTIONS[key][0]), list(draw.t(*OPTIONS[key][1:]))] for key in options.split()]
        found[f"p{at}"] = {"name": draw.t(en, zh), "price": round(price + fraction, 2), "was": full,
                           "category": category, "emoji": emoji, "sold": draw.integer(40, 9800),
                           "rating": draw.integer(41, 50) / 10, "options": groups}  # fmt: skip
    return found


def addresses(draw: Draw) -> dict[str, Any]:
    """Three places to send things to, told apart by their labels."""
    regions, streets = draw.t(REGIONS_EN, REGIONS_ZH), draw.t(STREETS_EN, STREETS_ZH)
    owner, other = draw.t(*OWNER), draw.choice(draw.people)
    who = (owner, owner, (other.name, other.phone))
    return {
        f"a{at + 1}": {"name": who[at][0], "phone": who[at][1], "region": region, "detail": street,
                       "label": label}
        for at, (region, street, label) in enumerate(zip(draw.sample(regions, 3), draw.sample(streets, 3),
                                                         ("home", "office", "parents"), strict=True))
    }  # fmt: skip


def purchase(draw: Draw, products: dict[str, Any], product: str) -> dict[str, Any]:
    """So many of a ware, in one of its variants."""
    variant = " / ".join(draw.choice(values) for _, values in products[product]["options"])
    return {"product": product, "variant": variant, "count": draw.choice((1, 1, 1, 2, 2, 3))}


def orders(draw: Draw, products: dict[str, Any], fresh: list[str]) -> dict[str, Any]:
    """What was bought before. No ware is in two orders, so that each order can be told by any of its wares."""
    states = ["unpaid"] * 2 + ["unshipped"] * 3 + ["shipped"] * 3 + ["done"] * 6 + ["cancelled"]
    found, when = {}, draw.now
    for at, status in enumerate(states):
        hours = draw.integer(90, 400) if status == "done" else draw.integer(9, 50)
        when -= timedelta(hours=hours, minutes=draw.integer(0, 59))
        items = [purchase(draw, products, fresh.pop()) for _ in range(draw.choice((1, 1, 2)))]
        items.sort(key=lambda item: (item["product"], item["variant"]))
        total = round(sum(products[item["product"]]["price"] * item["count"] for item in items), 2)
        sent = status in ("shipped", "done")
        found[f"o{at + 1}"] = {
            "items": items, "address": draw.choice(("a1", "a1", "a2", "a3")), "payment": draw.choice(sorted(PAYMENTS)),
            "coupon": "", "note": "", "total": total, "status": status, "at": when.isoformat(" ", "minutes"),
            "number": f"{when:%y%m%d}{draw.integer(100000, 999999)}", "reason": "mind" if status == "cancelled" else "",
            "courier": draw.t(*draw.choice(COURIERS)) if sent else "",
            "tracking": f"{draw.choice('BKMQTX')}{draw.integer(10**8, 10**9 - 1)}" if sent else "",
        }  # fmt: skip
    return found


def coupons(draw: Draw) -> dict[str, Any]:
    """Vouchers that take something off from a certain sum on."""
    names = draw.sample(COUPONS, len(OFFERS))
    return {
        f"k{at + 1}": {"name": draw.t(*names[at]), "off": draw.t(*offer)[0], "least": draw.t(*offer)[1],
                       "until": draw.day(3, 40).isoformat()}
        for at, offer in enumerate(OFFERS)
    }  # fmt: skip
