import type {
  MeasurementInputSchema,
  MeasurementOutcome,
  MetadataValue,
  PhaseOutcome,
  RunOutcome,
} from '@runledger/protocol'
import type * as z from 'zod'
import type { ImportedAttachment } from '../imported-run'
import type { Notes } from '../notes'
import type { FilePath } from '../read-error'

export type Measurement = z.input<typeof MeasurementInputSchema>

/** A measured value before its outcome is known: without one, it has that of its step if it has limits. */
export type StepValue = Omit<Measurement, 'outcome'> & { outcome: MeasurementOutcome | undefined }

/** A step of a test, or a group of steps. */
export interface Step {
  name: string
  outcome: PhaseOutcome
  /** Whether the step is the summary of a loop. It has the values of the last repetition; its verdict does not depend on them. */
  isSummary?: boolean
  /** Microseconds since the Unix epoch; steps without a start follow one another. */
  startedAtUs?: number | undefined
  durationUs?: number | undefined
  values: StepValue[]
  steps: Step[]
  errors: string[]
  /** What the step says of itself; becomes an entry of the log. */
  texts: string[]
  /** The number of values that were too many for `texts`. */
  leftOut?: number | undefined
}

/** A test of one unit, as the formats of production lines describe it. */
export interface UnitReport {
  /** Where the report stands in the file. */
  at: FilePath
  format: string
  procedureName: string | undefined
  procedureVersion?: string | undefined
  serialNumber: string | undefined
  partNumber: string | undefined
  revision?: string | undefined
  batch?: string | undefined
  station?: string | undefined
  operator?: string | undefined
  /** Microseconds since the Unix epoch. */
  startedAtUs: number
  durationUs?: number | undefined
  outcome: RunOutcome
  comment?: string | undefined
  errors?: string[]
  /** Texts about the whole test; they become entries of the log. */
  texts?: string[]
  /** The number of values that were too many for `texts`. */
  leftOut?: number | undefined
  steps: Step[]
  metadata: [name: string, value: MetadataValue | undefined][]
  attachments?: ImportedAttachment[]
  /** Changes and omissions of the reader. */
  notes?: Notes
}
