"""What people write to each other: threads, groups, moments, and the seeded content of the chat app."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from saccade_phone.app import Data
from saccade_phone.apps.contacts.content import awake
from saccade_phone.draw import Draw

TALKS = (
    ("<We finally got the keys to the new flat|>Congratulations! When do you move in?|<The van is booked for "
     "Saturday at nine|>I can help carry boxes until lunch|<You are a lifesaver. Pizza is on me|>Make it a large "
     "one",
     "<新房的钥匙终于拿到了|>恭喜恭喜！什么时候搬？|<周六早上九点，车已经订好了|>上午我有空，过去帮你搬箱子|"
     "<太够意思了，中午请你吃披萨|>那我可要点大份的"),
    ("<Court three is free on Thursday evening|>I'm in. Do we need new shuttlecocks?|<I have a fresh tube in the "
     "bag|>My backhand is still terrible, be warned|<That's what the warm-up is for|>Fine, loser pays for the "
     "drinks",
     "<周四晚上三号场空着|>算我一个，要不要买新球？|<我包里还有一筒没拆的|>先说好，我反手还是很烂|"
     "<没事，热身的时候多练练|>行，谁输谁请喝水"),
    ("<How long did you simmer that tomato soup?|>Forty minutes, and the basil goes in at the very end|<Mine "
     "tasted a bit sour|>A pinch of sugar helps, or one grated carrot|<Grated carrot, never thought of that|>Send "
     "me a photo when you try again",
     "<你那个番茄汤要炖多久？|>四十分钟，罗勒最后再放|<我做的有点酸|>加一小撮糖，或者擦半根胡萝卜进去|"
     "<胡萝卜？没想到还能这样|>下次做了记得拍照给我看"),
    ("<Could you check the budget sheet before noon?|>Looking at it now|<Row 18 is the one I'm unsure about|>You "
     "counted the travel costs twice there|<Ouch. Good catch, thank you|>Fixed it and left a comment beside it",
     "<预算表中午之前能帮我看一下吗？|>正在看|<我主要拿不准第18行|>差旅费你算了两遍|<哎呀，幸亏你发现了|"
     ">我改好了，旁边加了批注"),
    ("<Would you feed Biscuit while I'm away?|>Sure, which days?|<From the 12th to the 16th|>No problem. Still the "
     "dry food in the morning?|<Yes, and half a tin at night. Spare key is with the porter|>I'll send you a photo "
     "every day",
     "<我出门几天，能帮我喂一下小饼干吗？|>可以呀，哪几天？|<12号到16号|>没问题，早上还是喂猫粮？|"
     "<对，晚上加半个罐头，钥匙在门卫那儿|>我每天给你发照片"),
    ("<What should we get Grandma for her eightieth?|>She keeps talking about that rocking chair|<It's lovely, but "
     "it won't fit through her door|>Then a photo album with all of us in it|<Perfect. I'll collect the pictures|"
     ">I have a whole shoebox of old ones",
     "<奶奶八十大寿送什么好？|>她老念叨那把摇椅|<好是好，可她家门太窄搬不进去|>那做一本全家人的相册吧|"
     "<这个好，照片我来收集|>我这儿还有一鞋盒老照片"),
    ("<Two tickets left for the jazz night!|>Grab them, I'll transfer you my half|<Done. Row F, right in the "
     "middle|>Brilliant. Dinner before or after?|<Before, the noodle place next door|>Meet you there at half past "
     "six",
     "<爵士夜只剩两张票了！|>快抢，我把我那份转给你|<抢到了，F排正中间|>太棒了，先吃饭还是看完再吃？|"
     "<先吃吧，隔壁那家面馆|>那六点半面馆见"),
    ("<The garage says the brakes need replacing|>Did they give you a price?|<Four hundred and eighty with parts|"
     ">That's fair. Mine was over six hundred last year|<Then I'll tell them to go ahead|>Ask them to check the "
     "wipers too",
     "<修车厂说刹车片要换了|>报价多少？|<连工带料四百八|>挺合理的，我去年花了六百多|<那我就让他们换了|"
     ">顺便让他们看看雨刮器"),
    ("<I finished the novel you lent me|>Already? What did you think of the ending?|<I cried on the bus, people "
     "stared|>I warned you about chapter thirty|<Is there a second part?|>Yes, it's on my shelf with your name on "
     "it",
     "<你借我的那本小说看完了|>这么快？结局怎么样？|<在公交车上看哭了，旁边人都看我|>早跟你说第三十章要准备纸巾|"
     "<有续集吗？|>有，就在我书架上给你留着呢"),
    ("<My train gets in at 18:42, platform six|>I'll wait by the flower shop|<I have two suitcases and a cello|>A "
     "cello? Then I'm bringing the big car|<You're the best|>Text me if it's delayed",
     "<我的车18:42到，六站台|>我在花店门口等你|<我带了两个箱子和一把大提琴|>大提琴？那我开大车去|<你最好了|"
     ">晚点的话发个消息给我"),
    ("<The landlord agreed to repaint the kitchen|>Which colour did you choose?|<Sage green, like yours|>Great "
     "taste! Remember to cover the floor|<He sends the painters next Monday|>I can lend you my dust sheets",
     "<房东同意把厨房重新刷一遍|>你选了什么颜色？|<灰绿色，跟你家一样|>有眼光！记得把地板盖好|<师傅下周一来|"
     ">我有防尘布，可以借你"),
    ("<They invited me to a second interview!|>I knew they would! When is it?|<Wednesday at ten, with the whole "
     "team|>Ask them about the training budget|<Good idea, I'll write that down|>Fingers crossed for you",
     "<我进第二轮面试了！|>我就说你没问题！什么时候？|<周三上午十点，跟整个团队见面|>记得问问他们的培训机会|"
     "<好主意，我记下来|>祝你一切顺利"),
    ("<Does your son need a costume for the school play?|>He's a tree. A talking tree|<I have brown fabric left "
     "over|>You just saved my weekend|<Bring him over for a fitting|>Sunday afternoon suits us well",
     "<学校演出你家孩子要准备服装吗？|>他演一棵会说话的树|<我这儿还剩一块棕色布料|>你可救了我的周末|"
     "<带他过来量一下尺寸吧|>周日下午我们有空"),
    ("<Forecast says clear skies on Sunday|>Then let's do the ridge trail|<Fourteen kilometres, are your knees up "
     "to it?|>My knees are fine, my boots are not|<Wear two pairs of socks|>I'll bring the thermos with ginger tea",
     "<天气预报说周日大晴天|>那就走山脊那条线吧|<十四公里，你膝盖行吗？|>膝盖没问题，就是鞋不太行|<穿两双袜子|"
     ">我带一壶姜茶上去"),
    ("<Is the 50 mm lens still for sale?|>It is, with both caps and the pouch|<Would you take 120?|>For you, yes|"
     "<Can I pick it up tomorrow after work?|>Any time after six, ring twice",
     "<那个50毫米的镜头还卖吗？|>还在，前后盖和袋子都有|<120能出吗？|>你要的话可以|<明天下班去拿方便吗？|"
     ">六点以后都行，按两下门铃"),
    ("<Ran my first ten kilometres without stopping|>Amazing! What was your time?|<Sixty-one minutes, my legs are "
     "jelly|>Stretch, drink, sleep. In that order|<Half marathon in autumn, together?|>Ask me again when I'm sober",
     "<我第一次一口气跑完十公里|>厉害！用了多久？|<六十一分钟，腿都软了|>先拉伸，再喝水，然后睡觉|"
     "<秋天一起跑半马？|>等我清醒了再问我一遍"),
    ("<Dad's check-up went well|>What a relief! And the blood pressure?|<A little high, he must cut down on salt|"
     ">Good luck telling him that|<I hid the crisps already|>Give him a hug from me",
     "<爸的体检结果挺好|>那就放心了，血压呢？|<稍微偏高，要少吃盐|>这话你去跟他说吧|<薯片我已经藏起来了|>替我抱抱他"),
    ("<My fern is turning yellow again|>Too much sun, move it away from the window|<And how often do I water it?|"
     ">Only when the top of the soil feels dry|<So I've been drowning it for months|>Ferns forgive. Give it two "
     "weeks",
     "<我的蕨又开始发黄了|>晒太多了，别放窗边|<那多久浇一次水？|>表面的土摸着干了再浇|<原来这几个月我一直在淹它|"
     ">没事，养两周就缓过来了"),
)  # fmt: skip
"""One to one: `<` they, `>` I."""

GROUPS = (
    ("Book Club", "读书会", "📚",
     "1:This month's pick is The Lighthouse Keeper|2:Ordered it yesterday|0:Is there an audio version?|3:Yes, "
     "eleven hours, read by the author|1:We meet on the last Friday, my place|2:I'll bring the lemon cake|0:Then "
     "I'm reading faster",
     "1:这个月读《守灯塔的人》|2:昨天刚下单|0:有没有有声书？|3:有，十一个小时，作者自己读的|"
     "1:月底最后一个周五，来我家|2:我带柠檬蛋糕|0:那我得读快点了"),
    ("Weekend Hikers", "周末徒步", "🥾",
     "2:Bus 47 to the trailhead leaves at 7:10|1:So early? I need coffee first|3:There's a kiosk at the stop|"
     "0:I'll carry the first-aid kit|2:Six hours with breaks, bring two litres of water|1:And a hat, no shade on "
     "top|3:Weather looks perfect",
     "2:去登山口的47路早上7:10发车|1:这么早？先让我喝杯咖啡|3:车站旁边有小卖部|0:急救包我来背|"
     "2:连休息大概六个小时，每人带两升水|1:山顶没树荫，戴好帽子|3:天气看着特别好"),
    ("Project Atlas", "阿特拉斯项目", "💼",
     "1:The client moved the demo to Thursday|3:Then we freeze the code on Wednesday noon|2:Login screen is ready "
     "for testing|0:I found two typos, list is in the shared folder|1:Who presents the map part?|3:I can do that|"
     "2:Slides are at version four now",
     "1:客户把演示改到周四了|3:那周三中午封版|2:登录页可以测了|0:发现两个错别字，清单放共享文件夹了|"
     "1:地图部分谁来讲？|3:我来吧|2:演示稿现在是第四版"),
    ("Family", "相亲相爱一家人", "🏠",
     "1:Lunch on Sunday, everyone is coming|2:Shall I bring the potato salad?|1:Yes, the one with dill|3:The twins "
     "want pancakes|0:I'll be there at noon with dessert|2:Don't forget Uncle's chess set|1:And call your aunt, "
     "she misses you",
     "1:周日中午都回来吃饭|2:我带凉拌土豆丝？|1:好，多放点醋|3:双胞胎嚷着要吃煎饼|0:我中午到，带甜点|"
     "2:别忘了舅舅的象棋|1:给姑姑打个电话，她想你了"),
    ("Badminton Tue", "周二羽毛球", "🏸",
     "3:Hall B is ours from seven to nine|1:I'm away this week|2:Then we need a fourth|0:My colleague would love "
     "to join|3:Bring him along, rackets are here|2:Loser buys the lemonade again|1:Send me the scores",
     "3:B馆七点到九点是我们的|1:这周我出差|2:那三缺一了|0:我有个同事想来|3:带来吧，球拍这儿有|"
     "2:老规矩，输的请喝柠檬水|1:比分发给我看"),
    ("Neighbours 9", "九号楼邻居", "🏢",
     "2:Water will be off tomorrow from ten to two|1:Thanks, filling my buckets|3:Has anyone seen a grey cat with "
     "a red collar?|0:It sat on our bikes this morning|3:That's him! Thank you so much|2:The lift gets repaired on "
     "Friday|1:Finally",
     "2:明天十点到两点停水|1:谢谢提醒，我先接几桶|3:有人看到一只戴红项圈的灰猫吗？|0:早上趴在自行车棚里呢|"
     "3:就是它！太感谢了|2:电梯周五来修|1:终于等到了"),
    ("Foodies", "干饭小分队", "🍜",
     "1:New hotpot place opened near the library|3:Queue was an hour long yesterday|2:They take bookings from "
     "Monday|0:Book a table for five!|1:Spicy or half and half?|3:Half and half, my stomach begs you|2:Tuesday "
     "18:30 is confirmed",
     "1:图书馆旁边新开了家火锅|3:昨天排队排了一个小时|2:周一开始可以预约|0:订个五人桌！|1:全辣还是鸳鸯？|"
     "3:鸳鸯，求你们了|2:周二18:30订好了"),
    ("Board Games", "桌游之夜", "🎲",
     "3:Who has the expansion for the island game?|2:Me, still sealed|1:Let's open it on Saturday|0:Please explain "
     "the rules slowly this time|3:Deal, and nobody plays against the newcomers|2:I'll cook chilli|1:Game on at "
     "eight",
     "3:海岛那个游戏谁有扩展包？|2:我有，还没拆封|1:周六拆了玩|0:这次规则讲慢点啊|3:没问题，先带新手|"
     "2:我负责做卤味|1:八点准时开局"),
)  # fmt: skip
"""Names, picture, and what was said: 0 is me, the others the first members."""

CHATTER = (
    ("1:Good morning everyone!|2:Morning! Still half asleep|3:Who took the photo at the lake last time?|1:I did, "
     "sharing the album tonight|2:Please delete the one where I sneeze|0:Never. It's my favourite|3:Can we pick a "
     "date for the next meet-up?|1:I'm free most evenings|2:Not Wednesdays, I have my pottery class|0:Wednesday is "
     "bad for me too|3:Then I'll put up a poll|1:Sounds good to me"),
    ("1:大家早上好！|2:早，还没睡醒|3:上次湖边的照片谁拍的？|1:我拍的，今晚发相册|2:我打喷嚏那张求删|0:不删，那张最好看|"
     "3:下次聚会定个日子吧？|1:我晚上基本都有空|2:周三不行，我有陶艺课|0:周三我也不方便|3:那我发起个投票|1:可以可以"),
)  # fmt: skip

POSTS = (
    ("First strawberries from the balcony. All three of them.", "阳台上种的草莓熟了，一共三颗，颗颗珍贵。", "🍓"),
    ("Forty-two floors up and the city looks like a toy.", "站在四十二楼往下看，整座城市像个玩具。", "🌆"),
    ("Finally learned to make dumplings that stay closed.", "今天包的饺子终于没有露馅！", "🥟"),
    ("Sunrise at the lake. Worth the alarm at four.", "四点起床看湖边日出，值了。", "🌅"),
    ("New bike day! Her name is Pepper.", "提新车啦，给它起名叫小胡椒。", "🚲"),
    ("Twelve hours of rain, one very good book.", "下了一整天的雨，正好把书读完。", "📖"),
    ("The choir sang and I only missed two notes.", "合唱演出结束，我只唱错了两个音。", "🎶"),
    ("Our kitten discovered the printer today.", "家里的小猫今天发现了打印机。", "🐱"),
    ("Five kilometres along the river before breakfast.", "早饭前沿着河边跑了五公里。", "🏃"),
    ("Museum day: two hours in front of one painting.", "在美术馆一幅画前站了两个小时。", "🖼️"),
    ("Planted a lemon tree for my daughter.", "给女儿种了一棵柠檬树，等她一起长大。", "🍋"),
    ("Snow on the peaks and hot chocolate in hand.", "远处雪山，手里热可可，人间值得。", "🏔️"),
    ("My sourdough has a name and moods of its own.", "我养的酵母有名字，还有脾气。", "🍞"),
    ("Night market, grilled corn, bare feet in the sand.", "逛夜市，啃烤玉米，光脚踩沙滩。", "🌽"),
    ("Moved my desk to the window. Life changing.", "把书桌挪到窗边，心情都亮了。", "🪴"),
    ("Three generations, one chessboard, no mercy.", "祖孙三代一盘棋，谁也不让谁。", "♟️"),
    ("The old radio works again after twenty years.", "二十年前的收音机又修响了。", "📻"),
    ("Passed the exam! Going to sleep for a week.", "考试过了！我要睡上一个星期。", "🎓"),
)
REMARKS = (
    ("Looks wonderful!", "太好看了！"), ("I want to go there too", "我也想去"), ("Save some for me", "给我留一点"),
    ("This made my day", "看到这个心情都好了"), ("Next time take me along", "下次带上我"),
    ("Haha, so typical", "哈哈，果然是你"), ("What a view!", "这景色绝了"), ("Well done, you!", "给你点个大大的赞"),
    ("Teach me please", "求教程"), ("Jealous!", "羡慕了"), ("Which camera is that?", "用什么拍的？"),
    ("See you there next week", "下周见呀"),
)  # fmt: skip
SIGNATURES = (
    ("Tea first, questions later", "先喝茶，再说话"), ("Out for a walk", "在路上"),
    ("Learning the cello", "正在学大提琴"), ("Slow mornings", "慢慢来，比较快"), ("Never without a book", "手不释卷"),
    ("Gone fishing", "钓鱼去了"), ("Cats before people", "有猫万事足"), ("Less noise, more music", "少说话，多听歌"),
    ("Available on weekends", "周末可约"), ("Still hungry", "干饭人"), ("One step at a time", "日拱一卒"),
    ("Hello from the garden", "种花的人"), ("Do not disturb before nine", "九点前勿扰"),
    ("Sunny days", "今天也要开心"),
)  # fmt: skip
PLACES = (
    ("Riverside", "杭州"), ("Old Town", "成都"), ("Harbour District", "青岛"), ("Northgate", "西安"),
    ("Lakeview", "武汉"), ("Maple Hill", "长沙"), ("Station Quarter", "广州"), ("Westfield", "苏州"),
)  # fmt: skip
SEARCHES = (("Saturday", "周六"), ("train", "车"), ("photo", "照片"), ("dinner", "吃"), ("new", "新"))
FACES = ("👥", "📚", "🥾", "💼", "🏠", "🏸", "🏢", "🍜", "🎲")
"""What a group's picture can be."""


def build(draw: Draw) -> Data:
    """A thread with each person, six groups, moments with likes and comments."""
    threads: dict[str, Any] = {}
    lines: list[tuple[str, list[tuple[str, str]]]] = []
    for person, talk in zip(draw.people, draw.sample(TALKS, len(draw.people)), strict=True):
        threads[person.id] = _thread(draw, person.name, person.emoji, [person.id])
        said = [(person.id if line[0] == "<" else "me", line[1:]) for line in draw.t(*talk).split("|")]
        lines.append((person.id, said))
    for at, (en, zh, emoji, *scripts) in enumerate(draw.sample(GROUPS, 6)):
        members = [person.id for person in draw.sample(draw.people, draw.integer(3, 8))]
        threads[f"g{at + 1}"] = _thread(draw, draw.t(en, zh), emoji, sorted(members))
        script = f"{draw.t(*CHATTER)}|{draw.t(*scripts)}" if at == 0 else draw.t(*scripts)
        said = [("me" if line[0] == "0" else members[int(line[0]) - 1], line[2:]) for line in script.split("|")]
        lines.append((f"g{at + 1}", said))
    friends = {
        person.id: {"name": person.name, "emoji": person.emoji, "remark": "", "starred": draw.chance(0.2),
                    "signature": draw.t(*words), "region": draw.t(*draw.choice(PLACES))}
        for person, words in zip(draw.people, draw.sample(SIGNATURES, len(draw.people)), strict=True)
    }  # fmt: skip
    posts, comments = _moments(draw)
    return {
        "threads": threads,
        "messages": _messages(draw, lines),
        "friends": friends,
        "posts": posts,
        "comments": comments,
        "status": "",
        "receipts": draw.chance(0.5),
        "by_phone": draw.chance(0.5),
        "history": [draw.t(*words) for words in draw.sample(SEARCHES, 3)],
    }


def _thread(draw: Draw, name: str, emoji: str, members: list[str]) -> dict[str, Any]:
    return {"name": name, "emoji": emoji, "members": members, "pinned": draw.chance(0.15), "muted": draw.chance(0.2),
            "unread": draw.integer(1, 6) if draw.chance(0.3) else 0}  # fmt: skip


def message(thread: str, sender: str, text: str, at: str) -> dict[str, Any]:
    return {"thread": thread, "sender": sender, "text": text, "at": at, "forwarded": "", "reply": "",
            "starred": False, "deleted": False}  # fmt: skip


def _messages(draw: Draw, lines: list[tuple[str, list[tuple[str, str]]]]) -> dict[str, Any]:
    """Each thread is a while older than the one before."""
    found: list[dict[str, Any]] = []
    age = timedelta(minutes=draw.integer(3, 20))
    for thread, said in draw.shuffled(lines):
        at = awake(draw.now - age)
        for sender, words in reversed(said):
            found.append(message(thread, sender, words, at.isoformat(timespec="minutes")))
            at = awake(at - timedelta(minutes=draw.choice((1, 1, 2, 3, 5, 12, 50))))
        age += timedelta(minutes=draw.integer(20, 700))
    found.reverse()
    found.sort(key=lambda each: str(each["at"]))
    return {f"m{at + 1}": each for at, each in enumerate(found)}


def _moments(draw: Draw) -> tuple[dict[str, Any], dict[str, Any]]:
    """Mine are the third and the ninth; of the others', most come from somebody who posted once."""
    authors = [person.id for person in draw.sample(draw.people, 11)]
    authors[2:2], authors[8:8] = ["me"], ["me"]
    authors.append(authors[0])
    posts: dict[str, Any] = {}
    comments: dict[str, Any] = {}
    at = draw.now
    for number, (author, (en, zh, emoji)) in enumerate(zip(authors, draw.sample(POSTS, len(authors)), strict=True)):
        at = awake(at - timedelta(minutes=draw.integer(25, 900)))
        id = f"p{number + 1}"
        others = [person.id for person in draw.people if person.id != author]
        posts[id] = {"author": author, "text": draw.t(en, zh), "emoji": emoji, "at": at.isoformat(timespec="minutes"),
                     "liked": False, "likes": draw.sample(others, draw.integer(0, 5)), "audience": "all"}  # fmt: skip
        for who, words in zip(draw.sample(others, 3), draw.sample(REMARKS, draw.integer(0, 3)), strict=False):
            comments[f"c{len(comments) + 1}"] = {"post": id, "author": who, "text": draw.t(*words)}
    return posts, comments
