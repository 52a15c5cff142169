"""Information for the owner: messages of visitors, query log, status and health.

The input is the files of a collection; the output is summaries for the commands and the owner's pages.
"""
