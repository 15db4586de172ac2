import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { RunDetail } from '@runledger/protocol'
import { expect } from 'vitest'
import { withoutTold } from '../support/told-steps'

const toMs = (duration: string) => Math.round(Number(/^PT([\d.]+)S$/.exec(duration)?.[1]) * 1000)

export interface Place {
  file: string
  line: number
  column: number
}

/** A step of `test.step`; other steps are not in the report. */
export interface ReportedStep {
  title: string
  error?: { message?: string; value?: string; location?: Place }
  steps?: ReportedStep[]
}

export interface ReportedResult {
  status: string
  /** Each as it is printed: message, code, stack and causes in one text. */
  errors: { message: string; location?: Place }[]
  /** The parts of the first one. */
  error?: { message?: string; snippet?: string; matcherResult?: { expected?: unknown; actual?: unknown } }
  steps?: ReportedStep[]
  /** -1: no worker came to it, as behind a failed test of a serial group. */
  workerIndex: number
  startTime: string
  duration: number
  attachments: { name: string; path?: string }[]
}

interface ReportedSuite {
  title: string
  file: string
  suites?: ReportedSuite[]
  specs: {
    title: string
    line: number
    column: number
    tags: string[]
    tests: Omit<ReportedTest, 'file' | 'name' | 'line' | 'column' | 'tags'>[]
  }[]
}

/** A test as Playwright's own JSON reporter tells it. */
export interface ReportedTest {
  file: string
  name: string
  line: number
  column: number
  /** Without their `@`. */
  tags: string[]
  annotations: { type: string; description?: string }[]
  expectedStatus: string
  status: string
  results: ReportedResult[]
}

export interface Report {
  tests: ReportedTest[]
  /** Those that belong to no test. */
  errors: { message: string; location?: Place; snippet?: string }[]
  stats: { expected: number; unexpected: number; flaky: number; skipped: number }
}

/** Reads the JSON reporter's file of the execution that ran last in this folder. */
export function readReport(folder: string): Report {
  const { suites, stats, errors } = JSON.parse(readFileSync(path.join(folder, 'report.json'), 'utf8')) as {
    suites: ReportedSuite[]
    stats: Report['stats']
    errors: Report['errors']
  }
  return { tests: suites.flatMap((suite) => listTests(suite, [])), stats, errors }
}

function listTests(suite: ReportedSuite, titles: string[]): ReportedTest[] {
  const own = suite.specs.flatMap(({ title, tests, ...spec }) =>
    tests.map((test) => ({ ...spec, ...test, file: suite.file, name: [...titles, title].join(' › ') })),
  )
  const nested = (suite.suites ?? []).flatMap((inner) => listTests(inner, [...titles, inner.title]))
  return [...own, ...nested]
}

/** Compares a run with what the JSON report says of its file. */
export function expectEqual(run: RunDetail, reported: readonly ReportedTest[]): void {
  const wanted = reported.map((reportedTest) => [
    reportedTest.name,
    reportedTest.status === 'expected' || cameOut(reportedTest) ? 'PASS' : 'FAIL',
  ])
  expect(
    withoutTold(run.phases)
      .map(({ name, outcome }) => [name, outcome])
      .toSorted(),
  ).toEqual(wanted.toSorted())
  expect(run.outcome).toBe(wanted.some(([, outcome]) => outcome === 'FAIL') ? 'FAIL' : 'PASS')
  for (const { name, results } of reported) {
    const phase = run.phases.find((candidate) => candidate.name === name)
    const durationMs = durationOf(results)
    if (durationMs !== undefined) expect(toMs(phase?.duration ?? ''), name).toBe(durationMs)
  }
}

/** Passed in the end: what failed and was then skipped on its retry never did. */
export function cameOut({ status, expectedStatus, results }: ReportedTest): boolean {
  return (
    status === 'flaky' &&
    results.some((result) => result.status === expectedStatus && result.status !== 'skipped')
  )
}

/**
 * The sum of the attempts' durations; undefined where a worker died: Playwright says 0 then, and the record has how long the
 * attempt was seen to run.
 */
function durationOf(results: ReportedTest['results']): number | undefined {
  const tried = results.filter(({ workerIndex }) => workerIndex !== -1)
  if (tried.some(({ duration, status }) => duration === 0 && status === 'failed')) return undefined
  return tried.reduce((sum, { duration }) => sum + duration, 0)
}
