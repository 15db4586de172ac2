import type { Settings } from '@runledger/protocol'

/** Those of the changes that differ from the settings. */
export function listChanges(settings: Settings, changes: Partial<Settings>): Partial<Settings> {
  const isOther = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(settings[name as keyof Settings])
  return Object.fromEntries(Object.entries(changes).filter(isOther))
}

/** Whether runs that are kept now may be deleted. */
export function deletesRuns(before: Settings, after: Settings): boolean {
  const rules = [before, after].flatMap((each) => Object.keys(each['retention.days_by_procedure']))
  return [undefined, ...rules].some((project) => {
    const [earlier, days] = [daysOf(before, project), daysOf(after, project)]
    return days !== null && (earlier === null || days < earlier)
  })
}

/** Null for never. A rule of null keeps the runs of its project; a project without a rule has the days of all. */
function daysOf(settings: Settings, project: string | undefined): number | null {
  const rules = settings['retention.days_by_procedure']
  if (project === undefined || !Object.hasOwn(rules, project)) return settings['retention.days']
  return rules[project] ?? null
}
