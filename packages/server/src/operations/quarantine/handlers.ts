import {
  type AddToQuarantineRequest,
  formatTimestampUs,
  MAX_QUARANTINE_DAYS,
  parseTimestampUs,
  type QuarantineEntry,
  type SignedQuarantineList,
  type UpdateQuarantineRequest,
} from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import { variableOf } from '../../base/config/budgets'
import { US_PER_DAY, US_PER_SECOND } from '../../base/clock'
import { failedValidation, HttpError, notFound } from '../../base/errors'
import type { Principal } from '../../record/access/keys/principal'
import type { Facts } from '../../record/access/audit/record-change'
import { isLinked } from '../../record/access/stations/store'
import { findKnownProcedure } from '../../record/catalogue/procedures/resolve-procedure'
import { findTestById } from '../../record/results/history/test-detail'
import { listQuarantine, readEntries } from '../../record/results/quarantine/entries'
import { createSignedList } from '../../record/results/quarantine/signed-list'
import {
  type EntryRow,
  findEntry,
  insertEntry,
  listLiveEntries,
  updateEntry,
} from '../../record/results/quarantine/store'
import type { Query } from '../../storage/database/database'
import type { QuarantineEntriesTable } from '../../storage/database/schema/quarantine'
import type { Context } from '../call/context'
import type { Call, Handlers } from '../call/handler'

export const QUARANTINE_HANDLERS: Handlers<
  'listQuarantine' | 'addToQuarantine' | 'updateQuarantine' | 'endQuarantine' | 'getQuarantineList'
> = {
  listQuarantine: ({ context, query }) => listQuarantine(context, query),
  addToQuarantine: (call) => addToQuarantine(call),
  updateQuarantine: (call) => updateQuarantine(call),
  endQuarantine: (call) => endQuarantine(call),
  getQuarantineList: (call) => getQuarantineList(call),
}

/** @throws HttpError BAD_REQUEST, NOT_FOUND, CONFLICT */
async function addToQuarantine({
  context,
  principal,
  body,
}: Call<'addToQuarantine'>): Promise<QuarantineEntry> {
  const nowUs = context.clock()
  const endsAtUs = parseEnd(body.ends_at, nowUs)
  return context.database.write(async (transaction) => {
    const { query } = transaction
    const test = await findTestById(query, body.test_id)
    refuseAnother(context, body, {
      testId: test.id,
      live: await listLiveEntries(query, test.procedure_id, nowUs),
    })
    const entry = {
      id: context.nextKey(),
      public_id: randomUUID(),
      procedure_id: test.procedure_id,
      test_id: test.id,
      fingerprint: body.fingerprint ?? null,
      owner: body.owner,
      reason: body.reason,
      link: body.link ?? null,
      ends_at_us: endsAtUs,
      created_at_us: nowUs,
      created_by_user_id: principal.userId,
      extended_at_us: null,
      extended_by_user_id: null,
      ended_by_user_id: null,
    }
    await insertEntry(query, entry)
    const added = await readEntry(query, entry.public_id, nowUs)
    await context.recordChange(transaction, { ...describeEntry(added), after: listFacts(added) })
    return added
  })
}

function describeEntry({ id, test }: QuarantineEntry) {
  return { kind: 'quarantine', id, name: test.name } as const
}

function listFacts({ test, fingerprint, owner, reason, link, ends_at }: QuarantineEntry): Facts {
  return { test: test.id, fingerprint, owner, reason, link, ends_at }
}

/** @throws HttpError CONFLICT for the same entry once more, and where there are as many as there may be */
function refuseAnother(
  { config: { maxQuarantined } }: Pick<Context, 'config'>,
  body: AddToQuarantineRequest,
  { testId, live }: { testId: number; live: readonly EntryRow[] },
): void {
  const fingerprint = body.fingerprint ?? null
  const same = live.find((entry) => entry.present_id === testId && entry.fingerprint === fingerprint)
  if (same)
    throw new HttpError(
      'CONFLICT',
      `This test is in quarantine with ${fingerprint === null ? 'any error' : 'this error'} already, until ${formatTimestampUs(same.ends_at_us)}. Extend that entry: PATCH /v2/quarantine/${same.public_id}.`,
    )
  if (live.length >= maxQuarantined)
    throw new HttpError(
      'CONFLICT',
      `The procedure has ${live.length} live quarantine entries, and may have at most ${maxQuarantined} (${variableOf('maxQuarantined')}). Mend a test and end its entry first.`,
    )
}

/** @throws HttpError BAD_REQUEST, NOT_FOUND, CONFLICT */
async function updateQuarantine({
  context,
  principal,
  params,
  body,
}: Call<'updateQuarantine'>): Promise<QuarantineEntry> {
  const nowUs = context.clock()
  const endsAtUs = body.ends_at === undefined ? undefined : parseEnd(body.ends_at, nowUs)
  return context.database.write(async (transaction) => {
    const { query } = transaction
    const entry = await findLiveEntry(query, params.id, nowUs)
    const before = await readEntry(query, params.id, nowUs)
    await updateEntry(query, entry.id, {
      ...changeTexts(body),
      ...(endsAtUs === undefined ? {} : { ends_at_us: endsAtUs }),
      ...(endsAtUs !== undefined && endsAtUs > entry.ends_at_us
        ? { extended_at_us: nowUs, extended_by_user_id: principal.userId }
        : {}),
    })
    const after = await readEntry(query, params.id, nowUs)
    await context.recordChange(transaction, {
      ...describeEntry(after),
      before: listFacts(before),
      after: listFacts(after),
    })
    return after
  })
}

function changeTexts({ owner, reason, link }: UpdateQuarantineRequest): Partial<QuarantineEntriesTable> {
  return {
    ...(owner === undefined ? {} : { owner }),
    ...(reason === undefined ? {} : { reason }),
    ...(link === undefined ? {} : { link: link || null }),
  }
}

/** @throws HttpError NOT_FOUND, CONFLICT */
async function endQuarantine({
  context,
  principal,
  params,
}: Call<'endQuarantine'>): Promise<QuarantineEntry> {
  const nowUs = context.clock()
  return context.database.write(async (transaction) => {
    const { query } = transaction
    const { id } = await findLiveEntry(query, params.id, nowUs)
    const before = await readEntry(query, params.id, nowUs)
    await updateEntry(query, id, { ends_at_us: nowUs, ended_by_user_id: principal.userId })
    await context.recordChange(transaction, { ...describeEntry(before), before: listFacts(before) })
    return readEntry(query, params.id, nowUs)
  })
}

async function readEntry(query: Query, publicId: string, nowUs: number): Promise<QuarantineEntry> {
  const row = await findEntry(query, publicId)
  const [entry] = row ? await readEntries(query, [row], nowUs) : []
  if (!entry) throw entryNotFound(publicId)
  return entry
}

/** @throws HttpError NOT_FOUND, CONFLICT for one that has ended */
async function findLiveEntry(query: Query, publicId: string, nowUs: number): Promise<EntryRow> {
  const entry = await findEntry(query, publicId)
  if (!entry) throw entryNotFound(publicId)
  if (entry.ends_at_us > nowUs) return entry
  throw new HttpError(
    'CONFLICT',
    `This quarantine entry ended at ${formatTimestampUs(entry.ends_at_us)}. Add a new one: POST /v2/quarantine.`,
  )
}

function entryNotFound(publicId: string): HttpError {
  return notFound(`quarantine entry with the id "${publicId}"`)
}

/** Tolerance for a client's clock that is ahead: an end beyond the limit by less than this becomes the limit. */
const CLOCK_LEEWAY_US = 600 * US_PER_SECOND

/** @throws HttpError BAD_REQUEST */
function parseEnd(endsAt: string, nowUs: number): number {
  const endsAtUs = parseTimestampUs(endsAt) ?? 0
  const lastUs = nowUs + MAX_QUARANTINE_DAYS * US_PER_DAY
  if (endsAtUs > nowUs && endsAtUs <= lastUs + CLOCK_LEEWAY_US) return Math.min(endsAtUs, lastUs)
  const message = `must be in the future, and at most ${MAX_QUARANTINE_DAYS} days from now; received "${endsAt}"`
  throw failedValidation([{ path: ['ends_at'], message }])
}

/** @throws HttpError NOT_FOUND; FORBIDDEN to stations without the procedure, and without an API key to sign with */
async function getQuarantineList({
  context: { database, clock },
  principal,
  query: { procedure_id: named },
}: Call<'getQuarantineList'>): Promise<SignedQuarantineList> {
  if (principal.keyHash === undefined)
    throw new HttpError(
      'FORBIDDEN',
      'The list is signed with the API key of the request, and a session has none: send a key.',
    )
  const procedureId = await findReadableProcedure(database.query, principal, named)
  return createSignedList(database.query, {
    procedureId,
    named,
    nowUs: clock(),
    keyDigest: principal.keyHash,
  })
}

/** A station and a project key get the same error for unknown procedures and for those of others. */
async function findReadableProcedure(query: Query, principal: Principal, named: string): Promise<number> {
  if (principal.kind === 'user') return (await findKnownProcedure(query, named)).id
  const found = await findKnownProcedure(query, named).catch((error: unknown) => {
    if (error instanceof HttpError) return undefined
    throw error
  })
  if (principal.kind === 'project') {
    if (found?.id === principal.procedureId) return found.id
    throw new HttpError(
      'FORBIDDEN',
      `This key is not authorized to get the quarantine of the procedure "${named}": it is a project key of another one. Use a key of this one.`,
    )
  }
  if (principal.kind === 'station' && found && (await isLinked(query, principal.stationId, found.id)))
    return found.id
  throw new HttpError(
    'FORBIDDEN',
    `This station is not authorized to get the quarantine of the procedure "${named}". Link the procedure to the station first.`,
  )
}
