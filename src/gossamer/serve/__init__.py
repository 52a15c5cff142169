"""The search page and the API."""
