import { formatTimestampUs, type ListLogsQuery, type Log, type Page } from '@runledger/protocol'
import type { Context } from '../call/context'
import { deriveUuid } from '../../storage/database/keys'
import { pageFrom } from '../../storage/database/sorted-page'
import { notFound } from '../../base/errors'
import type { Handlers } from '../call/handler'
import { mapPerson, mapStation } from '../../record/access/users/store'
import { findLog, listLogRows, type LogRow } from '../../record/results/logs/store'

export const LOG_HANDLERS: Handlers<'listLogs' | 'getLog'> = {
  listLogs: ({ context, query }) => listLogPage(context, query),
  getLog: ({ context, params }) => getLog(context, params.id),
}

async function listLogPage({ database }: Context, list: ListLogsQuery): Promise<Page<Log>> {
  return pageFrom(await listLogRows(database.query, list), list.limit, mapLog)
}

/** @throws HttpError NOT_FOUND */
async function getLog({ database }: Context, id: string): Promise<Log> {
  const row = await findLog(database.query, id)
  if (!row) throw notFound(`log entry with the id "${id}"`)
  return mapLog(row)
}

function mapLog(row: LogRow): Log {
  return {
    id: deriveUuid('log', row),
    level: row.level,
    message: row.message,
    created_at: formatTimestampUs(row.timestamp_us),
    source_file: row.source_file,
    line_number: row.line_number,
    run: {
      id: row.run_public_id,
      outcome: row.run_outcome,
      started_at: formatTimestampUs(row.started_at_us),
    },
    unit: { id: row.unit_public_id, serial_number: row.serial_number },
    procedure: { id: row.procedure_public_id, name: row.procedure_name },
    created_by_user: mapPerson(row),
    created_by_station: mapStation(row),
  }
}
