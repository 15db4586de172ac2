import { formatTimestampUs, type IssuedKey } from '@runledger/protocol'
import type { ApiKeysTable } from '../database/schema/access'
import { mapStation } from '../stations/map-station'

type KeyColumns = Pick<
  ApiKeysTable,
  'public_id' | 'kind' | 'name' | 'hint' | 'created_at_us' | 'expires_at_us'
> & {
  station_public_id: string | null
  station_name: string | null
}

/** What may be read of a key at any time. */
export function mapKey(row: KeyColumns): Omit<IssuedKey, 'key'> {
  return {
    id: row.public_id,
    kind: row.kind,
    name: row.name,
    hint: row.hint,
    created_at: formatTimestampUs(row.created_at_us),
    expires_at: formatOptionalTimestamp(row.expires_at_us),
    station: mapStation(row),
  }
}

export function formatOptionalTimestamp(epochUs: number | null): string | null {
  return epochUs === null ? null : formatTimestampUs(epochUs)
}
