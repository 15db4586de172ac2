import { describe, expect, it } from 'vitest'
import { FAILED, FLAKY, PASSED } from '../../../storage/database/schema/history'
import { findFailingRows } from './failing-rows'
import type { Result } from './results'

const CODES: Readonly<Record<string, number>> = { p: PASSED, r: FLAKY, f: FAILED }

/** A result in each of the builds 1, 2, …, a letter each. */
const results = (letters: string): Result[] =>
  [...letters].map((letter, index) => ({
    test_id: 1,
    run_id: index,
    run_public_id: `run ${index}`,
    build_id: index + 1,
    environment: null,
    rerun: null,
    started_at_us: index,
    outcome: CODES[letter] ?? PASSED,
    duration_us: 1,
    error_group_id: null,
    isInfrastructure: false,
    build: {
      id: index + 1,
      group_name: String(index + 1),
      group_digest: '',
      branch: 'main',
      git_commit: null,
      commit_subject: null,
      author: null,
      pull_request: null,
      event: null,
      ci_build_url: null,
      repository: null,
      default_branch: null,
      started_at_us: index,
      created_at_us: index,
    },
  }))

describe('rows of failures', () => {
  it.each([
    ['ppfffpp', [['2', '3', '5', '6']]],
    ['ppffpp', [['2', '3', '4', '5']]],
    ['ppfpp', []],
    [
      'pfffrfff',
      [
        ['1', '2', '4', '5'],
        ['5', '6', '8', undefined],
      ],
    ],
    ['ffff', [[undefined, '1', '4', undefined]]],
    ['', []],
  ])('of %s', (letters, rows) => {
    const found = findFailingRows(results(letters))
    expect(
      found.map((row) => [
        row.passed_before?.group,
        row.first_build.group,
        row.last_build.group,
        row.fixed_by?.group,
      ]),
    ).toEqual(rows)
  })

  it('count the last result of a build that was run again', () => {
    const [first, ...others] = results('ff')
    const again = { ...(first as Result), outcome: PASSED }
    expect(findFailingRows([first as Result, again, ...others])).toEqual([])
  })
})
