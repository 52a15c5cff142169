"""What does this document say, and where does it point?

In: a `FetchResult`. Out: a `Page` with title, headings, main text, language, date and links, or with the
reason why nothing could be read. The central function is `document.extract`; `workers.ExtractionPool`
runs it in processes that can be killed, which `nursery` makes.

HTML is read in one pass (`scan_kernel`), which is made of parts: `tag_kernel` finds tags, `tree_kernel` knows
what is open, `element_kernel` opens and closes it, `writing_kernel` writes lines, `pointer_kernel` and
`head_kernel` take down links and metadata, `emphasis_kernel` what is stressed, `reading_kernel` tells main
text from the rest. Other formats become a `draft.Draft` first: `word`, `slides`, `sheets`, `opendocument`,
`epub`, `rtf`, `markdown`, `subtitles`, `pdf`, by way of `archive` and `markup` where they are ZIP files of
XML; then `plain`, `listing`, `plugins`.
"""
