"""Which HTML elements are seen, break lines, or stand around the text?"""

from __future__ import annotations

# Neither they nor what is in them is read: metadata, code, embedded media and their replacements.
UNSEEN = frozenset({
    "head", "title", "meta", "link", "base", "script", "style", "noscript", "template", "svg",
    "iframe", "frame", "noframes", "noembed", "object", "video", "audio", "canvas", "map", "param",
    "source", "track", "datalist", "rp",
})  # fmt: skip

# They begin and end a line.
BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "col", "dd",
    "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer",
    "form", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html",
    "legend", "li", "listing", "main", "menu", "nav", "ol", "optgroup", "option", "p", "plaintext",
    "pre", "search", "section", "select", "summary", "table", "tbody", "td", "textarea", "tfoot",
    "th", "thead", "tr", "ul", "xmp",
})  # fmt: skip

HEADINGS = frozenset({"h1", "h2", "h3"})

# Navigation, side matter and controls: seen, but not what the page is about.
CHROME = frozenset({"nav", "aside", "footer", "search", "menu", "dialog", "button", "select", "textarea"})
CHROME_ROLES = frozenset({
    "navigation", "banner", "contentinfo", "complementary", "search", "menu", "menubar", "toolbar",
    "dialog", "alertdialog", "button",
})  # fmt: skip
