-- A database as releases left it whose newest migration was 001-access.
CREATE TABLE schema_migrations (name text PRIMARY KEY, applied_at_us bigint NOT NULL);
CREATE TABLE settings (name text PRIMARY KEY, value text NOT NULL);
CREATE TABLE users ( id bigint PRIMARY KEY, public_id text NOT NULL UNIQUE, name text, email text, created_at_us bigint NOT NULL );
CREATE TABLE api_keys ( id bigint PRIMARY KEY, public_id text NOT NULL UNIQUE, kind text NOT NULL, name text NOT NULL, hint text NOT NULL, hash text NOT NULL UNIQUE, user_id bigint NOT NULL REFERENCES users (id), created_at_us bigint NOT NULL, expires_at_us bigint, revoked_at_us bigint );
CREATE TABLE sessions ( id bigint PRIMARY KEY, hash text NOT NULL UNIQUE, user_id bigint NOT NULL REFERENCES users (id), created_at_us bigint NOT NULL, expires_at_us bigint NOT NULL );
CREATE TABLE sign_in_codes ( id bigint PRIMARY KEY, hash text NOT NULL UNIQUE, user_id bigint NOT NULL REFERENCES users (id), expires_at_us bigint NOT NULL );
INSERT INTO schema_migrations VALUES ('001-access', 1763600000000000);
INSERT INTO settings (name, value) VALUES ('internal.signing_secret', '"hpw8h4f3_YysOupb0EvIVqyxPpvFpUsUVIkPhU9s5_A"');
INSERT INTO users (id, public_id, name, email, created_at_us) VALUES (122495885655735, '738d8ebc-15b8-4cae-87d8-54c3d65d774c', 'Local user', NULL, 1795502044167000);
INSERT INTO api_keys (id, public_id, kind, name, hint, hash, user_id, created_at_us, expires_at_us, revoked_at_us) VALUES (122495885697904, 'e79d6fe8-fa41-4e57-9c71-c0b965f4c639', 'user', 'Local credentials file', 'rl_user_…VX1o', '6W5X7-vjbPqSgw9yGk9RM65zxdD1sClpfMuZQP2pu_Q', 122495885655735, 1795502044188000, NULL, NULL);
