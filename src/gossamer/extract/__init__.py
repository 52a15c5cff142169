"""What does this document say, and where does it point?

In: a `FetchResult`. Out: a `Page` with title, headings, main text, language, date and links, or with the
reason why nothing could be read. The central function is `document.extract`; `workers.ExtractionPool`
runs it in processes that can be killed.
"""
