"""JSON API, feeds, OpenAPI description."""
