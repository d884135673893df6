"""Opens what others wrote: files, JSON, YAML, pictures, packed data. Nothing else in Saccade does; that is checked by
`tests/hostile/test_untrusted_is_the_only_way.py`.

Whoever writes such input may want a process to hang or to fill the memory. So what is opened here is a regular file (a
pipe or a device has no end), of bounded size, and read in time that grows with its size only: YAML cannot multiply
itself by aliases, JSON cannot nest without end, the size of a picture is checked before a pixel is decoded. What is
wrong is an `OSError` of a file, a `msgspec.DecodeError` of JSON, a `YamlError`, or a `PictureError`.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, NamedTuple, TypeVar, overload
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

import msgspec

from saccade.geometry import Size
from saccade.typed_values import prepare_type

if TYPE_CHECKING:
    from PIL.Image import Image

Kind = TypeVar("Kind")
Buffer = bytes | bytearray | memoryview | msgspec.Raw
MOST_BYTES = 1 << 28
"""Of a file that is read as a whole."""
MOST_YAML = 1 << 18
"""Bytes; recipes, policies and mixes have a few thousand."""
MOST_YAML_NODES = 30_000
"""Values of a YAML file, after each alias is replaced by what it stands for."""
DEEPEST = 100
"""Levels of lists and objects in JSON and YAML: real files have fewer than 20, and code that walks them recurses."""
LONGEST_NUMBER = 400
"""Digits. Reading a number takes time that grows with the square of its length."""
MOST_PIXELS = 40_000_000
"""More than any screen has: 7680×4320 are 33 million."""
PICTURE_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
"""Others are never opened: some are programs (EPS)."""
_BRACKETS = (b"[", b"{")
_BROKEN_YAML = (ValueError, RecursionError, OverflowError, LookupError, AttributeError, TypeError)
"""What PyYAML raises about wrong values, beside its own errors: a date with a 13th month, `!!bool maybe`."""
_BROKEN_PICTURE = (
    *(OSError, SyntaxError, ValueError, EOFError, LookupError, TypeError, OverflowError, AttributeError),
    *(MemoryError, NotImplementedError, ZeroDivisionError, struct.error, zlib.error),
)
"""What Pillow's decoders raise about broken files, beside its own errors."""


# -- files -------------------------------------------------------------------------------------------------------------


def open_file(path: str | Path, *, links: bool = True) -> BinaryIO:
    """Open a regular file for reading. Anything else is an `OSError` whose `strerror` says what it is, and does not
    block. Without `links`, a link is an error, too.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if links else os.O_NOFOLLOW)
    _check_kind(Path(path).stat(follow_symlinks=links).st_mode, path)  # before it is opened: that may wake a device
    handle = os.open(path, flags)
    try:
        _check_kind(os.fstat(handle).st_mode, path)
        return os.fdopen(handle, "rb")
    except OSError:
        os.close(handle)
        raise


def _check_kind(mode: int, path: str | Path) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    if stat.S_ISLNK(mode):
        raise OSError(errno.ELOOP, "it is a link", str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))


def read_bytes(path: str | Path, most: int = MOST_BYTES, *, links: bool = True) -> bytes:
    """A whole file; `OSError` if it is larger than `most`."""
    with open_file(path, links=links) as file:
        size = os.fstat(file.fileno()).st_size
        data = b"" if size > most else file.read(most + 1)  # files of /proc have no size, and content
    if max(size, len(data)) > most:
        limit = f"{most >> 20} MB" if most >= 1 << 20 else f"{most:,} bytes"
        raise OSError(errno.EFBIG, f"it is larger than {limit}", str(path))
    return data


def read_text(path: str | Path, most: int = MOST_BYTES, encoding: str = "utf-8") -> str:
    """A whole text file; `UnicodeDecodeError` where it is not in this encoding."""
    return read_bytes(path, most).decode(encoding)


# -- JSON --------------------------------------------------------------------------------------------------------------


@overload
def decode_json(data: Buffer | str) -> Any: ...


@overload
def decode_json(data: Buffer | str, kind: type[Kind], *, strict: bool = True) -> Kind: ...


def decode_json(data: Buffer | str, kind: Any = Any, *, strict: bool = True) -> Any:
    """JSON as `kind`. All that can be wrong is a `msgspec.DecodeError`: a `ValidationError` where it is JSON of another
    shape.
    """
    return _decoder(kind, strict).decode(data)


@lru_cache(maxsize=256)
def _decoder(kind: Any, strict: bool) -> JsonDecoder[Any]:
    return JsonDecoder(kind, strict=strict)


class JsonDecoder(Generic[Kind]):
    """`msgspec.json.Decoder`, with one kind of error and bounded depth."""

    def __init__(self, kind: type[Kind], *, strict: bool = True) -> None:
        prepare_type(kind)
        self._decoder = msgspec.json.Decoder(kind, strict=strict)

    def decode(self, data: Buffer | str) -> Kind:
        try:
            value = self._decoder.decode(data)
        except RecursionError:
            raise msgspec.DecodeError(f"it nests more than {DEEPEST} lists and objects") from None
        except UnicodeError as error:
            raise msgspec.DecodeError(f"it is not UTF-8 text: {error}") from None
        if type(value) in (dict, list) and _brackets(data) > DEEPEST and _is_deeper(value, DEEPEST):
            raise msgspec.DecodeError(f"it nests more than {DEEPEST} lists and objects")
        return value

    def decode_lines(self, data: bytes) -> list[Kind]:
        """One value a line; the error names the line."""
        found = []
        for number, line in enumerate(data.split(b"\n"), 1):
            if line.strip():
                try:
                    found.append(self.decode(line))
                except msgspec.DecodeError as error:
                    raise type(error)(f"line {number}: {error}") from None
        return found


def _brackets(data: Buffer | str) -> int:
    raw = data.encode("utf-8", "replace") if isinstance(data, str) else bytes(data)
    return sum(raw.count(each) for each in _BRACKETS)


def _is_deeper(value: Any, most: int) -> bool:
    """Level by level, without recursion."""
    level = [value]
    for _ in range(most):
        inner = [part for each in level for part in (each.values() if type(each) is dict else each)]
        level = [part for part in inner if type(part) in (dict, list) and part]
        if not level:
            return False
    return True


# -- YAML --------------------------------------------------------------------------------------------------------------


class YamlError(ValueError):
    """What is wrong with YAML, on one line; `line` is its number from 1 where it is known, and `reason` the error
    without its place.
    """

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(f"line {line}: {reason}" if line else reason)
        self.reason, self.line = reason, line


def decode_yaml(data: bytes | str) -> Any:
    """YAML without objects of Python's own; `YamlError`."""
    return yaml_value(yaml_node(data))


def read_yaml(path: str | Path) -> Any:
    """A YAML file; `OSError`, or `YamlError` about what is in it."""
    return decode_yaml(read_bytes(path, MOST_YAML))


def yaml_node(data: bytes | str) -> Any:
    """The checked tree of nodes of a YAML document, for `yaml_value`; None if it is empty."""
    import yaml  # type: ignore[import-untyped]  # noqa: PLC0415  (few commands read YAML)

    if len(data) > MOST_YAML:
        raise YamlError(f"it is longer than {MOST_YAML:,} characters")
    try:
        text = data.decode("utf-8-sig") if isinstance(data, bytes) else data
        _check_depth(_yaml_loader(text))  # before nodes are made, one inside the other: that recurses, in C
        node = _yaml_loader(text).get_single_node()
    except UnicodeError:
        raise YamlError("it is not UTF-8 text") from None
    except YamlError:
        raise
    except (yaml.YAMLError, *_BROKEN_YAML) as error:
        raise _yaml_error(error) from None
    if node is not None:
        _check_yaml(node)
    return node


def yaml_value(node: Any) -> Any:
    """What a checked tree of nodes says."""
    import yaml  # noqa: PLC0415

    if node is None:
        return None
    try:
        return _yaml_loader("").construct_document(node)
    except (yaml.YAMLError, *_BROKEN_YAML) as error:
        raise _yaml_error(error) from None


def _yaml_loader(text: str) -> Any:
    import yaml  # noqa: PLC0415

    return (yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader)(text)


def _yaml_error(error: Exception) -> YamlError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    reason = getattr(error, "problem", None) or ("" if mark else " ".join(str(error).split())[:200])
    if isinstance(error, LookupError | AttributeError | TypeError):
        reason = "a value is not of the type that its tag names"
    if isinstance(error, RecursionError):
        reason = f"it nests more than {DEEPEST} lists and mappings"
    return YamlError(reason or "it cannot be parsed", mark.line + 1 if mark else None)


def _check_depth(loader: Any) -> None:
    """Bounded depth and size as the text stands, told from its events, which takes no recursion."""
    depth, events = 0, 0
    while loader.check_event():
        events += 1
        if events > MOST_YAML_NODES:
            raise YamlError(f"it has more than {MOST_YAML_NODES:,} values")
        event = type(loader.get_event()).__name__
        depth += event.endswith("StartEvent") - event.endswith("EndEvent")
        if depth > DEEPEST + 2:  # stream and document are two levels
            raise RecursionError


def _check_yaml(top: Any) -> None:
    """Bounded size with all aliases replaced. Each node is looked at once: time is linear."""
    sizes: dict[int, int] = {}
    opened: set[int] = set()
    stack: list[tuple[Any, bool]] = [(top, False)]
    while stack:
        node, after = stack.pop()
        inner = _inner_nodes(node)
        if after:
            opened.discard(id(node))
            sizes[id(node)] = 1 + sum(sizes[id(each)] for each in inner)
            if sizes[id(node)] > MOST_YAML_NODES:
                raise YamlError(f"it has more than {MOST_YAML_NODES:,} values", node.start_mark.line + 1)
        elif id(node) in opened:
            raise YamlError("an alias stands for something that holds it", node.start_mark.line + 1)
        elif id(node) not in sizes:
            _check_number(node)
            opened.add(id(node))
            stack.append((node, True))
            stack += [(each, False) for each in inner]


def _inner_nodes(node: Any) -> list[Any]:
    if node.id == "mapping":
        return [each for pair in node.value for each in pair]
    return list(node.value) if node.id == "sequence" else []


def _check_number(node: Any) -> None:
    number = node.id == "scalar" and node.tag.rpartition(":")[2] in ("int", "float", "timestamp")
    if number and len(node.value) > LONGEST_NUMBER:
        raise YamlError(f"a number has more than {LONGEST_NUMBER} digits", node.start_mark.line + 1)


# -- packed data -------------------------------------------------------------------------------------------------------


def inflate(data: bytes, most: int, *, raw: bool = False) -> bytes:
    """What GZIP, zlib or (with `raw`) bare deflate data unpack to; `ValueError` if it is broken or more than `most`."""
    try:
        unpacker = zlib.decompressobj(-15 if raw else 47)
        out = unpacker.decompress(data, most + 1)
    except zlib.error as error:
        raise ValueError(f"it cannot be unpacked: {error}") from None
    if len(out) > most:
        raise ValueError(f"it unpacks to more than {most:,} bytes")
    if not unpacker.eof:
        raise ValueError("it cannot be unpacked: it breaks off")
    return out


def parse_xml(data: bytes | str) -> Element:
    """The root of an XML document; `ValueError` if it is broken, or declares a document type, by which its entities
    could grow without end.
    """
    parser = XMLParser(target=_PlainTree())
    try:
        parser.feed(data)
        root: Element = parser.close()
    except (ParseError, LookupError) as error:  # an encoding that is unknown
        raise ValueError(f"it is not XML: {error}") from None
    return root


class _PlainTree(TreeBuilder):
    def doctype(self, *_: object) -> None:
        raise ValueError("it declares a document type, which such files never do")


# -- pictures ----------------------------------------------------------------------------------------------------------


class PictureError(ValueError):
    """No picture, a broken one, or one that is too large."""


class PictureHead(NamedTuple):
    """What the first bytes of a picture say of it."""

    size: Size
    format: str


def picture_head(source: bytes | str | Path) -> PictureHead:
    """Size and format, without decoding the picture. `PictureError`; `OSError` of a file that cannot be opened."""
    with _bytes_of(source) as file, _pillow() as pillow, pillow.open(file, formats=PICTURE_FORMATS) as image:
        return PictureHead(Size(*image.size), image.format or "")


def read_picture(
    source: bytes | str | Path, most_pixels: int = MOST_PIXELS, *, at_least: tuple[int, int] | None = None
) -> Image:
    """A picture, decoded to its end; of an animated one, its first image. Its size stands in its head and is checked
    before anything is decoded: a small file can hold a huge picture. A JPEG may come reduced, if a size `at_least` is
    given. `PictureError`; `OSError` of a file that cannot be opened.
    """
    with _bytes_of(source) as file, _pillow() as pillow:
        image: Image = pillow.open(file, formats=PICTURE_FORMATS)
        if image.width * image.height > most_pixels:
            raise ValueError(f"{image.width}×{image.height} pixels are more than {most_pixels:,}: cut or reduce it")
        if at_least is not None:
            image.draft(None, at_least)
        image.load()
        return image.copy() if getattr(image, "is_animated", False) else image


def check_picture(source: bytes | str | Path) -> PictureHead:
    """Is a picture complete? PNGs by their checksums, JPEGs decoded at an eighth of their size, others fully."""
    head = picture_head(source)
    if head.format != "PNG":
        read_picture(source, at_least=(1, 1))
        return head
    with _bytes_of(source) as file, _pillow() as pillow, pillow.open(file, formats=PICTURE_FORMATS) as image:
        image.verify()
    return head


def _bytes_of(source: bytes | str | Path) -> BinaryIO:
    return io.BytesIO(source) if isinstance(source, bytes) else open_file(source)


@contextmanager
def _pillow() -> Iterator[Any]:
    """`PIL.Image`; everything that it raises about a picture becomes a `PictureError`."""
    import PIL.Image  # noqa: PLC0415  (an extra)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # our own limit is lower than that of Pillow's warning
            yield PIL.Image
    except PIL.UnidentifiedImageError:
        raise PictureError("it is not an image that can be read: give a PNG, JPEG or WebP file") from None
    except (*_BROKEN_PICTURE, PIL.Image.DecompressionBombError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise PictureError(f"it is not an image that can be read: {reason}") from None
