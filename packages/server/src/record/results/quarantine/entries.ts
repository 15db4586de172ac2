import {
  formatTimestampUs,
  type ListQuarantineQuery,
  type Page,
  type QuarantineEntry,
} from '@runledger/protocol'
import { US_PER_MS } from '../../../base/clock'
import type { StorageContext } from '../../../storage/context'
import type { Query } from '../../../storage/database/database'
import { firstKeyAt } from '../../../storage/database/keys'
import { pageFrom } from '../../../storage/database/sorted-page'
import { listNames } from '../history/recent-result-store'
import { readTestReferences } from '../tests/test-references'
import { countFailures, type EntryRow, listEntries, listMessages } from './store'

type Reading = Pick<StorageContext, 'database' | 'clock'>

/** `GET /v2/quarantine`. */
export async function listQuarantine(
  { database: { query }, clock }: Reading,
  list: ListQuarantineQuery,
): Promise<Page<QuarantineEntry>> {
  const nowUs = clock()
  const page = pageFrom(await listEntries(query, list, nowUs), list.limit, (row) => row)
  return { ...page, data: await readEntries(query, page.data, nowUs) }
}

export async function readEntries(
  query: Query,
  rows: readonly EntryRow[],
  nowUs: number,
): Promise<QuarantineEntry[]> {
  const ids = [...new Set(rows.map(({ present_id: id }) => id))]
  const [tests, names, messages] = await Promise.all([
    readTestReferences(query, ids),
    listNames(query, ids),
    listMessages(query, [...new Set(rows.flatMap(({ fingerprint }) => fingerprint ?? []))]),
  ])
  const entries = rows.map(async (row): Promise<QuarantineEntry[]> => {
    const test = tests.get(row.present_id)
    if (!test) return []
    const failures = await countFailures(query, {
      names: names.get(row.present_id) ?? [],
      fingerprint: row.fingerprint,
      fromKey: row.id,
      toKey: firstKeyAt(Math.ceil(row.ends_at_us / US_PER_MS)),
    })
    const message = row.fingerprint === null ? null : (messages.get(row.fingerprint) ?? null)
    return [{ ...mapEntry(row, nowUs), test, message, failures }]
  })
  return (await Promise.all(entries)).flat()
}

function mapEntry(row: EntryRow, nowUs: number): Omit<QuarantineEntry, 'test' | 'message' | 'failures'> {
  return {
    id: row.public_id,
    fingerprint: row.fingerprint,
    owner: row.owner,
    reason: row.reason,
    link: row.link,
    ends_at: formatTimestampUs(row.ends_at_us),
    is_live: row.ends_at_us > nowUs,
    created_at: formatTimestampUs(row.created_at_us),
    created_by: row.created_by,
    extended_at: row.extended_at_us === null ? null : formatTimestampUs(row.extended_at_us),
    extended_by: row.extended_by,
    ended_by: row.ended_by,
  }
}
