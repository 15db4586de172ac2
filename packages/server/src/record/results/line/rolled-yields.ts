import type { GetRolledYieldsQuery, RolledYields } from '@runledger/protocol'
import { rolledYield, yieldOf } from '@runledger/statistics'
import { US_PER_DAY } from '../../../base/clock'
import { notFound } from '../../../base/errors'
import type { StorageContext } from '../../../storage/context'
import type { Query } from '../../../storage/database/database'
import { findStation } from '../../access/stations/store'
import { findBatch } from '../../catalogue/batches/store'
import { partNotFound, revisionNotFound } from '../../catalogue/parts/map'
import { findRevisionDetail } from '../../catalogue/parts/revision-store'
import { findPartDetail } from '../../catalogue/parts/store'
import { mapRate } from '../history/results'
import { readRolledCounts, type RolledRow, type UnitsCounted } from './rolled-store'
import { listProcedureNames } from './unit-store'
import { mapYields } from './yields'

export async function getRolledYields(
  { database: { query }, clock }: Pick<StorageContext, 'database' | 'clock'>,
  asked: GetRolledYieldsQuery,
): Promise<RolledYields> {
  const units = await findUnitsCounted(query, asked)
  const fromUs = (Math.floor(clock() / US_PER_DAY) + 1 - asked.days) * US_PER_DAY
  const counts = await readRolledCounts(query, units, fromUs)
  const names = await listProcedureNames(
    query,
    counts.map(({ procedure_id: id }) => id),
  )
  const roll = (passed: 'first_passed' | 'last_passed') =>
    counts.length === 0 ? null : (rolledYield(counts.map((row) => yieldOf(row[passed], row.units))) ?? null)
  return {
    days: asked.days,
    data: names
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .flatMap(({ id, public_id: publicId, identifier, name }) => {
        const row = counts.find(({ procedure_id: procedureId }) => procedureId === id)
        return row ? [{ procedure: { id: publicId, identifier, name }, ...mapCounts(row) }] : []
      }),
    rolled: { first_pass: roll('first_passed'), last_pass: roll('last_passed') },
  }
}

function mapCounts(row: RolledRow) {
  return { ...mapYields(row), others: mapRate(row.other_first_passed, row.other_units) }
}

/** @throws HttpError NOT_FOUND */
async function findUnitsCounted(query: Query, asked: GetRolledYieldsQuery): Promise<UnitsCounted> {
  const { batch_number: number, station: stationId } = asked
  const batch = number === undefined ? undefined : await findBatch(query, number)
  if (number !== undefined && !batch) throw notFound(`batch with the number "${number}"`)
  const station = stationId === undefined ? undefined : await findStation(query, stationId)
  if (stationId !== undefined && !station) throw notFound(`station with the id "${stationId}"`)
  return { ...(await findPartCounted(query, asked)), batchId: batch?.id, stationId: station?.id }
}

async function findPartCounted(
  query: Query,
  { part_number: number, revision_number: revisionNumber }: GetRolledYieldsQuery,
): Promise<UnitsCounted> {
  if (number === undefined) return {}
  const part = await findPartDetail(query, number)
  if (!part) throw partNotFound(number)
  if (revisionNumber === undefined) return { partId: part.id }
  const revision = await findRevisionDetail(query, part.id, revisionNumber)
  if (!revision) throw revisionNotFound(number, revisionNumber)
  return { revisionId: revision.id }
}
