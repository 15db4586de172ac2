import { type ListV1RunsQuery, ListRunsQuerySchema, type RunDetail } from '@runledger/protocol'
import type { Context } from '../context'
import { getRun } from './get-run'
import { listRuns } from './run-list-store'

interface V1Runs {
  message: string
  data: RunDetail[]
  result: RunDetail[]
}

/** `GET /v1/runs`: an object, never a bare list (contract decisions, v2 runs); newest first. */
export async function listV1Runs(
  context: Context,
  { serial_number: serialNumber, limit, cursor }: ListV1RunsQuery,
): Promise<V1Runs> {
  const list = ListRunsQuerySchema.parse({ serial_numbers: serialNumber, limit, cursor })
  const rows = await listRuns(context.database.query, list)
  const runs = await Promise.all(rows.slice(0, limit).map((row) => getRun(context, row.public_id)))
  const noun = runs.length === 1 ? 'run' : 'runs'
  return { message: `${runs.length} ${noun} found`, data: runs, result: runs }
}
