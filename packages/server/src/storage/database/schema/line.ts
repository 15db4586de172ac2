/** How units did in a procedure on a day of UTC, by what their runs have in common. Aborted runs and runs of software do not count. */
export interface LineDaysTable {
  procedure_id: number
  day: number
  /** 0 where there is none, like the next two. */
  batch_id: number
  station_id: number
  version_id: number
  revision_id: number
  /** 1 for units that are marked as samples, which count apart. */
  is_sample: number
  /** Units whose first run is one of these; then those of them that passed it, passed it or the second, and passed the last. */
  units: number
  first_passed: number
  second_passed: number
  last_passed: number
  /** Units whose first run of the day is one of these, and those of them that passed it. */
  day_units: number
  day_passed: number
  runs: number
  passed_runs: number
}

/** How often a measurement was taken on a day, and how often it failed; samples do not count. */
export interface MeasurementDaysTable {
  procedure_id: number
  day: number
  /** The names of phase and measurement; the latter is 0 for the phase itself. */
  phase_definition_id: number
  definition_id: number
  measured: number
  failed: number
}

/** A measured number. Only the last attempt of a phase counts. */
export interface LineValuesTable {
  phase_definition_id: number
  definition_id: number
  started_at_us: number
  run_id: number
  /** Of the measurement. */
  id: number
  value: number
  limit_low: number | null
  limit_high: number | null
  failed: number
}
