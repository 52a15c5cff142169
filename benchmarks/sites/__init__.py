"""Webs to crawl that nobody has to download, the process that serves them, and judges of what was asked.

words       made-up words, as unevenly frequent as those of a language
web         what every web here can do, and the walk that says what is to be fetched
generated   twenty hosts of ordinary pages, rendered before anybody asks
synthetic   any number of hosts, each page computed from its number when it is asked for
folder      hosts that are folders of files
reading     which of those files links lead to, by an account of its own
serving     a process that serves a web on loopback and logs every request
audit       was the crawler polite, obedient and complete? Judged from that log
surviving   is a crawl that was killed the same as one that was not?
contenders  the crawlers: Gossamer's own command, and Scrapy with two ways to find links
spider      the Scrapy spider; runs in Scrapy's environment, on its own
measuring   processor time and memory of a command with all its children
breakdown   what a page costs Gossamer, stage by stage
"""
