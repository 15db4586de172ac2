export interface Project {
  key: ProjectKey
  procedure: { identifier: string; name: string }
  package: string
  /** Major and minor version; the last part counts months. */
  version: string
  framework: string
  /** The framework's version in the first and in the second half of the year. */
  frameworkVersions: readonly [string, string]
  node: string
  ci: { name: string; job: string; address: string }
  repository: string
  /** The folder of its tests in the repository, as `packages/api/`. */
  folder: string
  people: readonly string[]
  shards: number
  /** How often a failed test is retried. */
  retries: number
  /** Mean number of builds on a working day. */
  buildsPerDay: number
  /** The range of usual durations of a test, in milliseconds. */
  durationsMs: readonly [number, number]
  /** Parts of the product that commits change. */
  areas: readonly string[]
  suites: readonly SuiteSpec[]
}

export type ProjectKey = 'shop' | 'api' | 'mobile' | 'library'

export interface SuiteSpec {
  /** The framework's project; empty if the framework has none. */
  project: string
  file: string
  owner: string
  tests: readonly TestSpec[]
}

/** A test under its newest name. */
export interface TestSpec {
  titles: readonly string[]
  tags: readonly string[]
  line: number
  /** Why it is skipped. */
  skipped?: string
}

/** A test's name in its run. */
export function joinTitles(titles: readonly string[]): string {
  return titles.join(' › ')
}
