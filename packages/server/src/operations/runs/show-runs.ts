import type { ListRunsQuery, RunFailure, RunListItem } from '@runledger/protocol'
import { mapInTurns } from '../../base/clock'
import { limitByItems, limitByMetadata } from '../../record/catalogue/metadata/limits'
import { mapMetadata } from '../../record/catalogue/metadata/store'
import { countOutsideLimits, listCutMeasurements } from '../../record/results/measurements/store'
import { listFirstErrors } from '../../record/results/phases/fact-store'
import { mapFailedOrRetriedSteps, mapFailures } from '../../record/results/phases/map'
import { listFailedOrRetriedSteps } from '../../record/results/phases/store'
import { mapRunHead } from '../../record/results/runs/map'
import { listMetadata, type RunHeadRow } from '../../record/results/runs/store'
import type { Query } from '../../storage/database/database'
import { groupBy } from '../../storage/database/rows'
import type { Context } from '../call/context'
import { groupByRun } from './read-runs'

type Wanted = Pick<ListRunsQuery, 'limit' | 'include_metadata' | 'include_failures'>

/** As many as are asked for, or as a response has room for. */
export async function showRuns(
  context: Context,
  rows: readonly RunHeadRow[],
  wanted: Wanted,
): Promise<RunListItem[]> {
  const { query } = context.database
  const fitting = wanted.include_metadata
    ? await limitByMetadata(context, rows, { owner: 'runs', limit: wanted.limit })
    : wanted.limit
  const failures = await listFailures(query, wanted.include_failures ? rows.slice(0, fitting) : [])
  const shown = rows.slice(0, limitByItems(context, failures.values(), fitting))
  const ids = shown.map(({ id }) => id)
  const [firstErrors, outside, metadata] = await Promise.all([
    listFirstErrors(query, ids),
    countOutsideLimits(query, ids),
    listMetadata(query, wanted.include_metadata ? ids : []).then(groupByRun),
  ])
  return shown.map((row) => ({
    ...mapRunHead(row),
    measurements_outside_limits: outside.get(row.id) ?? 0,
    first_error: firstErrors.get(row.id),
    failures: row.outcome === 'PASS' ? undefined : failures.get(row.id),
    ...(wanted.include_metadata ? { metadata: mapMetadata(metadata.get(row.id) ?? []) } : {}),
  }))
}

const MAX_READ_FAILURES = 50

/** By run key, in the order of the runs; passed runs are left out. */
async function listFailures(query: Query, heads: readonly RunHeadRow[]): Promise<Map<number, RunFailure[]>> {
  const failures = await mapInTurns(heads, async ({ id, outcome }): Promise<[number, RunFailure[]]> => {
    if (outcome === 'PASS') return [id, []]
    const steps = await listFailedOrRetriedSteps(query, id, MAX_READ_FAILURES)
    const phaseIds = steps.filter(({ message }) => message === null).map((step) => step.id)
    const measured = await listCutMeasurements(query, { runId: id, phaseIds, limit: MAX_READ_FAILURES })
    const measurements = groupBy(measured, (one) => one.phase_id)
    return [id, mapFailures(await mapFailedOrRetriedSteps(steps, measurements))]
  })
  return new Map(failures)
}
