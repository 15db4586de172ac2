import { createHash } from 'node:crypto'
import type { TestServer } from '../../packages/server/src/testing/start-test-server'

/** What a test came to in a build: passed, failed, passed on a retry, skipped; left out, it is not there. */
export type Letter = 'p' | 'f' | 'r' | 's'

export interface PlantedTest {
  file?: string
  outcome: Letter
  /** Of its error. */
  message?: string
  /** Attempts before the last one that failed too. */
  retries?: number
}

export interface PlantedBuild {
  branch?: string
  /** Names the commit; builds with the same name have the same one. */
  commit: string
  tests: Record<string, PlantedTest | Letter>
  variables?: Record<string, string>
  /** Fails the run without a failed test. */
  suiteError?: string
  group?: string
}

/** The name of a test that all stories are about. */
export const TEST = 'cart › adds up'
export const FILE = 'src/cart.test.ts'
export const MESSAGE = 'expected 3 to be 4'
const HOUR_MS = 3_600_000

export const shaOf = (story: string, commit: string) =>
  createHash('sha1').update(`${story} ${commit}`).digest('hex')
export const groupOf = (story: string, index: number) => `${story}-${index}`

/** The runs of a story: a project of its own, one build an hour, the last one an hour ago. */
export class Story {
  readonly name: string
  readonly procedure: string
  readonly #service: TestServer

  private constructor(name: string, procedure: string, service: TestServer) {
    this.name = name
    this.procedure = procedure
    this.#service = service
  }

  static async begin(service: TestServer, name: string): Promise<Story> {
    const response = await service.send('POST', '/v2/procedures', { name })
    const { id } = (await response.json()) as { id: string }
    return new Story(name, id, service)
  }

  /** Ids of the runs, in the order of the builds. */
  async plant(builds: readonly PlantedBuild[], framework = 'vitest'): Promise<string[]> {
    const ids: string[] = []
    for (const [index, build] of builds.entries()) {
      const startedAt = new Date(Date.now() - (builds.length - index) * HOUR_MS).toISOString()
      for (const [file, tests] of groupByFile(build)) {
        const { id = '' } = await this.#service.createRun({
          procedure_id: this.procedure,
          started_at: startedAt,
          run_passed: build.suiteError === undefined && tests.every(([, { outcome }]) => outcome !== 'f'),
          report_variables: this.#describe(build, { index, file, framework }),
          steps: [
            ...tests.flatMap(([name, test]) =>
              test.outcome === 's' ? [] : [createStep(name, test, startedAt)],
            ),
            ...(build.suiteError === undefined ? [] : [createSuiteError(build.suiteError, startedAt)]),
          ],
          skipped: tests.flatMap(([name, { outcome }]) => (outcome === 's' ? [{ name }] : [])),
        })
        ids.push(id)
      }
    }
    return ids
  }

  #describe(build: PlantedBuild, run: { index: number; file: string; framework: string }) {
    return {
      group: build.group ?? groupOf(this.name, run.index),
      git_branch: build.branch ?? 'main',
      git_default_branch: 'main',
      git_commit: shaOf(this.name, build.commit),
      git_commit_subject: `Change ${build.commit}`,
      git_author: `Author of ${build.commit}`,
      framework: run.framework,
      file: run.file,
      ci: 'GitHub Actions',
      ...build.variables,
    }
  }
}

function groupByFile({ tests }: PlantedBuild): [string, [string, PlantedTest][]][] {
  const files = new Map<string, [string, PlantedTest][]>()
  for (const [key, given] of Object.entries(tests)) {
    const test = typeof given === 'string' ? { outcome: given } : given
    const file = test.file ?? FILE
    files.set(file, [...(files.get(file) ?? []), [key, test]])
  }
  return files.size === 0 ? [[FILE, []]] : [...files]
}

function createError(message: string) {
  return {
    message,
    location: { file: 'src/cart.ts', line: 10, column: 5 },
    snippet: '   8 | const sum = 1 + 2\n   9 |\n> 10 | expect(sum).toBe(4)\n     | ^\n  11 | })',
    expected: '4',
    actual: '3',
  }
}

function createStep(
  name: string,
  { outcome, message = MESSAGE, retries = 0 }: PlantedTest,
  started_at: string,
) {
  const errors = [createError(message)]
  const failedBefore = { outcome: 'FAIL', started_at, duration: 'PT0.1S', errors }
  const attempts = Array.from({ length: outcome === 'r' ? 1 : retries }, () => failedBefore)
  return {
    name,
    kind: 'test',
    step_passed: outcome !== 'f',
    started_at,
    duration: 'PT0.1S',
    location: { file: FILE, line: 8 },
    owner: '@cart-team',
    ...(outcome === 'f' ? { errors } : {}),
    ...(attempts.length > 0
      ? {
          attempts: [
            ...attempts,
            {
              ...failedBefore,
              outcome: outcome === 'f' ? 'FAIL' : 'PASS',
              errors: outcome === 'f' ? errors : [],
            },
          ],
        }
      : {}),
  }
}

function createSuiteError(message: string, started_at: string) {
  return {
    name: 'The file could not be loaded',
    kind: 'suite',
    step_passed: false,
    started_at,
    duration: 'PT0.1S',
    errors: [createError(message)],
  }
}

/** Builds of main in which the test has these results, each on a commit of its own: `c0`, `c1`, … */
export function buildsOf(letters: string, over: Partial<PlantedBuild> = {}): PlantedBuild[] {
  return [...letters].map((letter, index) => ({
    commit: `c${index}`,
    tests: { [TEST]: letter as Letter, 'cart › stays': 'p' as const },
    ...over,
  }))
}
