"""Demo web: a small web to try everything on, served from this machine.

`bundled_web.py` loads its pages from the folder `web`, `scripted_web.py` defines webs by scripts, also for
tests, `loopback_server.py` serves them, and `tour.py` crawls, indexes and ranks the demo web.
"""
