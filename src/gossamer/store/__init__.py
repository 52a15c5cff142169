"""What did we fetch, when, and what linked to what?

In: answers of servers, links, and what became of each URL. Out: WARC files, a link log, a table of known URLs
and an SQLite catalogue, which says how much of the others counts. The central classes are
`catalogue.Catalogue`, `warc.WarcStore`, `linklog.LinkLog` and `seen.SeenStore`.
"""
