-- after 014-object-names
CREATE INDEX measurements_outside_limits ON measurements (run_id, phase_id) WHERE outcome = 'FAIL' OR number_value < limit_low OR number_value > limit_high;
INSERT INTO applied_migrations VALUES ('016-outside-limits', 1795890000000000);
