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
  const rows = joinRefused(imported).map(({ first, number }) => {
    const { file, suite, status, url, runId, problems } = first
    const about = [url ?? (runId && `run ${runId}`), ...problems].filter(Boolean).join('; ')
    if (number > 1) return [WORDS[status], file.name, count(number, 'run'), '', '', about]
    const name = [suite.project, suite.file].filter(Boolean).join(' › ')
    return [
      WORDS[status],
      file.name,
      name,
      suite.outcome,
      formatTestCounts(countTestsOfSuites([suite])),
      about,
    ]
  })
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

/** Joins runs of a file that were refused for the same reason, because there may be thousands. */
function joinRefused(imported: readonly Imported[]): { first: Imported; number: number }[] {
  const joined: { first: Imported; number: number }[] = []
  const keyOf = ({ file, problems }: Imported) => JSON.stringify([file.name, problems])
  for (const each of imported) {
    const last = joined.at(-1)
    const isAlike = each.status === 'failed' && last?.first.status === 'failed'
    if (isAlike && keyOf(each) === keyOf(last.first)) last.number += 1
    else joined.push({ first: each, number: 1 })
  }
  return joined
}

/** The output of `--json`. */
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
