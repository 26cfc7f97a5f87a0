-- Sessions that were refused because posture checks failed: the latest of each identity.

CREATE SEQUENCE failed_service_request_places AS bigint;
CREATE TABLE failed_service_requests (
  identity_id text COLLATE "C" NOT NULL,
  place bigint NOT NULL DEFAULT nextval('failed_service_request_places'),
  at timestamptz(3) NOT NULL DEFAULT now(),
  api_session_id text COLLATE "C" NOT NULL,
  service_id text COLLATE "C" NOT NULL,
  service_name text COLLATE "C" NOT NULL,
  session_type text COLLATE "C" NOT NULL,
  policy_failures jsonb NOT NULL,
  CONSTRAINT failed_service_requests_pkey PRIMARY KEY (identity_id, place),
  CONSTRAINT failed_service_requests_identity_fkey
    FOREIGN KEY (identity_id) REFERENCES identities (id) ON DELETE CASCADE,
  CONSTRAINT failed_service_requests_type CHECK (session_type IN ('Dial', 'Bind'))
);
