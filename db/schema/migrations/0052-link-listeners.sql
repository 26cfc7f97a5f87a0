-- Where a connected router listens for links, as addresses and protocols; shown by the fabric API.
ALTER TABLE router_channels ADD COLUMN link_listeners jsonb NOT NULL DEFAULT '[]';
