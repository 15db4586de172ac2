import { describe, expect, it } from 'vitest'
import { formatClock, formatDay, formatExact, formatRelative } from './date'

describe('dates', () => {
  const at = '2026-11-20T09:30:15.042Z'
  const after = (seconds: number) => Date.parse(at) + seconds * 1000

  it.each([
    [4, 'just now'],
    [59, '59 seconds ago'],
    [125, '2 minutes ago'],
    [7200, '2 hours ago'],
    [30 * 3600, 'yesterday'],
    [45 * 86_400, 'last month'],
    [800 * 86_400, '2 years ago'],
    [-180, 'in 3 minutes'],
  ])('says %d seconds later: %s', (seconds, shown) => {
    expect(formatRelative(at, after(seconds))).toBe(shown)
  })

  it('shows the exact time in the zone asked for, to the millisecond', () => {
    expect(formatExact(at, 'UTC')).toBe('20 Nov 2026, 09:30:15.042 UTC')
    expect(formatClock('2026-11-20T09:30:15.0429+05:30', 'UTC')).toBe('04:00:15.042')
  })

  it('shows text that is not a time stamp unchanged', () => {
    expect([formatRelative('soon', 0), formatExact('soon'), formatClock('soon')]).toEqual([
      'soon',
      'soon',
      'soon',
    ])
  })
})

it('shows a day without its time, which no zone moves to another day', () => {
  expect(formatDay('2026-11-30T00:00:00Z')).toBe('30 Nov 2026')
})
