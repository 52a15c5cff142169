"""The tables of the catalogue, and views for people who look into it with an SQLite tool.

Fingerprints are stored signed (SQLite knows no unsigned 64 bits), times as seconds since 1970.
"""

from __future__ import annotations

FORMAT = 2  # 2: hosts that do not answer are remembered, pages name their canonical address

TABLES = """
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
    warc_length    INTEGER
);
CREATE INDEX urls_by_state ON urls (state, first_seen);
CREATE INDEX urls_by_authority ON urls (authority);
CREATE INDEX urls_by_digest ON urls (digest) WHERE digest IS NOT NULL;
CREATE INDEX urls_by_target ON urls (redirect_to) WHERE redirect_to IS NOT NULL;

CREATE TABLE hosts (
    authority         TEXT PRIMARY KEY,
    origin            TEXT NOT NULL DEFAULT '',
    robots_status     INTEGER,
    robots_body       BLOB,
    robots_fetched_at REAL,
    robots_reason     TEXT NOT NULL DEFAULT '',
    crawl_delay       REAL,
    failures          INTEGER NOT NULL DEFAULT 0, -- crawls in a row in which it did not answer at all
    failed_at         REAL NOT NULL DEFAULT 0
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

CREATE TABLE commits (                         -- how much of each file beside this one counts
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;
"""

VIEWS = """
CREATE VIEW pages AS
    SELECT url, status, datetime(fetched_at, 'unixepoch') AS fetched, media_type, verdict, verdict_reason
    FROM urls WHERE state = 'fetched';

CREATE VIEW problems AS
    SELECT url, state, status, reason, attempts, datetime(fetched_at, 'unixepoch') AS tried
    FROM urls WHERE reason <> '';

CREATE VIEW waiting AS
    SELECT url, depth, priority, attempts, datetime(not_before, 'unixepoch') AS not_before
    FROM urls WHERE state = 'queued';

CREATE VIEW history AS
    SELECT url, datetime(f.fetched_at, 'unixepoch') AS fetched, f.status, f.failure, f.bytes, f.elapsed
    FROM fetches f JOIN urls USING (fingerprint);

CREATE VIEW sites AS
    SELECT authority, count(*) AS urls, sum(state = 'fetched') AS fetched, sum(verdict IS 'keep') AS kept,
           sum(state = 'failed') AS failed, sum(state = 'queued') AS queued
    FROM urls GROUP BY authority;
"""

CREATE = f"BEGIN;{TABLES}{VIEWS}PRAGMA user_version = {FORMAT};COMMIT;"
