"""What the owner decides and sees: messages, query log, status and health.

Input are the files of a collection; output are summaries for the shell and the owner's pages.
"""
