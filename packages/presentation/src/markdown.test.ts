import { describe, expect, it } from 'vitest'
import { madePhase } from '../../../test/support/made-phase'
import type { Phase, RunDetail } from '@runledger/protocol'
import { type FailureContext, formatErrorText, formatFailure, formatFailures } from './markdown'
import { groupAttachments } from './step-attachments'
import { buildStepTree } from './step-tree'

const address = 'https://x.example/runs/1'
const error = {
  fingerprint: 'f',
  message: 'not equal',
  diff: '- 1\n+ 2',
  snippet: '> 3 | expect(1)',
  stack: 'Error: not equal\n    at a.test.ts:3:1',
  location: { file: 'a.test.ts', line: 3 },
}

function contextOf(phases: Phase[], attachments: RunDetail['attachments'] = []): FailureContext {
  const run = {
    outcome: 'FAIL',
    procedure: { name: 'Shop' },
    metadata: { file: 'a.test.ts', git_branch: 'main', git_commit: '0123456789abcdef', framework: 'vitest' },
    phases,
  } as unknown as RunDetail
  const names = phases.map(({ name }) => name)
  return {
    run,
    tree: buildStepTree(phases),
    bySteps: groupAttachments(names, attachments).bySteps,
    address,
    linkSource: () => undefined,
    linkStep: (index) => `${address}#step-${index}`,
  }
}

describe('a failure', () => {
  it('has all parts', () => {
    const context = contextOf([madePhase('adds up', 'FAIL', { error, retry_count: 1, tags: ['@smoke'] })])
    expect(formatFailure(0, context)).toBe(
      [
        '### Failed: `adds up`',
        '`a.test.ts:3` · 0 s · 2 attempts · `@smoke` · `vitest` · branch `main` · commit `0123456789ab` · [page](https://x.example/runs/1#step-0)',
        '```\nnot equal\n```',
        '```diff\n- 1\n+ 2\n```',
        '```\n> 3 | expect(1)\n```',
        '```\nat a.test.ts:3:1\n```\n',
      ].join('\n\n'),
    )
  })

  it('shows its annotations in a line and its worker in a word', () => {
    const annotations = [
      { type: 'issue', description: 'https://bugs.example/7?a=(b)' },
      { type: 'note', description: 'javascript:alert(1)\n[x](y)' },
    ]
    const more = { worker: 3, tags: ['@smoke', 'issue', 'note'], annotations }
    const lines = formatFailure(0, contextOf([madePhase('a', 'FAIL', more)])).split('\n')
    expect(lines[2]).toMatch(/^0 s · worker 3 · `@smoke` · `vitest` /)
    expect(lines[4]).toBe(
      '`issue`: [`https://bugs.example/7?a=(b)`](https://bugs.example/7?a=%28b%29) · `note`: `javascript:alert(1) [x](y)`',
    )
    const many = Array.from({ length: 13 }, () => ({ type: 'a', description: 'b' }))
    const text = formatFailure(0, contextOf([madePhase('a', 'FAIL', { annotations: many })]))
    expect(text).toContain('`a`: `b` · 3 more annotations\n')
  })

  it('names the step in which it failed, earlier attempts, and what it left behind', () => {
    const attempt = { started_at: '', duration: 'PT1S', outcome: 'FAIL' as const }
    const phases = [
      madePhase('a', 'FAIL', {
        attempts: [{ ...attempt, errors: [{ fingerprint: 'f', message: '\nrefused\nat once' }] }, attempt],
        retry_count: 1,
      }),
      madePhase('a › b', 'FAIL', { parent: 0, kind: 'step' }),
    ]
    const file = { id: '1', content_type: 'image/png', size: 2_000, is_report: false, download_url: '/x' }
    const context = contextOf(phases, [{ ...file, name: 'a/attempt-1/shot.png' }])
    const text = formatFailure(0, context)
    expect(text).toContain('Failed in step `b`')
    expect(text).toContain('- Attempt 1: failed after 1.00 s: `refused`')
    expect(text).toContain('- Attachment `shot.png` · attempt 1 · `image/png` · 2.0 kB')
  })

  it('has what was measured with its limits', () => {
    const validator = { operator: '<=', expected_value: 5, expression: 'x <= 5' }
    const measurement = {
      name: 'v',
      measured_value: 5.3,
      units: 'V',
      validators: [validator],
      data_series: null,
    }
    const measured = { measurements: [measurement] } as unknown as Partial<Phase>
    expect(formatFailure(0, contextOf([madePhase('a › v', 'FAIL', measured)]))).toContain(
      '- `a › v`: `5.3 V` · `limit ≤ 5 V`',
    )
  })
})

describe('foreign text', () => {
  it.each([
    ['a\n# b', '`a # b`'],
    ['[x](javascript:y) <b> @smoke *z*', '`[x](javascript:y) <b> @smoke *z*`'],
    ['a ``` b', '````a ``` b````'],
    ['`', '`` ` ``'],
    ['\u001b[31mred\u001b[0m', '`red`'],
    [' ', '(no text)'],
  ])('%j stays text in a name', (name, written) => {
    expect(formatFailure(0, contextOf([madePhase(name, 'FAIL')]))).toMatch(`### Failed: ${written}\n\n`)
  })

  it('stays in its lines, whatever fences it has', () => {
    const message = '````\n## Not a heading\n```'
    const text = formatFailure(
      0,
      contextOf([madePhase('a', 'FAIL', { error: { fingerprint: 'f', message } })]),
    )
    expect(text).toContain('`````\n````\n## Not a heading\n```\n`````')
  })

  it('ends no address', () => {
    const context = contextOf([madePhase('a', 'FAIL', { error })])
    const linkSource = () => 'https://x.example/a (b)/[c]>'
    expect(formatFailure(0, { ...context, linkSource })).toContain(
      '[`a.test.ts:3`](https://x.example/a%20%28b%29/%5bc%5d%3e)',
    )
  })

  it('is cut in its middle when it is long', () => {
    const long = { fingerprint: 'f', message: `begin ${'x'.repeat(50_000)} end` }
    const text = formatFailure(0, contextOf([madePhase('a', 'FAIL', { error: long })]))
    expect(text).toMatch(/begin x+ \[… cut …\] x+ end/)
    expect(text.length).toBeLessThan(5_000)
  })
})

it('a failure leaves room for others, however much it says', () => {
  const hostile = {
    fingerprint: 'f',
    message: '`a'.repeat(8_000),
    stack: '`\n'.repeat(8_000),
    expected: '`'.repeat(8_000),
  }
  const phase = madePhase('n'.repeat(5_000), 'FAIL', {
    errors: Array.from({ length: 20 }, () => hostile),
    more_errors: 4,
    tags: Array.from({ length: 100 }, () => 't'.repeat(5_000)),
  })
  const text = formatFailure(0, contextOf([phase]))
  expect(text.length).toBeLessThan(30_000)
  expect(text).toMatch(/\n\n\d+ more errors\.\n$/)
})

it('puts failures below each other under the run, as many as an issue takes', () => {
  const long = { fingerprint: 'f', message: 'x'.repeat(4_000) }
  const phases = Array.from({ length: 20 }, (_, index) => madePhase(`t${index}`, 'FAIL', { error: long }))
  const text = formatFailures([...phases.keys()], contextOf(phases))
  expect(text).toMatch(
    /^## Failed: \[`a\.test\.ts`\]\(https:\/\/x\.example\/runs\/1\)\n\n`vitest` · [^]*\n### Failed: `t0`\n/,
  )
  expect(text).toMatch(/\n\nLeft out here: 6 failures\. All of it: https:\/\/x\.example\/runs\/1\n$/)
  expect(text.length).toBeLessThan(65_536)
})

it('writes an error as its message and frames', () => {
  expect(formatErrorText(error)).toBe('not equal\n    at a.test.ts:3:1')
})
