import type { ListPhasesQuery, Page, PhaseDetail, PhaseListItem } from '@runledger/protocol'
import type { Context } from '../call/context'
import { pageFrom } from '../../storage/database/sorted-page'
import { notFound } from '../../base/errors'
import type { Handlers } from '../call/handler'
import { mapPhase, mapPhaseHead } from '../../record/results/phases/map'
import { findPhase, listPhaseRows, type PhaseListRow } from '../../record/results/phases/store'
import { listMeasurements } from '../../record/results/measurements/store'

export const PHASE_HANDLERS: Handlers<'listPhases' | 'getPhase'> = {
  listPhases: ({ context, query }) => listPhasePage(context, query),
  getPhase: ({ context, params }) => getPhase(context, params.id),
}

async function listPhasePage({ database }: Context, list: ListPhasesQuery): Promise<Page<PhaseListItem>> {
  return pageFrom(await listPhaseRows(database.query, list), list.limit, mapPhaseItem)
}

function mapPhaseItem(row: PhaseListRow): PhaseListItem {
  return {
    ...mapPhaseHead(row),
    duration_ms: Math.round(row.duration_us / 1000),
    retry_count: row.retry_count,
    is_final_attempt: Boolean(row.is_final_attempt),
    flaky: Boolean(row.is_flaky),
    run_id: row.run_public_id,
    run_outcome: row.run_outcome,
    serial_number: row.serial_number,
    sample: row.sample,
  }
}

/** @throws HttpError NOT_FOUND */
async function getPhase({ database: { query } }: Context, id: string): Promise<PhaseDetail> {
  const row = await findPhase(query, id)
  if (!row) throw notFound(`phase with the id "${id}"`)
  return {
    ...mapPhase(row, await listMeasurements(query, [row.run_id], { phaseIds: [row.id] })),
    run: { id: row.run_public_id, serial_number: row.serial_number },
    procedure: { id: row.procedure_public_id, name: row.procedure_name },
  }
}
