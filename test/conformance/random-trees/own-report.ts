import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Framework } from '../../support/project'

export const OWN_REPORT = 'own-report.json'
export const OWN_TRIES = 'own-tries.json'

/** What the framework itself says of one file: a line for each test, sorted. */
export interface OwnFile {
  lines: string[]
  /** Absent where the framework has no verdict for files. */
  hasFailed?: boolean
}

/** Reads the framework's own JSON report, by file name. */
export async function readOwnReport(framework: Framework, dir: string): Promise<Map<string, OwnFile>> {
  const report: unknown = await readJson(path.join(dir, OWN_REPORT))
  if (framework === 'playwright') return readPlaywright(report as PlaywrightReport)
  const tries = framework === 'vitest' ? await readJson(path.join(dir, OWN_TRIES)) : undefined
  return readJestLike(report as JestReport, tries as Record<string, number[]> | undefined)
}

/** The line of a test that the framework calls `own`. */
export function formatOwnLine(titles: string[], own: string): string {
  return `${titles.join(' › ')}: ${own}`
}

async function readJson(file: string): Promise<unknown> {
  return JSON.parse(await readFile(file, 'utf8')) as unknown
}

interface JestReport {
  testResults: {
    name: string
    status: string
    assertionResults: {
      ancestorTitles: string[]
      title: string
      status: string
      invocations?: number
      failureMessages: string[]
    }[]
  }[]
}

/** Vitest writes Jest's format without the number of tries, which stands in a list of its own. */
function readJestLike(report: JestReport, tries?: Record<string, number[]>): Map<string, OwnFile> {
  const files = report.testResults.map(({ name, status, assertionResults }): [string, OwnFile] => {
    const file = path.basename(name)
    const lines = assertionResults.map((test, index) => {
      const count = test.invocations ?? tries?.[file]?.[index]
      const hasRun = test.status === 'passed' || test.status === 'failed'
      const marks = test.failureMessages.flatMap(listMarks).join('')
      const own = hasRun ? `${test.status} ×${String(count)} ${marks}` : test.status
      return formatOwnLine([...test.ancestorTitles, test.title], own)
    })
    return [file, { lines: lines.toSorted(), hasFailed: status === 'failed' }]
  })
  return new Map(files)
}

interface PlaywrightResult {
  status: string
  errors: { message?: string }[]
}

interface PlaywrightSuite {
  title: string
  specs: { title: string; tests: { status: string; results: PlaywrightResult[] }[] }[]
  suites?: PlaywrightSuite[]
}

interface PlaywrightReport {
  /** Errors of no test: with one Playwright runs nothing. */
  errors: { message?: string }[]
  suites: PlaywrightSuite[]
}

function readPlaywright({ errors, suites }: PlaywrightReport): Map<string, OwnFile> {
  if (errors.length > 0) throw new Error(errors.map(({ message = '' }) => message).join('\n'))
  return new Map(suites.map((suite) => [suite.title, { lines: listSpecs(suite, []).toSorted() }]))
}

function listSpecs({ specs, suites = [] }: PlaywrightSuite, titles: string[]): string[] {
  const own = specs.flatMap(({ title, tests }) =>
    tests.map(({ status, results }) =>
      formatOwnLine([...titles, title], `${status}: ${results.map(describeResult).join(', ')}`),
    ),
  )
  return [...own, ...suites.flatMap((suite) => listSpecs(suite, [...titles, suite.title]))]
}

function describeResult({ status, errors }: PlaywrightResult): string {
  return [status, ...errors.flatMap(({ message = '' }) => listMarks(message))].join(' ')
}

/** The marks in a text, each once, in order. */
export function listMarks(text: string): string[] {
  return [...new Set(stripVTControlCharacters(text).match(/«[^»]+»/gu) ?? [])]
}
