import { expect, it } from 'vitest'
import type { FailureVerdict } from '@runledger/protocol'
import { explainVerdict, shortenCommit } from './verdict'

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
  const parts = explainVerdict(failure)
  return parts.map((part) => (typeof part === 'string' ? part : (shortenCommit(part) ?? part.id))).join('')
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
  expect(explain({ verdict: 'first_seen', default_branch_unknown: true })).toBe(
    'no earlier run of it on this branch',
  )
  expect(explain({ verdict: 'flaky', basis: 'branch' })).toContain('last 100 builds')
})

it('says how the unit did, and how others did, with the size of what was looked at', () => {
  const bench = { ...RUN, commit: null }
  const unit = { earlier_runs: 0, earlier_failures: 0, other_units: { tested: 100, failed: 7 } }
  const verdict = { basis: 'unit', verdict: 'first_failure' } as const
  expect(explain({ ...verdict, unit })).toBe(
    'no earlier run of this unit has this step; the step failed on 7 of the 100 other units tested before',
  )
  expect(explain({ ...verdict, last_passed: bench, unit: { ...unit, earlier_runs: 1 } })).toContain(
    'passed in 1 earlier run of this unit, last in r; ',
  )
  const failed = { ...unit, earlier_runs: 3, earlier_failures: 2, other_units: { tested: 0, failed: 0 } }
  const runs = {
    first_failed: { ...bench, id: 'a' },
    passed_between: { ...bench, id: 'b' },
    passed_later: { ...bench, id: 'c' },
  }
  expect(explain({ basis: 'unit', verdict: 'failed_before', unit: { ...failed, ...runs } })).toBe(
    'failed in 2 of 3 earlier runs of this unit, first in a; passed in between in b; passed later in c; ' +
      'no other unit was tested at this step before',
  )
})
