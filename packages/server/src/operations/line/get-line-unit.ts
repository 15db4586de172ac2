import { type LineUnit, MAX_UNIT_FAILED_RUNS, MAX_UNIT_RUNS } from '@runledger/protocol'
import { limitByItems } from '../../record/catalogue/metadata/limits'
import { unitNotFound } from '../../record/catalogue/units/map'
import { findUnitHead } from '../../record/catalogue/units/store'
import { mapPicture, readLineUnit } from '../../record/results/line/unit'
import { listPictures, listRunsOfUnits } from '../../record/results/line/unit-store'
import { findRunHeads } from '../../record/results/runs/store'
import { listVerdicts } from '../../record/results/verdicts/list-verdicts'
import { groupBy } from '../../storage/database/rows'
import type { Context } from '../call/context'
import { showRuns } from '../runs/show-runs'

/** @throws HttpError NOT_FOUND */
export async function getLineUnit(context: Context, serialNumber: string): Promise<LineUnit> {
  const unit = await findUnitHead(context.database.query, serialNumber)
  if (!unit) throw unitNotFound(serialNumber)
  const { fields, unitIds } = await readLineUnit(context, unit)
  const { runs, more_runs } = await readRuns(context, unitIds)
  const failed = runs
    .filter((run) => run.unit.id === unit.public_id && run.outcome !== 'PASS')
    .slice(0, MAX_UNIT_FAILED_RUNS)
  const { data: failures } =
    failed.length === 0 ? { data: [] } : await listVerdicts(context, { ids: failed.map(({ id }) => id) })
  const fitting = limitByItems(context, fields.measurements, fields.measurements.length)
  return {
    ...fields,
    measurements: fields.measurements.slice(0, fitting),
    more_measurements: fields.more_measurements || fitting < fields.measurements.length,
    runs,
    more_runs,
    failures: failures.filter(({ basis }) => basis === 'unit'),
  }
}

/** On one time line, the last started first. */
async function readRuns(
  context: Context,
  unitIds: readonly number[],
): Promise<Pick<LineUnit, 'runs' | 'more_runs'>> {
  const { query } = context.database
  const heads = await findRunHeads(query, await listRunsOfUnits(query, unitIds))
  const wanted = { limit: MAX_UNIT_RUNS, include_metadata: false, include_failures: true }
  const shown = await showRuns(context, heads, wanted)
  const keys = heads.slice(0, shown.length).map(({ id }) => id)
  const pictures = groupBy(await listPictures(query, 'run_id', keys), ({ run_id: id }) => id)
  return {
    runs: shown.map((run, index) => ({
      ...run,
      pictures: (pictures.get(keys[index] ?? 0) ?? []).map((picture) => mapPicture(context, picture)),
    })),
    more_runs: heads.length > shown.length,
  }
}
