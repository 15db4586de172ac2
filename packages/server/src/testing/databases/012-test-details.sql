-- after 011-unit-indexes
-- The columns of 012-test-details, the newest migration of commit 12fe18e, with something in each.
ALTER TABLE phases ADD COLUMN worker bigint;
ALTER TABLE phases ADD COLUMN snippet text;
ALTER TABLE phase_attempts ADD COLUMN worker bigint;
ALTER TABLE phase_tags ADD COLUMN description text;
INSERT INTO applied_migrations (name, applied_at_us) VALUES ('012-test-details', 1795599294000000);
UPDATE phases SET worker = 1, snippet = '> 7 | it(''boots'')' WHERE id = 122595891979444;
UPDATE phase_attempts SET worker = 0;
UPDATE phase_tags SET description = 'https://example.test/issues/7';
