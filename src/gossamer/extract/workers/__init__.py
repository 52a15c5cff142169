"""Extraction in sandboxed worker processes."""
