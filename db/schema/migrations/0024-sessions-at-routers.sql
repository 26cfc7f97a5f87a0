-- The API that a session was opened at. Sessions of the management API are never shared with routers: the constraint
-- refuses what would say otherwise. Of sessions from before, and of those that an earlier release opens, nothing is
-- known: they count as client sessions that routers have.
ALTER TABLE api_sessions ADD COLUMN api text COLLATE "C" NOT NULL DEFAULT 'client';
-- Some router was sent its token, or is about to be. Never false again, whatever becomes of the router, the identity
-- and the policies.
ALTER TABLE api_sessions ADD COLUMN is_shared_with_routers boolean NOT NULL DEFAULT true;
-- SHA-256 of the client certificate whose login opened it; null for other logins.
ALTER TABLE api_sessions ADD COLUMN certificate_hash bytea;
-- Unlike last_activity_at, not moved by what routers report.
ALTER TABLE api_sessions ADD COLUMN last_request_at timestamptz(3) NOT NULL DEFAULT now();
ALTER TABLE api_sessions
  ADD CONSTRAINT api_sessions_api
    CHECK (api = 'client' OR (api = 'management' AND NOT is_shared_with_routers));
