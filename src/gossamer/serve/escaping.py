"""How is a text written into HTML? As markupsafe does it; but most need nothing, and are left alone."""

from __future__ import annotations

import re

from markupsafe import escape

_needs = re.compile("[&<>\"']").search


def escaped(text: str) -> str:
    """A text with nothing in it that a browser could take for markup; what is marked as safe stays as it is.

    >>> escaped("cats"), escaped('<b title="cats & dogs">'), escaped(escape("<b>"))
    ('cats', '&lt;b title=&#34;cats &amp; dogs&#34;&gt;', '&lt;b&gt;')
    """
    return str(escape(text)) if _needs(text) else text
