import {
  formatTimestampUs,
  type ListMeasurementsQuery,
  type MeasurementDetail,
  type MeasurementListItem,
  type Page,
} from '@runledger/protocol'
import type { Context } from '../call/context'
import { deriveUuid } from '../../storage/database/keys'
import { pageFrom } from '../../storage/database/sorted-page'
import { notFound } from '../../base/errors'
import type { Handlers } from '../call/handler'
import { limitByBytes } from '../../record/catalogue/metadata/limits'
import {
  listValidators,
  mapMeasurement,
  mapValidators,
  readDetail,
  readMeasuredValue,
} from '../../record/results/measurements/map'
import {
  findMeasurement,
  listMeasurementRows,
  listTexts,
  type MeasurementListRow,
  type MeasurementTexts,
  measureTexts,
} from '../../record/results/measurements/store'

export const MEASUREMENT_HANDLERS: Handlers<'listMeasurements' | 'getMeasurement'> = {
  listMeasurements: ({ context, query }) => listMeasurementPage(context, query),
  getMeasurement: ({ context, params }) => getMeasurement(context, params.id),
}

/** Ends with the measurement whose texts fill the list. */
async function listMeasurementPage(
  context: Context,
  list: ListMeasurementsQuery,
): Promise<Page<MeasurementListItem>> {
  const { query } = context.database
  const rows = await listMeasurementRows(query, list)
  const limit = limitByBytes(context, await measureTexts(query, rows.slice(0, list.limit)), list.limit)
  const texts = await listTexts(query, rows.slice(0, limit))
  return pageFrom(rows, limit, (row) =>
    mapMeasurementItem({ ...row, text_value: null, detail: null, ...texts.get(row.id) }),
  )
}

function mapMeasurementItem(row: MeasurementListRow & MeasurementTexts): MeasurementListItem {
  const value = readMeasuredValue(row)
  const detail = readDetail(row)
  return {
    id: deriveUuid('measurement', row),
    phase_name: row.phase_name,
    measurement_name: row.name,
    started_at: formatTimestampUs(row.started_at_us),
    value: typeof value === 'number' ? value : null,
    bool_value: typeof value === 'boolean' ? value : null,
    string_value: typeof value === 'string' ? value : null,
    units: row.unit_of_measure,
    measurement_outcome: row.outcome,
    run_id: row.run_public_id,
    serial_number: row.serial_number,
    sample: row.sample,
    measurement_type: row.value_type,
    retry_count: row.retry_count,
    is_final_attempt: Boolean(row.is_final_attempt),
    validators: mapValidators(listValidators(row, detail), value),
  }
}

/** @throws HttpError NOT_FOUND */
async function getMeasurement({ database }: Context, id: string): Promise<MeasurementDetail> {
  const row = await findMeasurement(database.query, id)
  if (!row) throw notFound(`measurement with the id "${id}"`)
  return {
    ...mapMeasurement(row),
    phase: { id: deriveUuid('phase', { run_id: row.run_id, id: row.phase_id }), name: row.phase_name },
    run: { id: row.run_public_id, outcome: row.run_outcome, serial_number: row.serial_number },
    procedure: { id: row.procedure_public_id, name: row.procedure_name },
  }
}
