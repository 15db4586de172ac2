import { describe, expect, it } from 'vitest'
import { toErrorsQuery } from './errors'
import { parseSince } from './filter'
import { toRunsQuery } from './runs'

const NOW = Date.parse('2026-11-25T12:00:00.000Z')

describe('parseSince', () => {
  it.each([
    ['30m', '2026-11-25T11:30:00.000Z'],
    ['12h', '2026-11-25T00:00:00.000Z'],
    ['7d', '2026-11-18T12:00:00.000Z'],
    ['2w', '2026-11-11T12:00:00.000Z'],
    ['2026-11-20T09:30:00+01:00', '2026-11-20T08:30:00.000Z'],
    ['2026-11-20', new Date(2026, 10, 20).toISOString()],
  ])('reads %s', (text, time) => {
    expect(parseSince(text, NOW)).toBe(time)
  })

  it.each(['', 'yesterday', '7', '7y', '-1d', '2026-13-01', '999999w', '11/20/2026', '2026-11-20Tnoon'])(
    'refuses "%s"',
    (text) => {
      expect(parseSince(text, NOW)).toBeUndefined()
    },
  )
})

it('asks for runs and for errors with the same filter', () => {
  const filter = { branches: ['main'], group: 'ci-1', search: 'cart', since: 'then', limit: 3, cursor: 7 }
  const shared = { limit: 3, cursor: 7, started_after: 'then', search_query: 'cart' }
  expect(toRunsQuery({ ...filter, outcomes: ['FAIL'], procedures: ['shop'] })).toMatchObject({
    ...shared,
    outcomes: ['FAIL'],
    procedure_ids: ['shop'],
    metadata: { group: { in: ['ci-1'] }, git_branch: { in: ['main'] } },
  })
  expect(toErrorsQuery(filter)).toMatchObject({
    ...shared,
    branches: ['main'],
    metadata: { group: { in: ['ci-1'] } },
  })
})
