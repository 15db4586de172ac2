import { DEFAULT_SETTINGS, type Settings } from '@runledger/protocol'
import { expect, it } from 'vitest'
import { deletesRuns, listChanges } from './settings-changes'

type Rules = Settings['retention.days_by_procedure']

function withRetention(days: number | null, rules: Rules = {}): Settings {
  return { ...DEFAULT_SETTINGS, 'retention.days': days, 'retention.days_by_procedure': rules }
}

it.each([
  ['days for the first time', withRetention(null), withRetention(90)],
  ['fewer days', withRetention(90), withRetention(30)],
  ['a rule with fewer days', withRetention(90), withRetention(90, { WEB: 30 })],
  ['a rule where nothing was deleted', withRetention(null), withRetention(null, { WEB: 30 })],
  ['a rule that is gone', withRetention(90, { WEB: null }), withRetention(90)],
  ['fewer days of a rule', withRetention(null, { WEB: 90 }), withRetention(null, { WEB: 30 })],
])('%s may delete runs', (_, before, after) => {
  expect(deletesRuns(before, after)).toBe(true)
})

it.each([
  ['the same', withRetention(90, { WEB: 30 }), withRetention(90, { WEB: 30 })],
  ['more days', withRetention(30), withRetention(90)],
  ['no days', withRetention(30), withRetention(null)],
  ['a rule with more days', withRetention(30), withRetention(30, { WEB: 90 })],
  ['a rule that keeps all', withRetention(30), withRetention(30, { WEB: null })],
  ['a rule that is gone and had fewer days', withRetention(90, { WEB: 30 }), withRetention(90)],
])('%s deletes nothing', (_, before, after) => {
  expect(deletesRuns(before, after)).toBe(false)
})

it('lists only what differs', () => {
  const changes = { 'retention.days': 30, 'organization.slug': DEFAULT_SETTINGS['organization.slug'] }
  expect(listChanges(DEFAULT_SETTINGS, changes)).toEqual({ 'retention.days': 30 })
})
