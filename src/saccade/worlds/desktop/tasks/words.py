"""Words that tasks are made of, in English and Chinese."""

from __future__ import annotations

WORDS: dict[str, dict[str, list[str]]] = {
    "en": {
        "files": "notes report letter plan budget recipe travel meeting invoice diary draft summary".split(),
        "folders": "Documents Work Private Archive Photos Music School Garden Projects Letters".split(),
        "lines": [
            "Buy milk and bread",
            "Call the dentist on Monday",
            "Water the plants twice a week",
            "Return the books to the library",
            "Pay the electricity bill",
            "Book a table for four",
            "Send the parcel to the office",
            "Check the tyres of the car",
            "Print the train tickets",
            "Ask the neighbours for the keys",
            "Clean the kitchen windows",
            "Order new paper for the printer",
        ],
        "people": "Anna Peter Maria Thomas Julia Martin Laura Simon Elena David Clara Oscar".split(),
        "things": "pen cup bag lamp chair table clock knife spoon plate towel brush mirror basket".split(),
        "cities": "Berlin Paris Madrid Vienna Oslo Dublin Prague Lisbon Athens Warsaw".split(),
    },
    "zh": {
        "files": "笔记 报告 信件 计划 预算 菜谱 旅行 会议 发票 日记 草稿 总结".split(),
        "folders": "文档 工作 私人 存档 照片 音乐 学校 花园 项目 来信".split(),
        "lines": [
            "买牛奶和面包",
            "星期一给牙医打电话",
            "每周浇两次花",
            "把书还给图书馆",
            "交电费",
            "订四个人的桌子",
            "把包裹寄到公司",
            "检查汽车轮胎",
            "打印火车票",
            "向邻居要钥匙",
            "擦厨房的窗户",
            "订购打印纸",
        ],
        "people": "李娜 王伟 张敏 刘洋 陈静 杨帆 赵磊 黄丽 周强 吴倩 徐杰 孙燕".split(),
        "things": "钢笔 杯子 书包 台灯 椅子 桌子 闹钟 小刀 勺子 盘子 毛巾 刷子 镜子 篮子".split(),
        "cities": "北京 上海 广州 成都 杭州 南京 武汉 西安 重庆 天津".split(),
    },
}
