import { DEFAULT_SETTINGS, type Settings } from '@runledger/protocol'
import { expect, it } from 'vitest'
import {
  applyEdits,
  dropSame,
  listChanges,
  mayDeleteRuns,
  NO_EDITS,
  type RuleChanges,
  type Rules,
} from './settings-changes'

function withRetention(days: number | null, rules: Rules = {}): Settings {
  return { ...DEFAULT_SETTINGS, 'retention.days': days, 'retention.days_by_procedure': rules }
}

const ofDays = (days: number | null) => ({ ...NO_EDITS, settings: { 'retention.days': days } })
const ofRules = (rules: RuleChanges) => ({ ...NO_EDITS, rules })

it.each([
  ['days for the first time', withRetention(null), ofDays(90)],
  ['fewer days', withRetention(90), ofDays(30)],
  ['a rule with fewer days', withRetention(90), ofRules({ WEB: 30 })],
  ['a rule where nothing was deleted', withRetention(null), ofRules({ WEB: 30 })],
  ['a rule that is gone', withRetention(90, { WEB: null }), ofRules({ WEB: undefined })],
  ['fewer days of a rule', withRetention(null, { WEB: 90 }), ofRules({ WEB: 30 })],
  [
    'a rule that is gone beside one by the id',
    withRetention(null, { WEB: 365, 'id-of-web': 30 }),
    ofRules({ WEB: undefined }),
  ],
])('%s may delete runs', (_, before, edits) => {
  expect(mayDeleteRuns(before, edits)).toBe(true)
})

it.each([
  ['the same', withRetention(90, { WEB: 30 }), { ...ofDays(90), rules: { WEB: 30 } }],
  ['more days', withRetention(30), ofDays(90)],
  ['no days', withRetention(30), ofDays(null)],
  ['a rule that keeps all', withRetention(30), ofRules({ WEB: null })],
  ['the only limit that is gone', withRetention(null, { WEB: 30 }), ofRules({ WEB: undefined })],
])('%s deletes nothing', (_, before, edits) => {
  expect(mayDeleteRuns(before, edits)).toBe(false)
})

it('lists only what differs', () => {
  const settings = { 'retention.days': 30, 'organization.slug': DEFAULT_SETTINGS['organization.slug'] }
  expect(listChanges(DEFAULT_SETTINGS, { settings, rules: {} })).toEqual({ 'retention.days': 30 })
  expect(listChanges(withRetention(null, { WEB: 30 }), ofRules({ WEB: 30, API: undefined }))).toEqual({})
})

it('keeps rules that somebody else changed meanwhile', () => {
  const edits = ofRules({ API: 30, OLD: undefined })
  const now = withRetention(null, { WEB: null, OLD: 7 })
  const changed = { 'retention.days_by_procedure': { WEB: null, API: 30 } }
  expect(listChanges(now, edits)).toEqual(changed)
  expect(applyEdits(now, edits)).toMatchObject(changed)
  expect(dropSame(applyEdits(now, edits), edits)).toEqual(NO_EDITS)
})
