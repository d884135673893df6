"""Makes up web pages of a UI kit: random layouts of controls with random texts, icons, colours and fonts."""

from __future__ import annotations

import html
import re
from pathlib import Path
from random import Random

from saccade_vision.training.web_kits import KITS, WebKit

ENGLISH = (
    "account address archive article balance board budget calendar camera cancel catalogue chart client close "
    "colour comment compare confirm contact copy customer dashboard delete delivery details device discount "
    "document download draft edit email event export favourite feedback file filter folder forward gallery group "
    "help history home image import inbox invoice item journey label language layout library list location login "
    "member menu message monitor music name network notes office open order overview owner page password payment "
    "phone picture plan preview price print privacy profile project public purchase quantity rating recent region "
    "remove report reset result review role sales save schedule search security select send server settings share "
    "size sort start status stock store summary support table task team template theme ticket time title today "
    "total travel update upload user version video view volume weather week window year zoom"
).split()
CHINESE = (
    "账户 地址 归档 文章 余额 看板 预算 日历 相机 取消 目录 图表 客户 关闭 颜色 评论 比较 确认 联系人 复制 "
    "仪表盘 删除 配送 详情 设备 折扣 文档 下载 草稿 编辑 邮件 活动 导出 收藏 反馈 文件 筛选 文件夹 转发 图库 "
    "分组 帮助 历史记录 首页 图片 导入 收件箱 发票 项目 标签 语言 布局 资料库 列表 位置 登录 会员 菜单 消息 "
    "监控 音乐 名称 网络 笔记 办公室 打开 订单 概览 负责人 页面 密码 付款 电话 计划 预览 价格 打印 隐私 "
    "个人资料 公开 采购 数量 评分 最近 地区 移除 报表 重置 结果 审核 角色 销售 保存 日程 搜索 安全 选择 发送 "
    "服务器 设置 分享 大小 排序 开始 状态 库存 商店 摘要 支持 表格 任务 团队 模板 主题 工单 时间 标题 今天 "
    "合计 旅行 更新 上传 用户 版本 视频 查看 音量 天气 本周 窗口 年份 缩放"
).split()
ICON_FONTS: dict[str, tuple[str, str]] = {
    "bootstrap": ("bootstrap-icons/font/bootstrap-icons.min.css", "bi bi-{}"),
    "awesome": ("@fortawesome/fontawesome-free/css/all.min.css", "fa-solid fa-{}"),
    "old awesome": ("font-awesome/css/font-awesome.min.css", "fa fa-{}"),
    "remix": ("remixicon/fonts/remixicon.css", "ri-{}-line"),
    "tabler": ("@tabler/icons-webfont/dist/tabler-icons.min.css", "ti ti-{}"),
}
ICON_NAMES = {
    "bootstrap": "search gear house person trash pencil download upload bell heart star folder camera envelope",
    "awesome": "magnifying-glass gear house user trash pen download upload bell heart star folder camera envelope",
    "old awesome": "search cog home user trash pencil download upload bell heart star folder camera calendar envelope",
    "remix": "search settings-3 home user delete-bin pencil download upload notification heart star folder camera mail",
    "tabler": "search settings home user trash pencil download upload bell heart star folder camera calendar mail",
}
FAMILIES = ("", "", "Noto Sans", "DejaVu Sans", "Liberation Serif", "WenQuanYi Micro Hei", "Cantarell", "monospace")
FORM = "input filled search area select check radio switch slider date number".split()
BLOCKS = {
    "form": ("input", "filled", "select", "check", "radio", "area", "button"),
    "settings": ("switch", "switch", "slider", "select", "check", "number", "second"),
    "tools": ("tool", "tool", "tool", "second", "search", "tool", "select", "button"),
    "table": ("crumbs", "table", "pages"),
    "cards": ("card", "card", "card"),
    "tabs": ("tabs", "list", "button"),
    "list": ("list", "pages"),
    "menu": ("menu", "tool"),
    "tree": ("tree", "check"),
    "filters": ("date", "search", "select", "number", "button", "second"),
    "notice": ("alert", "second"),
}
OFF = re.compile(r' checked(?=[ >])|( :?(?:model-value|checked|value|defaultChecked)=")true(")')
"""What makes a control be on in the kits' templates."""
STYLE = """
body { margin: 0; font-size: %(points)spx; %(family)s }
#page { padding: %(pad)spx; } .own-columns { display: flex; gap: %(gap)spx; align-items: flex-start; }
.own-side { width: %(side)spx; flex: none; } .own-main { flex: 1; min-width: 0; }
.own-grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(%(column)spx, 1fr)); gap: %(gap)spx; }
.own-row { display: flex; flex-wrap: wrap; gap: %(gap)spx; align-items: center; }
.own-block { margin-bottom: %(gap)spx; }
.own-modal { position: fixed; left: 30%%; top: 20%%; width: 40%%; padding: 16px;
background: %(card)s; border: 1px solid #888; box-shadow: 0 6px 30px #0006; z-index: 99; }
.own-menu { display: inline-block; border: 1px solid #999; background: %(card)s; }
.own-menu > div { padding: 4px 14px; }
%(colours)s
"""


class PageMaker:
    """`kits`: the folder of npm packages, which pages find under /kits/."""

    def __init__(self, kits: Path) -> None:
        self.kits = kits
        there = [name for name, kit in KITS.items() if all((kits / file).is_file() for file in _files(kit))]
        self.names = there
        self.fonts = [name for name, (file, _) in ICON_FONTS.items() if (kits / file).is_file()]
        folders = (kits / "lucide-static/icons", kits / "bootstrap-icons/icons")
        self.drawings = [sorted(folder.glob("*.svg")) for folder in folders if folder.is_dir()]

    def page(self, name: str, random: Random, language: str) -> str:
        """A page of the kit of this name."""
        return _Page(self, KITS[name], random, language).html()


def _files(kit: WebKit) -> list[str]:
    return [each.removeprefix("module:") for each in kit.files]


class _Page:
    def __init__(self, maker: PageMaker, kit: WebKit, random: Random, language: str) -> None:
        self.maker, self.kit, self.random = maker, kit, random
        self.words = CHINESE if language == "zh" else ENGLISH
        self.joint = "" if language == "zh" else " "
        self.font = random.choice(maker.fonts) if maker.fonts and random.random() < 0.5 else ""
        self.drawings = random.choice(maker.drawings) if maker.drawings else []
        self.dark = random.random() < 0.35
        self.count = 0

    # -- texts and icons ----------------------------------------------------------------------------------------------

    def _value(self, what: str) -> str:
        random = self.random
        if what == "n":
            return str(random.randint(1, 99))
        if what == "id":
            self.count += 1
            return f"x{self.count}"
        if what == "i":
            return self._icon()
        if what == "img":
            return f"/picture/{random.randint(0, 999)}.png"
        count = {"w": random.choice((1, 1, 2)), "t": random.randint(2, 5), "p": random.randint(6, 24)}[what]
        text = self.joint.join(random.choice(self.words) for _ in range(count))
        return html.escape(text if self.joint == "" else text[0].upper() + text[1:])

    def _icon(self) -> str:
        if self.font:
            name = self.random.choice(ICON_NAMES[self.font].split())
            return f'<i class="{ICON_FONTS[self.font][1].format(name)}"></i>'
        if not self.drawings:
            return "<b>+</b>"
        drawing = self.random.choice(self.drawings).read_text(encoding="utf-8")
        drawing = re.sub(r"<!--.*?-->", "", drawing, flags=re.DOTALL)
        size = self.random.choice((14, 16, 18, 20))
        drawing = re.sub(r'\b(width|height)="24"|\b(width|height)="16"', "", drawing, count=2)
        return drawing.replace("<svg", f'<svg width="{size}" height="{size}"', 1)

    def _filled(self, template: str) -> str:
        again = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)
        text = again.sub(lambda found: found[1] * self.random.randint(2, 5), template)
        pairs: dict[str, str] = {}
        if text.count("{id}") == 2 and 'for="{id}"' in text:  # a control and its label
            pairs["{id}"] = self._value("id")
            text = text.replace("{id}", pairs["{id}"])
        text = self._with_states(text)
        text = re.sub(r"\{(t|w|p|n|i|img|id)\}", lambda found: self._value(found[1]), text)
        return text.replace("{{", "{").replace("}}", "}")

    def _with_states(self, template: str) -> str:
        """Half of what can be ticked or switched on is, so that both are seen."""
        if self.random.random() < 0.5:
            return template.replace('<input type="radio"', '<input checked type="radio"')
        return OFF.sub(lambda found: found[1] + "false" + found[2] if found[1] else "", template)

    # -- layout -------------------------------------------------------------------------------------------------------

    def _block(self, name: str) -> str:
        parts = list(BLOCKS[name])
        self.random.shuffle(parts)
        if name in ("table", "tabs"):
            parts = list(BLOCKS[name])
        made = [self._filled(self.kit.template(part)) for part in parts[: self.random.randint(2, len(parts))]]
        style = "own-row" if name in ("tools", "filters") else "own-grid" if name == "cards" else "own-block"
        inner = "".join(f"<div>{each}</div>" for each in made)
        heading = f"<h3>{self._value('t')}</h3>" if self.random.random() < 0.4 else ""
        return f'<div class="own-block">{heading}<div class="{style}">{inner}</div></div>'

    def _body(self) -> str:
        random = self.random
        names = [random.choice(list(BLOCKS)) for _ in range(random.randint(8, 18))]
        blocks = [self._block(name) for name in names]
        columns = random.choice((1, 1, 2, 3))
        main = [f'<div class="own-grid">{"".join(blocks)}</div>' if columns > 1 else "".join(blocks)]
        top = self._filled(self.kit.template("nav")) if random.random() < 0.7 else self._block("tools")
        beside = "".join(self._filled(self.kit.template(name)) for name in ("side", "tree"))
        side = f'<div class="own-side">{beside}</div>'
        parts = [side if random.random() < 0.6 else "", f'<div class="own-main">{"".join(main)}</div>']
        if random.random() < 0.25:
            parts.reverse()
        over = self._filled(self.kit.template("modal")) if random.random() < 0.12 and not self.kit.mount else ""
        return f'{top}<div class="own-columns">{"".join(parts)}</div>{over}'

    def _style(self) -> str:
        random = self.random
        hue = random.randint(0, 359)
        colours = ""
        own = f"hsl({hue} 65% {random.choice((30, 40, 50))}%)"
        if random.random() < 0.4:
            colours += f":root {{ --bs-primary: {own}; --bulma-primary: {own}; --el-color-primary: {own}; }}\n"
            colours += f"button:nth-of-type(3n) {{ background-color: {own}; color: #fff; }}\n"
        if random.random() < 0.35 and not self.dark:
            colours += f"body {{ background: hsl({hue} 30% {random.choice((88, 94, 97))}%); }}\n"
        if self.dark and not self.kit.dark:
            colours += "html { filter: invert(0.92) hue-rotate(180deg); background: #fff; }\n"
        elif self.dark:
            colours += "body { background: #1b1d22; color: #e4e4e4; }\n"
        family = random.choice(FAMILIES)
        return STYLE % {
            "points": random.choice((12, 13, 14, 14, 15, 16, 18)),
            "family": f"font-family: '{family}', sans-serif;" if family else "",
            "pad": random.choice((0, 4, 8, 16, 24)),
            "gap": random.choice((4, 8, 12, 16, 20)),
            "side": random.choice((160, 200, 220, 260)),
            "column": random.choice((180, 220, 260, 340)),
            "card": "#2a2d33" if self.dark and self.kit.dark else "#fff",
            "colours": colours,
        }

    def html(self) -> str:
        body, kit = self._body(), self.kit
        links, scripts = "", ""
        files = [*kit.files, *([ICON_FONTS[self.font][0]] if self.font else [])]
        for file in files:
            if file.startswith("module:"):
                scripts += f'<script type="module" src="/kits/{file[7:]}"></script>'
            elif file.endswith(".js"):
                scripts += f'<script src="/kits/{file}"></script>'
            else:
                links += f'<link rel="stylesheet" href="/kits/{file}">'
        attributes = kit.dark if self.dark and kit.dark else kit.body
        components = bool(kit.mount) and "#page" in kit.mount + ("#page" if "'page'" in kit.mount else "")
        holder = (
            f'<div id="page"></div><script type="text/x-template" id="template">{body}</script>'
            if components
            else f'<div id="page">{body}</div>'
        )
        mount = f"<script>{kit.mount}</script>" if kit.mount else ""
        head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>'
        head += f"{self._value('t')}</title>"
        dark = attributes if "class=" in attributes or "theme" in attributes else ""
        return (
            f"<!doctype html><html {dark}><head>{head}{links}<style>{self._style()}</style></head>"
            f"<body {attributes}>{holder}{scripts}{mount}</body></html>"
        )
