import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createExecution, type Execution, type ExecutionFacts } from '@runledger/core'
import type { ExecutionResult, Options, Suite } from '@runledger/core'
import { afterEach, beforeEach } from 'vitest'
import type { LogLine } from '../../packages/core/src/spool/log-lines'
import { SpoolFolder } from '../../packages/core/src/spool/spool-folder'
import { listWaitingRuns } from '../../packages/core/src/spool/waiting-runs'
import { startMisbehavingServer, type MisbehavingServer } from './misbehaving-server'
import { createAttempt, createSuite, createTest, FACTS, SAID } from './suites'

/** A project folder with a spool beside it, for executions one after another. */
export interface SpoolBench {
  dir: string
  spoolDir: string
  printed: string[]
  /** `facts` are more of them. */
  open(options: Options, facts?: Partial<ExecutionFacts>, env?: NodeJS.ProcessEnv): Execution
  /** One execution of these suites from beginning to end. */
  record(
    suites: readonly Suite[],
    options: Options,
  ): Promise<ExecutionResult & { tookMs: number; line: string }>
  /** As if the process of every execution so far had been killed. */
  kill(): Promise<void>
  /** Submission ids of the runs that wait, sorted. */
  listEntries(): Promise<string[]>
  /** Folders of executions. */
  listExecutions(): Promise<string[]>
  /** The lines of all logs. */
  readLines(): Promise<LogLine[]>
  /** Every file of the spool: its path and mode and text. */
  readAll(): Promise<{ name: string; mode: number; text: string }[]>
  remove(): Promise<void>
}

export const KEY = 'rl_user_secret_key'

/** A bench and a service in memory for each test of the file that calls this. */
export function useSpoolBench(take: (fresh: { bench: SpoolBench; server: MisbehavingServer }) => void): void {
  let fresh: { bench: SpoolBench; server: MisbehavingServer }
  beforeEach(async () => {
    fresh = { bench: await createSpoolBench(), server: await startMisbehavingServer() }
    take(fresh)
  })
  afterEach(async () => {
    await fresh.server.stop()
    await fresh.bench.remove()
  })
}

async function createSpoolBench(): Promise<SpoolBench> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'runledger-bench-'))
  const spoolDir = path.join(dir, 'spool')
  const printed: string[] = []
  const open: SpoolBench['open'] = (options, facts = {}, env = {}) =>
    createExecution(
      { ...FACTS, rootDir: dir, ...facts },
      { apiKey: KEY, procedureId: 'FVT1', spoolDir, ...options },
      { env, print: (text) => printed.push(text) },
    )
  const spool = new SpoolFolder(spoolDir)
  const listExecutions = async (): Promise<string[]> => (await spool.list()).map((each) => each.dir)
  return {
    dir,
    spoolDir,
    printed,
    open,
    record: async (suites, options) => {
      const execution = open(options)
      for (const suite of suites) execution.addSuite(suite)
      await execution.settled()
      const startedAtMs = Date.now()
      const result = await execution.finish()
      return { ...result, tookMs: Date.now() - startedAtMs, line: printed.at(-1) ?? '' }
    },
    kill: async () => {
      for (const folder of await listExecutions()) {
        const leases = (await readdir(folder)).filter((name) => name.startsWith('lease-'))
        for (const name of leases) await rm(path.join(folder, name))
      }
    },
    listEntries: async () =>
      (await listWaitingRuns(spool))
        .filter(({ state }) => state !== 'quarantined')
        .map(({ id }) => id)
        .sort(),
    listExecutions,
    readLines: async () => {
      const logs = (await listExecutions()).map((folder) => readFile(path.join(folder, 'log.jsonl'), 'utf8'))
      const lines = (await Promise.all(logs)).join('').split('\n')
      return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as LogLine)
    },
    readAll: () => readTree(spoolDir),
    remove: () => rm(dir, { recursive: true, force: true }),
  }
}

async function readTree(folder: string): Promise<{ name: string; mode: number; text: string }[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  return Promise.all(
    names.map(async (found) => {
      const name = path.join(found.parentPath, found.name)
      const text = found.isFile() ? await readFile(name, 'latin1') : ''
      return { name: path.relative(folder, name), mode: (await stat(name)).mode & 0o777, text }
    }),
  )
}

/** A suite of one test with attachments, and with something to say in its log. */
export function suiteWith(file: string, attachments: Suite['attachments'] = []): Suite {
  const tests = [createTest(['t'], { attempts: [createAttempt({ attachments })] })]
  return createSuite({ file, tests, output: [SAID] })
}

export { sha256 } from './digest'
