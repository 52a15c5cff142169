"""A small web to try everything on, served from this machine.

`bundled_web.py` has its pages, `scripted_web.py` webs that tests script, `tour.py` the demonstration.
"""
