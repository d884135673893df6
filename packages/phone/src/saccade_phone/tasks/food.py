"""Tasks in the food delivery app."""

from __future__ import annotations

from typing import Any

from saccade_phone.app import View
from saccade_phone.apps.food.basket import slots
from saccade_phone.apps.food.content import CATEGORIES, LABELS, REASONS, bill
from saccade_phone.apps.food.restaurants import when
from saccade_phone.data_files import Words, table
from saccade_phone.goal_changes import Removed, added, changed, see
from saccade_phone.tasks.base import Goal, Params, task

NOTES = table("tasks/food", "notes", list[Words])
PRAISE = table("tasks/food", "praise", list[Words])
STREETS = table("tasks/food", "streets", list[Words])
ABSENT = table("tasks/food", "absent", list[tuple[str, str, str, str]])


def view(p: Params) -> View:
    return View(p.state, "food", {}, {})


def free(p: Params) -> list[tuple[str, Any]]:
    """Restaurants whose basket is empty."""
    used = {line["restaurant"] for _, line in p.entries("food.basket")}
    return [(id, shop) for id, shop in p.entries("food.restaurants") if id not in used]


def fresh(shop: dict[str, Any]) -> list[str]:
    return [dish for dish, entry in shop["dishes"].items() if not entry["out"]]


def label(p: Params, address: str) -> str:
    return p.t(*LABELS[p.data("food")["addresses"][address]["label"]][:2])


@task("food.order")
def order(p: Params) -> Goal:
    id, shop = p.random.choice(free(p))
    items = [{"dish": dish, "count": 1} for dish in sorted(p.sample(fresh(shop), p.integer(1, 2)))]
    if len(items) == 1:
        items[0]["count"] = 2
    p.need(bill(shop, items)["goods"] >= shop["minimum"])
    address, time = p.choice(sorted(p.data("food")["addresses"])), p.choice(slots(view(p)))
    where, name = label(p, address), shop["name"]
    en = " and ".join(f"{item['count']} × {shop['dishes'][item['dish']]['name']}" for item in items)
    zh = "和".join(f"{item['count']}份{shop['dishes'][item['dish']]['name']}" for item in items)
    return p.goal(
        [added("food.orders", restaurant=id, items=items, address=address, time=time)],
        en=[
            f"Order {en} from {name}, delivered to my {where} address at {time}",
            f"Get me {en} from {name} at {time}, sent to {where}",
            f"I want {en} from {name}. Address: {where}. Delivery time: {time}",
            f"Dinner is on me: have {name} bring {en}, and make sure the rider shows up at {time} at the place "
            f"saved as {where}",
        ],
        zh=[
            f"在{name}点{zh}，{time}送到{where}",
            f"帮我从“{name}”订{zh}，地址选{where}，送达时间{time}",
            f"我想吃{name}的{zh}，{time}送到我的{where}地址",
            f"今天我请客，麻烦在饱饱外卖上找{name}下一单，内容是{zh}，约好{time}由骑手送往保存为{where}的地方",
        ],
    )


@task("food.order_with_note")
def order_with_note(p: Params) -> Goal:
    id, shop = p.random.choice(free(p))
    dish = p.random.choice(fresh(shop))
    count = p.random.choice([n for n in (1, 2, 3) if n * shop["dishes"][dish]["price"] >= shop["minimum"]] or [0])
    p.need(count)
    note, name, what = p.t(*p.choice(NOTES)), shop["name"], shop["dishes"][dish]["name"]
    wanted = {"restaurant": id, "items": [{"dish": dish, "count": count}], "address": p.data("food")["address"]}
    return p.goal(
        [added("food.orders", **wanted, note=note, cutlery=True)],
        en=[
            f"Order {count} × {what} from {name} with cutlery and the note “{note}”",
            f"Buy {count} × {what} at {name}, ask for cutlery and add the note “{note}”",
            f"Place an order at {name}: {what}, quantity {count}, cutlery included, note “{note}”",
            f"I am starving, so send for {count} of the {what} by {name} right away, have forks and knives put in, "
            f"and tell the kitchen “{note}”",
        ],
        zh=[
            f"在{name}下单{count}份{what}，需要餐具，备注“{note}”",
            f"帮我买{name}的{what}，数量{count}，要餐具，备注写“{note}”",
            f"从{name}订{count}份“{what}”，勾选需要餐具，并备注“{note}”",
            f"我快饿扁了，赶快让{name}做{what}送来，一共{count}份，记得请商家附上刀叉筷子，另外留言告诉他们“{note}”",
        ],
    )


@task("food.add_to_basket")
def add_to_basket(p: Params) -> Goal:
    id, shop = p.entry("food.restaurants")
    dish = p.choice([dish for dish in fresh(shop) if dish not in p.data("food")["basket"]])
    count, what, name = p.integer(1, 4), shop["dishes"][dish]["name"], shop["name"]
    return p.goal(
        [added("food.basket", restaurant=id, dish=dish, count=count)],
        en=[
            f"Put {count} × {what} from {name} in the basket, but do not order yet",
            f"Add {count} × {what} to my {name} basket",
            f"In Tasty, add {what} from {name} to the basket, quantity {count}",
            f"I might buy food later, so for now only collect {count} of the {what} that {name} has on its menu, "
            f"without paying",
        ],
        zh=[
            f"把{name}的{what}加入购物车，数量{count}，先不下单",
            f"在{name}加{count}份{what}到购物车",
            f"购物车里加上{count}份“{what}”，商家是{name}",
            f"我晚点可能会买吃的，现在先去{name}的菜单里选好{what}共{count}份放着，不要付款",
        ],
    )


@task("food.change_basket")
def change_basket(p: Params) -> Goal:
    dish, line = p.entry("food.basket")
    shop = p.data("food")["restaurants"][line["restaurant"]]
    count = p.random.choice([count for count in range(5) if count != line["count"]])
    what, name = shop["dishes"][dish]["name"], shop["name"]
    if count == 0:
        return p.goal(
            [Removed("food.basket", dish)],
            en=[
                f"Remove {what} from my {name} basket",
                f"Take {what} out of the basket at {name}",
                f"I no longer want {what}; drop it from the {name} basket",
                f"Before I buy anything at {name}, the {what} that I had picked there must go, while the others stay",
            ],
            zh=[
                f"从{name}的购物车里删除{what}",
                f"把{name}购物车中的“{what}”去掉",
                f"我不要{what}了，从{name}的购物车移除",
                f"之前在{name}选了{what}，现在改主意不想吃它了，请只清掉这一样，其他的都留着",
            ],
        )
    return p.goal(
        [changed("food.basket", dish, count=count)],
        en=[
            f"Change {what} in my {name} basket to {count}",
            f"Set the quantity of {what} in the {name} basket to {count}",
            f"Make it {count} × {what} in my basket at {name}",
            f"Guests have changed their minds: of the {what} already picked at {name} there should be exactly {count} "
            f"in the end",
        ],
        zh=[
            f"把{name}购物车里的{what}改成{count}份",
            f"{name}购物车中“{what}”的数量设为{count}",
            f"购物车里{name}的{what}要{count}份",
            f"客人人数有变，之前在{name}挑好的{what}最后应该正好是{count}份，帮我调整一下",
        ],
    )


@task("food.favorite")
def favorite(p: Params) -> Goal:
    loved = p.data("food")["favorites"]
    id, shop = p.entry("food.restaurants")
    name, on = shop["name"], id not in loved
    return p.goal(
        [added("food.favorites", restaurant=id) if on else Removed("food.favorites", id)],
        en=[
            f"{'Add' if on else 'Remove'} {name} {'to' if on else 'from'} my favorite restaurants",
            f"{'Favorite' if on else 'Unfavorite'} {name} in Tasty",
            f"{name} should {'be' if on else 'no longer be'} among my favorites",
            f"We {'loved' if on else 'hated'} the last meal that {name} cooked, so see to it that the place is "
            f"{'kept in' if on else 'struck off'} the list of those with a heart",
        ],
        zh=[
            f"{'收藏' if on else '取消收藏'}{name}",
            f"在饱饱外卖里把{name}{'加入收藏' if on else '从收藏中移除'}",
            f"{'我想收藏' if on else '我不想再收藏'}{name}这家店",
            f"{name}上次做的饭全家都{'夸好吃' if on else '不爱吃'}，所以请"
            f"{'给它点上红心方便以后找' if on else '把它的红心去掉，别再留在名单里'}",
        ],
    )


@task("food.rate_order")
def rate_order(p: Params) -> Goal:
    id, had = p.entry("food.orders", lambda order: order["status"] == "done" and not order["stars"])
    name, day = p.data("food")["restaurants"][had["restaurant"]]["name"], when(view(p), had["at"][:10])
    stars, review = p.integer(1, 5), p.t(*p.choice(PRAISE))
    return p.goal(
        [changed("food.orders", id, stars=stars, review=review)],
        en=[
            f"Rate my order from {name} of {day}: {stars} stars, with the review “{review}”",
            f"Give the {name} order ({day}) {stars} stars and write “{review}”",
            f"Review what I ordered at {name} on {day}: “{review}”, stars: {stars}",
            f"The food that came from {name} on {day} still waits for my opinion, which is “{review}” and a score of "
            f"{stars} out of 5",
        ],
        zh=[
            f"给{day}在{name}的订单打{stars}星，评价“{review}”",
            f"评价{name}{day}的订单，{stars}颗星，写上“{review}”",
            f"{day}那单{name}，评{stars}星，内容写“{review}”",
            f"{day}从{name}送来的那顿饭我还没发表看法，满分五星我想给{stars}星，文字就填“{review}”",
        ],
    )


@task("food.cancel_order")
def cancel_order(p: Params) -> Goal:
    id, had = p.entry("food.orders", lambda order: order["status"] == "preparing")
    name = p.data("food")["restaurants"][had["restaurant"]]["name"]
    reason = p.choice(sorted(REASONS))
    why = p.t(*REASONS[reason])
    return p.goal(
        [changed("food.orders", id, status="cancelled", reason=reason)],
        en=[
            f"Cancel today's order from {name}, reason: {why}",
            f"Call off the {name} order that is being prepared. Reason: {why}",
            f"I want to cancel what I ordered at {name}; choose “{why}” as the reason",
            f"The kitchen of {name} has not finished my meal yet, so stop it, and when asked for an explanation "
            f"pick “{why}”",
        ],
        zh=[
            f"取消今天在{name}的订单，原因选“{why}”",
            f"把{name}正在备餐的订单取消，理由：{why}",
            f"我要退掉{name}那一单，取消原因是{why}",
            f"趁{name}的厨房还没做好，赶紧叫停我刚点的餐，系统问为什么的时候选择“{why}”这一项",
        ],
    )


@task("food.reorder", held_out=True)
def reorder(p: Params) -> Goal:
    empty = {id for id, _ in free(p)}
    _, had = p.entry("food.orders", lambda order: order["status"] == "done" and order["restaurant"] in empty)
    name, day = p.data("food")["restaurants"][had["restaurant"]]["name"], when(view(p), had["at"][:10])
    wanted = {"restaurant": had["restaurant"], "items": had["items"], "address": p.data("food")["address"]}
    return p.goal(
        [added("food.orders", **wanted)],
        en=[
            f"Order again what I had from {name} on {day}",
            f"Repeat my {name} order of {day}",
            f"Place the same order as on {day} at {name} once more",
            f"That meal which {name} brought me on {day} was so good that I would like exactly the same dishes now",
        ],
        zh=[
            f"把{day}在{name}的订单再来一单",
            f"重新下单{day}点的{name}",
            f"再点一次{day}那单{name}，内容不变",
            f"{day}吃的那顿{name}实在太满足了，现在想要一模一样的菜，请直接帮我买好",
        ],
    )


@task("food.add_address")
def add_address(p: Params) -> Goal:
    used = {each["label"] for _, each in p.entries("food.addresses")}
    kind = p.random.choice([kind for kind in LABELS if kind not in used])
    person, street, where = p.random.choice(p.people), p.t(*p.choice(STREETS)), p.t(*LABELS[kind][:2])
    return p.goal(
        [added("food.addresses", label=kind, name=person.name, phone=person.phone, street=street)],
        en=[
            f"Add a delivery address in Tasty: label {where}, {person.name}, {person.phone}, {street}",
            f"Save a new address: {street}, recipient {person.name}, phone {person.phone}, labelled {where}",
            f"New food delivery address ({where}): {person.name}, phone {person.phone}, street {street}",
            f"From now on meals may also go to {street}, where {person.name} answers the phone {person.phone}; "
            f"let Tasty remember this place under the tag {where}",
        ],
        zh=[
            f"在饱饱外卖新增收货地址：{street}，收货人{person.name}，电话{person.phone}，标签{where}",
            f"添加一个地址，标签选{where}，姓名{person.name}，手机{person.phone}，地址{street}",
            f"外卖里加个新地址：{person.name}，{person.phone}，{street}，标为{where}",
            f"以后饭菜也可能送去{street}，那边由{person.name}签收，联系方式{person.phone}，请让饱饱外卖记住这个地点并归类成{where}",
        ],
    )


@task("food.ask_price")
def ask_price(p: Params) -> Goal:
    id, shop = p.entry("food.restaurants")
    dish, entry = p.random.choice(list(shop["dishes"].items()))
    price, what, name = entry["price"], entry["name"], shop["name"]
    others = {each["price"] for key, each in shop["dishes"].items() if key != dish} - {price}
    return p.ask(
        p.t(f"${price:.2f}", f"¥{price:g}"),
        [see("food", "restaurant", query=name, widget=what, restaurant=id)],
        accept=[f"{price:g}", f"{price:.2f}", f"{price:.1f}"],
        decoys=[p.t(f"${other:.2f}", f"¥{other:g}") for other in sorted(others)],
        en=[
            f"How much is the {what} at {name}?",
            f"What does {what} cost at {name}?",
            f"Tell me the price of {what} from {name}",
            f"Before I decide, look into the menu of {name} and let me know what they charge for one {what}",
        ],
        zh=[
            f"{name}的{what}多少钱？",
            f"在{name}点一份{what}要多少钱？",
            f"告诉我{name}里{what}的价格",
            f"先别下单，去翻一翻{name}的菜单，然后跟我说单点一份{what}他们怎么收费",
        ],
    )


@task("food.ask_best", held_out=True)
def ask_best(p: Params) -> Goal:
    groups: dict[str, list[dict[str, Any]]] = {}
    for _, shop in p.entries("food.restaurants"):
        groups.setdefault(shop["category"], []).append(shop)
    category = p.random.choice(sorted(name for name, shops in groups.items() if len(shops) > 1))
    key, en, zh = p.choice(
        [
            ("rating", "has the best rating", "评分最高"),
            ("minutes", "delivers fastest", "送得最快"),
            ("distance", "is nearest", "离我最近"),
        ]
    )
    ranked = sorted(groups[category], key=lambda shop: -shop[key] if key == "rating" else shop[key])
    kind = CATEGORIES.of(p.language)[category][0]
    return p.ask(
        ranked[0]["name"],
        [see("food", "list", category=category)],
        decoys=[shop["name"] for shop in ranked[1:]],
        en=[
            f"Which restaurant in the category {kind} {en}?",
            f"Of the places under {kind} in Tasty, which one {en}?",
            f"In the {kind} category, tell me which restaurant {en}",
            f"Tonight it shall be the section {kind}; compare all that is offered there and name the one that {en}",
        ],
        zh=[
            f"“{kind}”分类里哪家店{zh}？",
            f"饱饱外卖的{kind}里，{zh}的是哪家？",
            f"告诉我{kind}分类中{zh}的商家",
            f"今晚想吃{kind}，请把那一类的餐厅都比较一下，说出{zh}的那家叫什么名字",
        ],
    )


@task("food.missing")
def missing(p: Params) -> Goal:
    """A restaurant that does not deliver here, or a dish that is sold out."""
    gone = [
        (id, shop, dish)
        for id, shop in p.entries("food.restaurants")
        for dish in shop["dishes"].values()
        if dish["out"]
    ]
    if gone and p.chance(0.4):
        id, shop, dish = p.random.choice(gone)
        name, what = shop["name"], dish["name"]
        look = see("food", "restaurant", query=name, widget=what, restaurant=id)
    else:
        absent = p.choice(ABSENT)
        name, what = p.t(absent[:2], absent[2:])
        look = see("food", "results", query=name)
    return p.impossible(
        [look],
        en=[
            f"Order one {what} from {name}",
            f"Bring me one {what} from {name}",
            f"I would like {what} from {name}, please order it",
            f"A colleague praised {name} all day long; have a single portion of their {what} brought over here",
        ],
        zh=[
            f"在{name}点一份{what}",
            f"帮我叫一份{name}的{what}",
            f"我想吃{name}家的{what}，下单一份",
            f"同事一整天都在夸{name}，你也替我尝尝鲜，让他们送一份招牌的{what}过来吧",
        ],
    )
