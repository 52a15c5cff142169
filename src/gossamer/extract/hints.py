"""Which words in the names of elements say what is in them?

Authors name what they build: `class="post-content"`, `id="comments"`, `class="related-articles"`. The words
are those that the common publishing systems use; a language other than English is rare in such names. One
word rarely decides alone: see `clutter_kernel.py` for what it takes to put a block aside.
"""

from __future__ import annotations

from gossamer.extract import hint_kernel as hint

_WORDS = {
    hint.ARTICLE: "article story post entry",
    hint.BODY: "body content contents text main copy inner",
    hint.ARTICLE | hint.BODY: """
        articlebody articlecontent articletext bodycopy bodytext contentbody entrycontent entrytext fulltext
        maincontent newstext postbody postcontent posttext storybody storycontent storytext
    """,
    hint.COMMENT: """
        comment commenting commentlist comments discussion disqus livefyre replies reply respond
    """,
    # Other articles, sharing, advertisements, subscriptions, notices, navigation, the foot of the page.
    hint.CLUTTER: """
        mostpopular mostread outbrain popular readmore recirc recirculation recommendation recommendations
        recommended recommends related relatedarticles relatedcontent relatedposts seealso similar suggested
        suggestions taboola trending zergnet
        addthis share sharebar sharedaddy shares sharethis sharing social socialshare
        ad ads adsbygoogle adsense advert advertisement advertising advertorial adverts banner dfp promo
        promoted promos promotion sponsor sponsored sponsors
        donate donation login newsletter newsletters paywall register registration signup subscribe
        subscription
        consent cookie cookies gdpr interstitial lightbox modal overlay popup privacy tooltip
        breadcrumb breadcrumbs crumbs menu nav navbar navigation pager paging pagination submenu toolbar
        topbar
        bottom colophon copyright disclaimer foot footer legal
    """,
    hint.SIDE: "aside rail side sidebar widget widgets",
    hint.EXTRA: """
        authorbio authorbox bio biography contributor hidden hide offscreen print screenreader visually
    """,
    hint.CAPTION: "caption captions credit credits figcaption image img photo picture",
    hint.LABEL: """
        author authors byline bylines categories category date dateline dek eyebrow head header headline hero
        keywords kicker masthead meta metadata pubdate published standfirst subtitle summary tag tags time
        timestamp title topic topics
    """,
}


def hint_words() -> dict[str, int]:
    """The meaning of each word, a set of bits.

    >>> hint_words()["postbody"] == hint_words()["post"] | hint_words()["body"]
    True
    """
    return {word: int(meaning) for meaning, words in _WORDS.items() for word in words.split()}
