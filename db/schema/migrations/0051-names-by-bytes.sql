-- Names of servers are compared byte by byte, as all text here is.
ALTER TABLE server_names ALTER COLUMN name TYPE text COLLATE "C";
