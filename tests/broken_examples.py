"""Records of a TFRecord file (`tf.train.Example`) that are broken in one way or another, by chance."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from readers import example, field
from saccade.data.tfrecord import frame

Features = dict[str, Any]
Way = Callable[[Features, random.Random], bytes]


def torn(features: Features, chance: random.Random) -> bytes:
    data = frame(example(features))
    return data[: chance.randrange(len(data))]


def garbled(features: Features, chance: random.Random) -> bytes:
    """Bytes changed inside of a record whose frame is right."""
    data = bytearray(example(features))
    for _ in range(chance.randint(1, 6)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return frame(bytes(data))


def dropped(features: Features, chance: random.Random) -> bytes:
    name = chance.choice(list(features))
    return frame(example({key: value for key, value in features.items() if key != name}))


def retyped(features: Features, chance: random.Random) -> bytes:
    name = chance.choice(list(features))
    other = chance.choice([[], [1, 2, 3], [0.5], [b"text"] * 3, [b""], [-1], [2**62]])
    return frame(example(features | {name: other}))


def shuffled(features: Features, chance: random.Random) -> bytes:
    names = chance.sample(list(features), len(features))
    return frame(example({name: chance.sample(list(features[name]), len(features[name])) for name in names}))


def nested(features: Features, chance: random.Random) -> bytes:
    """A message around the message, or one level of it too few."""
    data = example(features)
    return frame(chance.choice([field(1, data), field(2, data), data[4:], data[5:], data * 2, b""]))


WAYS: list[Way] = [torn, garbled, dropped, retyped, shuffled, nested]
