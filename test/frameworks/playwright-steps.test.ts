import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Phase, RunDetail } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand, type Project } from '../support/project'
import { Executions, fileOf, listTestedVersions, only, type Recorded } from './playwright-executions'

// What Playwright itself tells of the steps of each attempt, to be compared with what is on record.
const TELLER = `const { appendFileSync } = require('node:fs')
const tell = ({ title, subtitle, error, duration, steps }) => ({
  title: [title, subtitle].filter(Boolean).join(' '), failed: error !== undefined || duration === -1, steps: steps.map(tell),
})
module.exports = class {
  onTestEnd({ title }, { retry, steps }) {
    appendFileSync('told.jsonl', JSON.stringify({ title, retry, steps: steps.map(tell) }) + '\\n')
  }
}
`

const FILES = {
  'playwright.config.js': `module.exports = {
  workers: 1,
  retries: 1,
  timeout: 4000,
  reporter: [['list'], ['./teller.js'], ['@runledger/playwright']],
}
`,
  'teller.js': TELLER,
  'a.spec.js': `const { setTimeout } = require('node:timers/promises')
const { test: base, expect } = require('@playwright/test')
const { measure, step } = require('@runledger/playwright')
const test = base.extend({ bench: async ({}, use) => { await use({ volts: 3 }) } })
test.beforeEach(async () => { await test.step('warms up', async () => {}) })
test('fails', async ({ bench }) => {
  await test.step('powers up', async () => {
    await test.step('closes the relay', async () => {
      await test.step('turns the key', async () => { expect(bench.volts).toBe(4) })
    })
  })
})
test('passes', async ({ bench }) => { await test.step('powers up', async () => { expect(bench.volts).toBe(3) }) })
test('is flaky', async ({ bench }, info) => {
  await step('reads', async () => { expect(info.retry + bench.volts).toBeGreaterThan(3) })
  measure('volts', bench.volts)
  await setTimeout(5) // Playwright's times are whole milliseconds: within one, its step is told before the value.
  await test.step('is forgiven', async () => { throw new Error('no matter') }).catch(() => {})
})
test('hangs', async () => { await test.step('waits', async () => { await new Promise(() => {}) }) })
`,
  'b.spec.js': `const { test } = require('@playwright/test')
test('is flaky alone', async ({}, info) => {
  await test.step('is forgiven', async () => { throw new Error('no matter') }).catch(() => {})
  if (info.retry === 0) throw new Error('only once')
})
`,
}

interface ToldStep {
  title: string
  failed: boolean
  steps: ToldStep[]
}

describe.each(listTestedVersions('steps'))('Playwright %s', (version) => {
  let executions: Executions
  let project: Project
  let recorded: Recorded

  beforeAll(async () => {
    executions = await Executions.start(version)
    project = await executions.open(FILES)
    recorded = await executions.record(project)
  })
  afterAll(() => executions.stop())

  const runOf = (file: string): RunDetail => only(recorded.runs.filter((run) => fileOf(run) === file))

  it('failed and flaky tests have the steps of every failed attempt, as Playwright reports them', () => {
    const told = readTold(project.dir)
    const toldOf = (title: string, retry: number, outer: string) =>
      listTold(told.find((each) => each.title === title && each.retry === retry)?.steps ?? [], outer)
    for (const title of ['fails', 'hangs']) {
      const first = `${title} › Attempt 1 of 2`
      expect(listSteps(runOf('a.spec.js'), title), recorded.stdout).toEqual([
        ...toldOf(title, 1, title),
        `FAIL ${first}`,
        ...toldOf(title, 0, first),
      ])
    }
    const first = 'is flaky › Attempt 1 of 2'
    expect(listSteps(runOf('a.spec.js'), first)).toEqual(toldOf('is flaky', 0, first))
    expect(listSteps(runOf('a.spec.js'), first)).toContain(`FAIL ${first} › reads`)
    expect(listSteps(runOf('a.spec.js'), 'fails')).toEqual(
      expect.arrayContaining(['FAIL fails › powers up › closes the relay › turns the key']),
    )
    expect(listSteps(runOf('a.spec.js'), 'hangs')).toContain('FAIL hangs › waits')
  })

  it('steps of an earlier attempt lie within its time, and say where they were called', () => {
    const { phases } = runOf('a.spec.js')
    const test = phases.find(({ name }) => name === 'fails')
    const [first, last] = test?.attempts ?? []
    const inner = phases.filter(({ name }) => name.startsWith('fails › Attempt 1 of 2'))
    expect(inner[0]).toMatchObject({ started_at: first?.started_at, outcome: 'FAIL', kind: 'step' })
    for (const { name, started_at: startedAt } of inner)
      expect([name, startedAt >= (first?.started_at ?? ''), startedAt < (last?.started_at ?? '')]).toEqual([
        name,
        true,
        true,
      ])
    const key = inner.find(({ name }) => name.endsWith(' › turns the key'))
    expect(key?.location).toMatchObject({ file: 'a.spec.js' })
    expect(first?.errors?.[0]?.location).toMatchObject({ file: 'a.spec.js', line: key?.location?.line })
  })

  it('a test that passed at once has none', () => {
    expect(listSteps(runOf('a.spec.js'), 'passes')).toEqual([])
  })

  it('our own step and measurements stand among them, and each belongs to what it is in', () => {
    const { phases } = runOf('a.spec.js')
    const flaky = phases.findIndex(({ name }) => name === 'is flaky')
    const own = phases.findIndex(({ name }) => name === 'is flaky › reads')
    expect(phases[own]).toMatchObject({ kind: 'step', parent: flaky, outcome: 'PASS' })
    expect(phases[own + 1]).toMatchObject({ kind: 'step', parent: own })
    const volts = phases.findIndex(({ name }) => name === 'is flaky › volts')
    expect(phases[volts]).toMatchObject({ kind: 'measurement', parent: flaky })
    expect(
      phases
        .map(({ name }) => name)
        .slice(own)
        .indexOf('is flaky › After Hooks'),
    ).toBeGreaterThan(volts - own)
    for (const { name, kind, parent } of phases)
      if (kind === 'step') expect(name.startsWith(`${phases[parent ?? -1]?.name} › `), name).toBe(true)
  })

  it('a step that failed in a test that passed in the end fails no run, and no error counts twice', () => {
    const flaky = runOf('b.spec.js')
    expect([flaky.outcome, flaky.metadata['tests_passed'], flaky.metadata['tests_failed']]).toEqual([
      'PASS',
      '1',
      '0',
    ])
    expect(listSteps(flaky, 'is flaky alone')).toContain('FAIL is flaky alone › is forgiven')
    const erring = recorded.runs.flatMap(({ phases }) => phases.filter(({ error }) => error !== undefined))
    expect(new Set(erring.map(({ kind }) => kind))).toEqual(new Set(['test']))
  })

  it('merged reports have the same on record', async () => {
    await project.run({ args: ['--reporter=blob'] })
    const cli = path.join(project.dir, 'node_modules/@playwright/test/cli.js')
    const args = [cli, 'merge-reports', '-c', 'playwright.config.js', 'blob-report']
    const { runs, stderr } = await executions.record(project, {}, (options) =>
      runCommand(process.execPath, args, { dir: project.dir, ...options }),
    )
    const describeAll = (all: RunDetail[]) =>
      all.flatMap(({ phases }) => phases.map((each) => [each.name, each.outcome, each.kind, each.parent]))
    expect(describeAll(runs), stderr).toEqual(describeAll(recorded.runs))
  })
})

function readTold(dir: string): { title: string; retry: number; steps: ToldStep[] }[] {
  const lines = readFileSync(path.join(dir, 'told.jsonl'), 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as ReturnType<typeof readTold>[number])
}

/** Three levels, each step before those inside of it; up to 1.49 what carries our events is a step, too. */
function listTold(steps: readonly ToldStep[], outer: string, depth = 1): string[] {
  const told = steps.filter(({ title }) => title !== 'attach "runledger"')
  return told.flatMap(({ title, failed, steps: inner }) => {
    const name = `${outer} › ${title}`
    return [`${failed ? 'FAIL' : 'PASS'} ${name}`, ...(depth < 3 ? listTold(inner, name, depth + 1) : [])]
  })
}

/** Steps of a test on record, in their order, without the numbers of equal names. */
function listSteps({ phases }: RunDetail, test: string): string[] {
  const isWithin = ({ kind, name }: Phase) => kind === 'step' && name.startsWith(`${test} › `)
  return phases.filter(isWithin).map(({ outcome, name }) => `${outcome} ${name.replace(/ \(\d+\)$/, '')}`)
}
