import { expect, it } from 'vitest'
import type { FailureVerdict, Verdict, VerdictList } from './resources/verdict'
import { VERDICTS } from './resources/choices'
import { countVerdicts, explainUnknownBranch, isCompared } from './verdict-text'

function list(
  counts: Partial<Record<Verdict, number>>,
  more = 0,
  change: Partial<FailureVerdict> = {},
): VerdictList {
  const data = Object.entries(counts).flatMap(([verdict, count]) =>
    Array.from({ length: count }, () => ({
      run_id: 'r',
      phase_id: 'p',
      name: 'adds',
      verdict: verdict as Verdict,
      basis: 'branch' as const,
      ...change,
    })),
  )
  const all = Object.fromEntries(VERDICTS.map((each) => [each, counts[each] ?? 0])) as Record<Verdict, number>
  return { data, counts: all, more_failures: more }
}

it.each([
  [list({ new: 12, already_failing: 288 }, 33), '333 failures: 12 new, 288 already failing, 33 not compared'],
  [list({ new: 2, already_failing: 3, flaky: 1 }), '6 failures: 2 new, 3 already failing, 1 flaky'],
  [list({ already_failing: 300 }, 1_700), '2,000 failures: 300 already failing, 1,700 not compared'],
  [list({ new: 1 }), '1 failure: new'],
  [list({ already_failing: 2 }), '2 failures: all already failing'],
  [list({ first_failure: 1, failed_before: 2 }), '3 failures: 1 for the first time, 2 failed before'],
  [list({}), '0 failures'],
])('counts all failures, in numbers that add up: %#', (verdicts, text) => {
  expect(countVerdicts(verdicts)).toBe(text)
})

it('knows whether an earlier run decided any of them', () => {
  const unit = { earlier_runs: 0, earlier_failures: 0, other_units: { tested: 3, failed: 1 } }
  expect(isCompared(list({ first_seen: 4 }, 9, { basis: 'none' }))).toBe(false)
  expect(isCompared(list({ first_failure: 1 }, 0, { basis: 'unit', unit }))).toBe(false)
  expect(
    isCompared(list({ first_failure: 1 }, 0, { basis: 'unit', unit: { ...unit, earlier_runs: 1 } })),
  ).toBe(true)
  expect(isCompared(list({ new: 1 }))).toBe(true)
})

it('says what names the default branch where nothing does', () => {
  expect(explainUnknownBranch(list({ new: 1 }))).toBeUndefined()
  expect(explainUnknownBranch(list({ new: 1 }, 0, { default_branch_unknown: true }))).toContain(
    'defaultBranch (RUNLEDGER_DEFAULT_BRANCH)',
  )
})
