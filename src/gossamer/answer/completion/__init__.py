"""Completion and related queries."""
