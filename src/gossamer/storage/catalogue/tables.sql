CREATE TABLE urls (
    fingerprint    INTEGER PRIMARY KEY,
    url            TEXT NOT NULL,
    authority      TEXT NOT NULL,
    depth          INTEGER NOT NULL,
    priority       REAL NOT NULL,
    state          TEXT NOT NULL,              -- queued, fetched, redirect, failed, refused
    redirects      INTEGER NOT NULL DEFAULT 0, -- length of the chain of redirects to it
    attempts       INTEGER NOT NULL DEFAULT 0, -- failed attempts so far
    not_before     REAL NOT NULL DEFAULT 0,    -- time before which it must not be retried
    status         INTEGER NOT NULL DEFAULT 0, -- of the latest response, 0 if there was none
    reason         TEXT NOT NULL DEFAULT '',   -- why it failed, was refused or postponed
    first_seen     REAL NOT NULL,
    fetched_at     REAL,
    media_type     TEXT NOT NULL DEFAULT '',
    etag           TEXT NOT NULL DEFAULT '',
    last_modified  TEXT NOT NULL DEFAULT '',
    digest         BLOB,                       -- of title and text
    verdict        TEXT,                       -- keep, duplicate, noindex, unreadable
    verdict_reason TEXT NOT NULL DEFAULT '',
    duplicate_of   INTEGER,
    redirect_to    INTEGER,                    -- target of a redirect, or canonical URL of a page
    warc_file      TEXT,
    warc_offset    INTEGER,
    warc_length    INTEGER,
    checked_at     REAL,                       -- when its content was last seen, changed or not
    changes        REAL NOT NULL DEFAULT 0,    -- weighted number of changes that visits found
    seconds        REAL NOT NULL DEFAULT 0,    -- weighted time in which they occurred
    standing       TEXT NOT NULL DEFAULT 'keep', -- or suspect, or gone, after responses 404 or 410
    misses         INTEGER NOT NULL DEFAULT 0, -- consecutive responses 404 or 410
    missing_since  REAL NOT NULL DEFAULT 0,
    importance     REAL NOT NULL DEFAULT 0,
    lastmod        REAL,                       -- date of a later change, from a sitemap or feed
    next_visit     REAL                        -- when it is requested again
);
CREATE INDEX urls_by_authority ON urls (authority, state, priority DESC, first_seen);
CREATE INDEX urls_by_digest ON urls (digest) WHERE digest IS NOT NULL;
CREATE INDEX urls_by_target ON urls (redirect_to) WHERE redirect_to IS NOT NULL;
CREATE INDEX urls_by_original ON urls (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE INDEX urls_by_visit ON urls (authority, next_visit) WHERE next_visit IS NOT NULL;

CREATE TABLE hosts (
    authority         TEXT PRIMARY KEY,
    origin            TEXT NOT NULL DEFAULT '',
    robots_status     INTEGER,
    robots_body       BLOB,
    robots_fetched_at REAL,
    robots_reason     TEXT NOT NULL DEFAULT '',
    crawl_delay       REAL,
    failures          INTEGER NOT NULL DEFAULT 0, -- consecutive crawls in which it did not respond at all
    failed_at         REAL NOT NULL DEFAULT 0,
    not_before        REAL NOT NULL DEFAULT 0     -- time before which it must not be requested
) WITHOUT ROWID;

CREATE TABLE fetches (
    id          INTEGER PRIMARY KEY,
    fingerprint INTEGER NOT NULL,
    fetched_at  REAL NOT NULL,
    status      INTEGER NOT NULL,
    failure     TEXT NOT NULL DEFAULT '',
    digest      BLOB,
    bytes       INTEGER NOT NULL DEFAULT 0,
    elapsed     REAL NOT NULL DEFAULT 0,
    warc_file   TEXT,
    warc_offset INTEGER,
    warc_length INTEGER
);

CREATE TABLE sketches (                        -- of the kept pages, similar for pages with similar content
    id          INTEGER PRIMARY KEY,           -- the largest is the latest of a page
    fingerprint INTEGER NOT NULL,
    sketch      BLOB                           -- NULL: the page is no longer kept
);

CREATE TABLE notes (                           -- learned facts about a host, as JSON
    authority TEXT NOT NULL,
    kind      TEXT NOT NULL,
    content   TEXT NOT NULL,
    PRIMARY KEY (authority, kind)
) WITHOUT ROWID;

CREATE TABLE commits (                         -- committed sizes of the files beside this one
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;
