"""Where a server is, and what one shows to be let in."""

from __future__ import annotations

import ssl
from pathlib import Path

import msgspec
import pytest

from itermon.collectors.prometheus.access import Access, AccessError, access


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://prom:9090", "http://prom:9090"),
        ("http://prom:9090/", "http://prom:9090"),
        ("https://mimir.example/prometheus", "https://mimir.example:443/prometheus"),
        ("http://prom:9090/graph?g0.expr=up", "http://prom:9090"),
        ("http://prom:9090/prom/api/v1/query?query=up", "http://prom:9090/prom"),
        ("http://[::1]:9090", "http://[::1]:9090"),
        ("http://prom:9090/~ann/!prom", "http://prom:9090/~ann/!prom"),
    ],
)
def test_an_address_is_taken_as_it_is_pasted(url: str, shown: str) -> None:
    assert access(url).shown == shown


@pytest.mark.parametrize(
    "url",
    [
        "prom:9090",
        "",
        "ftp://prom",
        "http://",
        "http://prom:port",
        "http://prom:99999",
        "http://[::1",
        "http://p/é",
        "http://p/a b",
        "http://p/\x7f",
    ],
)
def test_what_is_no_address_is_one_line(url: str) -> None:
    with pytest.raises(AccessError, match=r"^[^\n]+$"):
        access(url)


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(AccessError) as error:
        access("http://me:hunter2@prom:9090")
    assert "hunter2" not in str(error.value)


def test_a_token_is_read_anew_for_each_request(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("first\n")
    mine = Access("prom", 9090, token_file=token, tenant="team-a")
    assert mine.headers()["Authorization"] == "Bearer first"
    assert mine.headers()["X-Scope-OrgID"] == "team-a"
    token.write_text("second")
    assert mine.headers()["Authorization"] == "Bearer second"


def test_a_password_comes_from_its_file(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("open sesame\n")
    mine = Access("prom", 9090, user="ali", password_file=tmp_path / "password")
    assert mine.headers()["Authorization"] == "Basic YWxpOm9wZW4gc2VzYW1l"


@pytest.mark.parametrize("held", ["", "two\nlines", "a\r\nX-Evil: 1", "caf\xe9"])
def test_what_would_be_another_header_is_refused(tmp_path: Path, held: str) -> None:
    (tmp_path / "token").write_text(held)
    with pytest.raises(AccessError, match="not one line of visible characters"):
        Access("prom", 9090, token_file=tmp_path / "token").headers()
    with pytest.raises(AccessError):
        Access("prom", 9090, tenant="a\r\nX-Evil: 1").headers()


def test_certificates_that_are_none_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----\n")
    secure = access("https://prom")
    assert isinstance(secure.context(), ssl.SSLContext)
    with pytest.raises(AccessError, match="the certificates cannot be used"):
        msgspec.structs.replace(secure, authority=tmp_path / "ca.pem").context()
    with pytest.raises(AccessError, match="the certificates cannot be used"):
        msgspec.structs.replace(secure, certificate=tmp_path / "ca.pem").context()
    with pytest.raises(OSError, match="not a file"):
        msgspec.structs.replace(secure, certificate=tmp_path).context()
