CREATE TABLE urls (
    fingerprint    INTEGER PRIMARY KEY,
    url            TEXT NOT NULL,
    authority      TEXT NOT NULL,
    depth          INTEGER NOT NULL,
    priority       REAL NOT NULL,
    state          TEXT NOT NULL,              -- queued, fetched, redirect, failed, refused
    redirects      INTEGER NOT NULL DEFAULT 0, -- redirects in a row that led here
    attempts       INTEGER NOT NULL DEFAULT 0, -- tries that failed so far
    not_before     REAL NOT NULL DEFAULT 0,    -- when it may be tried again
    status         INTEGER NOT NULL DEFAULT 0, -- of the latest answer, 0 when none came
    reason         TEXT NOT NULL DEFAULT '',   -- why it failed, was refused or put off
    first_seen     REAL NOT NULL,
    fetched_at     REAL,
    media_type     TEXT NOT NULL DEFAULT '',
    etag           TEXT NOT NULL DEFAULT '',
    last_modified  TEXT NOT NULL DEFAULT '',
    digest         BLOB,                       -- of title and text
    verdict        TEXT,                       -- keep, duplicate, noindex, unreadable
    verdict_reason TEXT NOT NULL DEFAULT '',
    duplicate_of   INTEGER,
    redirect_to    INTEGER,                    -- of a redirect its target, of a page its canonical address
    warc_file      TEXT,
    warc_offset    INTEGER,
    warc_length    INTEGER,
    checked_at     REAL,                       -- when its content was last seen, changed or not
    changes        REAL NOT NULL DEFAULT 0,    -- what its visits are worth: so many changes
    seconds        REAL NOT NULL DEFAULT 0,    -- in so many seconds
    standing       TEXT NOT NULL DEFAULT 'keep', -- or suspect, gone: 404 and 410 in a row
    misses         INTEGER NOT NULL DEFAULT 0, -- how many of them
    missing_since  REAL NOT NULL DEFAULT 0,
    importance     REAL NOT NULL DEFAULT 0,
    lastmod        REAL,                       -- a later change that a sitemap or feed names
    next_visit     REAL                        -- when it is asked for again
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
    failures          INTEGER NOT NULL DEFAULT 0, -- crawls in a row in which it did not answer at all
    failed_at         REAL NOT NULL DEFAULT 0,
    not_before        REAL NOT NULL DEFAULT 0     -- it asked to be left alone until then
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

CREATE TABLE sketches (                        -- of the kept pages: alike for pages that nearly say the same
    id          INTEGER PRIMARY KEY,           -- of two of one page the later counts
    fingerprint INTEGER NOT NULL,
    sketch      BLOB                           -- none: the page is no longer kept
);

CREATE TABLE notes (                           -- what was learned of a host, as JSON
    authority TEXT NOT NULL,
    kind      TEXT NOT NULL,
    content   TEXT NOT NULL,
    PRIMARY KEY (authority, kind)
) WITHOUT ROWID;

CREATE TABLE commits (                         -- how much of each file beside this one counts
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;
