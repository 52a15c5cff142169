"""Passages of real text, the engines that index and search them, and what they are measured by.

sources           which texts there are: web sites, articles, packages of documentation
corpus            texts cut into passages of tokens that every engine reads alike, and queries about them
engine            what is asked of every engine
gossamer_engine   Gossamer, through its public classes: the only file here that knows its inside
tantivy_engine    tantivy
pisa_engine       PISA, by pyterrier-pisa, with all its algorithms
bm25s_engine      bm25s
sqlite_engine     SQLite's FTS5
xapian_engine     Xapian
contender         the process in which one engine works; runs in that engine's environment
stand             where the engines' processes and indexes are
contest           the rounds in which they take turns
judging           are the answers right?
indexing          what do indexes cost to build and to keep?
serving           what does a process take that serves them, and how soon does it answer?
report            tables
"""
