import {
  type ListRunsQuery,
  ListRunsQuerySchema,
  type ListV1RunsQuery,
  type Page,
  type RunDetail,
  type RunListItem,
} from '@runledger/protocol'
import { initializeAttachment, linkAttachments } from '../attachments/handlers'
import { mapRunAttachment } from '../attachments/map'
import { listLinkedAttachments } from '../attachments/store'
import type { Context } from '../context'
import { groupBy } from '../database/lists'
import { pageFrom } from '../database/sorted-page'
import { markDeleted } from '../deletions/store'
import type { Call, Handlers } from '../http/handler'
import { readIdempotencyKey } from '../http/input'
import { mapMetadata, setRunMetadata } from '../metadata/store'
import { mapPhase } from '../phases/map'
import { createRun, type CreateRunOptions } from './create-run'
import { mapRunHead, mapRunLog, unknownRun } from './map'
import { mapV1Run } from './map-v1-run'
import { mapV2Run } from './map-v2-run'
import type { RunRequest } from './run-request'
import {
  findRunHead,
  findRunKeys,
  listDeclaredAttachments,
  listMeasurements,
  listMetadata,
  listPhases,
  listRunLogs,
  listRuns,
  listSubUnits,
  type RunHeadRow,
} from './store'

export const RUN_HANDLERS: Handlers<
  | 'createV1Run'
  | 'createLenientV1Run'
  | 'deleteV1Run'
  | 'listV1Runs'
  | 'createRun'
  | 'updateRunMetadata'
  | 'listRuns'
  | 'getRun'
  | 'updateRun'
  | 'deleteRuns'
  | 'createRunAttachment'
> = {
  createV1Run: (call) => create(call, mapV1Run(call.body, call.context.clock()), { strict: true }),
  createLenientV1Run: (call) => create(call, mapV1Run(call.body, call.context.clock()), { strict: false }),
  deleteV1Run: async ({ context, params }) => {
    const [id = ''] = await deleteRuns(context, [params.id])
    return { message: 'Run deleted', id }
  },
  listV1Runs: ({ context, query }) => listV1Runs(context, query),
  createRun: (call) => create(call, mapV2Run(call.body, call.context.clock()), { strict: false }),
  updateRunMetadata: (call) => updateRunMetadata(call),
  listRuns: ({ context, query }) => listRunPage(context, query),
  getRun: ({ context, params }) => getRun(context, params.id),
  updateRun: ({ write, body }) => linkAttachments(write, body.attachments ?? []),
  deleteRuns: async ({ context, query }) => {
    const ids = await deleteRuns(context, query.ids)
    return { ids, id: ids }
  },
  createRunAttachment: ({ context, principal, write, body }) =>
    initializeAttachment(context, principal, {
      name: body.name,
      within: (insert) => write((transaction, run) => insert(transaction, { link_to_run_id: run.id })),
    }),
}

async function create(
  { context, headers, ...call }: Pick<Call<'createRun'>, 'context' | 'principal' | 'headers' | 'write'>,
  request: Promise<RunRequest>,
  { strict }: Pick<CreateRunOptions, 'strict'>,
) {
  return createRun(context, await request, { ...call, strict, idempotencyKey: readIdempotencyKey(headers) })
}

/** `GET /v2/runs`. */
async function listRunPage({ database }: Context, list: ListRunsQuery): Promise<Page<RunListItem>> {
  const rows = await listRuns(database.query, list)
  const shownIds = list.include_metadata ? rows.slice(0, list.limit).map(({ id }) => id) : []
  const metadata = groupByRun(await listMetadata(database.query, shownIds))
  return pageFrom(rows, list.limit, (row) => ({
    ...mapRunHead(row),
    ...(list.include_metadata ? { metadata: mapMetadata(metadata.get(row.id) ?? []) } : {}),
  }))
}

interface V1Runs {
  message: string
  data: RunDetail[]
  result: RunDetail[]
}

// About so much is in all the runs of an answer together: a hundred runs of thousands of steps would stop the service.
const MAX_V1_ENTRIES = 3_000
const V1_RUNS_AT_ONCE = 20

/**
 * `GET /v1/runs`: an object, never a bare list (contract decisions, v2 runs); newest first. Runs are whole here, so the
 * answer ends with the one that fills it, and says where to go on.
 */
async function listV1Runs(
  context: Context,
  { serial_number: serialNumber, limit, cursor }: ListV1RunsQuery,
): Promise<V1Runs> {
  const list = ListRunsQuerySchema.parse({ serial_numbers: serialNumber, limit, cursor })
  const rows = (await listRuns(context.database.query, list)).slice(0, limit)
  const runs = await readFirstRuns(context, rows)
  const found = `${runs.length} ${runs.length === 1 ? 'run' : 'runs'} found`
  const left = rows.length - runs.length
  const last = rows[runs.length - 1]?.id
  const message =
    left === 0 ? found : `${found}; ${left} more would make the answer too long: get them with cursor=${last}`
  return { message, data: runs, result: runs }
}

/** As many of these runs whole as the answer may be long. */
async function readFirstRuns(context: Context, heads: readonly RunHeadRow[]): Promise<RunDetail[]> {
  const runs: RunDetail[] = []
  let entries = 0
  while (runs.length < heads.length) {
    for (const run of await readRuns(context, heads.slice(runs.length, runs.length + V1_RUNS_AT_ONCE))) {
      runs.push(run)
      entries += countEntries(run)
      if (entries >= MAX_V1_ENTRIES) return runs
    }
  }
  return runs
}

function countEntries({ phases, logs }: RunDetail): number {
  return phases.reduce((sum, { measurements }) => sum + 1 + measurements.length, logs.length)
}

/** `GET /v2/runs/{id}`; 404 for a run that does not exist. */
async function getRun(context: Context, publicId: string): Promise<RunDetail> {
  const head = await findRunHead(context.database.query, publicId)
  const [run] = await readRuns(context, head ? [head] : [])
  if (!run) throw unknownRun(publicId)
  return run
}

/** These runs whole, with one request to each table. */
async function readRuns(context: Context, heads: readonly RunHeadRow[]): Promise<RunDetail[]> {
  if (heads.length === 0) return []
  const { query } = context.database
  const ids = heads.map(({ id }) => id)
  // Sent to the database together.
  const [phases, measurements, attachments, declared, logs, subUnits, metadata] = await Promise.all([
    listPhases(query, ids).then(groupByRun),
    listMeasurements(query, ids).then((rows) => groupBy(rows, ({ phase_id: id }) => id)),
    listLinkedAttachments(query, 'run', ids).then(groupByRun),
    listDeclaredAttachments(query, ids).then(groupByRun),
    listRunLogs(query, ids).then(groupByRun),
    listSubUnits(query, ids).then(groupByRun),
    listMetadata(query, ids).then(groupByRun),
  ])
  return heads.map((head) => ({
    ...mapRunHead(head),
    phases: (phases.get(head.id) ?? []).map((phase) => mapPhase(phase, measurements.get(phase.id) ?? [])),
    attachments: (attachments.get(head.id) ?? []).map((row) => mapRunAttachment(context, row)),
    declared_attachments: (declared.get(head.id) ?? []).map(({ name }) => name),
    logs: (logs.get(head.id) ?? []).map(mapRunLog),
    sub_units: (subUnits.get(head.id) ?? []).map(({ public_id, serial_number, part_number, part_name }) => ({
      id: public_id,
      serial_number,
      part_number,
      part_name,
    })),
    metadata: mapMetadata(metadata.get(head.id) ?? []),
  }))
}

function groupByRun<Row extends { run_id: number | null }>(rows: readonly Row[]): Map<number | null, Row[]> {
  return groupBy(rows, ({ run_id: id }) => id)
}

/** Sets entries of a run's metadata, each in place of what it had under that name, and removes those that are null. */
async function updateRunMetadata({
  context: { nextKey },
  write,
  body: { metadata = {} },
}: Call<'updateRunMetadata'>): Promise<{ id: string }> {
  return write(async (transaction, run) => {
    for (const entry of Object.entries(metadata))
      await setRunMetadata(transaction, nextKey, { runId: run.id, entry })
    return { id: run.public_id }
  })
}

/**
 * Deletes runs with their phases, measurements, logs and attachments, all of them or, when one is unknown, none (404).
 * Returns their ids, each once, in the order asked.
 */
async function deleteRuns(context: Context, publicIds: readonly string[]): Promise<string[]> {
  const ids = await context.database.write(async ({ query }) => {
    const asked = new Map(publicIds.map((id) => [id.trim().toLowerCase(), id]))
    const keys = await findRunKeys(query, [...asked.keys()])
    for (const [id, asSent] of asked) if (!keys.has(id)) throw unknownRun(asSent)
    await markDeleted(query, { kind: 'run', keys: [...keys.values()] }, context.clock())
    return [...asked.keys()]
  })
  await context.deletions.settle()
  return ids
}
