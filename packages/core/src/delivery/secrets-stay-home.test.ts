import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { CUT_MARK } from '@runledger/protocol'
import { expect, it } from 'vitest'
import type { MisbehavingServer } from '../../../../test/support/misbehaving-server'
import { listTraces, PLANTED_TOKENS, tellToken } from '../../../../test/support/planted-secrets'
import { FORMS, KNOWN_SECRET } from '../../../../test/support/secret-table'
import { KEY, sha256, type SpoolBench, useSpoolBench } from '../../../../test/support/spool-execution'
import { createAttempt, createSuite, createTest, FACTS } from '../../../../test/support/suites'
import type { Options } from '../config/options'
import { createExecution } from '../execution'
import type { ExecutionFacts, Suite } from '../model/suite'
import { SpoolFolder } from '../spool/spool-folder'
import { uploadSpool } from './upload-spool'

const DEAD = 'http://127.0.0.1:9'
const PASSWORD = 'k0rrekt-pferd'
const WRITTEN = Object.values(FORMS).map((write) => write(KNOWN_SECRET))
const TOLD = [
  ...Object.keys(PLANTED_TOKENS).map(tellToken),
  `${PASSWORD}, ${KEY} and emp-4711`,
  ...WRITTEN.map((written) => `in a form: ${written}.`),
].join('\n')
// What base64 shares with its neighbours stays.
const TRACES = [
  ...Object.values(PLANTED_TOKENS).flatMap(listTraces),
  ...WRITTEN.map((written) => written.slice(6, -6)),
  PASSWORD,
  KEY,
  'emp-4711',
]
const PLACE = { file: TOLD, line: 1 }
const TELLING = {
  message: TOLD,
  stack: `at ${TOLD}`,
  location: PLACE,
  expected: TOLD,
  actual: TOLD,
  diff: TOLD,
  snippet: TOLD,
}
/** Cut in the middle of secrets, were it cut before they are masked. */
const LONG = Array.from({ length: 40 }, () => TOLD).join('')
const WHEN = { durationMs: 1, atMs: FACTS.startedAtMs, order: 1 }
const BINARY = Buffer.from(`\x89PNG\0${PASSWORD}`, 'latin1')

let bench: SpoolBench
let server: MisbehavingServer

useSpoolBench((fresh) => ({ bench, server } = fresh))

function open(options: Options, facts: Partial<ExecutionFacts> = {}) {
  const env = { DB_PASSWORD: PASSWORD, FORMS_TOKEN: KNOWN_SECRET }
  const given = {
    apiKey: KEY,
    procedureId: 'FVT1',
    spoolDir: bench.spoolDir,
    redact: [/emp-\d+/],
    maxRetries: 0,
  }
  return createExecution(
    { ...FACTS, rootDir: bench.dir, ...facts },
    { ...given, reportVariables: { told: TOLD }, ...options },
    { env, print: (text) => bench.printed.push(text) },
  )
}

/** Every place in a suite that a test can write to. */
function createTellingSuite(): Suite {
  const file = path.join(bench.dir, 'told.json')
  writeFileSync(file, JSON.stringify({ told: TOLD }))
  const odd = path.join(bench.dir, 'told.odd')
  writeFileSync(odd, TOLD)
  const attempt = createAttempt({
    errors: [TELLING, { ...TELLING, message: LONG }],
    events: [
      { kind: 'step', name: TOLD, passed: false, error: TELLING, location: PLACE, ...WHEN },
      { kind: 'measurement', name: TOLD, within: [TOLD], value: 1, passed: true, ...WHEN },
    ],
    output: [{ stream: 'stderr', text: TOLD, origin: TOLD }],
    attachments: [
      { name: TOLD, path: file },
      { name: 'odd', path: odd },
      { name: 'zero.log', bytes: Buffer.from(`a\0b ${TOLD}`) },
      { name: 'wide.log', bytes: Buffer.from(`\uFEFF${TOLD}`, 'utf16le') },
      { name: 'swapped.log', bytes: Buffer.from(`\uFEFF${TOLD}`, 'utf16le').swap16() },
      { name: 'body', bytes: Buffer.from(TOLD), contentType: 'text/html' },
      { name: 'shot.png', bytes: BINARY },
    ],
  })
  const first = createAttempt({ status: 'failed', errors: [TELLING] })
  const facts = { location: PLACE, tags: [TOLD], owner: TOLD }
  return createSuite({
    file: `${PASSWORD}.test.ts`,
    project: PASSWORD,
    outcome: 'failed',
    tests: [
      createTest(['outer', TOLD], { outcome: 'failed', attempts: [first, attempt], note: TOLD, ...facts }),
      createTest(['not', TOLD], { outcome: 'skipped', attempts: [], skipReason: TOLD, ...facts }),
    ],
    problems: [{ name: TOLD, kind: 'hook', errors: [TELLING] }],
    output: [{ stream: 'stdout', text: TOLD }],
  })
}

async function expectNoneInSpool(): Promise<void> {
  const files = await bench.readAll()
  expect(files.length).toBeGreaterThan(0)
  for (const { name, text } of files) {
    const plain = text.replace(BINARY.toString('latin1'), '')
    expect(
      TRACES.filter((trace) => plain.includes(trace) || name.includes(trace)),
      name,
    ).toEqual([])
  }
}

function expectNoneSent(): void {
  const bodies = server.requests.map(({ path: at, body }) => `${at}\n${body.toString('latin1')}`)
  expect(bodies.length).toBeGreaterThan(0)
  const sent = bodies.join('\n').replaceAll(BINARY.toString('latin1'), '')
  expect(TRACES.filter((trace) => sent.includes(trace))).toEqual([])
}

async function upload(spoolDir: string): Promise<void> {
  const env = { RUNLEDGER_URL: server.url, RUNLEDGER_API_KEY: KEY }
  const spool = new SpoolFolder(spoolDir)
  await uploadSpool({ spool, projectRoot: bench.dir }, { options: { url: server.url }, env })
}

it.each(['suite', 'execution'] as const)(
  'has none in the spool, nor in what it sends later: runPer %s',
  async (runPer) => {
    const execution = open({ url: DEAD, runPer })
    execution.addSuite(createTellingSuite())
    expect(await execution.finish()).toMatchObject({ status: 'failed' })
    await expectNoneInSpool()
    await upload(bench.spoolDir)
    expectNoneSent()
    const [run] = server.service.runs
    expect(Object.values(run?.attachments ?? {})).toContain(sha256(BINARY))
    const { steps = [], skipped } = run?.body ?? {}
    expect(steps[0]?.errors?.[1]?.message).toContain(CUT_MARK)
    expect(JSON.stringify(steps[0]?.error).match(/\*\*\*/g)?.length).toBeGreaterThan(7 * 15)
    expect(skipped?.[0]?.reason).toContain('***')
    const sent = server.requests.map(({ body }) => body.toString()).join('\n')
    expect(sent).toContain(`\nmasked     ${Object.keys(PLANTED_TOKENS).length + 4} secrets\n`)
  },
)

it('sends no secret from memory without a spool', async () => {
  writeFileSync(bench.spoolDir, 'no folder')
  const execution = open({ url: server.url })
  execution.addSuite(createTellingSuite())
  expect(await execution.finish()).toMatchObject({ status: 'uploaded', notUploaded: [] })
  expectNoneSent()
})

it('has none in what a kill leaves of a suite that was just added', async () => {
  const execution = open({ url: DEAD })
  await new Promise((resolve) => setTimeout(resolve, 500))
  execution.addSuite(createTellingSuite())
  const left = path.join(bench.dir, 'left')
  cpSync(bench.spoolDir, left, { recursive: true })
  for (const name of readdirSync(left, { recursive: true }) as string[])
    if (path.basename(name).startsWith('lease-')) rmSync(path.join(left, name))
  await execution.finish()
  rmSync(bench.spoolDir, { recursive: true })
  cpSync(left, bench.spoolDir, { recursive: true })
  await expectNoneInSpool()
  await upload(left)
  expectNoneSent()
  const [run] = server.service.runs
  expect(Object.keys(run?.attachments ?? {})).toHaveLength(8)
  expect(Object.values(run?.attachments ?? {})).toContain(sha256(BINARY))
})

it('masks what a suite says later, when it is added again', async () => {
  const execution = open({ url: server.url })
  const suite = createTellingSuite()
  execution.addSuite(suite)
  await execution.settled()
  Object.assign(suite, createTellingSuite(), { output: [{ stream: 'stdout', text: `late ${TOLD}` }] })
  execution.addSuite(suite)
  await execution.finish()
  expectNoneSent()
})

it('has none in a run that is mapped as soon as its suite comes', async () => {
  const execution = open({ url: server.url })
  await new Promise((resolve) => setTimeout(resolve, 500))
  const suite = createTellingSuite()
  for (const test of suite.tests) for (const attempt of test.attempts) attempt.attachments = []
  execution.addSuite(suite)
  expect(await execution.finish()).toMatchObject({ status: 'uploaded', notUploaded: [] })
  expectNoneSent()
})

it('has the unit and the procedure of a suite whose path is masked, also when it is added again', async () => {
  mkdirSync(path.join(bench.dir, PASSWORD))
  writeFileSync(path.join(bench.dir, PASSWORD, 'package.json'), '{ "name": "inner" }')
  const procedureId = ({ file }: { file: string }) => (file.startsWith(PASSWORD) ? 'INNER' : 'OTHER')
  const execution = open({ url: DEAD, procedureId })
  const suite = createSuite({ file: `${PASSWORD}/a.test.ts`, tests: [createTest(['runs'])] })
  execution.addSuite(suite)
  await execution.settled()
  execution.addSuite(suite)
  await execution.finish()
  const run = (await bench.readLines()).findLast(({ kind }) => kind === 'run')
  expect(run).toMatchObject({
    request: { procedure_id: 'INNER', report_variables: { package: 'inner', file: '***/a.test.ts' } },
  })
})

it('names no folder of the machine on record, also where a part of it is masked', async () => {
  const rootDir = path.join(bench.dir, PASSWORD)
  mkdirSync(rootDir)
  const execution = open({ url: server.url, runPer: 'execution' }, { rootDir })
  const message = `in ${rootDir}/a.ts and ${homedir()}/b.ts`
  const tests = [
    createTest(['t'], { outcome: 'failed', attempts: [createAttempt({ errors: [{ message }] })] }),
  ]
  execution.addSuite(createSuite({ outcome: 'failed', tests }))
  await execution.finish()
  expect(server.service.runs[0]?.body.steps?.[0]?.error?.message).toBe('in a.ts and ~/b.ts')
})
