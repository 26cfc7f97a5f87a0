-- How many circuits each host has, with its sign of life: nobody counts them row by row.
ALTER TABLE router_hosts ADD COLUMN circuits integer NOT NULL DEFAULT 0;

-- Dials of all routers, by the minute in which they were written.
CREATE TABLE dial_minutes (
  minute timestamptz(3) NOT NULL,
  dials bigint NOT NULL,
  failed_dials bigint NOT NULL,
  CONSTRAINT dial_minutes_pkey PRIMARY KEY (minute)
);
