import { expect, it } from 'vitest'
import type { FailureVerdict } from '../resources/verdict'
import { explainVerdict, nameCommit } from './verdict'

const RUN = { id: 'r', started_at: '2026-11-20T09:00:00Z', commit: '3f2a9c1e0b7d' }

function explain(change: Partial<FailureVerdict>): string {
  const failure: FailureVerdict = {
    run_id: 'r',
    phase_id: 'p',
    name: 'adds',
    verdict: 'new',
    basis: 'none',
    ...change,
  }
  const { text, run, more } = explainVerdict(failure)
  return `${text}${run ? ` ${nameCommit(run)}` : ''}${more}`
}

it('says what a failure was compared with, and from when it is', () => {
  expect(explain({ basis: 'merge-base', last_passed: RUN })).toBe('passed on the merge base: 3f2a9c1')
  const since = { verdict: 'already_failing', failing_since: { ...RUN, builds: 1 } } as const
  expect(explain({ ...since, basis: 'branch', last_passed: { ...RUN, commit: null } })).toBe(
    'since 3f2a9c1, 1 build before this one; failed in the last build of this branch',
  )
  expect(explain({ ...since, basis: 'default-branch' })).toBe(
    'since 3f2a9c1, 1 build before this one, or longer; failed in the last build of the default branch',
  )
  expect(explain({ verdict: 'first_seen' })).toContain('no earlier run of it')
  expect(explain({ verdict: 'flaky', basis: 'branch' })).toContain('last 100 builds')
})
