-- What may only be true in the config types host.v1 and host.v2 has a type: forms that are made of schemas show text
-- for what has none.
UPDATE config_types SET schema = regexp_replace(schema::text,
  '"(forwardAddress|forwardPort|forwardProtocol)": \{"enum": \[true\], "description"',
  '"\1": {"enum": [true], "type": "boolean", "description"', 'g')::jsonb
WHERE id IN ('NH5p4FpGR', 'host.v2');
