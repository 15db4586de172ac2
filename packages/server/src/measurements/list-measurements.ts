import {
  formatTimestampUs,
  type ListMeasurementsQuery,
  type MeasurementListItem,
  type Page,
} from '@runledger/protocol'
import type { Context } from '../context'
import { deriveUuid } from '../database/derived-uuid'
import { pageFrom } from '../database/page'
import { readMeasuredValue } from '../runs/map-measured-value'
import { listValidators, readDetail } from '../runs/map-measurement'
import { mapValidators } from '../runs/map-validator'
import { listMeasurementRows, type MeasurementListRow } from './measurement-store'

/** `GET /v2/measurements`. */
export async function listMeasurementPage(
  { database }: Context,
  list: ListMeasurementsQuery,
): Promise<Page<MeasurementListItem>> {
  return pageFrom(await listMeasurementRows(database.query, list), list.limit, mapMeasurementItem)
}

function mapMeasurementItem(row: MeasurementListRow): MeasurementListItem {
  const value = readMeasuredValue(row)
  return {
    id: deriveUuid('measurement', row.id),
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
    validators: mapValidators(listValidators(row, readDetail(row)), value),
  }
}
