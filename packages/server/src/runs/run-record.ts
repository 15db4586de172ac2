import type {
  AggregationInput,
  DataSeriesInput,
  LogLevel,
  MeasurementOutcome,
  MeasurementType,
  MetadataValue,
  PhaseOutcome,
  RunOutcome,
  ValidatorInput,
} from '@runledger/protocol'

/** The one stored shape of a run, whichever interface it came by (contract decisions, v2 runs). Times in microseconds. */
export interface RunRecord {
  outcome: RunOutcome
  startedAtUs: number
  durationUs: number
  docstring: string | null
  deploymentId: string | null
  phases: PhaseRecord[]
  logs: LogRecord[]
  metadata: [name: string, value: MetadataValue][]
  declaredAttachments: string[]
}

export interface PhaseRecord {
  name: string
  outcome: PhaseOutcome
  startedAtUs: number
  durationUs: number
  retryCount: number
  docstring: string | null
  measurements: MeasurementRecord[]
}

export interface MeasurementRecord {
  name: string
  unitOfMeasure: string | null
  outcome: MeasurementOutcome
  type: MeasurementType
  /** A number; of a boolean 1 or 0. */
  value: number | null
  /** A string; of `json` and `multidimensional` its JSON. */
  text: string | null
  limitLow: number | null
  limitHigh: number | null
  /** What has no column; undefined when there is nothing. */
  detail: MeasurementDetail | undefined
}

/** What a measurement says that is read back whole, as it was sent. Stored as JSON. */
export interface MeasurementDetail {
  validators?: ValidatorInput[] | undefined
  aggregations?: AggregationInput[] | undefined
  dataSeries?: DataSeriesInput[] | undefined
  docstring?: string | undefined
}

export interface LogRecord {
  level: LogLevel
  timestampUs: number
  message: string
  sourceFile: string
  lineNumber: number
}
