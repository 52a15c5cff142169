"""The search page: start page, results, filters."""
