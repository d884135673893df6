"""Words that the tasks across apps ask for."""

from __future__ import annotations

ALARMS = [f"{hour:02}:{minute:02}" for hour in range(5, 11) for minute in range(0, 60, 5)]
MINUTES = (8, 10, 12, 15, 20, 25, 30, 40, 45, 60, 75, 90)
BOOKINGS = {"train": ("train", "火车"), "flight": ("flight", "飞机")}
DOINGS = [
    ("Dinner", "吃晚饭"), ("Badminton", "打羽毛球"), ("Cinema", "看电影"), ("Coffee", "喝咖啡"), ("Climbing", "攀岩"),
    ("Swimming", "游泳"), ("Karaoke", "唱歌"), ("Hiking", "爬山"), ("Chess", "下棋"), ("Brunch", "吃早午餐"),
    ("Museum", "逛博物馆"), ("Bowling", "打保龄球"),
]  # fmt: skip
BRING = [
    ("Oat milk", "燕麦奶", "See you at the station", "车站见"),
    ("Light bulbs", "灯泡", "The report is ready", "报告写好了"),
    ("Soy sauce", "生抽", "Please call me back", "请给我回电话"),
    ("Batteries", "电池", "Thanks for the lift", "谢谢你送我"),
    ("Toothpaste", "牙膏", "I will be late today", "我今天会晚到"),
    ("Rice", "大米", "Lunch at noon?", "中午一起吃饭？"),
    ("Paper towels", "厨房纸", "The keys are with me", "钥匙在我这里"),
    ("Eggs", "鸡蛋", "Good news about the flat", "房子有好消息"),
    ("Dish soap", "洗洁精", "Can we move the meeting?", "会议能改期吗？"),
    ("Apples", "苹果", "I have sent the files", "文件我发过去了"),
    ("Cat food", "猫粮", "Happy new home", "祝贺乔迁"),
    ("Tea bags", "茶包", "Let's talk on Friday", "周五聊聊"),
]  # fmt: skip
STRANGERS = [
    ("Balthazar Crane", "独孤求胜"), ("Wilhelmina Frost", "宇文静波"), ("Cornelius Thatch", "西门小雨"),
    ("Philippa Grange", "南宫问雪"), ("Archibald Vole", "百里长风"), ("Ottoline Marsh", "东郭先明"),
    ("Thaddeus Birch", "澹台若水"), ("Euphemia Lark", "公冶平川"), ("Leopold Quist", "申屠远航"),
    ("Araminta Sloe", "轩辕一心"), ("Ignatius Plum", "濮阳春晓"), ("Seraphina Holt", "闻人如月"),
]  # fmt: skip
