-- after 013-organisations
CREATE TABLE new_blobs ( sha256 text PRIMARY KEY, size_bytes bigint NOT NULL, reference_count bigint NOT NULL, object_name text NOT NULL ) WITHOUT ROWID;
INSERT INTO new_blobs SELECT sha256, size_bytes, reference_count, substr(sha256, 1, 2) || '/' || sha256 FROM blobs;
DROP TABLE blobs;
ALTER TABLE new_blobs RENAME TO blobs;
CREATE INDEX blobs_object_name ON blobs (object_name);
INSERT INTO applied_migrations VALUES ('014-object-names', 1764000000000000);
