-- Sums by the hour: bytes that routers report, and dials that controllers count, by service, router and link.
CREATE TABLE usage_hours (
  hour timestamptz(3) NOT NULL,
  kind text COLLATE "C" NOT NULL,
  entity_id text COLLATE "C" NOT NULL,
  bytes_in bigint NOT NULL,
  bytes_out bigint NOT NULL,
  dials bigint NOT NULL,
  failed_dials bigint NOT NULL,
  CONSTRAINT usage_hours_pkey PRIMARY KEY (hour, kind, entity_id)
);
