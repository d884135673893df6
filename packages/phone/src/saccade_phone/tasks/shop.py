"""Tasks in the shop."""

from __future__ import annotations

from typing import Any

from saccade_phone.apps.shop.content import (
    CATEGORIES,
    LABELS,
    PAYMENTS,
    REASONS,
    REGIONS,
    STREETS,
    WARES,
)
from saccade_phone.data_files import Words, table
from saccade_phone.goal_changes import Removed, See, added, changed, see
from saccade_phone.tasks.base import Goal, Params, task

COUNTS = (1, 2, 3, 4)
PHONES = table("tasks/shop", "phones", tuple[Words, ...])


def fresh(p: Params) -> tuple[str, Any]:
    """A product that is not in the cart."""
    carried = {line["product"] for _, line in p.entries("shop.cart")}
    id, product = p.entry("shop.products")
    p.need(id not in carried)
    return id, product


def variant(p: Params, product: Any) -> tuple[str, str]:
    """One of a product's variants, and its words in an instruction."""
    values = [(label, p.random.choice(values)) for label, values in product["options"]]
    en = " and ".join(f"{label.lower()} {value}" for label, value in values)
    return " / ".join(value for _, value in values), p.t(en, "，".join(f"{label}选{value}" for label, value in values))


def bought(p: Params, *states: str) -> tuple[str, Any, str]:
    """An order in one of these states, and the name of something that is in no other order."""
    id, order = p.entry("shop.orders", lambda order: order["status"] in states)
    item = p.random.choice(order["items"])
    return id, order, p.data("shop")["products"][item["product"]]["name"]


@task("shop.add_to_cart")
def add_to_cart(p: Params) -> Goal:
    id, product = fresh(p)
    choice, words = variant(p, product)
    count, name = p.choice(COUNTS), product["name"]
    return p.goal(
        [added("shop.cart", product=id, variant=choice, count=count)],
        en=[
            f"Put {count} × {name} ({words}) in my shopping cart",
            f"Add the {name} to the cart, {words}, quantity {count}",
            f"I want {count} of the {name}, {words}, in my cart. Don't order yet",
            f"Open the shop, look for something called {name}, take {words}, and leave {count} in the basket for me",
        ],
        zh=[
            f"把{count}件“{name}”加入购物车，{words}",
            f"在优购里将“{name}”放进购物车，{words}，数量{count}",
            f"购物车里加一下{name}，{words}，要{count}件，先不用下单",
            f"我看中了优购上一款叫“{name}”的东西，{words}，帮我先收进购物车里存着，一共{count}件",
        ],
    )


@task("shop.cart_count")
def cart_count(p: Params) -> Goal:
    id, line = p.entry("shop.cart")
    name = p.data("shop")["products"][line["product"]]["name"]
    count = p.choice([n for n in range(1, 10) if 0 < abs(n - line["count"]) <= 6])
    return p.goal(
        [changed("shop.cart", id, count=count)],
        en=[
            f"Change the quantity of {name} in my cart to {count}",
            f"Make it {count} of the {name} in the shopping cart",
            f"I need {count} {name} instead of {line['count']}; update the cart",
            f"The number next to {name}, which I have already put aside for buying, ought to read {count}, so fix it",
        ],
        zh=[
            f"把购物车里“{name}”的数量改成{count}",
            f"购物车中的{name}我要{count}件，调整一下",
            f"{name}不要{line['count']}件了，购物车里改为{count}件",
            f"之前放进购物车还没买的“{name}”，件数不太对，请你调到正好{count}件为止",
        ],
    )


@task("shop.cart_remove")
def cart_remove(p: Params) -> Goal:
    id, line = p.entry("shop.cart")
    name = p.data("shop")["products"][line["product"]]["name"]
    return p.goal(
        [Removed("shop.cart", id)],
        en=[
            f"Remove {name} from my shopping cart",
            f"Delete the {name} from the cart",
            f"Take the {name} out of my cart",
            f"I have found a cheaper {name} elsewhere, so it need not wait among the things I am about to buy here",
        ],
        zh=[
            f"把“{name}”从购物车里删掉",
            f"购物车里的{name}不要了，删除它",
            f"移除购物车中的“{name}”",
            f"“{name}”我已经在别家买到更便宜的了，优购那边待买的东西里就别再留着它了",
        ],
    )


@task("shop.favorite")
def favorite(p: Params) -> Goal:
    id, product = p.entry("shop.products")
    p.need(id not in p.data("shop")["favorites"])
    name = product["name"]
    return p.goal(
        [added("shop.favorites", product=id)],
        en=[
            f"Add {name} to my favorites in the shop",
            f"Find the {name} in the shop and mark it as a favorite",
            f"Save the {name} to my shop favorites",
            f"I may want the product {name} one day; give it a heart so that I can get back to it quickly",
        ],
        zh=[
            f"在优购收藏“{name}”",
            f"找到{name}这件商品，把它加入收藏",
            f"把“{name}”放到我的收藏里",
            f"“{name}”这款以后说不定会买，先在优购里点个爱心，方便我改天再找到它",
        ],
    )


@task("shop.buy")
def buy(p: Params) -> Goal:
    id, product = fresh(p)
    choice, words = variant(p, product)
    count = 1 if len(product["options"]) > 1 else p.choice((1, 2))
    address, payment = p.choice((("a1", "wallet"), ("a1", "later"), ("a1", "cash"), ("a2", "card"), ("a3", "card")))
    name, how = product["name"], p.t(*PAYMENTS[payment][:2])
    where = p.t(*LABELS[p.data("shop")["addresses"][address]["label"]])
    items = [{"product": id, "variant": choice, "count": count}]
    return p.goal(
        [added("shop.orders", items=items, address=address, payment=payment)],
        en=[
            f"Order {count} × {name} ({words}), deliver to my {where} address, pay with “{how}”",
            f"Buy the {name}, {words}, quantity {count}, ship it to the address labelled {where}; payment: {how}",
            f"Please purchase {count} of the {name} ({words}) for the {where} address using {how}",
            f"Something called {name} should arrive at the place labelled {where} soon: get {count} with {words}, and "
            f"settle the bill by choosing {how}",
        ],
        zh=[
            f"在优购下单{count}件“{name}”，{words}，送到“{where}”的地址，用“{how}”支付",
            f"买{count}件{name}，{words}，收货地址选{where}，支付方式选{how}",
            f"帮我购买“{name}”，{words}，数量{count}，寄到{where}，付款用{how}",
            f"我想尽快在标签为“{where}”的那个地址收到“{name}”，{words}，一共{count}件，结账时记得选“{how}”",
        ],
    )


@task("shop.checkout_cart")
def checkout_cart(p: Params) -> Goal:
    data = p.data("shop")
    pair = p.random.sample(p.entries("shop.cart"), 2)
    items = [{name: line[name] for name in ("product", "variant", "count")} for _, line in pair]
    items.sort(key=lambda item: (item["product"], item["variant"]))
    worth = sum(data["products"][item["product"]]["price"] * item["count"] for item in items)
    coupon, offer = p.entry("shop.coupons", lambda it: it["least"] <= worth)
    one, two = (data["products"][line["product"]]["name"] for _, line in pair)
    return p.goal(
        [added("shop.orders", items=items, coupon=coupon, address="a1")],
        en=[
            f"Check out only {one} and {two} from my cart and use the coupon “{offer['name']}”",
            f"Order {one} and {two} that are in my cart, nothing else, with the {offer['name']} coupon",
            f"From the shopping cart, buy just {one} and {two}; apply the coupon {offer['name']}",
            f"Of all I have collected for buying, it is time to pay for two things, {one} as well as {two}. Let the "
            f"voucher named {offer['name']} lower the price, and leave the rest where it is",
        ],
        zh=[
            f"只结算购物车里的“{one}”和“{two}”，使用优惠券“{offer['name']}”",
            f"把购物车中的{one}和{two}下单，其他的不买，用{offer['name']}这张券",
            f"购物车里就买“{one}”和“{two}”这两样，优惠券选“{offer['name']}”",
            f"先前加购的东西里，这次只付“{one}”跟“{two}”的钱，其余先留着，别忘了拿“{offer['name']}”抵扣一下",
        ],
    )


@task("shop.confirm_receipt")
def confirm_receipt(p: Params) -> Goal:
    id, _, name = bought(p, "shipped")
    return p.goal(
        [changed("shop.orders", id, status="done")],
        en=[
            f"Confirm receipt of my order with the {name}",
            f"The {name} I ordered has arrived; confirm it in the shop",
            f"Mark the order containing {name} as received",
            f"A parcel with {name} inside was handed to me this morning, so tell the seller that all went well",
        ],
        zh=[
            f"给买了“{name}”的那个订单确认收货",
            f"我订的{name}到了，去优购确认收货",
            f"把包含“{name}”的订单点一下确认收货",
            f"今天早上快递员把装着“{name}”的包裹交给我了，请在优购里告诉商家东西已经拿到手",
        ],
    )


@task("shop.cancel_order")
def cancel_order(p: Params) -> Goal:
    id, _, name = bought(p, "unpaid", "unshipped")
    reason = p.choice(sorted(REASONS))
    why = p.t(*REASONS[reason])
    return p.goal(
        [changed("shop.orders", id, status="cancelled", reason=reason)],
        en=[
            f"Cancel my order for the {name}, reason: {why}",
            f"Cancel the shop order with {name} and give “{why}” as the reason",
            f"I no longer want the order that has {name} in it. Cancel it, choosing “{why}”",
            f"Before they pack it, stop the purchase in which I bought {name}; when asked for a motive, say “{why}”",
        ],
        zh=[
            f"取消“{name}”的订单，原因选“{why}”",
            f"把我买{name}的那个订单取消，理由是{why}",
            f"含有“{name}”的订单不要了，帮我取消，取消原因：{why}",
            f"趁商家还没打包，赶紧把我拍下的“{name}”那一单撤回来，系统问为什么就答“{why}”",
        ],
    )


@task("shop.add_address")
def add_address(p: Params) -> Goal:
    person = p.random.choice(p.people)
    phone = p.t(*p.choice(PHONES))
    region, street = p.choice(REGIONS.of(p.language)), p.choice(STREETS.of(p.language))
    return p.goal(
        [added("shop.addresses", name=person.name, phone=phone, region=region, detail=street)],
        en=[
            f"Add a delivery address in the shop: {person.name}, {phone}, {street}, {region}",
            f"Save a new shipping address for {person.name}, phone {phone}: {street} in {region}",
            f"New shop address: name {person.name}, phone {phone}, city {region}, street “{street}”",
            f"Parcels for {person.name} will go to {street}, {region}, with {phone} as the number to call; store this "
            f"in the shop's address book",
        ],
        zh=[
            f"在优购新增收货地址：{person.name}，{phone}，{region}{street}",
            f"添加一个收货地址，收货人{person.name}，电话{phone}，地区{region}，详细地址{street}",
            f"优购里加个新地址，姓名{person.name}，手机{phone}，地区选{region}，门牌写“{street}”",
            f"以后寄给{person.name}的包裹都送到{region}的“{street}”，联系号码是{phone}，麻烦存进优购的地址簿里备用",
        ],
    )


@task("shop.edit_address", held_out=True)
def edit_address(p: Params) -> Goal:
    id, address = p.entry("shop.addresses")
    where, phone = p.t(*LABELS[address["label"]]), p.t(*p.choice(PHONES))
    return p.goal(
        [changed("shop.addresses", id, phone=phone)],
        en=[
            f"Change the phone number of my {where} address in the shop to {phone}",
            f"Update the {where} delivery address: the phone is {phone} now",
            f"In the shop, set the phone of the address labelled {where} to {phone}",
            f"Couriers who deliver to the place with the label {where} must ring {phone} from now on; put that right",
        ],
        zh=[
            f"把优购里“{where}”地址的电话改成{phone}",
            f"修改标签为{where}的收货地址，手机号换成{phone}",
            f"收货地址“{where}”的联系电话更新为{phone}",
            f"往后快递员送货到“{where}”那里时应该拨打{phone}，原先登记的号码已经停用，请更正",
        ],
    )


@task("shop.ask_cheapest")
def ask_cheapest(p: Params) -> Goal:
    category = p.choice(sorted(CATEGORIES))
    found = sorted(
        (it["price"], it["name"]) for _, it in p.entries("shop.products", lambda it: it["category"] == category)
    )
    p.need(found[0][0] < found[1][0])
    name = p.t(*CATEGORIES[category][:2])
    return p.ask(
        found[0][1],
        [see("shop", "category", category=category)],
        decoys=[other for _, other in found[1:]],
        en=[
            f"Which product in the shop's {name} category is the cheapest?",
            f"What is the lowest-priced item under {name} in the shop?",
            f"Tell me the name of the cheapest thing in the category {name} of the shop",
            f"My budget is tiny. Look through everything they sell in the {name} department and name what costs least",
        ],
        zh=[
            f"优购“{name}”分类里最便宜的商品是哪一件？",
            f"{name}类里价格最低的商品叫什么？",
            f"告诉我优购{name}分类中最便宜的是什么",
            f"手头有点紧，你把优购“{name}”下面卖的东西都看一遍，说说花钱最少能买到的是哪样",
        ],
    )


@task("shop.ask_tracking", held_out=True)
def ask_tracking(p: Params) -> Goal:
    id, order, name = bought(p, "shipped", "done")
    status = (order["status"], "all")
    return p.ask(
        order["tracking"],
        [See("shop", "order", {"order": id}, through={"status": status})],
        decoys=[order["number"], *(other["tracking"] for _, other in p.entries("shop.orders") if other["tracking"])],
        en=[
            f"What is the tracking number of my order with the {name}?",
            f"Give me the tracking number for the {name} I bought in the shop",
            f"Look up the tracking no. of the parcel with {name}",
            f"The courier's website wants a code for the shipment in which {name} was sent. Which one do I enter?",
        ],
        zh=[
            f"我买的“{name}”运单号是多少？",
            f"查一下包含{name}的订单的运单号",
            f"告诉我“{name}”那个包裹的运单号",
            f"快递官网让我输入单号才能查寄送“{name}”的那件货，到底应该填哪一串，帮我找出来",
        ],
    )


@task("shop.no_such_product")
def no_such_product(p: Params) -> Goal:
    here = {product["name"] for _, product in p.entries("shop.products")}
    name = p.choice([name for ware in WARES if (name := p.t(*ware.name)) not in here])
    return p.impossible(
        [See("shop", "results", {"query": name}, query=name)],
        en=[
            f"Put one {name} in my shopping cart",
            f"Buy a {name} in the shop",
            f"Add {name} to my cart, the first option will do",
            f"A friend raves about the {name} and says this shop has it; get me one and have it sent to my home",
        ],
        zh=[
            f"把一件“{name}”加入购物车",
            f"在优购买一件{name}",
            f"帮我在优购下单“{name}”，规格选第一个就行",
            f"朋友一直夸“{name}”好用，还说优购里就有卖，你替我弄一件寄到家里来吧",
        ],
    )
