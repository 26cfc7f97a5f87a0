-- When a certificate of the network comes into use: controllers hear of a new one first, and tell their routers.
ALTER TABLE pki_entities ADD COLUMN used_from timestamptz(3) NOT NULL DEFAULT now();
UPDATE pki_entities SET used_from = created_at;
