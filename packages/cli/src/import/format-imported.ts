import { countTestsOfSuites } from '@runledger/core/tools'
import { formatTestCounts } from '@runledger/protocol'
import { count, formatTable } from '../table'
import type { Imported } from './record-files'

/** Says which files of a report were not attached. */
export function formatRefused([first, ...others]: readonly string[]): string {
  const more = others.length === 0 ? '' : `, and ${others.length} more`
  return `${count(others.length + 1, 'file')} not attached: ${first}${more}`
}

const WORDS = {
  recorded: 'recorded',
  known: 'already on record',
  failed: 'not recorded',
  empty: 'nothing ran',
  new: 'new',
} as const

/** A table with the result of each suite, then totals. */
export function formatImported(
  { imported, keptCount }: { imported: readonly Imported[]; keptCount: number },
  isDryRun: boolean,
): string {
  const rows = imported.map(({ file, suite, status, url, runId, problems }) => [
    WORDS[status],
    file.name,
    [suite.project, suite.file].filter(Boolean).join(' › '),
    suite.outcome,
    formatTestCounts(countTestsOfSuites([suite])),
    [url ?? (runId && `run ${runId}`), ...problems].filter(Boolean).join('; '),
  ])
  const counts = (Object.keys(WORDS) as (keyof typeof WORDS)[]).flatMap((status) => {
    const number = imported.filter((each) => each.status === status).length
    return number === 0 ? [] : [`${number} ${WORDS[status]}`]
  })
  const sentences = [
    `${count(imported.length, 'run')}${counts.length > 0 ? `: ${counts.join(', ')}` : ''}.`,
    ...(isDryRun ? ['Nothing was sent.'] : []),
    ...(keptCount > 0
      ? [`${count(keptCount, 'run')} waiting: npx runledger upload sends ${keptCount === 1 ? 'it' : 'them'}.`]
      : []),
  ]
  if (rows.length === 0) return sentences.join('\n')
  return [formatTable(['', 'file', 'run', 'verdict', 'tests', ''], rows), '', ...sentences].join('\n')
}

/** The same as JSON. */
export function toImportRecord(imported: readonly Imported[], unreadable: readonly string[]) {
  const pick = (status: Imported['status']) =>
    imported
      .filter((each) => each.status === status)
      .map(({ file, suite, url, runId, problems }) => ({
        submission_id: suite.submissionId,
        source: file.name,
        project: suite.project || null,
        file: suite.file,
        passed: suite.outcome === 'passed',
        url: url ?? null,
        run_id: runId ?? null,
        problems,
      }))
  const statuses = Object.keys(WORDS) as Imported['status'][]
  return { ...Object.fromEntries(statuses.map((status) => [status, pick(status)])), unreadable }
}
