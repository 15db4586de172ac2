import type { RunListItem, StationDetail } from '@runledger/protocol'
import { queryOptions } from '@tanstack/react-query'
import { attachmentLink } from '../links'
import { EMPTY_FILTER } from '../run-filter'
import { sendFile } from './client'
import { queryKeys } from './query-keys'
import { toRunsQuery } from './run-list'
import { service } from './service'

const LIVE_MS = 2_000

const withKey = (key: string) => ({ headers: { authorization: `Bearer ${key.trim()}` } })

/** The station of a key. Throws ApiError, with 401 for a key that is none and 403 for a user's. */
export function readStation(key: string): Promise<StationDetail> {
  return service.getCurrentStation({}, withKey(key))
}

/** The station whose page is open, and its key, which each request sends. */
export interface AtStation {
  station: StationDetail
  key: string
}

export function benchUnitQuery(serialNumber: string, { key }: AtStation) {
  return queryOptions({
    queryKey: queryKeys.unit(serialNumber),
    queryFn: ({ signal }) =>
      service.getLineUnit({ query: { serial_number: serialNumber } }, { signal, ...withKey(key) }),
  })
}

/** The last run that a station sent, null before its first; read every two seconds. */
export function lastRunQuery({ station: { id: station }, key }: AtStation) {
  return queryOptions({
    queryKey: queryKeys.lastRun(station),
    queryFn: async ({ signal }): Promise<RunListItem | null> => {
      const wanted = toRunsQuery({ ...EMPTY_FILTER, station }, { cursor: undefined, limit: 1 })
      const { data } = await service.listRuns(
        { query: { ...wanted, include_metadata: false, include_failures: true, sort_by: 'created_at' } },
        { signal, ...withKey(key) },
      )
      return data[0] ?? null
    },
    refetchInterval: LIVE_MS,
  })
}

/** Adds a photo to a run. Throws ApiError or UnreachableError. */
export async function attachPhoto(runId: string, photo: File, key: string): Promise<void> {
  const name = photo.name === '' ? 'photo' : photo.name.slice(-255)
  const { upload_url: url } = await service.createRunAttachment(
    { params: { id: runId }, body: { name } },
    withKey(key),
  )
  const address = attachmentLink(url)
  if (!address?.startsWith('/uploads/'))
    throw new Error('This service takes files in its object store, which pages cannot reach.')
  await sendFile(address, photo)
}

/**
 * Adds a note to a run, on a line of its own below those it has; sent again, it is added once. Of two notes that are added at the same
 * moment, one may be lost. Throws ApiError or UnreachableError.
 */
export async function addNote(runId: string, note: string, key: string): Promise<void> {
  const { data } = await service.listRuns({ query: { ids: [runId], include_metadata: true } }, withKey(key))
  const before = data[0]?.metadata?.note
  const lines = before === undefined || before === '' ? [] : String(before).split('\n')
  if (lines.at(-1) === note) return
  const text = [...lines, note].join('\n')
  await service.updateRunMetadata({ params: { id: runId }, body: { metadata: { note: text } } }, withKey(key))
}
