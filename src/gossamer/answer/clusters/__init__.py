"""Clusters of results with labels."""
