-- The last data integrity check, of all controllers together: how far it is, and what it found.
CREATE TABLE integrity_runs (
  singleton boolean NOT NULL DEFAULT true,
  is_fixing boolean NOT NULL,
  started_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  error text NOT NULL DEFAULT '',
  has_too_many boolean NOT NULL DEFAULT false,
  CONSTRAINT integrity_runs_pkey PRIMARY KEY (singleton),
  CONSTRAINT integrity_runs_is_single CHECK (singleton)
);
CREATE TABLE integrity_findings (
  position integer NOT NULL,
  description text NOT NULL,
  is_fixed boolean NOT NULL,
  CONSTRAINT integrity_findings_pkey PRIMARY KEY (position)
);
