"""Evaluation of conditions: find the documents that satisfy one."""
