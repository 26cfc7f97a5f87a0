-- Runs a query that selects the keys of a page, and the number of all that match, planned for these values. The
-- statement around it reads the rows with these keys, and stays prepared whatever is looked for. The query names the
-- values by $1 to $20, casts each to its type, and has nothing of a caller in its text.
CREATE FUNCTION page_keys(query text, v text[]) RETURNS TABLE (key text, total_count text)
LANGUAGE plpgsql STABLE ROWS 10 AS $$
BEGIN
  RETURN QUERY EXECUTE 'SELECT key::text, total_count::text FROM (' || query || ') found (key, total_count)'
    USING v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10],
      v[11], v[12], v[13], v[14], v[15], v[16], v[17], v[18], v[19], v[20];
END $$;
