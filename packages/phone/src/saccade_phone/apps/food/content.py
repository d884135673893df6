"""What is to eat in the food app: restaurants with their menus, reviews, notes; Chinese and English phones differ.

A menu is written as a block: `name | category | picture | slogan`, then `section: dish price picture, …` lines.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from saccade_phone.app import Data
from saccade_phone.draw import Draw

OPEN = 18
"""So many restaurants deliver to a phone; the others of the pool do not."""

CATEGORIES_EN = {
    "pizza": ("Pizza", "🍕"), "burgers": ("Burgers", "🍔"), "japanese": ("Japan", "🍣"), "asian": ("Asian", "🥢"),
    "mexican": ("Mexican", "🌮"), "indian": ("Indian", "🍛"), "healthy": ("Healthy", "🥗"),
    "brunch": ("Brunch", "🥞"), "sweets": ("Sweets", "🍩"),
}  # fmt: skip
CATEGORIES_ZH = {
    "chuanxiang": ("川湘菜", "🌶️"), "noodles": ("粉面", "🍜"), "barbecue": ("烧烤", "🍢"), "drinks": ("奶茶咖啡", "🧋"),
    "light": ("轻食", "🥗"), "western": ("汉堡披萨", "🍔"), "canton": ("粤菜粥点", "🥟"),
    "japanese": ("日韩料理", "🍱"), "sweets": ("甜品", "🍰"),
}  # fmt: skip

MENUS_EN = """
Golden Crust | pizza | 🍕 | Wood-fired pies since 1987
Pizzas: Margherita 11.5 🍕, Pepperoni Classic 13.5 🍕, Four Cheese 14 🧀, Garden Veggie 12.5 🫑, Hot Honey Salami 15.5 🌶️
Sides: Garlic Knots 5.5 🥖, Baked Mozzarella 6.5 🧀
Drinks: Lemon Soda 3 🍋

Napoli Corner | pizza | 🍅 | Naples on a paper plate
Pizzas: Marinara 10 🍅, Diavola 13 🌶️, Prosciutto e Rucola 15 🥬, Truffle Bianca 16.5 🍄
Pasta: Spaghetti Carbonara 13.5 🍝, Lasagna al Forno 14.5 🍝
Extras: Tiramisu Cup 6 🍰, San Pellegrino 3.5 💧

Slice Republic | pizza | 🧀 | Big slices until late
By the slice: Cheese Slice 3.5 🧀, Buffalo Chicken Slice 4.5 🍗, Spinach Ricotta Slice 4.5 🥬
Whole pies: New York Plain 18 🍕, Meat Lovers Pie 22 🥓, White Pie 20 🍕
Sides: Mozzarella Sticks 6 🧀, Root Beer 2.5 🥤

Big Oak Burgers | burgers | 🍔 | Beef from farms we know
Burgers: Oak Classic 10.5 🍔, Bacon Cheddar 12 🥓, Mushroom Swiss 11.5 🍄, Double Oak 14.5 🍔, Black Bean Burger 10 🫘
Sides: Sea Salt Fries 4 🍟, Onion Rings 4.5 🧅
Shakes: Vanilla Shake 5.5 🥛, Peanut Butter Shake 6 🥜

Smash House | burgers | 🍟 | Thin, crisp, stacked
Smashed: Single Smash 8.5 🍔, Double Smash 11 🍔, Jalapeno Smash 11.5 🌶️, Crispy Chicken Stack 10.5 🍗
Fries: Curly Fries 4.5 🍟, Loaded Chili Fries 7.5 🍟
Drinks: Cherry Cola 2.8 🥤, Iced Peach Tea 3 🍑

Bluebird Diner | burgers | 🐦 | Open around the clock
Plates: Meatloaf Plate 13 🍖, Chicken Fried Steak 14 🥩, Turkey Club 11 🥪, Patty Melt 11.5 🍔, Tuna Melt 10.5 🐟
Soups: Tomato Bisque 5.5 🍅, Chicken Noodle Soup 6 🍲
Pie: Apple Pie Slice 4.8 🥧

Sakura Sushi | japanese | 🍣 | Rolled to order
Rolls: California Roll 8 🍣, Spicy Tuna Roll 9 🍣, Dragon Roll 13.5 🥑, Avocado Roll 6.5 🥑
Plates: Salmon Nigiri Set 14 🍣, Chirashi Bowl 17 🍱
Small: Edamame 4.5 🫛, Miso Soup 3 🥣, Seaweed Salad 5 🥗

Ramen Kuro | japanese | 🍜 | Broth that takes a day
Ramen: Tonkotsu Ramen 13.5 🍜, Shoyu Ramen 12.5 🍜, Spicy Miso Ramen 13.5 🌶️, Vegan Ramen 12 🥬
Rice: Chashu Rice Bowl 9.5 🍚, Katsu Curry 13 🍛
Small: Pork Gyoza 6.5 🥟, Karaage 7 🍗

Lotus Thai Kitchen | asian | 🪷 | Basil, lime and fire
Wok: Pad Thai 12 🍜, Drunken Noodles 12.5 🍜, Basil Chicken 12 🍗, Cashew Tofu 11 🥜
Curries: Green Curry 13 🍛, Massaman Beef 14.5 🍛
Small: Summer Rolls 6 🥬, Mango Sticky Rice 6.5 🥭, Thai Iced Tea 4 🧋

Seoul Bowl | asian | 🥘 | Korean comfort in a bowl
Bowls: Beef Bibimbap 13 🍚, Tofu Bibimbap 12 🍚, Bulgogi Bowl 13.5 🥩, Kimchi Fried Rice 11 🍚
Chicken: Soy Garlic Wings 10 🍗, Gochujang Wings 10.5 🌶️
Small: Kimchi Pancake 8 🥞, Tteokbokki 8.5 🍢

Pho Saigon | asian | 🍲 | Slow soups, quick smiles
Pho: Rare Beef Pho 12 🍜, Chicken Pho 11.5 🍜, Veggie Pho 11 🥬
Banh mi: Lemongrass Pork Banh Mi 8.5 🥖, Tofu Banh Mi 7.5 🥖
Rice: Broken Rice Pork Chop 12.5 🍚
Drinks: Vietnamese Coffee 4.5 ☕, Salted Lime Soda 3.8 🍋

Casa Verde | mexican | 🌵 | Abuela's recipes
Mains: Chicken Enchiladas 13 🫔, Carnitas Plate 14 🥩, Chile Relleno 12.5 🌶️, Veggie Fajitas 13 🫑
Tacos: Al Pastor Taco 4 🌮, Baja Fish Taco 4.5 🐟, Mushroom Taco 3.8 🍄
Extras: Guacamole and Chips 7 🥑, Horchata 3.5 🥛

Taco Loco | mexican | 🌮 | Loud salsa, loud prices
Burritos: Carne Asada Burrito 11 🌯, Bean and Rice Burrito 8.5 🌯, Breakfast Burrito 9 🍳
Plates: Nachos Supreme 10 🧀, Chicken Quesadilla 9.5 🫓, Street Corn 4.5 🌽
Sweet: Churros 5 🍩, Jarritos Mango 3 🥭

Bombay Spice | indian | 🍛 | Tandoor glowing all day
Curries: Butter Chicken 14 🍛, Lamb Rogan Josh 15.5 🍖, Palak Paneer 12.5 🥬, Chana Masala 11.5 🫘
Tandoor: Chicken Tikka 13 🍢, Garlic Naan 3.5 🫓
Rice: Vegetable Biryani 12 🍚, Saffron Rice 4 🍚
Drinks: Mango Lassi 4.5 🥭

Curry Leaf | indian | 🍃 | From the south, on a leaf
Dosa: Masala Dosa 10.5 🫓, Paneer Dosa 12 🧀, Onion Uttapam 10 🧅
Curries: Kerala Fish Curry 14.5 🐟, Chicken Chettinad 13.5 🍗, Sambar Bowl 8 🍲
Small: Samosa Pair 5 🥟, Medu Vada 5.5 🍩

Green Fork | healthy | 🥗 | Feel good, eat well
Salads: Kale Caesar 11 🥬, Cobb Salad 12.5 🥚, Greek Salad 10.5 🫒, Roasted Beet Salad 11 🥗
Warm bowls: Harvest Bowl 13 🎃, Salmon Quinoa Bowl 15 🐟, Falafel Bowl 12 🧆
Juices: Green Reset Juice 6.5 🥒, Carrot Ginger Juice 6 🥕

Poke Bay | healthy | 🐟 | Fresh off the boat
Bowls: Ahi Tuna Poke 14 🐟, Salmon Poke 14 🍣, Shrimp Mango Poke 13.5 🦐, Tofu Poke 12 🥢
Sides: Crab Salad 5.5 🦀, Taro Chips 3.5 🍠
Drinks: Coconut Water 4 🥥, Passion Fruit Tea 3.8 🍹

Sunny Side Cafe | brunch | 🍳 | Breakfast at any hour
Eggs: Eggs Benedict 13 🍳, Denver Omelette 12 🥚, Shakshuka 12.5 🍅
Griddle: Blueberry Pancakes 10.5 🥞, Belgian Waffle 10 🧇, French Toast 11 🍞
Drinks: Flat White 4.5 ☕, Fresh Orange Juice 5 🍊

Harbor Bagels | brunch | 🥯 | Boiled, baked, still warm
Bagels: Lox Bagel 11 🥯, Egg and Cheese Bagel 7.5 🍳, Everything with Schmear 5 🥯, Whitefish Bagel 10 🐟
Sandwiches: Pastrami on Rye 13.5 🥪, Avocado Toast 9 🥑
Drinks: Cold Brew 4.5 🧊, Hot Chocolate 4.2 ☕

Sugar Cloud Bakery | sweets | 🧁 | Butter is a food group
Cakes: Carrot Cake 6.5 🥕, Red Velvet Slice 6.8 🍰, Lemon Tart 6 🍋
Pastries: Almond Croissant 4.8 🥐, Cinnamon Roll 5 🌀, Blueberry Muffin 4 🫐
Boxes: Dozen Donuts 18 🍩, Cupcake Box 16 🧁

Gelato Nove | sweets | 🍨 | Nine flavors, no more
Scoops: Pistachio Gelato 6 🍨, Stracciatella Gelato 6 🍨, Raspberry Sorbet 5.5 🍧, Salted Caramel Gelato 6.2 🍯
Sundaes: Banana Split 9 🍌, Affogato 6.5 ☕
Take home: Family Tub 19 🍦, Waffle Cones 4 🍦
"""

MENUS_ZH = """
蜀香小馆 | chuanxiang | 🌶️ | 地道川味，无辣不欢
招牌热菜: 水煮鱼片 48 🐟, 麻婆豆腐 18 🌶️, 宫保鸡丁 28 🥜, 回锅肉 32 🥓, 鱼香肉丝 26 🥕
凉菜: 口水鸡 24 🍗, 拍黄瓜 10 🥒
主食: 担担面 14 🍜, 白米饭 2 🍚

湘味人家 | chuanxiang | 🥘 | 剁椒够劲，米饭管够
下饭菜: 小炒黄牛肉 39 🥩, 剁椒鱼头 58 🐟, 农家一碗香 32 🥚, 辣椒炒肉 29 🌶️
素菜: 手撕包菜 18 🥬, 酸辣土豆丝 16 🥔
主食: 腊味炒饭 20 🍚, 红薯粉 15 🍜

渝味江湖菜 | chuanxiang | 🦐 | 重庆人开的江湖菜馆
江湖硬菜: 辣子鸡 42 🍗, 毛血旺 46 🍲, 香辣虾 58 🦐, 泡椒牛蛙 52 🐸
小炒: 干煸四季豆 22 🫛, 蒜蓉空心菜 18 🥬
小吃: 红糖糍粑 15 🍡, 冰粉 8 🍧

老王兰州拉面 | noodles | 🍜 | 一清二白三红四绿五黄
拉面: 牛肉拉面 16 🍜, 加肉拉面 24 🥩, 羊肉泡馍 28 🍲
拌面: 过油肉拌面 22 🍝, 孜然牛肉炒面 24 🍝
小菜: 酱牛肉 30 🐂, 卤蛋 3 🥚, 凉拌木耳 12 🥗

螺小香螺蛳粉 | noodles | 🐚 | 闻着臭吃着香
螺蛳粉: 招牌螺蛳粉 16 🍜, 炸蛋螺蛳粉 19 🍳, 鸭脚螺蛳粉 24 🦆, 干捞螺蛳粉 18 🍝
加料: 酥脆腐竹 5 🥢, 虎皮鸭脚 9 🦆, 酸笋 4 🎋
饮品: 冰豆浆 5 🥛

巷子口重庆小面 | noodles | 🌶️ | 早上六点就开张
小面: 麻辣小面 12 🍜, 豌杂面 15 🫛, 牛肉小面 20 🥩, 肥肠面 19 🍲
抄手: 红油抄手 15 🥟, 清汤抄手 14 🥟
小吃: 油炸酥肉 18 🍖, 酸梅汤 6 🍹

深夜烧烤铺 | barbecue | 🍢 | 营业到凌晨四点
肉串: 羊肉串十串 35 🍢, 五花肉五串 20 🥓, 烤鸡翅两只 16 🍗, 烤生蚝半打 38 🦪
素串: 烤茄子 15 🍆, 烤韭菜 10 🌿, 烤馒头片 8 🍞
主食: 炒河粉 18 🍝, 蛋炒饭 15 🍚

串串江湖 | barbecue | 🔥 | 一根签子走天下
套餐: 单人串串套餐 29 🍲, 双人串串套餐 56 🍲, 麻辣牛肉十串 25 🥩
炸串: 炸鸡柳 15 🍗, 炸年糕 12 🍡, 炸蘑菇 14 🍄
配菜: 手工粉丝 6 🍜, 冰镇酸梅饮 8 🧊

茶小满 | drinks | 🧋 | 茶要现泡，奶要现打
奶茶: 珍珠奶茶 13 🧋, 桂花乌龙奶茶 16 🌼, 芋泥波波 18 🍠, 杨枝甘露 20 🥭
果茶: 满杯西柚 17 🍊, 葡萄冻冻 19 🍇
小食: 海盐芝士饼 12 🧀, 脆皮鸡块 14 🍗

半日咖啡 | drinks | ☕ | 偷得浮生半日闲
咖啡: 生椰拿铁 18 🥥, 冰美式 14 🧊, 燕麦拿铁 20 🥛, 桂花拿铁 21 🌼
不含咖啡: 抹茶牛乳 19 🍵, 热可可 18 🍫
烘焙: 可颂 13 🥐, 火腿芝士三明治 22 🥪

柠檬来了 | drinks | 🍋 | 手打柠檬，酸到跳舞
柠檬茶: 招牌手打柠檬茶 15 🍋, 鸭屎香柠檬茶 17 🍵, 香水柠檬绿茶 16 🍋
鲜果: 冰鲜西瓜汁 14 🍉, 百香果双响炮 15 🍹, 金桔柠檬 13 🍊
小食: 鸡米花 13 🍿, 薯格 11 🍟

青禾轻食 | light | 🥗 | 好好吃饭，轻轻松松
沙拉: 鸡胸肉牛油果沙拉 32 🥑, 烟熏三文鱼沙拉 42 🐟, 田园藜麦沙拉 26 🥗, 龙利鱼沙拉 35 🐠
能量主食: 全麦鸡肉卷 24 🌯, 紫薯燕麦碗 20 🍠
饮品: 羽衣甘蓝汁 18 🥬, 气泡水 8 💧

能量碗厨房 | light | 💪 | 健身人的食堂
能量碗: 黑椒牛肉能量碗 35 🥩, 香煎鸡腿能量碗 29 🍗, 虾仁西兰花能量碗 36 🦐, 豆腐蘑菇能量碗 25 🍄
加餐: 水煮蛋两只 6 🥚, 玉米一根 7 🌽, 无糖酸奶 12 🥣
饮品: 蛋白奶昔 22 🥤

大橡树汉堡 | western | 🍔 | 现煎牛肉饼，绝不隔夜
汉堡: 经典牛肉堡 25 🍔, 双层芝士堡 36 🧀, 香辣鸡腿堡 22 🍗, 菌菇牛肉堡 30 🍄
小食: 粗薯条 13 🍟, 洋葱圈 12 🧅, 黄金鸡块 15 🍗
饮品: 香草奶昔 18 🥛, 冰可乐 7 🥤

拿坡里披萨屋 | western | 🍕 | 窑火四百度
披萨: 玛格丽特披萨 45 🍕, 萨拉米披萨 55 🍕, 榴莲披萨 62 🍈, 夏威夷披萨 49 🍍
意面: 番茄肉酱面 32 🍝, 奶油培根面 35 🥓
小食: 蒜香面包 15 🥖, 凯撒沙拉 24 🥗

阿婆粥铺 | canton | 🥣 | 一碗热粥暖到心里
粥品: 皮蛋瘦肉粥 15 🥣, 生滚鱼片粥 22 🐟, 南瓜小米粥 10 🎃, 艇仔粥 18 🦐
点心: 现炸油条 4 🥖, 萝卜糕 12 🍢, 肉松饭团 10 🍙
小菜: 清炒时蔬 14 🥬

广府茶点 | canton | 🥟 | 一盅两件，叹个早茶
蒸点: 虾饺皇 28 🥟, 干蒸烧卖 22 🥟, 豉汁凤爪 22 🍗, 流沙包 18 🥮
肠粉: 鲜虾肠粉 24 🦐, 牛肉肠粉 20 🥩
甜点: 蛋挞两只 12 🥧, 马蹄糕 14 🍮

荣记烧腊 | canton | 🦆 | 三十年老字号烧腊档
双拼饭: 叉烧烧鸭双拼饭 36 🍱, 叉烧饭 26 🍖, 烧鸭饭 28 🦆, 豉油鸡饭 26 🍗
斩料: 半只烧鸭 68 🦆, 脆皮烧肉一份 45 🥓
靓汤: 莲藕排骨汤 18 🍲, 凉茶 6 🍵

樱之味寿司 | japanese | 🍣 | 每日现切，米饭微温
寿司: 三文鱼寿司拼盘 48 🍣, 鳗鱼卷 36 🍣, 加州卷 28 🥑, 玉子寿司 16 🥚
丼饭: 鳗鱼饭 52 🍱, 照烧鸡腿饭 32 🍗
小食: 味噌汤 9 🥣, 盐水毛豆 12 🫛

汉江石锅拌饭 | japanese | 🍚 | 滋滋作响的石锅
拌饭: 肥牛石锅拌饭 32 🍚, 金枪鱼石锅拌饭 30 🐟, 泡菜五花肉拌饭 29 🥓
炸鸡: 甜辣炸鸡 38 🍗, 蜂蜜黄油炸鸡 39 🍯
小食: 辣炒年糕 22 🍢, 泡菜饼 20 🥞, 大酱汤 18 🍲

糖水研究所 | sweets | 🍧 | 认真研究每一碗糖水
糖水: 双皮奶 13 🍮, 芝麻糊 12 🥣, 红豆沙 12 🫘, 椰汁西米露 14 🥥
冰品: 芒果绵绵冰 22 🥭, 抹茶红豆冰 20 🍵
小点: 糯米糍三只 12 🍡, 龟苓膏 13 🍯

云朵蛋糕坊 | sweets | 🍰 | 轻得像一朵云
切块蛋糕: 草莓奶油蛋糕 26 🍓, 巴斯克芝士 24 🧀, 提拉米苏 25 🍰, 抹茶千层 28 🍵
面包: 肉松小贝 12 🍞, 海盐卷 8 🧂, 蛋黄酥 10 🥮
整盒: 泡芙礼盒 39 🎁
"""


def menus(block: str) -> list[dict[str, Any]]:
    """The restaurants of a block, without what differs from phone to phone."""
    found = []
    for part in block.strip().split("\n\n"):
        head, *lines = part.splitlines()
        name, category, emoji, slogan = head.split(" | ")
        dishes = []
        for line in lines:
            title, _, row = line.partition(": ")
            for dish in row.split(", "):
                words, price, picture = dish.rsplit(" ", 2)
                dishes.append({"name": words, "price": float(price), "section": title, "emoji": picture})
        found.append({"name": name, "category": category, "emoji": emoji, "slogan": slogan, "dishes": dishes})
    return found


RESTAURANTS_EN, RESTAURANTS_ZH = menus(MENUS_EN), menus(MENUS_ZH)

REVIEWS = (
    (5, "Arrived early and steaming hot. Will be back on Friday.", "比预计早到十分钟，打开还冒着热气，回购！"),
    (5, "Portions are huge, one order fed two of us.", "分量真的大，两个人吃一份刚刚好。"),
    (4, "Tasty as always, though the sauce had leaked a little.", "味道一如既往，就是酱料洒了一点点。"),
    (5, "The best in the neighborhood, hands down.", "周边点了一圈，还是这家最稳。"),
    (3, "Good food but it took almost an hour.", "好吃是好吃，就是等了快一个小时。"),
    (4, "Friendly rider and neat packaging.", "骑手小哥很有礼貌，包装也很严实。"),
    (2, "They forgot the drink and nobody answered.", "漏送了饮料，打电话没人接。"),
    (4, "A bit salty this time, still fine.", "这次稍微有点咸，总体还可以。"),
    (5, "My kids ask for this every single week.", "孩子每周都吵着要吃，妈妈省心了。"),
    (3, "Average taste, fair price.", "味道中规中矩，胜在价格实惠。"),
    (5, "Perfect after a long day at work.", "加班后的深夜来一份，太治愈了。"),
    (4, "Fresh ingredients, you can tell.", "食材很新鲜，一口就吃得出来。"),
)
AUTHORS = (
    ("Hungry Hank", "爱吃的小熊"), ("Noodle Nina", "干饭人阿宽"), ("J. Whitfield", "匿名用户"),
    ("Plain Jane", "一颗小番茄"), ("Office 4B", "打工人小林"), ("Marathon Mo", "跑步的胖子"),
    ("Aunt Petra", "隔壁王阿姨"), ("Kim & Co", "吃货研究员"), ("Late Owl", "夜猫子不睡觉"),
    ("Spice Trader", "无辣不欢星人"),
)  # fmt: skip
RIDERS = (
    ("Marco D.", "刘师傅"),
    ("Priya S.", "赵师傅"),
    ("Luis G.", "孙师傅"),
    ("Dana K.", "周师傅"),
    ("Owen T.", "吴师傅"),
)
NOTES = (
    ("No onions please", "不要香菜"), ("Extra napkins", "少放辣"), ("Sauce on the side", "多给点醋"),
    ("Do not ring the bell", "到了打电话"), ("Less salt", "少油少盐"), ("Leave it at the door", "放门口就行"),
)  # fmt: skip
TAGS = (
    ("Tasty", "味道好"),
    ("On time", "送得快"),
    ("Well packed", "包装好"),
    ("Big portions", "分量足"),
    ("Good value", "性价比高"),
)
REASONS = {
    "mistake": ("Ordered by mistake", "点错了"), "slow": ("It takes too long", "等太久了"),
    "address": ("Wrong address", "地址填错了"), "plans": ("My plans changed", "临时有事"),
    "forgot": ("Forgot the coupon", "忘记用红包"),
}  # fmt: skip
LABELS = {
    "home": ("Home", "家", "house"), "work": ("Work", "公司", "briefcase"), "parents": ("Parents", "父母家", "heart"),
    "school": ("School", "学校", "graduation-cap"), "friend": ("Friend", "朋友家", "users"),
    "gym": ("Gym", "健身房", "dumbbell"), "hotel": ("Hotel", "酒店", "hotel"),
    "studio": ("Studio", "工作室", "palette"),
    "library": ("Library", "图书馆", "library"), "clinic": ("Clinic", "诊所", "stethoscope"),
}  # fmt: skip
STREETS = (
    ("24 Maple Street, Apt 5B", "翠湖路88号碧水苑3栋502室"),
    ("310 Harbor Avenue, Floor 12", "科技园南区创新大厦A座1206"),
    ("7 Willow Lane", "人民东路15号院2单元301"), ("1500 College Road, Dorm C", "大学城学府路1号梅园4栋"),
    ("92 Orchard Court", "花园街66号锦绣华庭7栋1101"), ("468 Mill Road, Unit 3", "滨江大道200号体育中心南门"),
)  # fmt: skip


def stock(draw: Draw) -> Data:
    """The restaurants of one phone. Within a category no two are equally well rated, fast or near."""
    pool: list[dict[str, Any]] = draw.sample(draw.t(RESTAURANTS_EN, RESTAURANTS_ZH), OPEN)
    ratings, minutes, ways = ({key: draw.shuffled(values) for key in draw.t(CATEGORIES_EN, CATEGORIES_ZH)}
                              for values in (range(41, 50), range(20, 56, 5), range(4, 48, 3)))  # fmt: skip
    found = {}
    for at, menu in enumerate(pool, 1):
        category, gone = menu["category"], draw.integer(1, len(menu["dishes"]) * 2)
        dishes = {
            f"r{at}d{n}": {**dish, "sold": draw.integer(12, 480), "out": n == gone}
            for n, dish in enumerate(menu["dishes"], 1)
        }
        off = draw.choice((0, 0, 3, 4, 5, 6))
        found[f"r{at}"] = {
            **menu,
            "rating": ratings[category].pop() / 10,
            "minutes": minutes[category].pop(),
            "distance": ways[category].pop() / 10,
            "fee": draw.choice(draw.t((0, 0.99, 1.49, 1.99, 2.99), (0, 2, 3, 4, 5))),
            "packing": draw.t(0.5, 1),
            "minimum": draw.choice(draw.t((6, 8, 10), (10, 15, 18))),
            "deal": {"over": draw.t(20, 35), "off": off},
            "sold": draw.integer(3, 60) * 50,
            "dishes": dishes,
            "reviews": [[draw.integer(0, len(AUTHORS) - 1), review] for review in draw.sample(range(len(REVIEWS)), 6)],
        }
    return found


def bill(shop: Data, items: list[dict[str, Any]]) -> dict[str, float]:
    """What these dishes cost with all that comes on top."""
    goods = round(sum(shop["dishes"][item["dish"]]["price"] * item["count"] for item in items), 2)
    off = shop["deal"]["off"] if goods >= shop["deal"]["over"] else 0
    return {"goods": goods, "off": off, "total": round(goods + shop["packing"] + shop["fee"] - off, 2)}


def meal(draw: Draw, shop: Data) -> list[dict[str, Any]]:
    """Some dishes that together are enough to be delivered."""
    fresh = [dish for dish, entry in shop["dishes"].items() if not entry["out"]]
    items: list[dict[str, Any]] = []
    for dish in draw.sample(fresh, len(fresh)):
        if len(items) >= 2 and bill(shop, items)["goods"] >= shop["minimum"]:
            break
        items.append({"dish": dish, "count": draw.choice((1, 1, 1, 2))})
    return sorted(items, key=lambda item: str(item["dish"]))


def past(draw: Draw, shops: Data, addresses: list[str]) -> Data:
    """Orders of the last two months: two being cooked, one on its way, the others over."""
    where = draw.sample(sorted(shops), 13)
    days = sorted(draw.sample(range(1, 58), 13))
    states = ["preparing", "preparing", "delivering", *["done"] * 11, "cancelled", "cancelled"]
    found = {}
    for at, status in enumerate(states):
        shop = where[at] if at < len(where) else where[at - 10]
        moment = draw.now - timedelta(minutes=9 + 13 * at)
        if at >= 3:
            moment = datetime.combine(draw.today - timedelta(days=days[at - 3]), datetime.min.time())
            moment += timedelta(minutes=draw.integer(11 * 60, 21 * 60))
        stars = draw.choice((5, 5, 4, 3)) if status == "done" and at % 2 else 0
        review = REVIEWS[draw.choice([n for n, each in enumerate(REVIEWS) if each[0] == (stars or 5)])]
        items = meal(draw, shops[shop])
        found[f"o{at + 1}"] = {
            "restaurant": shop, "items": items, "address": draw.choice(addresses), "note": "", "time": "asap",
            "cutlery": draw.chance(0.4), "total": bill(shops[shop], items)["total"], "status": status,
            "at": moment.isoformat(" ", "minutes"), "rider": draw.t(*draw.choice(RIDERS)), "stars": stars,
            "tags": sorted(draw.sample(range(len(TAGS)), 2)) if stars else [],
            "review": draw.t(review[1], review[2]) if stars else "", "reason": "plans" if status == "cancelled" else "",
        }  # fmt: skip
    return found
