import type { Settings } from '@runledger/protocol'

export type Rules = Settings['retention.days_by_procedure']

/** New days of single projects, by the keys of their rules; undefined removes the rule. */
export type RuleChanges = Readonly<Record<string, number | null | undefined>>

export interface Edits {
  /** All but the rules of single projects. */
  settings: Partial<Settings>
  rules: RuleChanges
}

export const NO_EDITS: Edits = { settings: {}, rules: {} }

/** The settings with the edits. */
export function applyEdits(settings: Settings, edits: Edits): Settings {
  const rules = Object.entries({ ...settings['retention.days_by_procedure'], ...edits.rules })
  const kept = rules.filter((rule): rule is [string, number | null] => rule[1] !== undefined)
  return { ...settings, ...edits.settings, 'retention.days_by_procedure': Object.fromEntries(kept) }
}

/** The edits that change something. */
export function dropSame(settings: Settings, edits: Edits): Edits {
  const rules = settings['retention.days_by_procedure']
  const isOther = ([name, value]: [string, unknown]) => value !== settings[name as keyof Settings]
  return {
    settings: Object.fromEntries(Object.entries(edits.settings).filter(isOther)),
    rules: Object.fromEntries(Object.entries(edits.rules).filter(([key, days]) => rules[key] !== days)),
  }
}

/** The body of the request that makes the edits. */
export function listChanges(settings: Settings, edits: Edits): Partial<Settings> {
  const { settings: changes, rules } = dropSame(settings, edits)
  if (Object.keys(rules).length === 0) return changes
  const { 'retention.days_by_procedure': changed } = applyEdits(settings, edits)
  return { ...changes, 'retention.days_by_procedure': changed }
}

/**
 * Whether runs that are kept now may be deleted. A project may have two rules, by its identifier and by its id, so each changed or
 * removed rule counts, unless it keeps all runs.
 */
export function mayDeleteRuns(settings: Settings, edits: Edits): boolean {
  const { 'retention.days': earlier } = settings
  const { 'retention.days': days, 'retention.days_by_procedure': rules } = applyEdits(settings, edits)
  if (days !== null && (earlier === null || days < earlier)) return true
  const isLimited = [days, ...Object.values(rules)].some((limit) => limit !== null)
  return isLimited && Object.values(dropSame(settings, edits).rules).some((limit) => limit !== null)
}
