"""Retrieval algorithms for one segment."""
