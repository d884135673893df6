"""Tasks across apps: send or write down what something costs."""

from __future__ import annotations

from collections import Counter

from saccade_phone.goal_changes import Says, See, added, see
from saccade_phone.tasks.across_base import amount_mail, friend, tell, ware_of
from saccade_phone.tasks.base import Goal, Params, task


@task("across.tell_amount", "mail", "chat")
def tell_amount(p: Params) -> Goal:
    mail, amount, where = amount_mail(p)
    who, name = friend(p)
    return p.goal(
        [tell(who, amount.strip("$¥元"), text=amount)],
        sees=[where],
        en=[
            f"Tell {name} in Chat the amount in the mail “{mail['subject']}”",
            f"Read the mail “{mail['subject']}” and message the sum to {name}",
            f"How much is it in “{mail['subject']}”? Send {name} the amount in Chat",
            f"There is a letter in my inbox, “{mail['subject']}”; {name} would like to learn how much money it speaks of",
        ],
        zh=[
            f"在微聊告诉{name}邮件“{mail['subject']}”里的金额",
            f"看邮件“{mail['subject']}”，把金额发消息给{name}",
            f"“{mail['subject']}”这封邮件里是多少钱？用微聊发给{name}",
            f"收件箱有一封“{mail['subject']}”，{name}很想知道其中写的钱数，请代为转告",
        ],
    )


@task("across.note_amount", "mail", "notes")
def note_amount(p: Params) -> Goal:
    mail, amount, where = amount_mail(p)
    title = p.t("Expenses ", "开支") + str(p.integer(2, 98))
    return p.goal(
        [added("notes.notes", title=title, body=Says(amount, (amount.strip("$¥元"),)))],
        sees=[where],
        en=[
            f"Note the amount from the mail “{mail['subject']}” in a new note “{title}”",
            f"Make a note called “{title}” with the sum that “{mail['subject']}” names",
            f"Write down how much the mail “{mail['subject']}” is about, in a note titled “{title}”",
            f"For my bookkeeping, transfer the figure in the letter “{mail['subject']}” to a sheet of notes headed “{title}”",
        ],
        zh=[
            f"把邮件“{mail['subject']}”里的金额记到新便签“{title}”",
            f"新建便签“{title}”，写上邮件“{mail['subject']}”中的金额",
            f"邮件“{mail['subject']}”是多少钱？记在标题为“{title}”的便签里",
            f"为了记账，请将来信“{mail['subject']}”所写的数目誊到一则名叫“{title}”的新便签",
        ],
    )


@task("across.tell_price", "shop", "chat")
def tell_price(p: Params) -> Goal:
    ware, price, where = ware_of(p)
    who, name = friend(p)
    return p.goal(
        [tell(who, price)],
        sees=[where],
        en=[
            f"Tell {name} in Chat what “{ware}” costs in Shop",
            f"Look up the price of “{ware}” and message it to {name}",
            f"Send {name} the price of “{ware}”",
            f"How much does one pay for “{ware}” where I buy things? {name} is waiting for an answer in our chat",
        ],
        zh=[
            f"在微聊告诉{name}优购里“{ware}”多少钱",
            f"查“{ware}”的价格，发消息给{name}",
            f"把“{ware}”的价钱发给{name}",
            f"在购物应用买一件“{ware}”要花多少？{name}正在聊天里等我回话",
        ],
    )


@task("across.note_price", "shop", "notes")
def note_price(p: Params) -> Goal:
    ware, price, where = ware_of(p)
    title = p.t("Wish list ", "心愿单") + str(p.integer(2, 98))
    return p.goal(
        [added("notes.notes", title=title, body=Says(price, (price,)))],
        sees=[where],
        en=[
            f"Write the price of “{ware}” into a new note titled “{title}”",
            f"Check in Shop what “{ware}” costs and note it under the title “{title}”",
            f"New note “{title}”: the price of “{ware}” in Shop",
            f"I am saving up for “{ware}”: record what it would cost me in a fresh note with the heading “{title}”",
        ],
        zh=[
            f"把“{ware}”的价格记到标题为“{title}”的新便签",
            f"在优购查“{ware}”多少钱，写进便签“{title}”",
            f"新建便签“{title}”，内容是优购里“{ware}”的价格",
            f"我打算攒钱买“{ware}”，先把所需的数目记在一则新便签上，题目定为“{title}”",
        ],
    )


@task("across.tell_total", "food", "chat")
def tell_total(p: Params) -> Goal:
    food = p.data("food")
    counts = Counter(each["restaurant"] for _, each in p.entries("food.orders"))
    id, order = p.entry("food.orders", lambda each: counts[each["restaurant"]] == 1)
    place, total = food["restaurants"][order["restaurant"]]["name"], f"{order['total']:g}"
    who, name = friend(p)
    return p.goal(
        [tell(who, total)],
        sees=[see("food", "order", order=id)],
        en=[
            f"Tell {name} in Chat the total of my order from {place}",
            f"Open my order from {place} and message {name} what it cost",
            f"{name} wants to share the bill of {place}: send the total of that order",
            f"I ate something by {place} lately; for splitting the costs, {name} must be told the whole sum by chat",
        ],
        zh=[
            f"在微聊告诉{name}我在{place}的订单总价",
            f"打开{place}的订单，把花了多少钱发给{name}",
            f"{name}要和我分摊{place}那一单，把总额发过去",
            f"前阵子点了{place}的外卖，为了平摊费用，请把整单的数目用聊天知会{name}",
        ],
    )


@task("across.tell_file_date", "files", "chat")
def tell_file_date(p: Params) -> Goal:
    names = Counter(each["name"] for _, each in p.entries("files.entries"))
    id, file = p.entry(
        "files.entries",
        lambda e: e["kind"] == "document" and names[e["name"]] == 1 and e["parent"] not in ("trash", ""),
    )
    who, name = friend(p)
    look = See("files", "file", {"file": id}, file["name"], {"folder": (file["parent"],), "kind": (file["kind"],)})
    return p.goal(
        [tell(who, file["date"])],
        sees=[look],
        en=[
            f"Tell {name} in Chat the date of the file “{file['name']}” (as YYYY-MM-DD)",
            f"Look up the date of “{file['name']}” in Files and message it to {name} as YYYY-MM-DD",
            f"Send {name} the date (YYYY-MM-DD) of my file “{file['name']}”",
            f"When was the document “{file['name']}” last touched? Let {name} know, written like 2026-01-31, in a chat",
        ],
        zh=[
            f"在微聊告诉{name}文件“{file['name']}”的日期（写成YYYY-MM-DD）",
            f"在文件管理查“{file['name']}”的日期，以YYYY-MM-DD发给{name}",
            f"把“{file['name']}”这个文件的日期（YYYY-MM-DD）发给{name}",
            f"文档“{file['name']}”上一次改动是哪天？请按2026-01-31的写法在聊天中答复{name}",
        ],
    )
