"""Which HTML elements are seen, break lines, stand around the text, or close others?

The kernels know an element by its code and its traits; here is what each trait is given to. The lists that
decide what is closed are those of WHATWG HTML, 13.2.4.2 "The stack of open elements" and 13.2.6.4.
"""

from __future__ import annotations

from gossamer.extract import tree_kernel as tree

# Neither they nor what is in them is read: metadata, code, embedded media and their replacements; and how
# characters are pronounced (rt), which would stand in the middle of the words that they spell.
UNSEEN = """
    title script style noscript template svg iframe frame noframes noembed object video audio canvas map
    datalist rp rt rtc
"""

# They begin and end a line.
BLOCKS = """
    address article aside blockquote body br caption center col dd details dialog dir div dl dt fieldset
    figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu
    nav ol optgroup option p plaintext pre search section select summary table tbody td textarea tfoot th
    thead tr ul xmp
"""

# Navigation, side matter and controls: seen, but not what the page is about.
CHROME = "nav aside footer search menu dialog button select textarea"
CHROME_ROLES = """
    navigation banner contentinfo complementary search menu menubar toolbar dialog alertdialog button
"""

VOID = """
    area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr
"""
SPECIAL = """
    address applet article aside blockquote body button caption center colgroup dd details dir div dl dt
    fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup html iframe li
    listing main marquee menu nav noembed noframes noscript object ol p plaintext pre script search section
    select style summary table tbody td template textarea tfoot th thead title tr ul xmp
"""
SCOPE = "applet caption html table td th marquee object template noscript"
CLOSES_P = """
    address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header
    hgroup main menu nav ol p search section summary ul h1 h2 h3 h4 h5 h6 pre listing form li dd dt plaintext
    table hr xmp
"""
BREAKOUT = """
    b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu
    meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var
"""
# They stress the words in them.
EMPHATIC = "b big dfn em i mark strong"
# Their end tags end what is left open in them.
KEPT = "ruby rb"
_TRAITS = {
    tree.UNSEEN: UNSEEN,
    tree.BLOCK: BLOCKS,
    tree.CHROME: CHROME,
    tree.VOID: VOID,
    tree.SPECIAL: SPECIAL,
    tree.SCOPE: SCOPE,
    tree.CLOSES_P: CLOSES_P,
    tree.RAW: "script style xmp iframe noembed noframes plaintext",
    tree.RCDATA: "title textarea",
    tree.IS_HEADING: "h1 h2 h3 h4 h5 h6",
    tree.BREAKOUT: BREAKOUT,
    tree.MARKER: "applet caption marquee object td template th",
    tree.LIST: "ol ul",
    tree.TABLE_SCOPE: "html table template",
    tree.EMPHATIC: EMPHATIC,
}
# Elements of which a rule of the kernels speaks. Those that share a code have the same traits.
_CODES = {
    tree.A: "a",
    tree.AREA: "area",
    tree.FRAME: "frame",
    tree.IFRAME: "iframe",
    tree.IMG: "img",
    tree.BASE: "base",
    tree.META_TAG: "meta",
    tree.LINK_TAG: "link",
    tree.TIME: "time",
    tree.HTML: "html",
    tree.HEAD: "head",
    tree.BODY: "body",
    tree.TITLE: "title",
    tree.SCRIPT: "script",
    tree.PLAINTEXT: "plaintext",
    tree.P: "p",
    tree.LI: "li",
    tree.DD: "dd dt",
    tree.TABLE: "table",
    tree.TBODY: "tbody thead tfoot",
    tree.TR: "tr",
    tree.TD: "td th",
    tree.CAPTION: "caption",
    tree.OPTION: "option",
    tree.OPTGROUP: "optgroup",
    tree.SELECT: "select",
    tree.BUTTON: "button",
    tree.FORM: "form",
    tree.BR: "br",
    tree.SVG: "svg",
    tree.MATH: "math",
    tree.H1: "h1",
    tree.H2: "h2",
    tree.H3: "h3",
    tree.H4: "h4 h5 h6",
    tree.MAIN: "main",
    tree.ARTICLE: "article",
    tree.HEADER: "header",
    tree.NOSCRIPT: "noscript",
    tree.TEMPLATE: "template",
    tree.RUBY_BASE: "rb",
    tree.RUBY_TEXT: "rt rtc",
    tree.RP: "rp",
    tree.SVG_POINT: "desc foreignobject",
    tree.MATH_POINT: "mi mo mn ms mtext annotation-xml",
    tree.DIV: "div",
    tree.ADDRESS: "address",
    tree.COLGROUP: "colgroup",
    tree.COL: "col",
    tree.FIGURE: "figure",
    tree.FIGCAPTION: "figcaption",
    tree.QUOTE: "blockquote",
}


def element_codes() -> dict[str, int]:
    """The code of each known element."""
    codes = {name: code for code, names in _CODES.items() for name in names.split()}
    others = dict.fromkeys(name for names in _TRAITS.values() for name in names.split() if name not in codes)
    return codes | {name: tree.NAMED + number for number, name in enumerate(others)}


def element_traits() -> dict[int, int]:
    """The traits of each code; an element with none that matters to its neighbours is inert."""
    traits = dict.fromkeys((tree.OTHER, *element_codes().values()), 0)
    for name, code in element_codes().items():
        for trait, names in _TRAITS.items():
            if name in names.split():
                traits[code] |= trait
    telling = ~(tree.BREAKOUT | tree.CLOSES_P | tree.EMPHATIC)
    kept = {tree.HEAD, *(element_codes()[name] for name in KEPT.split())}
    return {
        code: found if found & telling or code in kept else found | tree.INERT
        for code, found in traits.items()
    }
