import type { RunDetail } from '../resources/run'
import { expect, it } from 'vitest'
import { madePhase } from '../../../../test/support/made-phase'
import { formatErrorText, formatFailure, formatFailures } from './markdown'

const run = {
  outcome: 'FAIL',
  procedure: { name: 'Shop' },
  metadata: { file: 'a.test.ts', git_branch: 'main', git_commit: '0123456789abcdef', framework: 'vitest' },
} as unknown as RunDetail
const context = { run, address: 'https://x.example/runs/1', linkSource: () => undefined }
const error = {
  fingerprint: 'f',
  message: 'not equal',
  diff: '- 1\n+ 2',
  snippet: '> 3 | expect(1)',
  stack: 'Error: not equal\n    at a.test.ts:3:1',
  location: { file: 'a.test.ts', line: 3 },
}

it('tells all of a failure', () => {
  expect(formatFailure(madePhase('adds up', 'FAIL', { error, retry_count: 1 }), context)).toBe(
    [
      '### Failed: adds up',
      '`a.test.ts:3` · 0 s · 2 attempts · vitest · branch `main` · commit `0123456789ab` · [run](https://x.example/runs/1)',
      '```\nnot equal\n```',
      '```diff\n- 1\n+ 2\n```',
      '```\n> 3 | expect(1)\n```',
      '```\nat a.test.ts:3:1\n```\n',
    ].join('\n\n'),
  )
})

it('keeps a message with fences of its own inside', () => {
  const text = formatFailure(
    madePhase('a', 'FAIL', { error: { fingerprint: 'f', message: '````\nx' } }),
    context,
  )
  expect(text).toContain('`````\n````\nx\n`````')
})

it('puts failures below each other under the run', () => {
  const text = formatFailures([madePhase('a', 'FAIL'), madePhase('b', 'ERROR')], context)
  expect(text).toMatch(
    /^## Failed: \[a\.test\.ts\]\(https:\/\/x\.example\/runs\/1\)\n\n### Failed: a\n[^]*\n### Error: b\n/,
  )
})

it('writes an error as its message and frames', () => {
  expect(formatErrorText(error)).toBe('not equal\n    at a.test.ts:3:1')
})
