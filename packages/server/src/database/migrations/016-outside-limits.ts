import type { Migration } from './migration'

/** Few measurements are outside their limits: they are counted for each run of a list. `measurements/store.ts` has the same condition. */
export const OUTSIDE_LIMITS: Migration = {
  name: '016-outside-limits',
  statements: [
    `CREATE INDEX measurements_outside_limits ON measurements (run_id, phase_id)
      WHERE outcome = 'FAIL' OR number_value < limit_low OR number_value > limit_high`,
  ],
}
