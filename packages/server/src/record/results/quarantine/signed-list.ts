import { formatTimestampUs, type QuarantineList, type SignedQuarantineList } from '@runledger/protocol'
import { createHmac } from 'node:crypto'
import type { Query } from '../../../storage/database/database'
import { groupBy } from '../../../storage/database/rows'
import { listNames } from '../history/recent-result-store'
import { type EntryRow, listLiveEntries, listPlaces } from './store'

/** `keyDigest` is what the service stores of an API key: SHA-256 as base64url. */
export function signQuarantine(keyDigest: string, list: string): string {
  return createHmac('sha256', keyDigest).update(list).digest('base64url')
}

interface AskedList {
  procedureId: number
  /** As the request named it. */
  named: string
  nowUs: number
  keyDigest: string
}

export async function createSignedList(
  query: Query,
  { procedureId, named, nowUs, keyDigest }: AskedList,
): Promise<SignedQuarantineList> {
  const rows = await listLiveEntries(query, procedureId, nowUs)
  const content: QuarantineList = {
    procedure_id: named,
    issued_at: formatTimestampUs(nowUs),
    entries: await listItems(query, rows),
  }
  const list = JSON.stringify(content)
  return { list, signature: signQuarantine(keyDigest, list) }
}

/** One for each name of each entry's test. */
async function listItems(query: Query, rows: readonly EntryRow[]): Promise<QuarantineList['entries']> {
  const names = await listNames(query, [...new Set(rows.map(({ present_id: id }) => id))])
  const presentOf = new Map([...names].flatMap(([present, ofTest]) => ofTest.map(({ id }) => [id, present])))
  const places = groupBy(await listPlaces(query, [...presentOf.keys()]), ({ id }) => presentOf.get(id))
  return rows.flatMap((row) =>
    (places.get(row.present_id) ?? []).map(({ project, file, name }) => ({
      id: row.public_id,
      project,
      file,
      name,
      fingerprint: row.fingerprint,
      ends_at: formatTimestampUs(row.ends_at_us),
    })),
  )
}
