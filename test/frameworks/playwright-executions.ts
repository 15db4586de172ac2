import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { RunDetail } from '@runledger/protocol'
import { drawCases } from '../support/draw'
import {
  createProject,
  listVersions,
  type CommandResult,
  type Project,
  type RunOptions,
} from '../support/project'
import { startService, type Service } from '../support/service'

const ALL_VERSIONS = listVersions('playwright')
export const OLDEST = ALL_VERSIONS[0] as string
export const NEWEST = ALL_VERSIONS.at(-1) as string

const TESTS = ['playwright', 'delivery', 'errors', 'steps'] as const
const OLDEST_RUNS = drawCases('tests with the oldest Playwright', TESTS, 1)

/**
 * The versions that a test runs, oldest first: the newest one, and the oldest where it is drawn. Those in between do the core
 * of it, in `npm run soak -- cases` alone: conformance runs with all of them.
 */
export function listTestedVersions(of: (typeof TESTS)[number]): string[] {
  if (process.env.SOAK_CASES === 'all') return ALL_VERSIONS
  return OLDEST_RUNS.includes(of) ? [OLDEST, NEWEST] : [NEWEST]
}

export interface Recorded extends CommandResult {
  /** What this execution put on record, oldest first. */
  runs: RunDetail[]
}

/** Projects of one Playwright version and the service that they report to. */
export class Executions {
  readonly #projects: Project[] = []

  private constructor(
    private readonly version: string,
    readonly service: Service,
  ) {}

  static async start(version: string): Promise<Executions> {
    return new Executions(version, await startService())
  }

  async stop(): Promise<void> {
    await this.service.stop()
    await Promise.all(this.#projects.map((project) => project.remove()))
  }

  /** A project with a temporary folder of its own. */
  async open(files: Record<string, string>): Promise<Project> {
    const { version } = this
    const project = await createProject({
      framework: 'playwright',
      version,
      files: { 'tmp/.keep': '', ...files },
    })
    this.#projects.push(project)
    return project
  }

  /** Runs a project, or another command in it, as an execution with a group of its own. */
  async record(project: Project, { env, ...options }: RunOptions = {}, run = project.run): Promise<Recorded> {
    const group = randomUUID()
    const own = { RUNLEDGER_GROUP: group, TMPDIR: path.join(project.dir, 'tmp') }
    const result = await run({ service: this.service, ...options, env: { ...own, ...env } })
    return { ...result, runs: await this.#readGroup(group) }
  }

  async #readGroup(group: string): Promise<RunDetail[]> {
    const filter = encodeURIComponent(JSON.stringify({ group: { in: [group] } }))
    const items = await this.service.listRuns(`&sort_by=created_at&sort_order=asc&metadata=${filter}`)
    return Promise.all(items.map(({ id }) => this.service.readRun(id)))
  }
}

/** Folders in which the reporter kept files of this project and that it has not removed. */
export async function listKeptFolders({ dir }: Project): Promise<string[]> {
  const folders = await Promise.all(
    ['test-results', 'tmp'].map((name) => readdir(path.join(dir, name)).catch(() => [])),
  )
  return folders.flat().filter((name) => name.startsWith('.runledger-'))
}

/** The file of a run, relative to the project root. */
export function fileOf(run: RunDetail): string {
  return String(run.metadata['file'])
}

/** @throws unless there is exactly one run. */
export function only(runs: readonly RunDetail[]): RunDetail {
  const [run] = runs
  if (!run || runs.length > 1) throw new Error(`${runs.length} runs, not one`)
  return run
}
