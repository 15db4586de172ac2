import type { RunListItem } from '@runledger/protocol'
import { expect, it } from 'vitest'
import { findReplaced } from './replaced-runs'

/** `name` is the id; the attempt is the first one without `rerun`. */
function run(name: string, file: string, { rerun, job = 'test' }: { rerun?: string; job?: string } = {}) {
  const variables = {
    file,
    ci_job: job,
    framework: 'vitest',
    ...(rerun !== undefined && { ci_rerun: rerun }),
  }
  return {
    id: name,
    procedure: { id: 'p' },
    unit: { serial_number: 'u' },
    metadata: { ...variables },
  } as unknown as RunListItem
}

const replacedOf = (...runs: RunListItem[]) => [...findReplaced(runs)].toSorted()

it('a later attempt replaces runs of the same file', () => {
  expect(replacedOf(run('a', 'a.test.ts'), run('again', 'a.test.ts', { rerun: '1' }))).toEqual(['a'])
})

it('a later attempt with fewer runs of a file replaces none of them', () => {
  const again = run('again', 'a.test.ts', { rerun: '1' })
  expect(replacedOf(run('a', 'a.test.ts'), run('a2', 'a.test.ts'), again)).toEqual([])
})

it('a later attempt replaces an error of the whole execution', () => {
  const error = run('error', '(execution)')
  const again = run('again', 'a.test.ts', { rerun: '1' })
  expect(replacedOf(error, again)).toEqual(['error'])
  expect(replacedOf(run('a', 'a.test.ts'), error, again)).toEqual(['a', 'error'])
})

it('an error of the whole execution stays if a file of its attempt was not run again', () => {
  const runs = [run('error', '(execution)'), run('a', 'a.test.ts'), run('b', 'b.test.ts')]
  expect(replacedOf(...runs, run('again', 'a.test.ts', { rerun: '1' }))).toEqual(['a'])
})

it('another job replaces no error of the whole execution, and neither does an earlier attempt', () => {
  const error = run('error', '(execution)', { rerun: '1' })
  expect(replacedOf(error, run('other', 'a.test.ts', { rerun: '2', job: 'lint' }))).toEqual([])
  expect(replacedOf(error, run('earlier', 'a.test.ts'))).toEqual([])
})

it('an error of the last attempt stays', () => {
  const again = run('again', '(execution)', { rerun: '1' })
  expect(replacedOf(run('error', '(execution)'), again)).toEqual(['error'])
})
