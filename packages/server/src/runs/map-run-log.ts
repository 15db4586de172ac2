import { formatTimestampUs, type RunLog } from '@runledger/protocol'
import { deriveUuid } from '../database/derived-uuid'
import type { RunLogsTable } from '../database/schema/runs'

/** A log entry as `GET /v2/runs/{id}` shows it. */
export function mapRunLog(row: RunLogsTable): RunLog {
  return {
    id: deriveUuid('log', row.id),
    level: row.level,
    timestamp: formatTimestampUs(row.timestamp_us),
    message: row.message,
    source_file: row.source_file,
    line_number: row.line_number,
  }
}
