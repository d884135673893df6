"""What lies in the folders: a line "/path" for a folder, and the names of what is in it, divided by bars.

Behind a folder of pictures stands what is to be seen in each. Every name occurs once in a language, so that a
file can be told by its name alone.
"""

from __future__ import annotations

from typing import Any

from saccade_phone.draw import Draw

Tree = dict[str, list[tuple[str, str]]]


def tree(words: str) -> Tree:
    """What is in each folder, by its path: names, and what can be seen in pictures."""
    found: Tree = {}
    path, sights = "", ""
    for line in words.strip().splitlines():
        if line.startswith("/"):
            path, _, sights = line.partition(" = ")
            found[path] = []
        else:
            names = [name.strip() for name in line.split("|") if name.strip()]
            found[path] += zip(names, sights.split() or [""] * len(names), strict=True)
    return found


EN = tree("""
/Documents
Packing list.doc | House rules.pdf | Emergency numbers.pdf | Reading list.txt
/Documents/Contracts
Lease Birch Court.pdf | Phone contract.pdf | Gym agreement.pdf | Car loan.pdf | Internet plan.pdf
/Documents/Taxes
Tax checklist.doc | Adviser letter.pdf
/Documents/Taxes/Tax 2024
Income 2024.xls | Donations 2024.pdf | Assessment 2024.pdf | Travel costs 2024.xls
/Documents/Taxes/Tax 2025
Income 2025.xls | Donations 2025.pdf | Home office 2025.xls | Insurance 2025.pdf
/Documents/Manuals
Washing machine.pdf | Coffee grinder.pdf | Router setup.pdf | Bike computer.pdf | Oven guide.pdf
/Documents/Letters
Landlord reply.doc | Cover letter.doc | Complaint parcel.doc | Invitation garden.doc
/Pictures = 🏜️ 🙂 🎨
Wallpaper dunes.jpg | Profile photo.png | Paint samples.jpg
/Pictures/Camera = 🌸 🐕 🌇 ☕ 🚋 🌻 🐈
IMG2031.jpg | IMG2044.jpg | IMG2058.jpg | IMG2079.jpg | IMG2103.jpg | IMG2118.jpg | IMG2140.jpg
/Pictures/Screenshots = 🎫 🍲 🗺️ 🎮 ⚠️
Boarding pass.png | Chat recipe.png | Map detour.png | High score.png | Error message.png
/Pictures/Holidays = 💌 🧭
Postcard scan.jpg | Route sketch.png
/Pictures/Holidays/Coast = 🌅 🏖️ 🐱 🐟 ⛴️
Lighthouse dusk.jpg | Low tide.jpg | Harbor cats.jpg | Fish market.jpg | Rope ferry.jpg
/Pictures/Holidays/Alps = 🏔️ 🔔 🧊 🥐 🌫️
Summit cross.jpg | Cow bells.jpg | Glacier view.jpg | Hut breakfast.jpg | Fog valley.jpg
/Pictures/Family = 🎂 🚲 ⛄ 🎭 🧺
Grandma eighty.jpg | First bike.jpg | Snowman.jpg | School play.jpg | Picnic meadow.jpg
/Music
Rainy piano.mp3 | Ringtone marimba.mp3
/Music/Jazz
Blue corner.mp3 | Late tram.mp3 | Velvet stairs.mp3 | Paper moonlight.mp3 | Slow elevator.mp3
/Music/Audiobooks
Salt Road part 1.mp3 | Salt Road part 2.mp3 | The Glass Orchard.mp3 | Short histories.mp3
/Music/Recordings
Choir rehearsal.m4a | Interview baker.m4a | Lecture notes.m4a | Birdsong.m4a
/Videos = 🚁 🎉
Drone test.mp4 | Surprise party.mp4
/Videos/Clips = 📦 👣 🥞 🥁 🛷
Cat versus box.mp4 | First steps.mp4 | Pancake flip.mp4 | Street drummer.mp4 | Snow slide.mp4
/Videos/Courses = 🎨 🖌️ 🔪 🧘
Watercolor lesson 1.mp4 | Watercolor lesson 2.mp4 | Knife skills.mp4 | Yoga for backs.mp4
/Downloads
Train ticket.pdf | Concert flyer.pdf | Font bundle.zip | Museum guide.pdf | Invoice 4471.pdf | Podcast intro.mp3
Sticker set.zip | City map.pdf | Icon pack.zip | Menu Lantern.pdf | Webinar replay.mp4 | Bank statement.pdf
/Work
Holiday calendar.xls | Org chart.pdf | Expense form.xls
/Work/Projects
Timeline all.xls | Risk list.doc
/Work/Projects/Lighthouse
Kickoff slides.ppt | User survey.xls | Wireframes.pdf | Budget draft.xls | Demo capture.mp4
/Work/Projects/Orchard
Field study.doc | Harvest data.xls | Supplier offers.pdf | Site photos.zip
/Work/Reports
Annual report.pdf | Sales March.xls | Quality review.doc | Customer voices.pdf
/Work/Meetings
Minutes January.doc | Minutes February.doc | Minutes March.doc | Agenda spring.doc
/Backup
Contacts export.zip | Old phone.zip | Photos 2023.zip | Notes export.zip | Website copy.zip
""")

ZH = tree("""
/文档
行李清单.doc | 家庭公约.pdf | 紧急电话.pdf | 书单.txt
/文档/合同
白桦苑租约.pdf | 手机套餐合同.pdf | 健身协议.pdf | 车贷合同.pdf | 宽带协议.pdf
/文档/税务
报税材料清单.doc | 会计来信.pdf
/文档/税务/2024年度
2024收入明细.xls | 2024捐赠凭证.pdf | 2024完税证明.pdf | 2024差旅费.xls
/文档/税务/2025年度
2025收入明细.xls | 2025捐赠凭证.pdf | 2025居家办公.xls | 2025保险单.pdf
/文档/说明书
洗衣机说明书.pdf | 磨豆机说明书.pdf | 路由器设置.pdf | 码表说明书.pdf | 烤箱手册.pdf
/文档/信件
给房东的回信.doc | 求职信.doc | 快递投诉.doc | 花园聚会邀请.doc
/图片 = 🏜️ 🙂 🎨
沙丘壁纸.jpg | 头像.png | 墙漆色卡.jpg
/图片/相机 = 🌸 🐕 🌇 ☕ 🚋 🌻 🐈
IMG2031.jpg | IMG2044.jpg | IMG2058.jpg | IMG2079.jpg | IMG2103.jpg | IMG2118.jpg | IMG2140.jpg
/图片/截图 = 🎫 🍲 🗺️ 🎮 ⚠️
登机牌.png | 群里的菜谱.png | 绕行地图.png | 游戏高分.png | 报错信息.png
/图片/旅行 = 💌 🧭
明信片扫描.jpg | 路线草图.png
/图片/旅行/海边 = 🌅 🏖️ 🐱 🐟 ⛴️
灯塔黄昏.jpg | 退潮.jpg | 码头的猫.jpg | 鱼市.jpg | 轮渡.jpg
/图片/旅行/雪山 = 🏔️ 🔔 🧊 🥐 🌫️
登顶合影.jpg | 牦牛铃.jpg | 冰川.jpg | 木屋早餐.jpg | 云海.jpg
/图片/家人 = 🎂 🚲 ⛄ 🎭 🧺
奶奶八十大寿.jpg | 第一辆单车.jpg | 堆雪人.jpg | 校园演出.jpg | 草地野餐.jpg
/音乐
雨天钢琴.mp3 | 木琴铃声.mp3
/音乐/爵士
蓝色街角.mp3 | 末班电车.mp3 | 丝绒楼梯.mp3 | 纸月亮.mp3 | 慢速电梯.mp3
/音乐/有声书
盐路上集.mp3 | 盐路下集.mp3 | 玻璃果园.mp3 | 短篇历史.mp3
/音乐/录音
合唱排练.m4a | 面包师访谈.m4a | 讲座录音.m4a | 清晨鸟鸣.m4a
/视频 = 🚁 🎉
航拍测试.mp4 | 惊喜派对.mp4
/视频/短片 = 📦 👣 🥞 🥁 🛷
猫和纸箱.mp4 | 宝宝学步.mp4 | 翻松饼.mp4 | 街头鼓手.mp4 | 滑雪圈.mp4
/视频/课程 = 🎨 🖌️ 🔪 🧘
水彩第一课.mp4 | 水彩第二课.mp4 | 刀工入门.mp4 | 护背瑜伽.mp4
/下载
火车票.pdf | 音乐会传单.pdf | 字体合集.zip | 博物馆导览.pdf | 发票4471.pdf | 播客片头.mp3
表情包.zip | 城市地图.pdf | 图标合集.zip | 蓝灯笼菜单.pdf | 讲座回放.mp4 | 银行流水.pdf
/工作
放假安排.xls | 组织架构.pdf | 报销单.xls
/工作/项目
总进度表.xls | 风险清单.doc
/工作/项目/灯塔计划
启动会幻灯片.ppt | 用户调研.xls | 线框图.pdf | 预算草案.xls | 演示录屏.mp4
/工作/项目/果园计划
实地考察.doc | 采收数据.xls | 供应商报价.pdf | 现场照片.zip
/工作/报告
年度报告.pdf | 三月销售.xls | 质量评审.doc | 客户心声.pdf
/工作/会议
一月纪要.doc | 二月纪要.doc | 三月纪要.doc | 春季议程.doc
/备份
通讯录导出.zip | 旧手机备份.zip | 2023照片.zip | 笔记导出.zip | 网站副本.zip
""")

KINDS = {
    "pdf": "document", "doc": "document", "xls": "document", "ppt": "document", "txt": "document", "jpg": "image",
    "png": "image", "mp3": "audio", "m4a": "audio", "mp4": "video", "zip": "archive",
}  # fmt: skip
SIZES = {
    "document": (24, 9000), "image": (420, 9800), "audio": (2600, 96000), "video": (14000, 1600000),
    "archive": (1100, 700000),
}  # fmt: skip
"""In KB, from and to."""


def kind_of(name: str) -> str:
    return KINDS.get(name.rpartition(".")[2].casefold(), "document")


def entries(draw: Draw) -> dict[str, dict[str, Any]]:
    """The folders and files of one phone: of each folder's names, most."""
    found: dict[str, dict[str, Any]] = {}
    ids = {"": "root"}
    for path, names in draw.t(EN, ZH).items():
        above, _, name = path.rpartition("/")
        ids[path] = f"d{len(ids)}"
        found[ids[path]] = made(draw, name, "folder", ids[above])
        for each, sight in draw.sample(names, max(2, round(len(names) * 0.8))):
            found[f"f{len(found) + 1}"] = {**made(draw, each, kind_of(each), ids[path]), "emoji": sight}
    loose = [id for id, entry in found.items() if entry["kind"] != "folder" and not entry["starred"]]
    for id in draw.sample(loose, 5):
        found[id].update(origin=found[id]["parent"], parent="trash")
    return found


def made(draw: Draw, name: str, kind: str, parent: str) -> dict[str, Any]:
    low, high = SIZES.get(kind, (0, 0))
    size = min(draw.integer(low, high), draw.integer(low, high))
    return {
        "name": name, "kind": kind, "parent": parent, "size": size, "date": draw.day(-300, -1).isoformat(),
        "starred": draw.chance(0.1) and kind != "folder", "origin": "", "emoji": "",
    }  # fmt: skip
