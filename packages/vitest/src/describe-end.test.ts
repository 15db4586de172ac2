import { expect, test } from 'vitest'
import type { TestModule } from 'vitest/node'
import { describeEnd, type EndContext } from './describe-end'

const module = (failedTests: number) =>
  ({
    children: {
      allTests: (state: string) => (state === 'failed' ? Array.from({ length: failedTests }) : []),
    },
  }) as unknown as TestModule

const SHARD = { shard: { index: 1, count: 2 } }

const CONTEXT = {
  modules: [module(2), module(1)],
  unhandledErrors: [],
  reason: 'failed',
  config: { coverage: { enabled: true, thresholds: {}, reportOnFailure: true } },
  version: '4.1.12',
  specificationCount: 2,
  exitCode: 1,
} as unknown as EndContext

test('only failed tests are no other reason', () => {
  expect(describeEnd(CONTEXT)).toEqual({ hasFailed: true, failedTests: 3, otherReasons: [] })
})

test.each<[string, Partial<Record<keyof EndContext, unknown>>]>([
  ['Vitest was interrupted', { reason: 'interrupted' }],
  ['there were unhandled errors', { unhandledErrors: [{ message: 'lost' }] }],
  ['1 of 3 files did not run', { specificationCount: 3 }],
  ...[{ dangerouslyIgnoreUnhandledErrors: true }, { onUnhandledError: () => false }].map(
    (more): [string, object] => [
      'Vitest does not say whether all files of the shard ran',
      { config: { ...CONTEXT.config, ...SHARD, ...more } },
    ],
  ),
  [
    '1 of 3 files did not run',
    { config: { ...CONTEXT.config, ...SHARD }, version: '5.1.1', specificationCount: 3 },
  ],
  ['merged reports are not decided on', { config: { ...CONTEXT.config, mergeReports: 'reports' } }],
  [
    'the coverage was not checked (reportOnFailure)',
    { config: { coverage: { enabled: true, thresholds: { lines: 90 }, reportOnFailure: false } } },
  ],
  ['the exit code is 2, not 1', { exitCode: 2 }],
  ['the exit code is 0, not 1', { exitCode: undefined }],
])('%s', (reason, changes) => {
  expect(describeEnd({ ...CONTEXT, ...changes } as EndContext).otherReasons).toEqual([reason])
})

test('unhandled errors that Vitest ignores are no reason', () => {
  const config = { ...CONTEXT.config, dangerouslyIgnoreUnhandledErrors: true }
  const ignoring = { ...CONTEXT, config, unhandledErrors: [{ message: 'lost' }] } as unknown as EndContext
  expect(describeEnd(ignoring).otherReasons).toEqual([])
})

test('the files of other shards are no reason', () => {
  const config = { ...CONTEXT.config, ...SHARD }
  expect(describeEnd({ ...CONTEXT, config, specificationCount: 5 } as EndContext).otherReasons).toEqual([])
})
