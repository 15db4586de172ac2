import type { ListPhasesQuery, Page, PhaseListItem } from '@runledger/protocol'
import type { Context } from '../context'
import { pageFrom } from '../database/page'
import { mapPhaseHead } from '../runs/map-phase'
import { listPhaseRows, type PhaseListRow } from './phase-store'

/** `GET /v2/phases`. */
export async function listPhasePage(
  { database }: Context,
  list: ListPhasesQuery,
): Promise<Page<PhaseListItem>> {
  return pageFrom(await listPhaseRows(database.query, list), list.limit, mapPhaseItem)
}

function mapPhaseItem(row: PhaseListRow): PhaseListItem {
  return {
    ...mapPhaseHead(row),
    duration_ms: Math.round(row.duration_us / 1000),
    retry_count: row.retry_count,
    is_final_attempt: Boolean(row.is_final_attempt),
    run_id: row.run_public_id,
    run_outcome: row.run_outcome,
    serial_number: row.serial_number,
    sample: row.sample,
  }
}
