/** Units of a procedure on a UTC day, by what their runs share. Aborted runs and runs of software do not count. */
export interface LineDaysTable {
  procedure_id: number
  day: number
  /** 0 for none, like the next two. */
  batch_id: number
  station_id: number
  version_id: number
  revision_id: number
  /** 1 for samples, which count apart. */
  is_sample: number
  /** Units whose first run is here; then those that passed it, passed it or the second, and passed the last. */
  units: number
  first_passed: number
  second_passed: number
  last_passed: number
  /** Units whose first run of the day is here, and those that passed it. */
  day_units: number
  day_passed: number
  runs: number
  passed_runs: number
}

/** How often a measurement was taken and failed on a day; samples do not count. */
export interface MeasurementDaysTable {
  procedure_id: number
  day: number
  /** Names of the phase and the measurement, which is 0 for the phase itself. */
  phase_definition_id: number
  definition_id: number
  measured: number
  failed: number
}

/** Only the last attempt of a phase counts. */
export interface LineValuesTable {
  phase_definition_id: number
  definition_id: number
  started_at_us: number
  run_id: number
  id: number
  value: number
  limit_low: number | null
  limit_high: number | null
  failed: number
}
