from hypothesis import given
from hypothesis import strategies as st

from gossamer.extract.html.link_targets import Resolver
from gossamer.web.url import canonical

PAGES = [
    canonical(text)
    for text in (
        "http://cats.example/big/jaguar.html",
        "http://cats.example/big/puma.html?size=2",
        "http://cats.example/big/",
        "http://cats.example/big/a%2Fb?x=/y/z",
        "http://cats.example/",
        "https://cats.example/big/jaguar.html",
        "http://cats.example:8080/big/jaguar.html",
        "http://cats.example/big/deep/x",
    )
]
PIECES = st.sampled_from(
    [
        "/",
        "//",
        "..",
        ".",
        "?",
        "#",
        ":",
        "http:",
        "https:",
        "HTTP:",
        "\\",
        "a",
        "b.html",
        "%2e",
        "é",
        " ",
        "\t",
        "\n",
        "@",
        ";",
        "&",
        "x=1",
    ]
)
ADDRESSES = st.lists(PIECES, max_size=6).map("".join) | st.text(max_size=12)


@given(st.lists(st.tuples(st.sampled_from(PAGES), st.lists(ADDRESSES, max_size=6)), max_size=12))
def test_the_cache_changes_no_answer(visits):
    resolver = Resolver()
    for page, addresses in visits:
        assert resolver.targets(page, addresses) == [canonical(address, page) for address in addresses]


@given(ADDRESSES)
def test_pages_of_one_folder_share_resolved_addresses(address):
    resolver = Resolver()
    for page in PAGES:
        assert resolver.target(page, address) == canonical(address, page)


def test_the_same_object_comes_back():
    resolver = Resolver()
    first = resolver.target(PAGES[0], "lynx.html")
    assert resolver.target(PAGES[1], "lynx.html") is first
    assert resolver.target(PAGES[4], "lynx.html") != first


def test_a_full_cache_is_cleared():
    resolver = Resolver(most=10)
    for number in range(100):
        assert resolver.target(PAGES[0], f"{number}.html") == canonical(f"{number}.html", PAGES[0])
        assert sum(map(len, resolver._folders.values())) <= 12
