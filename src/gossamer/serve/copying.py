"""How is a stranger's page shown so that it can do no harm?

What it is made of is cleaned by a list of what may stay: no script, form, frame, or handler of events does.
The browser is told the same once more: a copy is sandboxed, so it has an origin of its own that is nobody's,
runs nothing, loads nothing, pictures included, and cannot ask this server for anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import lru_cache
from html import escape, unescape

import nh3

from gossamer.model import CachedPage
from gossamer.text.words import is_word

SANDBOX = (
    # A link of the copy opens a page of its own, outside of the sandbox, that knows nothing of this one.
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
MOST_WORDS = 100  # forms of words that are marked
LONGEST = 2_000_000  # characters of a page that are shown

_TAGS = set(nh3.ALLOWED_TAGS) | {"style", "main", "section", "address", "big", "font", "tfoot", "dir"}
_DROPPED = {
    "button",
    "iframe",
    "math",
    "noembed",
    "noframes",
    "object",
    "script",
    "select",
    "svg",
    "template",
}
_DROPPED |= {"textarea", "title", "xmp"}
_ATTRIBUTES = {
    "*": {
        "align",
        "bgcolor",
        "class",
        "color",
        "dir",
        "height",
        "id",
        "lang",
        "style",
        "title",
        "valign",
        "width",
    },
    "a": {"href", "name"},
    "img": {"alt"},  # which takes its place
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "ol": {"start", "type", "reversed"},
    "font": {"face", "size"},
    "time": {"datetime"},
    "details": {"open"},
}
_MARKUP = re.compile(r'<style\b.*?</style>|<(?:[^<>"]|"[^"]*")*>|&\w+;|&#\w+;', re.DOTALL)
_PICTURE = re.compile(r"<img\b")
_INSTEAD = re.compile(r'\salt="([^"]*)"')
_MARKED = re.compile("<mark>([^<]*)</mark>")
_PAGE = (
    '<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    '<meta name="robots" content="noindex, nofollow">\n'
    "<title>{title}</title>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
)
_TEXT = '<div dir="auto" style="max-width: 45em; white-space: pre-wrap; overflow-wrap: anywhere">{}</div>'


def copied(page: CachedPage) -> str:
    """A whole page of HTML: the copy, the words of the query marked; of other documents their text."""
    if page.html:
        body = _marked_html(cleaned(page.html[:LONGEST], page.url), page.words)
    else:
        body = _TEXT.format(_marked(page.text[:LONGEST], page.words, escape))
    return _PAGE.format(language=escape(page.language), title=escape(page.title), body=body)


def marked_words(page: CachedPage) -> set[str]:
    """Those of the words that its copy marks: some stand only in its title, or in what is left out."""
    if not page.words:
        return set()
    return {unescape(word) for word in _MARKED.findall(copied(page))} & page.words


def cleaned(html: str, base: str) -> str:
    """What may stay of a page; links lead where they led, into a window of their own."""
    kept = nh3.clean(
        html,
        tags=_TAGS,
        clean_content_tags=_DROPPED,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        url_relative=("rewrite_with_base", base),
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return _MARKUP.sub(_in_words, kept)


def _in_words(markup: re.Match[str]) -> str:
    """What is said instead of a picture, which browsers would show as a broken one; all else as it is.

    Blanks around it, as pictures stand side by side without any.
    """
    if not _PICTURE.match(markup[0]):
        return markup[0]
    told = _INSTEAD.search(markup[0])
    return f" {escape(unescape(told[1]))} " if told and told[1].strip() else ""


def _marked_html(html: str, words: Collection[str]) -> str:
    """Words marked where they are text. Of cleaned markup only: its attributes are always quoted."""
    if not words:
        return html
    pieces: list[str] = []
    reached = 0
    for match in _MARKUP.finditer(html):
        pieces += [_marked(html[reached : match.start()], words, str), match[0]]
        reached = match.end()
    return "".join(pieces) + _marked(html[reached:], words, str)


def _marked(text: str, words: Collection[str], write: Callable[[str], str]) -> str:
    """A piece of text with its words in <mark>; `write` makes HTML of what it is given."""
    pieces: list[str] = []
    reached = 0
    for match in _any_of(frozenset(words)).finditer(text) if words else ():
        start, end = match.span()
        if is_word(text, start, match[0]):
            pieces += [write(text[reached:start]), f"<mark>{write(match[0])}</mark>"]
            reached = end
    return "".join(pieces) + write(text[reached:])


@lru_cache(maxsize=16)
def _any_of(words: frozenset[str]) -> re.Pattern[str]:
    longest_first = sorted(words, key=lambda word: (-len(word), word))[:MOST_WORDS]
    return re.compile("|".join(map(re.escape, longest_first)))
