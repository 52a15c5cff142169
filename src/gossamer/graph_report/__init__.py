"""Render the report on the link graph as one HTML page.

The input is a `GraphReport`; the output is a page with pictures. `html.py` renders the page, `pictures.py`
draws, and `wording.py` writes sentences about the figures.
"""
