import { readFile } from 'node:fs/promises'
import path from 'node:path'
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
    assertionResults: { ancestorTitles: string[]; title: string; status: string; invocations?: number }[]
  }[]
}

/** Vitest writes Jest's format without the number of tries, which stands in a list of its own. */
function readJestLike(report: JestReport, tries?: Record<string, number[]>): Map<string, OwnFile> {
  const files = report.testResults.map(({ name, status, assertionResults }): [string, OwnFile] => {
    const file = path.basename(name)
    const lines = assertionResults.map((test, index) => {
      const count = test.invocations ?? tries?.[file]?.[index]
      const hasRun = test.status === 'passed' || test.status === 'failed'
      const own = hasRun ? `${test.status} ×${String(count)}` : test.status
      return formatOwnLine([...test.ancestorTitles, test.title], own)
    })
    return [file, { lines: lines.toSorted(), hasFailed: status === 'failed' }]
  })
  return new Map(files)
}

interface PlaywrightSuite {
  title: string
  specs: { title: string; tests: { status: string; results: { status: string }[] }[] }[]
  suites?: PlaywrightSuite[]
}

interface PlaywrightReport {
  suites: PlaywrightSuite[]
}

function readPlaywright({ suites }: PlaywrightReport): Map<string, OwnFile> {
  return new Map(suites.map((suite) => [suite.title, { lines: listSpecs(suite, []).toSorted() }]))
}

function listSpecs({ specs, suites = [] }: PlaywrightSuite, titles: string[]): string[] {
  const own = specs.flatMap(({ title, tests }) =>
    tests.map(({ status, results }) =>
      formatOwnLine([...titles, title], `${status}: ${results.map((result) => result.status).join(', ')}`),
    ),
  )
  return [...own, ...suites.flatMap((suite) => listSpecs(suite, [...titles, suite.title]))]
}
