import { DEFAULT_LINE_DAYS, formatTimestampUs, type HomeLine } from '@runledger/protocol'
import type { StorageContext } from '../../../storage/context'
import type { Query } from '../../../storage/database/database'
import type { ProceduresTable } from '../../../storage/database/schema/units'
import { findWorstBatch } from './procedures'
import { readLastStartUs, readLineProcedures, readYieldCounts } from './read-store'
import { findStart, mapProcedure, sumCounts } from './yields'

const MAX_LINES = 20

/** With first runs of units in the last 28 days. */
export async function listHomeLines({
  database: { query },
  clock,
}: Pick<StorageContext, 'database' | 'clock'>): Promise<HomeLine[]> {
  const fromUs = findStart(clock(), DEFAULT_LINE_DAYS)
  const procedures = await readLineProcedures(query, undefined, MAX_LINES)
  const lines = await Promise.all(procedures.map((procedure) => describeLine(query, procedure, fromUs)))
  return lines.filter((line) => line.units_tested > 0)
}

async function describeLine(query: Query, procedure: ProceduresTable, fromUs: number): Promise<HomeLine> {
  const yields = await readYieldCounts(query, { procedureId: procedure.id, fromUs }, 'batch')
  const counted = yields.filter(({ is_sample: isSample }) => isSample === 0)
  const { units, first_passed: passed } = sumCounts(counted)
  const worst = findWorstBatch(counted)
  const lastUs = await readLastStartUs(query, procedure.id)
  return {
    procedure: mapProcedure(procedure),
    units_tested: units,
    first_pass: { passed, of: units },
    worst_batch: worst && {
      number: worst.number,
      passed: worst.first_pass.count,
      of: worst.first_pass.of,
    },
    last_run_at: formatTimestampUs(lastUs ?? fromUs),
  }
}
