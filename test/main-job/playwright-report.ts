import { readFileSync } from 'node:fs'
import path from 'node:path'

export interface ReportedResult {
  status: string
  startTime: string
  duration: number
  attachments: { name: string; path?: string }[]
}

interface ReportedSuite {
  title: string
  file: string
  suites?: ReportedSuite[]
  specs: { title: string; tests: { expectedStatus: string; status: string; results: ReportedResult[] }[] }[]
}

/** A test as Playwright's own JSON reporter tells it. */
export interface ReportedTest {
  file: string
  name: string
  expectedStatus: string
  status: string
  results: ReportedResult[]
}

export interface Report {
  tests: ReportedTest[]
  stats: { expected: number; unexpected: number; flaky: number; skipped: number }
}

/** Reads the JSON reporter's file of the execution that ran last in this folder. */
export function readReport(folder: string): Report {
  const { suites, stats } = JSON.parse(readFileSync(path.join(folder, 'report.json'), 'utf8')) as {
    suites: ReportedSuite[]
    stats: Report['stats']
  }
  return { tests: suites.flatMap((suite) => listTests(suite, [])), stats }
}

function listTests(suite: ReportedSuite, titles: string[]): ReportedTest[] {
  const own = suite.specs.flatMap(({ title, tests }) =>
    tests.map((test) => ({ ...test, file: suite.file, name: [...titles, title].join(' › ') })),
  )
  const nested = (suite.suites ?? []).flatMap((inner) => listTests(inner, [...titles, inner.title]))
  return [...own, ...nested]
}
