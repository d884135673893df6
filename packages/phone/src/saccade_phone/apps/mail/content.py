"""What is written in the mails: one letter is a line "@emoji|sender|address|fact|subject" and its paragraphs.

Letters without a sender are from one of the phone's people. `fact` names the one thing that can be asked about the
letter, which stands in it as {amount}, {code}, {time}, {gate}, {room} or {spot}.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, NamedTuple

from saccade_phone.draw import Draw


class Letter(NamedTuple):
    emoji: str
    name: str
    address: str
    fact: str
    subject: str
    body: str


def letters(words: str) -> tuple[Letter, ...]:
    found = []
    for block in words.strip().removeprefix("@").split("\n@"):
        head, _, body = block.partition("\n")
        emoji, name, address, fact, subject = head.split("|")
        found.append(Letter(emoji, name, address, fact, subject, body))
    return tuple(found)


SERVICE_EN = letters("""
@⚡|City Power|billing@citypower.example|amount|Your electricity bill is ready
Your bill for {month} comes to {amount}. It will be debited from your account on {day}.
You used a little less than in the month before. Thank you for reading your meter online.
@🏦|Harbor Bank|alerts@harborbank.example|code|Your sign-in code
Use the code {code} to sign in to online banking. It is valid for ten minutes. We will never call you to ask for it.
@📦|ParcelGo|track@parcelgo.example|time|Your parcel is on its way
The courier will be with you on {day} at about {time}. Somebody has to sign for it.
Not at home? Choose a neighbour or a pickup point in the ParcelGo app.
@✈️|Skyward Air|checkin@skyward.example|gate|Check-in is open for your flight
Your flight on {day} leaves from {gate}. Please be there an hour before departure.
One cabin bag is included in your fare; the aisle seat you asked for is confirmed.
@🏨|Hotel Lindgren|hello@lindgren.example|room|Reservation confirmed: two nights
We look forward to seeing you on {day}. Your stay is in {room}, with breakfast from seven.
You can cancel free of charge until two days before you arrive.
@🎟️|Stagedoor Tickets|orders@stagedoor.example|gate|Tickets for Friday's concert
Your tickets are attached. Doors open an hour before; you enter through {gate}.
Large bags have to stay in the cloakroom.
@🦷|Dr. Weller Dental|front@wellerdental.example|time|Reminder of your check-up
Your appointment is on {day} at {time}. Please bring your insurance card.
If you cannot come, call us at least one day ahead.
@📚|City Library|loans@citylibrary.example|amount|Two books are overdue
The books "Coastal Walks" and "The Glass Orchard" should have been back last week.
The fee is {amount} so far. You can renew once more in the catalogue.
@🏋️|Northside Gym|team@northsidegym.example|amount|Your membership renews soon
On {day} your membership renews for another three months at {amount}.
New this season: climbing wall and early yoga on Tuesdays.
@🚲|Cargo Cycles|service@cargocycles.example|amount|Your bike is ready for pickup
We changed the chain and both brake pads and trued the rear wheel. The total is {amount}.
The shop is open until six, on Saturdays until one.
@🍷|Vine & Barrel|shop@vinebarrel.example|amount|Receipt for your order
Thank you! You paid {amount} for six bottles and delivery.
The Riesling is best in the next two years, the Syrah may wait for five.
@🌱|Leaf Letter|editors@leafletter.example||Five plants for a dark corner
Not every room has a south window. Aspidistra, zamioculcas and three ferns do well without one.
Also this week: how to water while you are away.
@🧑‍💻|Codeharbor|noreply@codeharbor.example|code|Confirm your new device
Somebody signed in to your account from a new laptop. If it was you, enter {code}. If not, change your password now.
@🏫|Maple Street School|office@maplestreet.example|room|Parents' evening on Thursday
The class teachers will be in {room}. Please choose a slot of ten minutes on the list.
Tea and cake are sold in the hall for the class trip.
@🚗|RideShare Club|receipts@rideshare.example|amount|Your trip to the station
Distance 8.4 km, eleven minutes. {amount} was charged to your card. Rate your driver and collect two points.
@🎬|Lumen Cinema|program@lumencinema.example|time|Members' preview of "Salt Road"
We show it on {day} at {time}, a week before everyone else. The director will be there.
Members bring one friend free of charge.
@🏠|Birch Court Housing|office@birchcourt.example|time|Water will be off for a few hours
The pipes in the cellar are being renewed on {day}. The water is turned off at {time}. Please fill a bucket in time.
@🧾|Revenue Office|noreply@revenue.example|amount|Your tax refund
Your return has been checked. A refund of {amount} will reach your account within ten days. You need not do anything.
@💊|Corner Pharmacy|care@cornerpharmacy.example|code|Your prescription can be collected
Please say the number {code} at the counter. We keep it for you for seven days. We are closed on Sundays.
@📰|The Morning Ledger|briefing@ledger.example||Briefing: markets, trains, a rare owl
Rail workers and operators are talking again; a deal is likely before the weekend.
And in the town park a snowy owl has been seen for the third time.
@🍳|Pantry Notes|cook@pantrynotes.example||Three suppers in twenty minutes
Lemon orzo with peas, a smoky bean stew, and noodles with crisp tofu. All of them keep for lunch on the next day.
@🔌|Volt Store|orders@voltstore.example|code|Return label for your headphones
Put the label on the box and write the return number {code} on it. The refund is made as soon as the parcel reaches us.
@🏥|Riverside Clinic|lab@riversideclinic.example|time|Blood test: please come fasting
Your test is on {day} at {time}. Please do not eat or drink coffee before it.
Results are in the patient portal two days later.
@🌍|Wander Weekly|hi@wanderweekly.example||Night trains are back
From this summer you can fall asleep in Vienna and wake up by the sea.
We have compared six routes by price, comfort and breakfast.
@🐾|Paws Vet Practice|desk@pawsvet.example|time|Booster shot for Biscuit
Biscuit's booster is due. We have kept {time} on {day} for you. Please bring the blue vaccination card.
@🎓|Open Course|learn@opencourse.example||You finished week three
Nine out of ten answers were right: well done. Week four is about light and shadow.
Upload your sketch until {day} to get feedback.
@🛡️|Hearth Insurance|policy@hearthinsurance.example|amount|Your home insurance for next year
Your new premium is {amount} a year. Nothing changes in what is covered.
Send us a word by {day} if you want to change the excess.
@💧|Waterworks|meter@waterworks.example|code|Please read your water meter
Enter the reading online with the customer code {code}. It takes two minutes. Otherwise we estimate your usage.
""")

PERSONAL_EN = letters("""
@||||Photos from the lake
I finally sorted the pictures. The one where Ben falls off the jetty is the best.
Tell me which ones you want in print.
@|||time|Dinner at our place
We are cooking on {day}, around {time}. Bring nothing but an appetite. Are there still things you don't eat?
@|||spot|Where we meet on Saturday
Let's meet at {spot} and walk from there. Take good shoes, it has rained a lot.
I'll bring sandwiches and the big thermos.
@|||time|Choir rehearsal moved
The hall is taken, so we start at {time} on {day}. Altos please look at page twelve again.
We still need somebody for the chairs.
@|||amount|Money for the birthday present
The telescope cost {amount} in all, and we are six. Send me your share whenever it suits you. She has no idea!
@||||Draft of the quarterly report
Here is my draft. The numbers on page four are still from last year, I'm waiting for finance.
Could you look at the summary before Wednesday?
@|||room|Team meeting: new room
Because of the painters we meet in {room} this week. Same time as always. Please bring the list of open questions.
@||||Can I borrow your drill?
I want to hang up the bookshelf before my parents come. I'd bring it back on Sunday. And do you have wall plugs left?
@||||Book club: next title
Most of you voted for "The Glass Orchard". It is short, so no excuses this time! Who would like to host?
@|||time|Lift to the airport
I can drive you. I'd be at your door at {time} on {day}, then we have plenty of time. Do you have one suitcase or two?
@||||Thank you for the weekend
It was wonderful to see you all. The kids still talk about the pancake tower. Next time you come to us, promise?
@||||Recipe for the plum cake
A pound of plums, half a pound of flour, and more butter than you would admit. Bake it slowly and don't open the oven.
@|||code|Wi-Fi at the cottage
The key is under the third pot, and the Wi-Fi password is {code}. Please turn the heating down when you leave.
@||||Feedback on your slides
Very clear! I would cut slides six and seven and start with the map. The closing sentence is perfect.
@|||amount|Quote for the kitchen floor
I talked to the joiner: oak boards with fitting would be {amount}. He could start in May. Shall I say yes?
@||||Looking for a flatmate
Our small room gets free next month: quiet street, big kitchen, one cat. Do you know somebody nice?
@|||time|Tennis next week?
The court is free on {day} at {time}. I booked it, just in case. Loser pays for the drinks.
@||||Minutes of Monday's meeting
Attached are the minutes. You are down for the user survey and for calling the printer.
Correct me if I got anything wrong.
@|||spot|Grandma's eightieth
The party is at {spot}, in the room with the piano. Everybody brings a photo with her. I'm making the slideshow.
@||||Garden: who waters in July?
I made a list for the summer. Weeks one and two are still empty. The tomatoes need a lot, the lavender nothing at all.
""")

SPAM_EN = letters("""
@💰|Lucky Draw Centre|winner@luckydraw.example||You have won a luxury cruise
Congratulations! Click the link below and pay only the port fee to claim your cabin. This offer ends at midnight.
@👑|Prince Adewale|prince@royalfunds.example||Confidential business proposal
I need a trustworthy partner to move a large sum. Your share is thirty percent. Reply with your bank details.
@💊|MegaPills|deals@megapills.example||Lose ten pounds in ten days
Doctors hate this one trick. Order now, get two more boxes for nothing. No prescription needed.
@📈|Coin Rocket|invest@coinrocket.example||Double your savings by Friday
Our robot never loses. Start with a small deposit and watch it grow. Seats are limited.
@📦|Post Office Team|no-reply@p0st-office.example||Your parcel is being held at customs
Pay the small fee within 24 hours or it will be destroyed. Enter your card number here.
""")

SENT_EN = letters("""
@||||Notes from our call
Good to talk to you. I'll send the figures by Friday and ask about the room.
@||||Happy birthday!
All the best for the new year of your life. Cake is on me next week.
@||||Question about the invoice
On the second page the discount is missing. Could you check that, please?
@||||Holiday plans
We could take the house by the sea again, from the second week of August on.
@||||Keys are with the neighbour
Ring at number 14, on the left. She knows that you are coming.
@||||Application for the workshop
I would like to take part in the print workshop in June. Is there still a place?
""")

DRAFTS_EN = letters("""
@||||Ideas for the summer party
Lanterns, a long table, and a playlist that everybody adds three songs to.
@||||Thank-you note
Thank you so much for looking after the cat. She has clearly gained weight.
@||||Request for a day off
I would like to take the day after the holiday off. Everything urgent will be done before.
@||||Offer for the old sofa
You asked about the sofa: it is yours if you can collect it this month.
""")

SERVICE_ZH = letters("""
@⚡|城市电力|zhangdan@citypower.example|amount|本期电费账单已出
您{month}的电费为{amount}，将于{day}自动扣款。本期用电比上月略有下降，感谢您使用网上抄表服务。
@🏦|海港银行|tongzhi@harborbank.example|code|网银登录验证码
您正在登录网上银行，验证码为{code}，十分钟内有效。工作人员不会向您索要验证码，请勿告诉他人。
@📦|快捷速运|wuliu@parcelgo.example|time|您的包裹正在派送
快递员预计{day}{time}左右送达，请保持电话畅通，需要本人签收。如不方便，可在小程序里改到附近驿站自提。
@✈️|云途航空|zhiji@skyward.example|gate|您的航班已开放值机
您{day}的航班将从{gate}登机，请至少提前一小时到达。票价含一件随身行李，您要的靠走道座位已经锁定。
@🏨|林间酒店|kefu@lindgren.example|room|预订成功：入住两晚
期待您{day}光临，为您安排的是{room}，早餐七点开始。入住前两天可免费取消。
@🎟️|大幕票务|dingdan@stagedoor.example|gate|周五演唱会电子票
电子票见附件，开演前一小时入场，请从{gate}进入。大件行李须寄存，现场不设停车位。
@🦷|维乐口腔|qiantai@wellerdental.example|time|洗牙预约提醒
您预约的时间是{day}{time}，请携带医保卡提前到店。如需改期，请至少提前一天来电。
@📚|市图书馆|jieyue@citylibrary.example|amount|两本图书已逾期
《海岸徒步》和《玻璃果园》上周就该归还了。目前逾期费为{amount}，您还可以在线续借一次。
@🏋️|城北健身|huiyuan@northsidegym.example|amount|会员即将自动续费
您的会员将于{day}续费三个月，费用{amount}。本季新增攀岩墙，每周二有早间瑜伽。
@🚲|骑行者车行|weixiu@cargocycles.example|amount|您的自行车已修好
更换了链条和前后刹车皮，后轮已校正，合计{amount}。平日营业到晚上六点，周六到下午一点。
@🍵|山间茶铺|dian@vinebarrel.example|amount|订单付款凭证
感谢惠顾，本次购买龙井和白茶共支付{amount}，含运费。龙井宜趁新鲜，白茶放几年会更好喝。
@🌱|绿叶周刊|bianji@leafletter.example||阴暗角落也能养的五种植物
不是每个房间都有朝南的窗户，一叶兰、金钱树和蕨类都不挑光。本期还有：出门旅行时怎么给花浇水。
@🧑‍💻|码头代码|noreply@codeharbor.example|code|新设备登录确认
您的账号在一台新电脑上登录，如为本人操作，请输入{code}。如非本人，请立即修改密码。
@🏫|枫林路小学|jiaowu@maplestreet.example|room|周四家长会通知
各班老师将在{room}与家长见面，请在名单上选择十分钟的时段。大厅有茶点义卖，收入用于春游。
@🚗|顺路拼车|xingcheng@rideshare.example|amount|您的行程：前往火车站
全程8.4公里，用时十一分钟，已从您的卡中扣款{amount}。给司机评分可获得两个积分。
@🎬|流明影院|paipian@lumencinema.example|time|会员提前场：《盐路》
影片将于{day}{time}为会员提前放映，导演到场交流。每位会员可免费携带一位朋友。
@🏠|白桦苑物业|wuye@birchcourt.example|time|临时停水通知
{day}将更换地下室水管，{time}开始停水，预计持续数小时。请各位住户提前储水，给您带来不便敬请谅解。
@🧾|税务服务中心|noreply@revenue.example|amount|个税退税到账提醒
您的年度汇算已审核通过，退税{amount}将在十个工作日内到账。您无需进行任何操作。
@💊|街角药房|yaodian@cornerpharmacy.example|code|您的药品可以取了
到店请报取药号{code}，我们为您保留七天。周日休息，请合理安排时间。
@📰|早报速览|jianbao@ledger.example||今日简报：股市、高铁与雪鸮
铁路五一加开列车，热门线路仍有余票。市民公园第三次拍到了雪鸮，吸引不少人前去观看。
@🍳|厨房笔记|xiachu@pantrynotes.example||二十分钟搞定三道晚饭
柠檬意面、番茄豆腐煲、葱油拌面，食材楼下超市都有。多做一份，第二天还能带饭。
@🔌|伏特数码|shouhou@voltstore.example|code|耳机退货说明
请把退货单贴在箱子上，并写上退货编号{code}。收到货后我们会立即原路退款。
@🏥|滨河医院|jianyan@riversideclinic.example|time|抽血检查请空腹
您的检查安排在{day}{time}，检查前请不要进食或喝咖啡。两天后可在患者平台查看结果。
@🌍|漫游周报|hi@wanderweekly.example||夜行列车回来了
今年夏天，睡一觉就能从北京到海边。我们从票价、舒适度和早餐三个方面比较了六条线路。
@🐾|爪爪宠物医院|yisheng@pawsvet.example|time|饼干该打加强针了
饼干的疫苗到期了，为您预留了{day}{time}的时段。请带上蓝色的免疫本。
@🎓|公开课堂|xuexi@opencourse.example||恭喜完成第三周课程
十道题答对九道，真不错！第四周讲光与影。{day}前上传作业，老师会逐一点评。
@🛡️|安居保险|baodan@hearthinsurance.example|amount|明年家财险续保方案
您明年的保费为{amount}，保障范围不变。如需调整免赔额，请在{day}前回复我们。
@💧|自来水公司|chaobiao@waterworks.example|code|请自助抄水表
请用户号{code}登录后填写读数，两分钟即可完成。逾期未填将按平均用量估算。
""")

PERSONAL_ZH = letters("""
@||||湖边拍的照片
照片终于整理好了，小宝从码头掉下去那张最好笑。你想洗哪几张，告诉我编号。
@|||time|来我家吃饭吧
我们{day}做饭，{time}左右开席，人来就行，什么都别带。有没有什么忌口的？
@|||spot|周六在哪儿集合
咱们在{spot}集合，再一起走过去。最近老下雨，记得穿双好鞋。我带三明治和大保温壶。
@|||time|合唱排练改时间了
礼堂被占了，{day}改到{time}开始。女低再看看第十二页。还缺一个人帮忙搬椅子。
@|||amount|生日礼物凑钱
天文望远镜一共花了{amount}，咱们六个人平分，方便的时候转我就行。她完全不知道，千万保密！
@||||季度报告初稿
初稿发你了，第四页还是去年的数字，在等财务更新。摘要部分周三前帮我看一眼？
@|||room|例会换会议室
这周在刷墙，例会改到{room}，时间不变。记得带上待解决问题的清单。
@||||能借一下电钻吗
爸妈来之前我想把书架挂上，周日就还你。你那儿还有膨胀螺丝吗？
@||||读书会下一本书
投票结果是《玻璃果园》，不厚，这次谁也别找借口！谁家方便，报个名。
@|||time|送你去机场
我可以送你，{day}{time}到你家楼下，时间很充裕。你是一个箱子还是两个？
@||||周末过得太开心了
能见到你们真好，孩子们还在念叨那座松饼塔。说好了，下次来我们家。
@||||外婆的红烧肉做法
五花肉切大块，冰糖炒色，黄酒要多放，一滴水都不加。小火慢炖，别老掀锅盖。
@|||code|小院的无线网
钥匙在第三个花盆下面，无线密码是{code}。走的时候记得把暖气调低。
@||||你的幻灯片我看了
思路很清楚！建议去掉第六、七页，直接从地图讲起。结尾那句话特别好。
@|||amount|厨房地板的报价
问了师傅，橡木地板包安装一共{amount}，五月能开工。要不要定下来？
@||||帮忙找个室友
我们的小房间下月空出来，安静，厨房大，有一只猫。身边有靠谱的人吗？
@|||time|下周打网球？
{day}{time}场地空着，我先订上了。输的人请喝饮料。
@||||周一会议纪要
纪要见附件，你负责用户调研，还有联系印刷厂。有不对的地方直接改。
@|||spot|奶奶八十大寿
寿宴定在{spot}，有钢琴的那间。每家带一张和奶奶的合影。我来做相册视频。
@||||暑假谁来浇菜园
夏天的值班表我列好了，头两周还空着。番茄要多浇水，薰衣草不用管。
""")

SPAM_ZH = letters("""
@💰|幸运抽奖中心|zhongjiang@luckydraw.example||恭喜您获得豪华邮轮游
点击下方链接，仅需支付港务费即可领取舱位。今晚十二点截止，过期作废。
@👑|海外遗产律师|lvshi@royalfunds.example||关于一笔巨额遗产
本人急需可信赖的合作伙伴转移资金，您可得三成。请回复您的银行卡信息。
@💊|瘦得快|jianfei@megapills.example||十天瘦十斤不反弹
医生不愿公开的秘方，现在下单买一送二。无效退款，名额有限。
@📈|火箭理财|touzi@coinrocket.example||周五前收益翻倍
机器人自动操盘，从不亏损，小额起投。加老师微信领取内部名额。
@📦|邮局客服|no-reply@p0st-office.example||您的包裹被海关扣留
请于24小时内缴纳手续费，否则将被销毁。点击填写银行卡号。
""")

SENT_ZH = letters("""
@||||刚才通话的要点
聊得很愉快，数据我周五前发你，会议室我去问。
@||||生日快乐！
祝你新的一岁万事顺意，蛋糕下周我请。
@||||关于发票的疑问
第二页好像漏了折扣，麻烦核对一下。
@||||假期怎么安排
要不还是租海边那套房子，八月第二周开始？
@||||钥匙放在邻居家
按14号左边的门铃，她知道你要来。
@||||报名版画工作坊
我想参加六月的版画工作坊，请问还有名额吗？
""")

DRAFTS_ZH = letters("""
@||||夏日聚会的点子
挂灯笼，摆长桌，歌单每人加三首。
@||||感谢信
谢谢你帮我照看猫，它明显胖了一圈。
@||||请假一天
节后第一天我想请假，急的事情会提前做完。
@||||旧沙发转让
你问的沙发可以给你，这个月内来搬就行。
""")

FOLDERS = (("Travel", "出行"), ("Receipts", "票据"), ("Projects", "项目"), ("Reading", "阅读"), ("Household", "家务"))
PLACES = {
    "gate": (("Gate A3", "Gate A9", "Gate B14", "Gate B22", "Gate C7", "Gate D11"),
             ("A3口", "A9口", "B14口", "B22口", "C7口", "D11口")),
    "room": (("Room 118", "Room 204", "Room 317", "Room 402", "Room 509", "Room 613"),
             ("118室", "204室", "317室", "402室", "509室", "613室")),
    "spot": (("the old boathouse", "the Garden Pavilion", "the Blue Lantern", "the Mill House", "the Harbor Inn"),
             ("老船屋", "花园亭", "蓝灯笼会馆", "磨坊小馆", "海港客栈")),
}  # fmt: skip


def facts(draw: Draw) -> dict[str, str]:
    """What one letter may speak of."""
    day = draw.day(1, 20)
    sums, pence = draw.integer(12, 480), draw.integer(1, 99)
    return {
        "amount": draw.t(f"${sums}.{pence:02}", f"¥{sums}.{pence:02}"),
        "code": str(draw.integer(100000, 999999)),
        "time": f"{draw.integer(8, 19):02}:{draw.choice(('00', '10', '15', '20', '30', '40', '45'))}",
        "day": draw.t(f"{day:%B} {day.day}", f"{day.month}月{day.day}日"),
        "month": draw.t(f"{draw.today:%B}", f"{draw.today.month}月"),
        "me": draw.t("Robin", "苏晴"),
        **{kind: draw.choice(draw.t(*names)) for kind, names in PLACES.items()},
    }


def written(draw: Draw, letter: Letter, folder: str, account: dict[str, str], days: tuple[int, int]) -> dict[str, Any]:
    """A letter as a mail in a folder, so many days old."""
    at = draw.now - timedelta(minutes=draw.integer(days[0] * 1440 + 9, days[1] * 1440))
    person, known = draw.choice(draw.people), facts(draw)
    mine = folder in ("sent", "drafts")
    name, sender, emoji = letter.name or person.name, letter.address or person.email, letter.emoji or person.emoji
    sign = account["name"] if mine else name
    if letter.address:
        body = draw.t(
            f"Dear {known['me']},\n{letter.body}\nKind regards,\n{sign}",
            f"{known['me']}，您好：\n{letter.body}\n——{sign}",
        )
    else:
        body = draw.t(f"Hi,\n{letter.body}\nBest wishes,\n{sign.split()[0]}", f"你好：\n{letter.body}\n——{sign}")
    return {
        "folder": folder, "origin": "inbox", "reply": "", "forward": "",
        "sender": account["email"] if mine else sender, "name": account["name"] if mine else name,
        "emoji": "🙂" if mine else emoji, "to": [person.email] if mine else [account["email"]],
        "subject": letter.subject, "body": body.format(**known),
        "at": at.isoformat(sep=" ", timespec="minutes"),
        "read": folder not in ("inbox", "spam") or draw.chance(0.65),
        "starred": folder not in ("spam", "trash", "drafts") and draw.chance(0.15),
        "fact": {"kind": letter.fact, "value": known[letter.fact]} if letter.fact else {},
    }  # fmt: skip
