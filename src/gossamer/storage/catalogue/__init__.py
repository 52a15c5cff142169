"""SQLite catalogue: URLs, hosts, fetches, visits."""
