-- What is asked of routers and of the processes that hold their channels, and what they answer, while somebody waits
-- for it. The rows go with the request, or a minute after it.
CREATE TABLE inspections (
  id text COLLATE "C" NOT NULL,
  pattern text COLLATE "C" NOT NULL,
  requested text[] COLLATE "C" NOT NULL,
  ends_at timestamptz(3) NOT NULL,
  CONSTRAINT inspections_pkey PRIMARY KEY (id)
);

CREATE TABLE inspection_answers (
  inspection_id text COLLATE "C" NOT NULL,
  host_id text COLLATE "C" NOT NULL,
  answer jsonb NOT NULL,
  CONSTRAINT inspection_answers_pkey PRIMARY KEY (inspection_id, host_id),
  CONSTRAINT inspection_answers_inspection_fkey FOREIGN KEY (inspection_id) REFERENCES inspections (id)
    ON DELETE CASCADE
);
