import { type Phase, type RunDetail, type TestError } from '@runledger/protocol'

/** A step of a run, or a test that did not run, as reports of tests know it. */
export interface ExportedTest {
  /** Its titles, outermost first. */
  titles: string[]
  outcome: 'passed' | 'failed' | 'skipped'
  startedAtMs?: number | undefined
  durationMs: number
  errors: readonly TestError[]
  /** Earlier tries, in order. */
  earlier: { isFailed: boolean; errors: readonly TestError[]; startedAtMs: number; durationMs: number }[]
  skipReason?: string | undefined
  facts: Pick<Phase, 'location' | 'tags' | 'annotations' | 'owner'>
}

export interface ExportedSuite {
  file: string
  project: string
  startedAtMs: number
  durationMs: number
  isFailed: boolean
  tests: ExportedTest[]
}

/** The steps that are in no other: reports of tests know no steps within a test, and no measurements. */
export function mapExportedRun(run: RunDetail): ExportedSuite {
  const { metadata, phases, skipped = [] } = run
  const tests = phases.filter(({ parent }) => parent === undefined).map(mapPhase)
  const unrun = skipped.map(({ name, reason, location, tags }): ExportedTest => ({
    ...PLAIN,
    titles: splitName(name),
    outcome: 'skipped',
    skipReason: reason,
    facts: { location, tags },
  }))
  const all = [...tests, ...unrun]
  const isFailed = run.outcome !== 'PASS'
  // A report has no verdict but that of its tests.
  const isExplained = !isFailed || all.some(({ outcome }) => outcome === 'failed')
  const verdict: ExportedTest = { ...PLAIN, titles: [`Run: ${run.outcome}`], outcome: 'failed' }
  const startedAtMs = Date.parse(run.started_at)
  return {
    file: textOf(metadata['file']) ?? run.procedure.name,
    project: textOf(metadata['project']) ?? '',
    startedAtMs,
    durationMs: Date.parse(run.ended_at) - startedAtMs,
    isFailed,
    tests: isExplained ? all : [...all, verdict],
  }
}

const PLAIN = { durationMs: 0, errors: [], earlier: [], facts: {} }
const SEPARATOR = ' › '

function splitName(name: string): string[] {
  return name.split(SEPARATOR)
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function mapPhase(phase: Phase): ExportedTest {
  const { name, outcome, started_at, ended_at, error, errors, attempts = [] } = phase
  const startedAtMs = Date.parse(started_at)
  return {
    titles: splitName(name),
    outcome: outcome === 'PASS' ? 'passed' : outcome === 'SKIP' ? 'skipped' : 'failed',
    startedAtMs,
    durationMs: Date.parse(ended_at) - startedAtMs,
    errors: errors ?? (error ? [error] : []),
    earlier: attempts.slice(0, -1).map((each) => ({
      isFailed: each.outcome !== 'PASS' && each.outcome !== 'SKIP',
      errors: each.errors ?? [],
      startedAtMs: Date.parse(each.started_at),
      durationMs: 0,
    })),
    facts: phase,
  }
}
