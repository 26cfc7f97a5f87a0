-- What a router said of its program when it connected last; null until then. Kept while it is away.
ALTER TABLE routers ADD COLUMN version text COLLATE "C", ADD COLUMN capabilities_mask bigint;
