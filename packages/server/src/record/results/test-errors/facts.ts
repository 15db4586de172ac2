import {
  type AttemptInput,
  cleanError,
  cleanErrorText,
  ERROR_BYTES,
  keepAttempts,
  MAX_ERRORS,
  MAX_RUN_FACTS,
  parseDurationUs,
  parseTimestampUs,
  type SkippedTestInput,
  TEST_FACTS,
  type TestErrorInput,
  type TestFacts,
} from '@runledger/protocol'
import { createHash } from 'node:crypto'
import { mapInTurns } from '../../../base/clock'
import type { ErrorsTable } from '../../../storage/database/schema/runs'
import { failedValidation } from '../../../base/errors'
import type { AttemptRecord, PhaseFacts, PhaseRecord, RunRecord } from '../run-request'
import { fingerprintOf } from './fingerprint'

/** How many attempts there were before the last one: what was sent, unless more attempts were. */
export function countRetries({
  attempts = [],
  more_attempts: more = 0,
  retry_count: sent = 0,
}: TestFacts & { retry_count?: number | undefined }): number {
  return Math.max(sent, more + Math.max(0, attempts.length - 1))
}

/**
 * What a step or a phase says of its test, undefined for nothing; `indexOfFirst` is where its list begins among the run's
 * phases. The last attempt is the step itself, so its errors are the step's.
 */
export function mapTestFacts(
  sent: TestFacts,
  { retryCount, indexOfFirst }: { retryCount: number; indexOfFirst: number },
): PhaseFacts | undefined {
  if (TEST_FACTS.every((name) => sent[name] === undefined)) return undefined
  const last = sent.attempts?.at(-1)
  const ofStep = listLastErrors(sent, last)
  const attempts = keepAttempts(sent.attempts ?? [])
    .slice(0, -1)
    .map(mapAttempt)
  return {
    kind: sent.kind ?? null,
    parentIndex: sent.parent === undefined ? null : sent.parent + indexOfFirst,
    location: sent.location,
    owner: sent.owner,
    tags: [...new Set(sent.tags)],
    annotations: sent.annotations ?? [],
    worker: sent.worker ?? last?.worker ?? null,
    snippet: sent.snippet === undefined ? null : cleanErrorText(sent.snippet, ERROR_BYTES.snippet),
    ...ofStep,
    attempts: last ? [...attempts, { ...mapAttempt(last, retryCount), ...ofStep, errors: [] }] : [],
  }
}

/** A step's errors may come as its own, with its last attempt, or only the first as `error`: take the longest list. */
function listLastErrors(
  { error, errors = [], more_errors: more = 0 }: TestFacts,
  { errors: ofLast = [], more_errors: moreOfLast = 0 }: Partial<AttemptInput> = {},
) {
  const most = errors.length >= ofLast.length ? errors : ofLast
  const left = Math.max(errors.length + more, ofLast.length + moreOfLast) - most.length
  return limitErrors(error ? putFirst(error, most) : most, left)
}

function putFirst(error: TestErrorInput, errors: readonly TestErrorInput[]): TestErrorInput[] {
  const [first, ...others] = errors
  if (first?.message !== error.message) return [error, ...errors]
  const said = Object.entries(error).filter(([, part]) => part !== undefined)
  return [{ ...first, ...Object.fromEntries(said) }, ...others]
}

function limitErrors(errors: TestErrorInput[] = [], more = 0) {
  const left = more + Math.max(0, errors.length - MAX_ERRORS)
  return { errors: errors.slice(0, MAX_ERRORS), moreErrors: left || null }
}

function mapAttempt(sent: AttemptInput, number: number): AttemptRecord {
  return {
    number,
    outcome: sent.outcome,
    startedAtUs: parseTimestampUs(sent.started_at) ?? 0,
    durationUs: parseDurationUs(sent.duration) ?? 0,
    worker: sent.worker ?? null,
    ...limitErrors(sent.errors, sent.more_errors),
  }
}

/** Tests that did not run, as phases that count nowhere. */
export async function mapSkipped(
  sent: readonly SkippedTestInput[] = [],
  startedAtUs: number,
): Promise<PhaseRecord[]> {
  return mapInTurns(sent, (test) => ({
    name: test.name,
    outcome: 'SKIP',
    startedAtUs,
    durationUs: 0,
    retryCount: 0,
    docstring: test.reason ?? null,
    measurements: [],
    facts: { ...SKIPPED_FACTS, location: test.location, tags: [...new Set(test.tags)] },
  }))
}

const SKIPPED_FACTS: PhaseFacts = {
  kind: 'skipped',
  parentIndex: null,
  location: undefined,
  owner: undefined,
  tags: [],
  annotations: [],
  worker: null,
  snippet: null,
  errors: [],
  moreErrors: null,
  attempts: [],
}

/** Whether a phase is a step of its run, and not a test that did not run. */
export function isStep({ facts }: PhaseRecord): boolean {
  return facts?.kind !== 'skipped'
}

/** Where a run says that its tests are. */
export interface TestPlace {
  file: string | undefined
  project: string | undefined
}

/** Read from the report variables once, not for each test: a run may have thousands. */
export function findTestPlace({ metadata }: Pick<RunRecord, 'metadata'>): TestPlace {
  const find = (wanted: string) => {
    const value = metadata.find(([name]) => name === wanted)?.[1]
    return typeof value === 'string' ? value : undefined
  }
  return { file: find('file'), project: find('project') }
}

/** Texts of a phase's test that are definitions: the file is where it is declared, else what its run says. */
export function listFactNames(
  { location, owner, tags, annotations }: PhaseFacts,
  { file, project }: TestPlace,
): string[] {
  const types = annotations.map(({ type }) => type)
  return [location?.file ?? file, project, owner, ...tags, ...types].filter((name) => name !== undefined)
}

/** BAD_REQUEST for too many, for a `parent` that is not another step of the list, and for steps whose parents form a circle. */
export function checkTestFacts({ steps = [], phases = [], skipped = [] }: SentTests): void {
  let rows = 0
  const names = new Set<string>()
  for (const [list, tests] of Object.entries<readonly TestFacts[]>({ steps, phases, skipped })) {
    for (const test of tests) {
      rows += countRows(test)
      if (test.location) names.add(test.location.file)
      if (test.owner !== undefined) names.add(test.owner)
    }
    const facts = rows + names.size
    if (facts <= MAX_RUN_FACTS) continue
    const message = `must have at most ${MAX_RUN_FACTS} errors, attempts, tags, annotations, different files and owners, all tests together; received ${facts}`
    throw failedValidation([{ path: [list], message }])
  }
  checkParents('steps', steps)
  checkParents('phases', phases)
}

interface SentTests {
  steps?: readonly TestFacts[] | undefined
  phases?: readonly TestFacts[] | undefined
  skipped?: readonly SkippedTestInput[] | undefined
}

function countRows({ error, errors, attempts, tags = [], annotations = [] }: TestFacts): number {
  const ofAttempts = attempts?.reduce((sum, one) => sum + 1 + (one.errors?.length ?? 0), 0)
  const ofStep = Math.max(Number(error !== undefined), errors?.length ?? 0)
  return ofStep + (ofAttempts ?? 0) + tags.length + annotations.length
}

function checkParents(list: 'steps' | 'phases', steps: readonly TestFacts[]): void {
  const checked = new Set<number>()
  for (const [index, { parent }] of steps.entries()) {
    if (parent === undefined) continue
    if (parent >= steps.length || parent === index)
      throw refuseParent(
        list,
        index,
        `must be the index of another of the ${steps.length} ${list}; received ${parent}`,
      )
    const path = new Set<number>()
    for (let at: number | undefined = index; at !== undefined && !checked.has(at); at = steps[at]?.parent) {
      if (path.has(at))
        throw refuseParent(list, index, `must not lead back to the step itself; received ${parent}`)
      path.add(at)
    }
    for (const at of path) checked.add(at)
  }
}

function refuseParent(list: 'steps' | 'phases', index: number, message: string) {
  return failedValidation([{ path: [list, index, 'parent'], message }])
}

/** An error as it is stored, with what it is found by. */
export interface ErrorRecord extends Omit<ErrorsTable, 'id' | 'group_id'> {
  fingerprint: string
}

/** Errors of a run as they are stored, by what was sent. */
export type ErrorRecords = ReadonlyMap<TestErrorInput, ErrorRecord>

/** Cleans and cuts the errors of a run's phases, and finds their fingerprints. */
export async function cleanErrors(phases: readonly PhaseRecord[]): Promise<ErrorRecords> {
  const errors = phases.flatMap(listSentErrors)
  return new Map(await mapInTurns(errors, (error) => [error, recordError(error)] as const))
}

function listSentErrors({ facts }: PhaseRecord): TestErrorInput[] {
  return facts ? [...facts.errors, ...facts.attempts.flatMap(({ errors }) => errors)] : []
}

const TEXTS = ['message', 'stack', 'expected', 'actual', 'diff', 'snippet'] as const

/** Two errors that are stored alike have the same digest. */
function recordError(error: TestErrorInput): ErrorRecord {
  const {
    message,
    location,
    stack = null,
    expected = null,
    actual = null,
    diff = null,
    snippet = null,
  } = cleanError(error)
  const columns = {
    message,
    file: location?.file ?? null,
    line: location?.line ?? null,
    column_number: location?.column ?? null,
    expected,
    actual,
    snippet,
    diff,
    stack,
  }
  return {
    ...columns,
    text_length: TEXTS.reduce((sum, name) => sum + (columns[name]?.length ?? 0), 0),
    digest: createHash('sha256').update(JSON.stringify(columns)).digest('base64url').slice(0, 22),
    fingerprint: fingerprintOf(error),
  }
}
