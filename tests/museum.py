"""The small web of the documentation's examples."""

from __future__ import annotations

from gossamer.demo.scripted_web import ScriptedHost, ScriptedWeb, page

MUSEUM = ScriptedWeb(
    {
        "example.org": ScriptedHost(
            {
                "/": page(
                    "A museum of small things",
                    "Welcome to the museum. Opening hours and tickets are one link away.",
                    ["/visit", "/collection", "http://shop.example.org/"],
                ),
                "/visit": page(
                    "Visit us", "Opening hours: every day from ten to five.", ["/", "/collection"]
                ),
                "/collection": page("The collection", "Buttons, thimbles, stamps and keys.", ["/visit"]),
            }
        ),
        "shop.example.org": ScriptedHost({"/": page("The shop", "Postcards.", ["http://example.org/visit"])}),
    }
)
