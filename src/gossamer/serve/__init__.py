"""The search page and the JSON API.

The input is HTTP requests, the output is pages, JSON and feeds. `app.py` assembles the application and
`server.py` runs it. `search_page` and `api` serve visitors, `owner_pages` serves the owner.
"""
