import type { TestReference } from '@runledger/protocol'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { readTestOutcomes } from './repeated-runs'

let folder: string
let seen = new Set<string>()

beforeEach(() => {
  seen = new Set()
})

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-repeated-runs-'))
})

afterAll(() => rm(folder, { recursive: true }))

const TEST: TestReference = {
  id: 't1',
  name: 'pays',
  file: 'cart.test.ts',
  project: 'shop',
  procedure: { id: 'p1', identifier: 'FVT1', name: 'Shop' },
}
const EARLIER = { ...TEST, id: 't0', name: 'pays in full', file: 'old.test.ts' }

async function read(...lines: (object | string)[]) {
  const file = path.join(folder, 'runs.jsonl')
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
  await writeFile(file, text)
  return (await readTestOutcomes(file, [[TEST, EARLIER]], seen))[0]
}

const step = { name: 'pays', kind: 'test', step_passed: true }
const run = (over: object = {}, ...steps: object[]) => ({
  procedure_id: 'fvt1',
  report_variables: { file: 'cart.test.ts', project: 'shop' },
  steps: steps.length > 0 ? steps : [step],
  ...over,
})

it.each([
  ['the test', run()],
  ['the test of a procedure that is named by its id', run({ procedure_id: 'p1' })],
  ['the test without a procedure', run({ procedure_id: '' })],
  [
    'the test under an earlier name',
    run({}, { ...step, name: 'pays in full', location: { file: 'old.test.ts' } }),
  ],
])('finds %s', async (_what, found) => {
  expect(await read(found)).toEqual({ outcome: 'passed' })
})

it.each([
  ['another name', run({}, { ...step, name: 'pays twice' })],
  ['another file', run({ report_variables: { file: 'other.test.ts', project: 'shop' } })],
  ['another project', run({ report_variables: { file: 'cart.test.ts' } })],
  ['another procedure', run({ procedure_id: 'FVT2' })],
  ['a part of a test', run({}, { ...step, kind: 'step' })],
  ['something else', '{"procedure_id": 1}'],
  ['half a line', '{"proc'],
])('ignores %s', async (_what, other) => {
  expect(await read(other)).toEqual({ outcome: 'none' })
})

it('counts the worst of several results, and a first attempt that failed', async () => {
  const failed = { ...step, step_passed: false, error: { message: 'off by one' } }
  const retried = {
    ...step,
    attempts: [{ outcome: 'FAIL', errors: [{ message: 'late' }] }, { outcome: 'PASS' }],
  }
  expect(await read(run(), run({}, failed), run())).toEqual({ outcome: 'failed', error: 'off by one' })
  expect(await read(run({}, retried))).toEqual({ outcome: 'failed', error: 'late' })
})

it('does not count the run of an earlier execution again', async () => {
  const first = run({ report_variables: { file: 'cart.test.ts', project: 'shop', submission_id: 's1' } })
  const second = run({ report_variables: { file: 'cart.test.ts', project: 'shop', submission_id: 's2' } })
  expect(await read(first)).toEqual({ outcome: 'passed' })
  expect(await read(first)).toEqual({ outcome: 'none' })
  expect(await read(first, second)).toEqual({ outcome: 'passed' })
})

it.each([
  ['failed', 'playwright', 'pays (2)'],
  ['passed', 'playwright', 'pays (2 of 3)'],
  ['passed', 'vitest', 'pays (2)'],
])('is %s if a test of %s that is called "%s" failed', async (outcome, framework, name) => {
  const variables = { file: 'cart.test.ts', project: 'shop', framework }
  const found = run({ report_variables: variables }, step, { ...step, name, step_passed: false })
  expect(await read(found)).toMatchObject({ outcome })
})

it.each([
  ['passed', 9],
  ['failed', 3],
])('is %s if a test that is called as its repetition failed at line %d', async (outcome, line) => {
  const variables = { file: 'cart.test.ts', project: 'shop', framework: 'playwright' }
  const at = (row: number) => ({ location: { file: 'cart.test.ts', line: row, column: 1 } })
  const other = { ...step, ...at(line), name: 'pays (2)', step_passed: false }
  const found = run({ report_variables: variables }, { ...step, ...at(3) }, other)
  expect(await read(found)).toMatchObject({ outcome })
})
