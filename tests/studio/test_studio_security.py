"""Who may come in, and what a page may do."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs the extra studio")
from starlette.testclient import TestClient

from saccade.errors import InputError
from saccade.studio.app import create_app
from saccade.studio.security import COOKIE, LOGINS
from saccade.studio.served_files import file_inside, read_picture
from saccade.studio.server import address_of
from saccade.studio.settings import StudioSettings, is_loopback, read_folders

LOCAL = "http://127.0.0.1:8765"


def client(folder: Path, host: str = "127.0.0.1", token: str = "") -> TestClient:
    settings = StudioSettings((folder,), f"sqlite:///{folder / 'studio.db'}", host, token=token)
    return TestClient(create_app(settings), base_url=LOCAL, raise_server_exceptions=False)


def csrf(page: str) -> str:
    return page.split('name="csrf" content="')[1].split('"', maxsplit=1)[0]


def test_pages_carry_a_strict_policy(tmp_path: Path) -> None:
    with client(tmp_path) as reader:
        answer = reader.get("/nothing-here")
    assert answer.status_code == 404
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "HttpOnly" in answer.headers["set-cookie"] and "SameSite=Strict" in answer.headers["set-cookie"]


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", ""])
def test_other_names_for_this_machine_are_refused(tmp_path: Path, host: str) -> None:
    with client(tmp_path) as reader:
        assert reader.get("/", headers={"host": host}).status_code == 421


def test_changes_need_the_token_of_the_session_and_our_own_origin(tmp_path: Path) -> None:
    with client(tmp_path) as reader:
        token = csrf(reader.get("/nothing-here").text)
        form = {"language": "zh", "back": "/runs"}
        assert reader.post("/language", data=form).status_code == 403
        assert reader.post("/language", data=form | {"csrf": "0" * 64}).status_code == 403
        foreign = {"origin": "http://evil.example"}
        assert reader.post("/language", data=form | {"csrf": token}, headers=foreign).status_code == 403
        done = reader.post("/language", data=form | {"csrf": token}, follow_redirects=False)
        assert done.status_code == 303 and done.headers["location"] == "/runs"
        assert 'lang="zh"' in reader.get("/nothing-here").text
        other = client(tmp_path)
        other.get("/nothing-here")
        assert other.post("/language", data=form | {"csrf": token}).status_code == 403, "another session's token"


def test_going_back_stays_here(tmp_path: Path) -> None:
    with client(tmp_path) as reader:
        token = csrf(reader.get("/nothing-here").text)
        form = {"language": "zh", "back": "//evil.example", "csrf": token}
        assert reader.post("/language", data=form, follow_redirects=False).headers["location"] == "/"


def test_errors_are_pages_in_the_reader_s_language(tmp_path: Path) -> None:
    with client(tmp_path) as reader:
        for path, status, english, chinese in (
            ("/runs/0123456789ab", 404, "There is no such run", "没有这个运行"),
            ("/nothing-here", 404, "There is no such page", "没有这个页面"),
            ("/compare?a=x", 400, "wrong kind: b.", "类型不对：b。"),
            ("/runs/0123456789ab?step=first", 400, "wrong kind: step.", "类型不对：step。"),
        ):
            for language, sentence in (("en", english), ("zh-CN", chinese)):
                answer = reader.get(path, headers={"accept-language": language})
                assert answer.status_code == status and "text/html" in answer.headers["content-type"]
                assert sentence in answer.text, answer.text
        assert 'name="back" value="/compare?a=x"' in reader.get("/compare?a=x").text, "another language, the same page"


def test_other_addresses_need_a_token(tmp_path: Path) -> None:
    with client(tmp_path, host="0.0.0.0", token="open-sesame") as reader:
        assert reader.get("/nothing-here").status_code == 401
        assert reader.get("/nothing-here?token=wrong").status_code == 401
        let_in = reader.get("/nothing-here?token=open-sesame", follow_redirects=False)
        assert let_in.status_code == 303 and "token" not in let_in.headers["location"]
        assert reader.get("/nothing-here").status_code == 404
        reader.cookies.clear()
        reader.cookies.set(COOKIE, "made-up.0123")
        assert reader.get("/nothing-here").status_code == 401


def test_wrong_tokens_are_limited(tmp_path: Path) -> None:
    with client(tmp_path, host="0.0.0.0", token="open-sesame") as reader:
        answers = [reader.get("/nothing-here?token=guess").status_code for _ in range(LOGINS + 1)]
        assert answers == [401] * LOGINS + [429]
        assert reader.get("/nothing-here?token=open-sesame").status_code == 429


def test_only_files_inside_are_served(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "in" / "own.png").write_bytes(b"\x89PNG\r\n\x1a\nrest")
    (tmp_path / "in" / "page.png").write_bytes(b"<svg onload=alert(1)>")
    (tmp_path / "in" / "link.png").symlink_to(tmp_path / "secret.png")
    assert read_picture(tmp_path / "in", "own.png") == (b"\x89PNG\r\n\x1a\nrest", "image/png")
    for name in ("../secret.png", str(tmp_path / "secret.png"), "link.png", "x\0.png", "..", "", "none.png"):
        with pytest.raises(InputError):
            file_inside(tmp_path / "in", name)
    with pytest.raises(InputError, match="is not a PNG, JPEG or WebP picture"):
        read_picture(tmp_path / "in", "page.png")


def test_the_address_that_is_printed_can_be_opened(tmp_path: Path) -> None:
    def shown(host: str, token: str = "") -> str:
        return address_of(StudioSettings((tmp_path,), host=host, port=1234, token=token))

    assert shown("127.0.0.1") == "http://127.0.0.1:1234/" and shown("::1") == "http://[::1]:1234/"
    assert shown("name.example", "t") == "http://name.example:1234/?token=t"
    assert "0.0.0.0" not in shown("0.0.0.0", "t") and "[::]" not in shown("::", "t")


def test_folders_and_addresses(tmp_path: Path) -> None:
    assert read_folders([tmp_path, tmp_path]) == (tmp_path.resolve(),)
    with pytest.raises(InputError, match="is not a folder"):
        read_folders([tmp_path / "none"])
    assert is_loopback("::1") and is_loopback("127.0.0.2") and is_loopback("localhost")
    assert not is_loopback("0.0.0.0") and not is_loopback("example.org")
