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

export interface RunRequest {
  /** For the Idempotency-Key. White space and unknown keys make no difference. */
  digest: () => Promise<string>
  /** The run counts as created then. */
  receivedAtUs: number
  unit: UnitRequest
  subUnits: Sent[]
  /** An e-mail address. */
  operatedBy: string | undefined
  procedureVersion: string | undefined
  unitMetadata: [name: string, value: MetadataValue][]
  record: RunRecord
  inlineAttachments?: InlineFile[] | undefined
  /** The run was read from this upload, which the same transaction links to it. */
  uploadId?: string
  warnings: string[]
}

/** Reporters then name the tested software as the unit. */
export function isAboutSoftware({
  unit: { serialNumber, partNumber },
  record: { metadata },
}: RunRequest): boolean {
  const isOfReporter = metadata.some(([name]) => name === 'framework')
  return isOfReporter && partNumber !== undefined && isDefaultSerialNumber(serialNumber, partNumber)
}

/** As stored, from either interface (docs/interface.md#runs-of-v2). Times in microseconds. */
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
  /** Of the last attempt. */
  errors: TestErrorInput[]
  moreErrors: number | null
  /** Empty if there was only one. */
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
  /** 1 or 0 for a boolean. */
  value: number | null
  /** JSON for `json` and `multidimensional`. */
  text: string | null
  limitLow: number | null
  limitHigh: number | null
  detail: MeasurementDetail | undefined
}

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

/** SHA-256 as base64url of the JSON, made when it is first asked for. */
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
