import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RunPageSchema, type RunDetail } from '@runledger/protocol'
import { runCommand } from '../support/project'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'
import { sha256 } from '../support/digest'

const KILLS = Number(process.env['RUNLEDGER_TEST_KILLS'] ?? 10)
const SUITES = 12

let service: Service
let folder: string

beforeAll(async () => {
  service = await startService()
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-kill-'))
})

afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

/** An execution that says which suites are safe, then delivers; it is killed at some moment of that. */
const script = `
  import { writeFileSync, rmSync } from 'node:fs'
  import { createExecution } from ${JSON.stringify(pathToFileURL(path.join(REPOSITORY, 'packages/core/dist/index.js')).href)}
  const [round, runPer, lastIndex] = process.argv.slice(2)
  const execution = createExecution(
    { framework: 'jest', frameworkVersion: '30', rootDir: process.cwd(), startedAtMs: Date.now() }, { runPer })
  for (let index = 0; index < ${SUITES}; index += 1) {
    const file = 'round-' + round + '/' + index + '.test.js'
    const shot = process.cwd() + '/shot-' + round + '-' + index + '.png'
    writeFileSync(shot, file.repeat(2000))
    execution.addSuite({ project: '', file, startedAtMs: Date.now(), durationMs: 1, outcome: 'passed',
      problems: [], output: [], attachments: [{ name: 'shot', path: shot }],
      tests: [{ titles: ['t'], outcome: 'passed', flaky: false, startedAtMs: Date.now(), durationMs: 1,
        attempts: [{ status: 'passed', errors: [], attachments: [], output: [] }] }] })
    await execution.settled()
    rmSync(shot)
    process.stdout.write(file + '\\n')
    if (index === Number(lastIndex)) await new Promise(() => setInterval(() => {}, 1000))
  }
  await execution.finish()
  process.stdout.write('done\\n')
`

/** Kills the execution after a while, counted from its first suite; returns the suites that were safe by then. */
async function runAndKill(args: string[], afterMs: number): Promise<string[]> {
  const child = spawn(process.execPath, [path.join(folder, 'execution.mjs'), ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...variables() },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let written = ''
  let timer: NodeJS.Timeout | undefined
  child.stdout.on('data', (chunk: Buffer) => {
    written += chunk.toString()
    timer ??= setTimeout(() => child.kill('SIGKILL'), afterMs)
  })
  await new Promise((resolve) => child.once('close', resolve))
  clearTimeout(timer)
  return written.split('\n').filter((line) => line.endsWith('.test.js'))
}

const variables = (): Record<string, string> => ({
  RUNLEDGER_URL: service.url,
  RUNLEDGER_API_KEY: service.apiKey,
  RUNLEDGER_PROCEDURE_ID: service.procedureId,
  RUNLEDGER_SPOOL_DIR: path.join(folder, 'spool'),
})

async function upload() {
  const cli = path.join(REPOSITORY, 'packages/cli/dist/bin.js')
  return runCommand(process.execPath, [cli, 'upload'], { dir: folder, env: variables() })
}

it(`loses no finished suite and repeats none, killed ${KILLS} times at any moment`, async () => {
  await writeFile(path.join(folder, 'execution.mjs'), script)
  const safe: string[] = []
  for (let round = 0; round < KILLS; round += 1) {
    safe.push(...(await runAndKill([String(round), 'suite'], (round / KILLS) * 1_500)))
  }
  const result = await upload()
  expect(result.exitCode, result.stdout + result.stderr).toBe(0)
  expect(await listLeft(path.join(folder, 'spool'))).toEqual([])
  const runs = await readAllRuns()
  const files = runs.map(({ metadata }) => String(metadata['file']))
  expect(new Set(files).size).toBe(files.length)
  expect(safe.filter((file) => !files.includes(file))).toEqual([])
  for (const run of runs) {
    const shot = await service.download(run, 'shot.png')
    expect(sha256(shot)).toBe(sha256(String(run.metadata['file']).repeat(2000)))
  }
  console.log(`${KILLS} kills: ${safe.length} suites were safe, ${runs.length} runs are on record`)
})

it('joins the suites of a run that several share when the execution was killed', async () => {
  await writeFile(path.join(folder, 'execution.mjs'), script)
  const before = (await readAllRuns()).length
  // It stays at its sixth suite, so the kill comes before the run that it would send.
  const safe = await runAndKill(['shared', 'execution', '5'], 1_000)
  expect(safe.length).toBeGreaterThan(0)
  const result = await upload()
  expect(result.exitCode, result.stdout + result.stderr).toBe(0)
  const newest = (await readAllRuns()).slice(before)
  const steps = newest.flatMap(({ phases }) => phases.map(({ name }) => name.split(' › ')[0]))
  expect(newest).toHaveLength(1)
  expect(safe.filter((file) => !steps.includes(file))).toEqual([])
})

/**
 * What is left in a spool beside folders without a log: those are what a kill left of an execution that was just being
 * made, or just being removed. They go after an hour.
 */
async function listLeft(spool: string): Promise<string[]> {
  const names = await readdir(spool)
  return names.filter((name) => existsSync(path.join(spool, name, 'log.jsonl')) || name === 'quarantine')
}

/** All pages of them. */
async function readAllRuns() {
  const runs: RunDetail[] = []
  for (let cursor = ''; ;) {
    const page = RunPageSchema.parse(
      await (await service.get(`/v2/runs?limit=100&sort_by=created_at&sort_order=asc${cursor}`)).json(),
    )
    for (const { id } of page.data) runs.push(await service.readRun(id))
    if (!page.meta.has_more) return runs
    cursor = `&cursor=${page.meta.next_cursor}`
  }
}
