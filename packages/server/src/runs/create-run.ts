import { type CreateRunAnswer, CreateRunAnswerSchema, type CreateRunRequest } from '@runledger/protocol'
import { createHash, randomUUID } from 'node:crypto'
import type { Context } from '../context'
import type { Transaction } from '../database/database'
import { failedValidation, HttpError } from '../errors'
import { creatorColumns, type Principal, principalOwner } from '../keys/principal'
import { findProcedure } from '../procedures/procedure-store'
import { readSettings } from '../settings/settings-store'
import { resolveSubUnits } from '../units/resolve-sub-units'
import { resolveUnit } from '../units/resolve-unit'
import type { CreateScope } from './create-scope'
import { resolveDefinitions } from './definition-store'
import { findIdempotencyKey, insertIdempotencyKey } from './idempotency-store'
import { deriveWarnings, mapV1Run } from './map-v1-run'
import { collectDefinitions, insertPhases, insertRun, insertRunDetails } from './run-insert-store'
import type { RunRecord } from './run-record'
import { formatGroupUrl, formatRunUrl } from './run-url'

export interface CreateRunOptions {
  principal: Principal
  /** The specification's path is strict about the revision; the path that clients in the field call is lenient. */
  strict: boolean
  idempotencyKey?: string | undefined
}

/** Creates a v1 run in one transaction: all of it is stored, or nothing; the same Idempotency-Key answers again. */
export async function createRun(
  context: Context,
  request: CreateRunRequest,
  options: CreateRunOptions,
): Promise<CreateRunAnswer> {
  const created = await context.database.write(async (transaction) => {
    const repeated = await findFirstAnswer(transaction, request, options)
    if (repeated) return { answer: repeated }
    return insertWholeRun(context, transaction, { request, options })
  })
  if ('definitionKeys' in created) {
    context.definitions.addAll(created.procedureId, created.definitionKeys)
    context.metrics.countRun()
  }
  return created.answer
}

interface Creation {
  request: CreateRunRequest
  options: CreateRunOptions
}

async function insertWholeRun(context: Context, transaction: Transaction, { request, options }: Creation) {
  const scope = await createScope(context, transaction, options)
  const procedure = await findProcedure(transaction, request.procedure_id)
  if (!procedure) throw unknownProcedure(request.procedure_id)
  const unit = await resolveUnit(scope, request.unit_under_test)
  const subUnits = await resolveSubUnits(scope, unit, request.sub_units ?? [])
  const record = mapV1Run(request, scope.nowUs)
  refuseEndlessRun(record)
  const row = {
    id: context.nextKey(),
    publicId: randomUUID(),
    procedureId: procedure.id,
    unitId: unit.id,
    revisionId: unit.revision_id,
    createdAtUs: scope.nowUs,
    creator: creatorColumns(options.principal),
  }
  await insertRun(transaction, row, record)
  const definitionKeys = await resolveDefinitions(
    { transaction, procedureId: procedure.id, nextKey: context.nextKey, cache: context.definitions },
    collectDefinitions(record),
  )
  await insertPhases(transaction, { runId: row.id, nextKey: context.nextKey, definitionKeys }, record.phases)
  await insertRunDetails(transaction, row.id, { ...record, subUnitIds: subUnits.map(({ id }) => id) })
  const answer = createAnswer(context, row.publicId, { request, warnings: deriveWarnings(record) })
  await rememberAnswer(transaction, row.id, { request, options, answer })
  return { answer, procedureId: procedure.id, definitionKeys }
}

// Times are exact only up to 2^53 microseconds from the epoch.
function refuseEndlessRun({ startedAtUs, durationUs, phases }: RunRecord): void {
  if (!Number.isSafeInteger(startedAtUs + durationUs)) {
    throw failedValidation([{ path: ['duration'], message: 'must end before the year 2255' }])
  }
  const index = phases.findIndex((phase) => !Number.isSafeInteger(phase.startedAtUs + phase.durationUs))
  if (index >= 0) {
    throw failedValidation([{ path: ['steps', index, 'duration'], message: 'must end before the year 2255' }])
  }
}

async function createScope(
  { clock, nextKey }: Context,
  transaction: Transaction,
  { principal, strict }: CreateRunOptions,
): Promise<CreateScope> {
  return {
    transaction,
    principal,
    strict,
    nextKey,
    nowUs: clock(),
    settings: await readSettings(transaction),
  }
}

async function findFirstAnswer(
  transaction: Transaction,
  request: CreateRunRequest,
  { principal, idempotencyKey }: CreateRunOptions,
): Promise<CreateRunAnswer | undefined> {
  if (idempotencyKey === undefined) return undefined
  const first = await findIdempotencyKey(transaction, principalOwner(principal), idempotencyKey)
  if (!first) return undefined
  if (first.body_digest === digestRequest(request))
    return CreateRunAnswerSchema.parse(JSON.parse(first.answer))
  throw new HttpError(
    'CONFLICT',
    'A run with this Idempotency-Key already exists and was created from another body. Use a new key for each run.',
  )
}

async function rememberAnswer(
  transaction: Transaction,
  runId: number,
  { request, options, answer }: Creation & { answer: CreateRunAnswer },
): Promise<void> {
  if (options.idempotencyKey === undefined) return
  await insertIdempotencyKey(transaction, {
    owner: principalOwner(options.principal),
    key: options.idempotencyKey,
    bodyDigest: digestRequest(request),
    answer: JSON.stringify(answer),
    runId,
  })
}

// Of what was understood, so that white space and unknown keys make no other body.
function digestRequest(request: CreateRunRequest): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('base64url')
}

function createAnswer(
  { publicUrl }: Context,
  id: string,
  { request, warnings }: { request: CreateRunRequest; warnings: string[] },
): CreateRunAnswer {
  const group = request.report_variables?.['group']
  return {
    id,
    url: formatRunUrl(publicUrl, id),
    message: 'Run created',
    warnings: warnings.length > 0 ? warnings : undefined,
    group_url: group ? formatGroupUrl(publicUrl, group) : undefined,
  }
}

function unknownProcedure(identifier: string): HttpError {
  return new HttpError(
    'NOT_FOUND',
    `No procedure was found with the identifier "${identifier}". Create it first (POST /v2/procedures), or correct procedure_id.`,
  )
}
