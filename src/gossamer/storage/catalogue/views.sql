CREATE VIEW pages AS
    SELECT url, status, datetime(fetched_at, 'unixepoch') AS fetched, media_type, verdict, verdict_reason
    FROM urls WHERE state = 'fetched';

CREATE VIEW problems AS
    SELECT url, state AS what, reason, status, attempts, datetime(fetched_at, 'unixepoch') AS tried
    FROM urls WHERE reason <> ''
    UNION ALL
    SELECT url, verdict, verdict_reason, status, attempts, datetime(fetched_at, 'unixepoch')
    FROM urls WHERE state = 'fetched' AND verdict = 'unreadable';

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
