import type { RunDetail } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listNodes } from '../support/nodes'
import { startService, type Service } from '../support/service'
import { createNodeProject, REPORTERS, type NodeProject } from './node-test-projects'

let service: Service
const projects: NodeProject[] = []

beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  await service.stop()
  await Promise.all(projects.map((project) => project.remove()))
})

const HEAD = `import { afterEach, describe, test } from 'node:test'
import { attach, log, measure, measureAll, unitUnderTest, withTest } from '@runledger/node-test'
`

const SAYING = `${HEAD}log('at the head')
const pause = (ms) => new Promise((done) => setTimeout(done, ms))
test('soft', async (t) => {
  const say = withTest(t)
  say.unitUnderTest({ serialNumber: 'PSU-0042', partNumber: 'PSU' })
  say.measure('output', 3.5, { unit: 'V', high: 3.4, soft: true })
  await say.step('at full load', () => { say.measureAll('ripple', [10, 20, 60], { high: 50, soft: true }) })
  say.attach('photo', { body: Buffer.from('seen'), contentType: 'image/png' })
  say.log('went on')
})
describe('side by side', { concurrency: true }, () => {
  test('same', async (t) => { await pause(40); withTest(t).measure('output', 5, { high: 4, soft: true }); await pause(20) })
  test('same', async (t) => { await pause(20); withTest(t).measure('output', 3, { high: 4, soft: true }); await pause(40) })
})
test('around', async (t) => {
  await t.test('inner', (u) => { withTest(u).measure('drop', 1, { high: 0.5, soft: true }) })
})
describe('hooks', () => {
  afterEach((t) => { withTest(t).measure('rest', 2, { high: 1, soft: true }) })
  test('passes', () => {})
})
test('throws', (t) => {
  withTest(t).measure('output', 7, { high: 4, soft: true })
  throw new Error('dark display')
})
test('hard', (t) => { withTest(t).measure('output', 8, { high: 4 }) })
test('recorded', (t) => { withTest(t).measure('output', 9, { high: 4, limits: 'record' }) })
test('holds', () => {})
`

async function record(files: Record<string, string>, options: { node: string; args?: string[] }) {
  const project = await createNodeProject(files)
  projects.push(project)
  const known = new Set((await service.readAllRuns()).map(({ id }) => id))
  const args = ['--test', ...REPORTERS, ...(options.args ?? []), ...Object.keys(files)]
  const result = await project.run({ service, node: options.node, args })
  const runs = (await service.readAllRuns()).filter(({ id }) => !known.has(id))
  return { ...result, run: runs[0] as RunDetail, runs }
}

const outcomes = ({ phases }: RunDetail) => phases.map(({ name, outcome }) => `${outcome} ${name}`)
const errorOf = ({ phases }: RunDetail, name: string) =>
  phases.find((phase) => phase.name === name)?.error?.message

describe.each(listNodes())('Node $major', ({ major, binary: node }) => {
  test('measurements are recorded, and soft values outside their limits fail their own test at its end', async () => {
    const { exitCode, run, runs } = await record({ 'a.test.mjs': SAYING }, { node })
    expect([exitCode, runs.length, run.outcome]).toEqual([1, 1, 'FAIL'])
    const expected = [
      'FAIL soft',
      'FAIL soft › output',
      'PASS soft › at full load',
      'PASS soft › at full load › ripple #1',
      'PASS soft › at full load › ripple #2',
      'FAIL soft › at full load › ripple #3',
      'FAIL side by side › same',
      'FAIL side by side › same › output',
      'PASS side by side › same (2)',
      'PASS side by side › same (2) › output',
      'FAIL around › inner',
      'FAIL around › inner › drop',
      'FAIL around',
      'FAIL hooks › passes',
      'FAIL hooks › passes › rest',
      'FAIL throws',
      'FAIL throws › output',
      'FAIL hard',
      'FAIL hard › output',
      'PASS recorded',
      'PASS recorded › output',
      'PASS holds',
    ]
    expect(outcomes(run).toSorted()).toEqual(expected.toSorted())
    expect(errorOf(run, 'soft')).toContain('Received: 3.5 V')
    expect(errorOf(run, 'soft')).toContain('ripple #3: 60')
    expect(errorOf(run, 'throws')).toContain('dark display')
    expect(run.unit.serial_number).toBe('PSU-0042')
    expect(run.attachments.map(({ name }) => name)).toContain('soft/photo.png')
    const log = await service.download(run, 'a.test.mjs.log')
    expect(String(log)).toMatch(/went on[^]*at the head/)
    expect(JSON.stringify(run.phases)).not.toContain('runledger: calls')
  })

  test('limits that are only recorded fail nothing', async () => {
    const body = `${HEAD}test('soaks', (t) => { withTest(t).measureAll('ripple', [10, 60], { high: 50, limits: 'record' }) })\n`
    const { exitCode, run, stderr } = await record({ 'a.test.mjs': body }, { node })
    expect([exitCode, run.outcome, run.measurements_outside_limits]).toEqual([0, 'PASS', 1])
    expect(stderr).toContain('1 run on record, passed, 1 measurement outside its limits: http')
  })

  test.runIf(major >= 24)(
    'the running test is known without its context, and without isolation',
    async () => {
      const body = `${HEAD}test('knows', () => { measureAll('ripple', [10, 60], { high: 50, soft: true }) })
      test('holds', () => { measure('output', 3, { high: 4, soft: true }) })\n`
      for (const args of [[], ['--test-isolation=none']]) {
        const { exitCode, run } = await record({ 'a.test.mjs': body }, { node, args })
        expect(exitCode).toBe(1)
        expect(outcomes(run)).toEqual([
          'FAIL knows',
          'PASS knows › ripple #1',
          'FAIL knows › ripple #2',
          'PASS holds',
          'PASS holds › output',
        ])
      }
    },
  )

  test.runIf(major < 24)('a soft value outside its limits throws where the test is not known', async () => {
    const body = `${HEAD}test('is unknown', () => { measure('output', 5, { high: 4, soft: true }) })
      test('holds', () => {})\n`
    const { exitCode, run } = await record({ 'a.test.mjs': body }, { node })
    expect(exitCode).toBe(1)
    expect(outcomes(run).toSorted()).toEqual(['FAIL is unknown', 'FAIL output', 'PASS holds'])
  })
})
