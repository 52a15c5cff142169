"""The search page and the JSON API.

Input are HTTP requests; output are pages, JSON and feeds. `app.py` assembles the application, `server.py`
runs it, `search_page` and `api` answer visitors, `owner_pages` the owner.
"""
