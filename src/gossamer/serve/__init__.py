"""The search page and the JSON API.

In: anything that can be asked (`Searchable`; an `Engine` is one). Out: a FastAPI application, and `run`,
which serves it until Ctrl-C. The page works without JavaScript and loads nothing from elsewhere.
"""
