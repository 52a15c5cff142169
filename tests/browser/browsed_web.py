"""A small web about a word with two meanings, for tests of the results page."""

from __future__ import annotations

from gossamer.demo.scripted_web import ScriptedHost, ScriptedWeb, html, text

HEAD = (
    '<html lang="{language}"><title>{title}</title><meta property="article:published_time" content="{day}">'
)
BODY = "<body><h1>{title}</h1><p>{words}</p>{links}<script>document.title = 'RAN'; alert('RAN')</script>"
CATS = "The jaguar is the largest cat of the Americas. It swims well and hunts near the river, in chapter {}."
CARS = "A jaguar of this year leaves the works with a new engine; the road test covers its speed, part {}."


def written(title, words, day="", language="en", links=()):
    shown = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return html(
        HEAD.format(title=title, language=language, day=day)
        + BODY.format(title=title, words=words, links=shown)
    )


def web() -> ScriptedWeb:
    cats = {
        f"/{n}": written(
            f"Jaguar in the wild {n}", CATS.format(n) + " river" * n, f"20{10 + n}-03-04", links=["/"]
        )
        for n in range(12)
    }
    cars = {
        f"/{n}": written(f"Jaguar on the road {n}", CARS.format(n) + " road" * n, links=["/"])
        for n in range(9)
    }
    german = written(
        "Der Jaguar", "Der Jaguar ist die größte Katze Amerikas und schwimmt gerne im Fluss.", language="de"
    )
    arabic = written("اليغور", "اليغور jaguar من أكبر القطط في الأمريكتين ويعيش قرب النهر", language="ar")
    return ScriptedWeb(
        {
            "cats.test": ScriptedHost({"/": written("All cats", "Every cat.", links=cats), **cats}),
            "cars.test": ScriptedHost({"/": written("All cars", "Every car.", links=cars), **cars}),
            "katzen.test": ScriptedHost({"/": german}),
            "arabic.test": ScriptedHost({"/": arabic}),
            "notes.test": ScriptedHost(
                {
                    "/": written("Notes", "Notes on a jaguar", links=["/a.txt"]),
                    "/a.txt": text("A jaguar in plain text."),
                }
            ),
        }
    )
