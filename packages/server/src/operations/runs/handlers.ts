import {
  formatTimestampUs,
  type ListRunsQuery,
  ListRunsQuerySchema,
  type ListV1RunsQuery,
  type Page,
  type RunDetail,
  type RunListItem,
} from '@runledger/protocol'
import { initializeAttachment, linkAttachments } from '../attachments/handlers'
import type { Context } from '../call/context'
import type { Query } from '../../storage/database/database'
import { pageFrom } from '../../storage/database/sorted-page'
import type { Facts } from '../../record/access/audit/record-change'
import { isHistoryVariable } from '../../record/results/builds/build-facts'
import { reassignRuns } from '../../record/results/history/reassign-runs'
import { type Call, type Handlers, JsonText, writeObject } from '../call/handler'
import { readIdempotencyKey } from '../call/input'
import { refuseRecordOfOthers } from '../call/subjects'
import { limitByMetadata, refuseLongMetadata } from '../../record/catalogue/metadata/limits'
import { hideMetadata, measureMetadata, setRunMetadata } from '../../record/catalogue/metadata/store'
import { createRun, type CreateRunOptions } from './create-run'
import { createRuns } from './create-runs'
import { runNotFound } from '../../record/results/runs/map'
import { mapV1Run } from '../../record/results/runs/map-v1-run'
import { mapV2Run } from '../../record/results/runs/map-v2-run'
import { countEntries, type ReadRun, readRuns, writeRun, writeRuns } from './read-runs'
import type { RunRequest } from '../../record/results/run-request'
import {
  findRunHead,
  findRunHeads,
  findRunKeys,
  listMetadata,
  listRuns,
  type RunHeadRow,
} from '../../record/results/runs/store'
import { showRuns } from './show-runs'
import { markDeleted } from '../../record/results/deletion-store'

export const RUN_HANDLERS: Handlers<
  | 'createV1Run'
  | 'createV1Runs'
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
  createV1Runs: createRuns,
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
  updateRun: ({ principal, write, body }) => linkAttachments(principal, write, body.attachments ?? []),
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

export async function listRunPage(context: Context, list: ListRunsQuery): Promise<Page<RunListItem>> {
  const rows = await listRuns(context.database.query, list)
  const shown = await showRuns(context, rows, list)
  const { meta } = pageFrom(rows, shown.length, ({ id }) => id)
  return { data: shown, meta }
}

// Most rows of all runs in a response: more would take the client, and the service, too long at once.
const MAX_V1_ENTRIES = 3_000
const V1_RUNS_AT_ONCE = 20

/**
 * An object, never a bare list (docs/interface.md#runs-of-v2); newest first. Runs are whole, so a response ends with the run that
 * fills it, and has a cursor for the rest.
 */
async function listV1Runs(
  context: Context,
  { serial_number: serialNumber, limit, cursor }: ListV1RunsQuery,
): Promise<JsonText> {
  const list = ListRunsQuerySchema.parse({ serial_numbers: serialNumber, limit, cursor })
  const rows = (await listRuns(context.database.query, list)).slice(0, limit)
  const fitting = rows.slice(0, await limitByMetadata(context, rows, { owner: 'runs', limit }))
  const runs = await readFirstRuns(context, fitting)
  const found = `${runs.length} ${runs.length === 1 ? 'run' : 'runs'} found`
  const left = rows.length - runs.length
  const last = rows[runs.length - 1]?.id
  const message =
    left === 0 ? found : `${found}; ${left} more would make the answer too long: get them with cursor=${last}`
  return new JsonText((database) =>
    writeObject({ message, data: writeRuns(database, runs), result: writeRuns(database, runs) }),
  )
}

async function readFirstRuns(context: Context, heads: readonly RunHeadRow[]): Promise<ReadRun[]> {
  const counts = new Map<number, number>()
  let entries = 0
  for (let from = 0; from < heads.length; from += V1_RUNS_AT_ONCE) {
    const some = heads.slice(from, from + V1_RUNS_AT_ONCE)
    const counted = await countEntries(context.database.query, some)
    for (const { id } of some) {
      counts.set(id, counted.get(id) ?? 0)
      entries += counted.get(id) ?? 0
      if (entries >= MAX_V1_ENTRIES) return readRuns(context, { heads: heads.slice(0, counts.size), counts })
    }
  }
  return readRuns(context, { heads, counts })
}

/** @throws HttpError NOT_FOUND */
async function getRun(context: Context, publicId: string): Promise<RunDetail | JsonText> {
  const { query } = context.database
  const head = await findRunHead(query, publicId)
  if (!head) throw runNotFound(publicId)
  const counts = await countEntries(query, [head])
  const [run] = (await readRuns(context, { heads: [head], counts })) as [ReadRun]
  return run.isLong ? new JsonText((database) => writeRun(database, run)) : run.detail
}

/** An entry replaces what had its name; null removes it. */
async function updateRunMetadata({
  context,
  principal,
  write,
  body: { metadata = {} },
}: Call<'updateRunMetadata'>): Promise<{ id: string }> {
  const { nextKey, recordChange } = context
  return write(async (transaction, run) => {
    const before = await readKnownMetadata(transaction.query, run.id, Object.keys(metadata))
    const checkReplaced = (name: string) =>
      refuseRecordOfOthers(principal, run, `replace or remove "${name}" in the metadata of this run`)
    for (const entry of Object.entries(metadata))
      await setRunMetadata(transaction, nextKey, { runId: run.id, entry, checkReplaced })
    const measured = await measureMetadata(transaction.query, 'runs', [run.id])
    refuseLongMetadata(context, measured.get(run.id) ?? 0)
    if (Object.keys(metadata).some(isHistoryVariable)) await reassignRuns(transaction, [run.id], nextKey)
    const after = await readKnownMetadata(transaction.query, run.id, Object.keys(before))
    await recordChange(transaction, { kind: 'run', id: run.public_id, name: run.public_id, before, after })
    return { id: run.public_id }
  })
}

/** Only entries that were on record: adding some is no change of them. */
async function readKnownMetadata(query: Query, runId: number, names: readonly string[]): Promise<Facts> {
  const entries = await listMetadata(query, [runId])
  return hideMetadata(entries.filter(({ name }) => names.includes(name)))
}

/**
 * Deletes all or none, with phases, measurements, logs and attachments. Returns each id once, in the order asked. @throws
 * HttpError NOT_FOUND for an unknown one
 */
async function deleteRuns(context: Context, publicIds: readonly string[]): Promise<string[]> {
  const ids = await context.database.write(async (transaction) => {
    const { query } = transaction
    const asked = new Map(publicIds.map((id) => [id.trim().toLowerCase(), id]))
    const keys = await findRunKeys(query, [...asked.keys()])
    for (const [id, asSent] of asked) if (!keys.has(id)) throw runNotFound(asSent)
    const runs = await findRunHeads(query, [...keys.values()])
    await markDeleted(query, { kind: 'run', keys: [...keys.values()] }, context.clock())
    for (const run of runs)
      await context.recordChange(transaction, {
        kind: 'run',
        id: run.public_id,
        name: `${run.procedure_name} ${run.serial_number}`,
        before: { outcome: run.outcome, started_at: formatTimestampUs(run.started_at_us) },
      })
    return [...asked.keys()]
  })
  await context.deletions.settle()
  return ids
}
