"""Retrieval algorithms on one segment."""
