"""The report on the link graph as one HTML page.

Input is a `GraphReport`; output is a page with pictures. `html.py` assembles it, `pictures.py` draws.
"""
