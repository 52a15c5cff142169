import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extract.html.parser import read_html
from gossamer.extract.html.scan import collapse
from gossamer.web.url import canonical

URL = canonical("http://cats.example/big/jaguar.html")
LONG = "The jaguar is a large cat of the New World, and it swims well. " * 5


def read(html, **more):
    return read_html(html.encode(), URL, **more)


def body(inner):
    return read(f"<!doctype html><title>T</title><body>{inner}")


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title> Big \n cats </title><h1>H</h1>", "Big cats"),
        ("<h1>First <i>he</i>ading</h1><h1>Second</h1>", "First heading"),
        ("<header><h1>In the header</h1></header><main>text</main>", "In the header"),
        ("<meta property='og:title' content='Social'><p>x", "Social"),
        ("<meta property='og:title' content='Social'><h1>Heading</h1>", "Heading"),
        ("<title></title><h1>Heading</h1>", "Heading"),
        ("<svg><title>icon</title></svg><h1>Heading</h1>", "Heading"),
        ("<p>nothing", ""),
    ],
)
def test_title(html, title):
    assert read(html).title == title


def test_blocks_break_lines_and_inline_elements_do_not():
    page = body("<p>J<b>oh</b>n</p><p>Doe<br>said</p><ul><li>one<li>two</ul><span>in</span><span>line</span>")
    assert page.text == "John\nDoe\nsaid\none\ntwo\ninline"


def test_whitespace_is_collapsed_and_soft_hyphens_go():
    page = body("<p>  a \n\n b\u00a0c\u3000d  </p><p> \n </p><p>Do&shy;nau</p>")
    assert page.text == "a b c d\nDonau"


def test_text_after_a_block_is_a_line_of_its_own():
    assert body("before<div>inside</div>after").text == "before\ninside\nafter"


def test_entities_are_read():
    assert body("<p>fish &amp; chips &lt;3 &#x4eac;").text == "fish & chips <3 京"


@pytest.mark.parametrize(
    "landmark", ["<main>{}</main>", "<article>{}</article>", '<div role="main">{}</div>']
)
def test_landmarks_are_the_main_text(landmark):
    page = body(f"<div>before</div>{landmark.format(f'<p>{LONG}</p>')}<div>after</div>")
    assert page.text == LONG.strip()
    assert page.surroundings == "before\nafter"


def test_main_counts_more_than_article():
    page = body(f"<main><p>{LONG}</p><article>{LONG}</article></main><article>teaser {LONG}</article>")
    assert page.text.count("The jaguar is") == 10
    assert "teaser" in page.surroundings


def test_all_articles_are_main_text():
    page = body(f"<article>one {LONG}</article><div>between</div><article>two {LONG}</article>")
    assert page.text.startswith("one The")
    assert "\ntwo The" in page.text
    assert page.surroundings == "between"


@pytest.mark.parametrize("landmark", ["<main>Loading</main>", "<article>Loading</article>"])
def test_a_tiny_landmark_is_ignored(landmark):
    page = body(f"{landmark}<div>{LONG}</div>")
    assert page.text == LONG.strip()


def test_articles_that_are_only_comments_are_not_the_main_text():
    page = body(f"<div>{LONG * 10}</div><article>{LONG}</article>")
    assert page.text.count("The jaguar is") == 50


def test_a_small_page_may_be_all_landmark():
    page = body("<nav>Home</nav><main><p>Short.</p></main>")
    assert (page.text, page.surroundings) == ("Short.", "Home")


def test_without_landmark_the_body_without_its_chrome():
    page = body(
        "<header>Site</header><nav>Menu</nav><p>Words.</p><aside>By the way</aside>"
        "<form><label>Name</label><select><option>A<option>B</select><button>Send</button></form>"
        '<div role="navigation">More</div><footer>Imprint</footer>'
    )
    assert page.text == "Words.\nName"
    assert page.surroundings == "Site\nMenu\nBy the way\nA\nB\nSend\nMore\nImprint"


def test_header_of_an_article_names_it_and_its_footer_does_not():
    page = body(f"<article><header><h2>Head</h2></header><p>{LONG}</p><footer>Tags</footer></article>")
    assert page.text == LONG.strip()
    assert page.headings == ("Head",)
    assert page.surroundings == "Head\nTags"


def test_menus_without_nav_are_surroundings():
    menu = "<ul><li><a href=/a>First other story</a><li><a href=/b>Second other story</a></ul>"
    page = body(f"<p>{LONG} See <a href=/c>this</a>.</p>{menu}")
    assert page.text.endswith("See this.")
    assert page.surroundings == "First other story\nSecond other story"


def test_a_directory_keeps_its_links():
    links = "".join(f"<li><a href=/{n}>Entry number {n}</a>" for n in range(9))
    page = body(f"<h1>Directory</h1><ul>{links}</ul>")
    assert page.text.count("Entry") == 9


@pytest.mark.parametrize(
    "hidden",
    [
        '<p style="display:none">buy</p>',
        '<p style="color:red; DISPLAY : none !important;">buy</p>',
        '<p style="visibility:hidden">buy</p>',
        '<span style="font-size:0">buy</span>',
        '<span style="font-size: 0px">buy</span>',
        "<p hidden>buy</p>",
        '<div hidden=""><p>buy</p></div>',
        "<script>buy</script>",
        "<style>buy</style>",
        "<noscript>buy</noscript>",
        "<template>buy</template>",
        "<svg><text>buy</text></svg>",
        "<iframe>buy</iframe>",
        "<!-- buy -->",
        "<video>buy</video>",
    ],
)
def test_invisible_text_is_dropped(hidden):
    page = body(f"<p>See</p>{hidden}<nav>menu</nav>")
    assert (page.text, page.surroundings) == ("See", "menu")


@pytest.mark.parametrize(
    "style", ["font-size:0.8em", "font-size:10px", "display:block", "", ";;", "font-size:", "x"]
)
def test_visible_styles(style):
    assert body(f"<p style='{style}'>seen</p>").text == "seen"


def test_images_have_alt_and_caption():
    page = body("<figure><img alt='A spotted cat'><figcaption>In Brazil</figcaption></figure><img src=x.png>")
    assert page.text == "A spotted cat\nIn Brazil"


def test_headings_are_those_of_the_main_text_and_every_h1():
    page = body(
        f"<header><h1>Site</h1><h2>Slogan</h2></header><main><h1>Cats<br>and <b>dogs</b></h1><p>{LONG}"
        "<h2><div>In</div>water</h2><h3>Fish</h3><h4>Deep</h4><h3>Fish</h3></main><aside><h2>Related</h2></aside>"
    )
    assert page.headings == ("Site", "Cats and dogs", "In water", "Fish")
    assert "Cats and dogs" in page.text.splitlines()


def test_fields_of_the_fetch_are_kept():
    page = read("<p>x", fetched_at=5.0, media_type="application/xhtml+xml")
    assert (page.url, page.fetched_at, page.media_type, page.problem) == (
        URL,
        5.0,
        "application/xhtml+xml",
        "",
    )


def test_deep_nesting_is_read():
    assert read("<div>" * 3_000 + "deep").text == "deep"


def test_a_frameset_has_links_and_no_text():
    page = read("<frameset><frame src=menu.html><frame src=main.html></frameset>")
    assert page.text == ""
    assert [link.target.path for link in page.links] == ["/big/menu.html", "/big/main.html"]


@given(st.lists(st.text(alphabet="ab \n\t\u00a0\u00ad", max_size=8), max_size=8))
def test_collapse_leaves_single_spaces(pieces):
    text = collapse("".join(pieces))
    assert text == " ".join("".join(pieces).replace("\u00ad", "").split())
    assert collapse(text) == text


@given(st.text(alphabet="<>/ab dipvul\"'=!-h1", max_size=120))
def test_any_markup_is_read(html):
    page = read(html)
    assert "\n\n" not in page.text
    assert page.text == page.text.strip()
