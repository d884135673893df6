"""`static-root`, the default similarity of two UI descriptions, English or Chinese: offline and deterministic.

A description is the sum of its words' static vectors (32 000 come in the wheel of wordllama 0.1); template
words are nearly silent, Chinese words and pictograms are read through a glossary. Chosen by measurement: it
orders 91.1 % (en) and 87.6 % (zh) of the golden triples rightly, character n-grams half at best, MiniLM
78.7 % of the English ones (docs/SIMILARITY.md).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from zlib import crc32

import numpy as np
import numpy.typing as npt

from saccade.errors import MissingError
from saccade.untrusted import read_bytes, read_text

Similarity = Callable[[str, str], float]
_Vector = npt.NDArray[np.float32]
_WIDTH = 256  # of the bundled vectors, and of the hashed part behind them
# Words of the template and names of widgets: a tenth of the weight.
_GENERIC = """
a allow allows an and are as at banner bar be box button by can checkbox chip display displaying displays
dropdown element field for from has have here how i icon if image in indicate indicates indicating input is it
item its label labelled let lets likely link list located may mean meaning means my not of on one option or
page radio represent represents row screen show shows slider symbol tab text that the their this to use used
user users using what when where which who will with you your 该 该元素 元素 是 一个 是一个 用于 用来 用户
可以 可能 显示 显示文字 文字 表示 代表 说明 位于 指向 点击 的 了 在 和 与 或 时 已 已经 这 这个 这条 一行 个
把 将 给 并 里 中 其中 上 按钮 图标 图示 输入框 输入栏 文本框 复选框 下拉框 单选按钮 滑块 链接 卡片 框 栏 行
列表 列表项 标签 标签页 选项 页面 界面"""
# An English word, then what is read as it: pictograms (=) and Chinese words.
_GLOSSARY = """
search =magnifying_glass 放大镜 搜索 搜寻 查找 查询 检索 寻找 搜 关键词 关键字 filter 筛选 过滤 sort 排序 排列
back 返回 后退 previous 上一 next 下一 继续 前进 home =house 首页 主页 主界面 skip 跳过 略过 menu =hamburger
菜单 导航栏 侧边栏 category 分类 open 打开 enter 进入 start 开始 启动 close 关闭 叉号 exit 退出 hide 隐藏 stop
停止 结束 switch 切换 开关 开启 启用 停用 禁用 edit =pencil 编辑 修改 铅笔 change 更改 更换 调整 调节 delete
=trash =trash_can 删除 垃圾桶 移除 清除 清空 小叉 undo 撤销 撤回 restore 恢复 还原 重置 找回 copy 复制 拷贝
paste 粘贴 cancel 取消 save =floppy_disk 保存 bookmark 收藏 书签 select 选择 选中 挑选 confirm 确定 确认 同意
接受 done 完成 submit 提交 refresh 刷新 加载 同步 更新 add 添加 增加 新增 加号 插入 create 新建 创建 zoom 放大
缩放 缩小 expand 展开 收起 全屏 quantity 数量 件数 人数 size 大小 尺寸 尺码 高度 cheap 便宜 message 消息 讯息
短信 私信 聊天 对话 会话 send =paper_plane 发送 纸飞机 post 发布 帖子 动态 reply 回复 comment 评论 留言 share
分享 转发 phone 电话 手机 call 拨打 通话 呼叫 来电 拨号 contact 联系人 通讯录 group 群聊 member 成员 会员
block 拉黑 屏蔽 举报 email =envelope 邮件 邮箱 电子邮件 收件箱 信封 attachment =paperclip 附件 回形针 draft
草稿 read 已读 阅读 unread 未读 archive 存档 sender 发件人 recipient 收件人 收款人 notification =bell 通知
推送 铃铛 提醒 alarm 闹钟 timer 计时 秒表 help 帮助 客服 指南 login 登录 登入 logout 注销 登出 退出登录
register 注册 account 账号 帐号 账户 帐户 profile 头像 个人主页 username 用户名 昵称 password 密码 口令 verify
验证 认证 审核 验证码 lock 锁定 锁屏 解锁 fingerprint 指纹 security 安全 privacy 隐私 terms 条款 协议 政策
follow 关注 subscribe 订阅 续费 续订 channel 频道 friend 好友 朋友 粉丝 buy 购买 order 下单 订单 pay 付款 支付
缴费 缴纳 checkout 结算 结账 wallet 钱包 bill 账单 shopping_cart 购物车 购物篮 price 价格 售价 票价 费用 金额
总额 总价 合计 product 商品 货品 产品 discount 优惠 折扣 促销 代金券 优惠券 sold_out 售罄 缺货 delivery 快递
快件 送货 送达 到货 配送 收货 外卖 package 包裹 review 评价 点评 评分 customer 顾客 客户 买家 seller 卖家 商家
店铺 商店 gift 礼品 礼物 receipt 收据 小票 发票 refund 退款 退货 credit_card 信用卡 银行卡 bank 银行 money
余额 transfer_money 转账 汇款 rate 利率 汇率 currency 货币 free 免费 rent 租金 房租 flight 航班 飞机 机票 飞行
起飞 train 火车 列车 高铁 bus 公交 班车 subway 地铁 taxi 打车 出租车 car 汽车 parking 停车 hotel 酒店 宾馆
住宿 房间 客房 check_in 入住 check_out 退房 arrive 到达 抵达 leave 离开 出发 发车 reserve 预订 预定 预约
travel 旅行 旅游 行程 destination 目的地 passenger 乘客 旅客 adult 成人 大人 child 儿童 孩子 delay 延误 晚点
seat 座位 ticket 门票 map 地图 location 位置 定位 地点 marker 标记 address 地址 route 路线 导航 nearby 附近
city 城市 country 国家 国籍 地区 distance 距离 范围 date 日期 日子 calendar 日历 time 时间 时钟 duration 时长
schedule 日程 安排 meeting 会议 event 活动 today 今日 今天 当天 now 现在 当前 yesterday 昨天 tomorrow 明天
week 星期 weekend 周末 month 月份 estimated 预计 history 历史 最近 record 记录 录制 录音 volume 音量 sound
声音 mute 静音 vibrate 振动 震动 microphone 麦克风 voice 语音 headphones 耳机 song 歌曲 音乐 album 专辑 lyrics
歌词 playlist 歌单 podcast 播客 episode 节目 剧集 singer 歌手 video 视频 影片 电影 play 播放 放映 pause 暂停
subtitle 字幕 quality 清晰度 画质 progress 进度 preview 预览 缩略图 cover 封面 海报 screen 屏幕 live 直播
advertisement 广告 course 课程 教程 photo 照片 相册 图片 画面 camera 相机 摄像头 镜头 take_photo 拍照 拍摄
快门 scan 扫描 扫一扫 qr_code 二维码 barcode 条形码 wallpaper 壁纸 背景 like =heart =thumbs_up 点赞 喜欢 爱心
article 文章 news 新闻 资讯 头条 book 小说 漫画 章节 note 笔记 备忘录 settings =gear =cog 设置 设定 齿轮 dark
深色 夜间 theme 主题 brightness 亮度 font 字体 language 语言 translate 翻译 keyboard 键盘 permission 权限
wireless 无线 网络 connect 连接 配对 bluetooth 蓝牙 mobile_data 流量 漫游 battery 电池 电量 充电 storage 存储
空间 device 设备 print 打印 computer 电脑 television 电视 file 文件 档案 文档 contract 合同 download 下载
install 安装 upload 上传 导入 export 导出 folder 文件夹 window 窗口 视窗 dialog 弹窗 对话框 app 应用 软件
web_page 网页 网站 浏览器 restaurant 餐厅 饭馆 food 美食 食物 食材 菜谱 hospital 医院 药品 doctor 医生 patient
病人 患者 school 学校 student 学生 homework 作业 exam 考试 sport 运动 健身 跑步 calories 热量 heart_rate 心率
sleep 睡眠 weather 天气 晴天 晴朗 temperature 气温 温度 match 比赛 比分 football 足球 game 游戏 clothes 衣服
color 颜色 layer 图层 shape 形状 table 表格 cell 单元格 chart 图表 code 代码 debug 调试 run 运行 terminal 终端
view 查看 浏览 task 任务 待办 project 项目 team 团队 同事 job 职位 招聘 resume 简历 error 错误 警告"""
_TRADITIONAL = """該该個个鈕钮發发訊讯尋寻輸输鍵键關关閉闭視视設设頁页載载檔档圖图語语話话選选擇择額额帳帐號号
碼码顯显資资間间時时開开啟启動动數数電电腦脑網网絡络郵邮訂订單单買买賣卖價价錢钱優优車车機机導导點点擊击標标
題题會会員员螢萤聲声錄录傳传應应說说讀读寫写編编輯辑檢检連连結结區区國国條条張张這这來来對对體体畫画飛飞認认"""


@lru_cache(maxsize=1)
def _vectors() -> tuple[dict[str, int], npt.NDArray[np.float16]]:
    """Vocabulary and vectors, read from the data files of wordllama; none of its code is imported."""
    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise MissingError(
            "comparing two descriptions needs word vectors: pip install 'saccade[similarity]', or give another function"
        )
    root = Path(spec.origin).parent
    tokenizer = json.loads(read_text(root / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    raw = read_bytes(root / "weights" / "l2_supercat_256.safetensors")
    start = 8 + int.from_bytes(raw[:8], "little")  # safetensors: header length, JSON header, one matrix
    return tokenizer["model"]["vocab"], np.frombuffer(raw, "<f2", offset=start).reshape(-1, _WIDTH)


def vocabulary() -> list[str]:
    """The words, and parts of words, that have a vector."""
    return [word.removeprefix("▁") for word in _vectors()[0] if word.startswith("▁") or not word.isascii()]


@lru_cache(maxsize=1)
def _lexicon() -> tuple[dict[str, tuple[list[str], float]], re.Pattern[str], dict[int, str]]:
    """The known words with their readings and weights, the pattern of a word, the simplified characters."""
    known: dict[str, tuple[list[str], float]] = {}
    reading: list[str] = []
    for word in _GLOSSARY.split():
        if word.isascii() and not word.startswith("="):
            reading = word.split("_")
        else:
            known[word.strip("=").replace("_", " ")] = reading, 1 / len(reading)
    known |= {word: ([word] if word.isascii() else [*word], 0.1) for word in _GENERIC.split()}
    phrases = rf"\b(?:{'|'.join(word for word in known if ' ' in word)})\b"
    chinese = sorted((word for word in known if not word.isascii()), key=len, reverse=True)
    kinds = [phrases, r"\d+(?:[.:,]\d+)*", r"[^\W\d_㐀-鿿]{1,32}", *chinese, "[㐀-鿿]"]
    simplified = {ord(old): new for old, new in re.findall("(.)(.)", _TRADITIONAL)}
    return known, re.compile("|".join(kinds)), simplified


@lru_cache(maxsize=65536)
def _word(word: str) -> _Vector:
    """The sum of the vectors of a word's pieces; a number or an unknown piece gets a hashed dimension."""
    number, table = _vectors()
    pieces = [word] if word[0].isdigit() or "㐀" <= word <= "鿿" else ["▁", *word]
    while unions := [(number[a + b], i) for i, (a, b) in enumerate(pairwise(pieces)) if a + b in number]:
        i = min(unions)[1]  # byte-pair merging: the union with the lowest number first
        pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
    vector = np.zeros(2 * _WIDTH, np.float32)
    for piece in pieces:
        if piece in number and not piece[0].isdigit():
            vector[:_WIDTH] += table[number[piece]]
        else:
            vector[_WIDTH + crc32(piece.encode()) % _WIDTH] += 10  # about the length of a word's vector
    return vector


@lru_cache(maxsize=16384)
def _embed(text: str) -> _Vector:
    """The weighted sum of a text's word vectors, scaled to length 1 (0 if there are no words)."""
    known, pattern, simplified = _lexicon()
    vector = np.zeros(2 * _WIDTH, np.float32)
    text = " ".join(unicodedata.normalize("NFKC", text).lower().translate(simplified).split())
    for token in pattern.findall(text):
        words, weight = known.get(token, ([token], 0.5 if "㐀" <= token <= "鿿" else 1.0))
        vector += weight * np.sum([_word(word) for word in words], axis=0)
    return vector / max(float(np.linalg.norm(vector)), 1e-9)


class StaticRoot:
    """The root of the clipped cosine of static word vectors: 1 for equal strings, 0 when one is empty. The root is a
    monotone calibration: cosines of sums of words are low, and it brings paraphrases above UILoop's gate of 0.5.
    """

    name = "static-root"

    def __call__(self, a: str, b: str) -> float:
        return 1.0 if a == b else float(np.sqrt(np.clip(_embed(a) @ _embed(b), 0, 1)))


similarity = StaticRoot()
