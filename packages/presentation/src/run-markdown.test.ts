import { expect, it } from 'vitest'
import { madePhase } from '../../../test/support/made-phase'
import type { Phase, RunDetail } from '@runledger/protocol'
import { formatRun } from './run-markdown'
import { buildStepTree } from './step-tree'

const noPace = { isOver: false, rest: () => Promise.resolve() }

function format(phases: Phase[], failedTests: number): Promise<string> {
  const run = {
    outcome: 'FAIL',
    started_at: '2026-11-20T09:00:00Z',
    duration: 'PT1S',
    docstring: null,
    procedure: { name: 'Shop' },
    unit: { serial_number: 'U', part: { number: 'P', revision: { number: 'A' } } },
    metadata: { file: 'a.test.ts' },
    phases,
  } as unknown as RunDetail
  const text = {
    run,
    tree: buildStepTree(phases),
    counts: { passed: 0, failed: failedTests, flaky: 0, skipped: 0, errors: 0 },
    bySteps: new Map(),
    others: [],
    otherFiles: 0,
    log: undefined,
    build: undefined,
    address: 'https://x.example/runs/1',
    recordAddress: 'https://x.example/v2/runs/1',
    linkSource: () => undefined,
    linkStep: (index: number) => `https://x.example/runs/1#step-${index}`,
  }
  return formatRun(text, noPace)
}

const failures = (count: number, message: (index: number) => string) =>
  Array.from({ length: count }, (_, index) =>
    madePhase(`fails ${index}`, 'FAIL', { error: { fingerprint: 'f', message: message(index) } }),
  )

const countTold = (page: string) => page.match(/^### /gm)?.length ?? 0

it('says how many failures had no room', async () => {
  const page = await format(
    failures(20, () => 'x'.repeat(7_000)),
    20,
  )
  const left = Number(/details of (\d+) failures/.exec(page)?.[1])
  expect(countTold(page)).toBeGreaterThan(4)
  expect(left + countTold(page)).toBe(20)
})

it('lists the others when the first failure has no room', async () => {
  const description = `https://x.example/${'x'.repeat(6_500)}`
  const annotations = Array.from({ length: 10 }, () => ({ type: 'issue', description }))
  const first = madePhase('has long annotations', 'FAIL', { annotations })
  const page = await format([first, ...failures(2, () => 'short')], 3)
  expect(countTold(page)).toBe(2)
  expect(page).toContain('Left out here: the details of 1 failure.')
})

it('lists every further failure, including measurements of tests that passed', async () => {
  const page = await format(
    failures(40, () => 'short'),
    0,
  )
  expect(page.match(/fails \d+/g)).toHaveLength(40)
})
