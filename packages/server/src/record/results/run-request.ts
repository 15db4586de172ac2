import {
  type AggregationInput,
  type Annotation,
  type DataSeriesInput,
  type Location,
  type LogLevel,
  type MeasurementOutcome,
  type MeasurementType,
  type MetadataValue,
  type PhaseOutcome,
  type RunOutcome,
  type StepKind,
  type TestErrorInput,
  type ValidatorInput,
  isDefaultSerialNumber,
} from '@runledger/protocol'
import { createHash } from 'node:crypto'
import { SteadyPace } from '../../base/clock'
import type { Sent, UnitRequest } from '../catalogue/create-scope'
import type { InlineFile } from '../files/attachments/inline-attachments'

/** A request to create a run, from either interface. */
export interface RunRequest {
  /** Digest of the request as it was understood, for the Idempotency-Key: white space and unknown keys make no difference. */
  digest: () => Promise<string>
  /** When the request came; the run counts as created then. */
  receivedAtUs: number
  unit: UnitRequest
  subUnits: Sent[]
  /** E-mail address of a user. */
  operatedBy: string | undefined
  procedureVersion: string | undefined
  unitMetadata: [name: string, value: MetadataValue][]
  record: RunRecord
  inlineAttachments?: InlineFile[] | undefined
  /** The upload that the run was read from, linked to it in the same transaction. */
  uploadId?: string
  warnings: string[]
}

/** The unit is the tested software itself, as reporters name it. */
export function isAboutSoftware({
  unit: { serialNumber, partNumber },
  record: { metadata },
}: RunRequest): boolean {
  const isOfReporter = metadata.some(([name]) => name === 'framework')
  return isOfReporter && partNumber !== undefined && isDefaultSerialNumber(serialNumber, partNumber)
}

/** The stored form of a run from either interface (docs/interface.md#runs-of-v2). Times in microseconds. */
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
  /** Undefined when it says nothing of its test. */
  facts?: PhaseFacts | undefined
}

/** What a phase says about its test. */
export interface PhaseFacts {
  /** `skipped` is a test that did not run: its phase counts nowhere. */
  kind: StepKind | 'skipped' | null
  parentIndex: number | null
  location: Location | undefined
  owner: string | undefined
  tags: string[]
  annotations: Annotation[]
  /** Of the last attempt. */
  worker: number | null
  snippet: string | null
  /** Those of the last attempt. */
  errors: TestErrorInput[]
  moreErrors: number | null
  /** Empty where there was one. */
  attempts: AttemptRecord[]
}

export interface AttemptRecord {
  /** From 0; the last has the phase's `retryCount`. */
  number: number
  outcome: PhaseOutcome
  startedAtUs: number
  durationUs: number
  worker: number | null
  errors: TestErrorInput[]
  moreErrors: number | null
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
  /** Fields without a column; undefined without any. */
  detail: MeasurementDetail | undefined
}

/** Fields of a measurement that are returned as they were sent. Stored as JSON. */
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

/** SHA-256 as base64url of the JSON of a request as it was understood, made when it is first asked for. */
export function digestOnce(request: object): () => Promise<string> {
  let digest: Promise<string> | undefined
  return () => (digest ??= digestJson(request))
}

async function digestJson(request: object): Promise<string> {
  const hash = createHash('sha256')
  const pace = new SteadyPace()
  for (const text of writeJson(request)) {
    hash.update(text)
    if (pace.isOver) await pace.rest()
  }
  return hash.digest('base64url')
}

/** Writes an object as JSON with sorted names, its lists entry by entry. */
function* writeJson(request: object): Generator<string> {
  const fields = Object.entries(request)
    .filter(([, field]) => field !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  for (const [index, [name, field]] of fields.entries()) {
    yield `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`
    if (Array.isArray(field) && field.length > 0) yield* writeEntries(field)
    else yield JSON.stringify(field)
  }
  yield fields.length === 0 ? '{}' : '}'
}

function* writeEntries(list: readonly unknown[]): Generator<string> {
  for (const [index, entry] of list.entries())
    yield `${index === 0 ? '[' : ','}${JSON.stringify(entry) ?? 'null'}`
  yield ']'
}
