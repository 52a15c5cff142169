"""What did we fetch, when, and what linked to what?

In: answers of servers, links, and what became of each URL. Out: WARC files, a link log and an SQLite
catalogue, which says how much of the other two counts. The central classes are `catalogue.Catalogue`,
`warc.WarcStore` and `linklog.LinkLog`.
"""
