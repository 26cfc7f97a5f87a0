-- Last uses of identities that are logged in, as their API sessions say. From now on they are kept while activity is
-- written, so that nobody has to look at all API sessions.
INSERT INTO last_uses AS u (kind, entity_id, at)
SELECT 'identity', s.identity_id, max(s.last_activity_at) FROM api_sessions s
GROUP BY s.identity_id ORDER BY s.identity_id
ON CONFLICT ON CONSTRAINT last_uses_pkey DO UPDATE SET at = greatest(u.at, excluded.at);
