import { expect, it } from 'vitest'
import { LastRows } from './sorted-page'

it('forgets the oldest rows first, and keeps what was noted again', () => {
  const rows = new LastRows()
  for (let key = 0; key <= 1000; key += 1) {
    rows.note('runs started_at', key, key)
    rows.note('runs started_at', 0, 'again')
  }
  expect(rows.find('runs started_at', 1)).toBeUndefined()
  expect(rows.find('runs started_at', 2)).toBe(2)
  expect(rows.find('runs started_at', 0)).toBe('again')
  expect(rows.find('runs outcome', 2)).toBeUndefined()
})
