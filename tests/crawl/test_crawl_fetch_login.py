"""Lines of the log-in setting, and login forms."""

import pytest

from gossamer.crawl.fetch.site_logins import (
    FormLogin,
    HeaderLogin,
    filled_in,
    has_password,
    login_for,
    parse_login,
)
from gossamer.model import BadSetting
from gossamer.web.url import canonical

ENVIRONMENT = {"PASSWORD": "open sesame", "TOKEN": "abc123", "EMPTY": "", "LINES": "a\nb"}
PAGE = canonical("https://wiki.example.org/login")


def parse(line):
    return parse_login(line, ENVIRONMENT)


def holds(login, address):
    return login.scope.holds(canonical(address))


def test_basic_and_bearer():
    basic = parse("intranet.example.org basic anna env:PASSWORD")
    assert isinstance(basic, HeaderLogin)
    assert basic.authorization == "Basic YW5uYTpvcGVuIHNlc2FtZQ=="
    assert parse("api.example.org Bearer env:TOKEN").authorization == "Bearer abc123"
    assert "sesame" not in repr(basic)


def test_secrets_in_files(tmp_path):
    path = tmp_path / "a secret"
    path.write_text("token-of-file \nsecond line\n", encoding="utf-8")
    assert parse(f'api.example.org bearer "file:{path}"').authorization == "Bearer token-of-file"


def test_forms():
    login = parse("wiki.example.org form https://wiki.example.org/login user='Anna K' pass=env:PASSWORD a=")
    assert isinstance(login, FormLogin)
    assert (login.page, login.fields) == (PAGE, {"user": "Anna K", "pass": "open sesame", "a": ""})
    assert "sesame" not in repr(login)


def test_where_a_log_in_is_valid():
    exact, below = parse("a.example.org bearer env:TOKEN"), parse("*.Example.org bearer env:TOKEN")
    assert holds(exact, "https://a.example.org/x")
    assert not holds(exact, "http://a.example.org/x"), "never over http unless it is asked for"
    assert not holds(exact, "https://a.example.org:8443/")
    assert not holds(exact, "https://b.example.org/")
    assert not holds(exact, "https://a.example.org.evil.test/")
    assert holds(below, "https://a.b.example.org/")
    assert not holds(below, "https://example.org/")
    assert not holds(below, "https://badexample.org/")
    plain = parse("http://intranet:8080 bearer env:TOKEN")
    assert holds(plain, "http://intranet:8080/")
    assert not holds(plain, "https://intranet:8080/")
    assert login_for(canonical("https://a.example.org/"), [plain, below, exact]) is below
    assert login_for(canonical("https://c.test/"), [plain, below, exact]) is None


@pytest.mark.parametrize(
    "line",
    [
        "",
        "a.example.org",
        "a.example.org basic",
        "a.example.org basic anna hunter2",
        "a.example.org basic an:na env:PASSWORD",
        "a.example.org basic anna env:NOWHERE",
        "a.example.org bearer env:EMPTY",
        "a.example.org bearer env:LINES",
        "a.example.org bearer file:/no/such/file",
        "a.example.org oauth env:TOKEN",
        "* bearer env:TOKEN",
        "*.org bearer env:TOKEN",
        "a*.example.org bearer env:TOKEN",
        "ftp://a.example.org bearer env:TOKEN",
        "user@a.example.org bearer env:TOKEN",
        "a.example.org form",
        "a.example.org form https://a.example.org/login",
        "a.example.org form https://a.example.org/login user",
        "a.example.org form https://b.example.org/login user=x",
        "a.example.org form http://a.example.org/login user=x",
        "*.example.org form https://a.example.org/login user=x",
        "a.example.org 'basic",
    ],
)
def test_lines_that_cannot_be_read_say_why_and_no_secret(line):
    with pytest.raises(BadSetting, match="cannot read the log-in") as caught:
        parse(line)
    assert "hunter2" not in str(caught.value)


FORM = b"""
<form action="/search"><input name=q></form>
<form method=POST action="session?x=1">
  <input type=hidden name=csrf value="t0k&amp;n"><input name=user value=nobody><INPUT type=PASSWORD name=pass>
  <input type=checkbox name=remember checked><input type=checkbox name=spy value=1>
  <input type=radio name=kind value=a><input type=radio name=kind value=b checked>
  <input type=radio name=kind value=c>
  <select name=language><option value=en>English<option value=el selected>Greek</select>
  <select name=empty></select><textarea name=note></textarea>
  <input type=file name=upload><input type=reset name=reset value=x>
  <input type=submit name=go value="Log in"><button name=other value=2>Other</button><input value=nameless>
</form>
"""


def test_a_form_is_filled_in_as_a_browser_would():
    form = filled_in(FORM, PAGE, {"user": "anna", "pass": "secret"})
    assert form.action == canonical("https://wiki.example.org/session?x=1")
    assert form.values == {
        "csrf": "t0k&n", "user": "anna", "pass": "secret", "remember": "on", "kind": "b", "language": "el",
        "note": "", "go": "Log in",
    }  # fmt: skip
    assert has_password(FORM)
    assert not has_password(b"<form><input name=q></form><p>password")


@pytest.mark.parametrize(
    "page",
    [
        b"",
        b"<form method=post><input name=user></form>",
        b"<form><input name=user><input name=pass></form>",
        b"<form method=post action=https://evil.test/><input name=user><input name=pass></form>",
        b"<form method=post action=http://wiki.example.org/><input name=user><input name=pass></form>",
        b"<form method=post action=javascript:x><input name=user><input name=pass></form>",
    ],
)
def test_forms_that_get_nothing(page):
    assert filled_in(page, PAGE, {"user": "anna", "pass": "secret"}) is None


def test_what_is_no_markup_is_no_form():
    login = b"<form method=post><input name=user><input name=pass type=password></form>"
    for page in (b"<!--" + login + b"-->", b"<script>'" + login + b"'</script>", b"<title>" + login):
        assert not has_password(page)
        assert filled_in(page, PAGE, {"user": "anna"}) is None
    assert has_password(b"<!-- a > b --><script>if (a<b) x('</form>')</script>" + login)


def test_options_without_a_value_and_attributes_that_come_twice():
    page = b"""<form method=post><select name=size><option>Small<option selected> A &amp; B </option></select>
    <input name=user NAME=other value='a>b' value=c><textarea name=note>&lt;<input name=no></textarea>"""
    values = filled_in(page, PAGE, {"user": "anna"}).values
    assert values == {"size": "A & B", "user": "anna", "note": ""}


@pytest.mark.parametrize(
    "piece", [b"<form ", b"<!--", b"<a '", b'<input name="', b"<script>", b"<option>", b"<", b"="]
)
def test_hostile_pages_are_read_in_one_pass(piece):
    assert filled_in(piece * 100_000, PAGE, {"user": "anna"}) is None
