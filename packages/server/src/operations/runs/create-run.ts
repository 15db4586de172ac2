import { type CreateV2RunResponse, CreateV2RunResponseSchema } from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import { linkEach } from '../attachments/handlers'
import { type InlineBytes, withInlineBytes } from '../../record/files/attachments/inline-attachments'
import type { Context } from '../call/context'
import type { Transaction } from '../../storage/database/database'
import type { RunsTable } from '../../storage/database/schema/runs'
import { failedValidation, HttpError } from '../../base/errors'
import { readHistoryFacts } from '../../record/results/builds/build-facts'
import { resolveBuild } from '../../record/results/builds/build-store'
import { addRunToLine, prepareLine } from '../../record/results/line/line-store'
import { insertResults } from '../../record/results/history/result-store'
import type { CheckedProcedure, CheckedWrite } from '../call/subjects'
import { creatorColumns, type Principal, principalOwner } from '../../record/access/keys/principal'
import { refuseLongMetadata, sumBytes } from '../../record/catalogue/metadata/limits'
import { resolveMetadataValues } from '../../record/catalogue/metadata/store'
import { readSettings, type Settings } from '../../record/access/settings/store'
import { resolveSubUnits, resolveUnit } from '../../record/catalogue/units/resolve-unit'
import { cleanErrors, type ErrorRecords } from '../../record/results/test-errors/facts'
import { type ErrorKeys, resolveErrors } from '../../record/results/test-errors/store'
import { mergeUnitMetadata } from '../../record/catalogue/units/store'
import { findUserByEmail } from '../../record/access/users/store'
import { createHistoryColumns } from '../../record/results/builds/history-columns'
import { resolveDefinitions } from '../../record/results/runs/definition-store'
import {
  collectDefinitions,
  findIdempotencyKey,
  insertIdempotencyKey,
  insertPhases,
  insertRun,
  insertRunDetails,
} from '../../record/results/runs/insert-store'
import { formatGroupUrl, formatRunUrl } from '../../record/results/runs/map'
import type { PhaseRecord, RunRecord, RunRequest } from '../../record/results/run-request'
import { phaseBounds } from './phase-bounds'
import type { CreateScope } from '../../record/catalogue/create-scope'
import { findOrCreateVersion } from '../../record/catalogue/versions/resolve-version'
import { checkRunLimits } from '../../record/results/runs/run-limits'

export interface CreateRunOptions {
  principal: Principal
  write: CheckedWrite<CheckedProcedure>
  /** The strict path of v1 requires a revision (docs/interface.md#units-and-parts). */
  strict: boolean
  idempotencyKey?: string | undefined
}

/** Stores all or nothing, in one transaction; a repeated Idempotency-Key gets the first answer. */
export async function createRun(
  context: Context,
  request: RunRequest,
  options: CreateRunOptions,
): Promise<CreateV2RunResponse> {
  return (await createRunOnce(context, request, options)).answer
}

/** `created` is false for a repeated Idempotency-Key. */
export async function createRunOnce(
  context: Context,
  request: RunRequest,
  options: CreateRunOptions,
): Promise<{ answer: CreateV2RunResponse; created: boolean }> {
  refuseEndlessRun(request.record)
  refuseLongMetadata(context, sumBytes(request.record.metadata))
  const errors = await cleanErrors(request.record.phases)
  const created = await withInlineBytes(context, request.inlineAttachments, (inline) =>
    options.write(async (transaction, procedure) => {
      const [repeated, settings] = await Promise.all([
        findFirstResponse(transaction, request, { ...options, procedure }),
        readSettings(transaction),
      ])
      if (repeated) return { answer: repeated }
      return insertWholeRun(context, transaction, { request, options, procedure, settings, inline, errors })
    }),
  )
  if (!('definitionKeys' in created)) return { answer: created.answer, created: false }
  context.definitions.addAll(created.procedureId, created.definitionKeys)
  context.metrics.countRun()
  return { answer: created.answer, created: true }
}

interface Creation {
  request: RunRequest
  options: CreateRunOptions
  procedure: CheckedProcedure
  settings: Settings
  inline: InlineBytes
  errors: ErrorRecords
}

async function insertWholeRun(context: Context, transaction: Transaction, creation: Creation) {
  const { request, options, procedure, inline, errors } = creation
  const { record } = request
  const scope = createScope(context, transaction, creation)
  await checkRunLimits(transaction, scope.settings, scope.nowUs)
  const definitions = await collectDefinitions(record)
  const publicId = randomUUID()
  const facts = readHistoryFacts(record.metadata, publicId)
  // In parallel, so that their first statements reach the database together.
  const [unit, valueIds, definitionKeys, errorKeys, buildId] = await Promise.all([
    resolveUnit(scope, request.unit),
    resolveMetadataValues(transaction, record.metadata, context.nextKey),
    resolveDefinitions(
      { transaction, procedureId: procedure.id, nextKey: context.nextKey, cache: context.definitions },
      definitions,
    ),
    resolveErrors(transaction, errors, context.nextKey),
    facts && resolveBuild(transaction, facts.build, { ...scope, ...ofRun(procedure, record) }),
  ])
  const subUnits = await resolveSubUnits(scope, unit, request.subUnits)
  const version = await findOrCreateVersion(scope, procedure.id, request.procedureVersion)
  const row: RunsTable = {
    id: scope.runKey,
    public_id: publicId,
    procedure_id: procedure.id,
    unit_id: unit.id,
    revision_id: unit.revision_id,
    outcome: record.outcome,
    started_at_us: record.startedAtUs,
    ended_at_us: record.startedAtUs + record.durationUs,
    duration_us: record.durationUs,
    ...phaseBounds(record),
    created_at_us: scope.nowUs,
    ...creatorColumns(options.principal),
    docstring: record.docstring,
    batch_id: unit.batch_id,
    version_id: version?.id ?? null,
    operated_by_user_id: await findOperator(transaction, request.operatedBy),
    deployment_id: record.deploymentId,
    first_error_id: findFirstError(record, errors, errorKeys),
    ...createHistoryColumns(request, facts, { buildId, valueIds, definitionKeys }),
  }
  const openCounts = row.is_of_line === 1 ? await prepareLine(transaction, row) : undefined
  await insertRun(transaction, row)
  let recordKey = row.id
  const nextRecordKey = () => (recordKey += 1)
  await insertPhases(transaction, { runId: row.id, nextRecordKey, definitionKeys, errors, errorKeys }, record)
  if (facts) await insertResults(transaction, [row.id])
  if (openCounts) await addRunToLine(transaction, row, openCounts)
  const subUnitIds = subUnits.map(({ id }) => id)
  await insertRunDetails(transaction, row.id, { ...record, valueIds, nextRecordKey, subUnitIds })
  await mergeUnitMetadata(transaction, unit.id, request.unitMetadata)
  const answer = {
    ...createResponse(context, row.public_id, { ...request, warnings: listWarnings(creation) }),
    inline_attachments: await inline.link(transaction.query, row),
  }
  await linkUpload(transaction, row.id, creation)
  await rememberResponse(transaction, row.id, { ...creation, answer })
  return { answer, procedureId: procedure.id, definitionKeys }
}

function ofRun({ id }: CheckedProcedure, { startedAtUs }: RunRecord) {
  return { procedureId: id, startedAtUs }
}

async function linkUpload(
  { query }: Transaction,
  runId: number,
  { request: { uploadId }, options: { principal } }: Creation,
): Promise<void> {
  if (uploadId !== undefined) await linkEach({ query, principal }, { run_id: runId }, [uploadId])
}

function listWarnings({ request, procedure: { otherName } }: Creation): string[] {
  if (otherName === undefined) return request.warnings
  const warning = `procedure_name "${otherName}" is not the name of the procedure that procedure_id names, which the run is of`
  return [...request.warnings, warning]
}

// Numbers are exact only up to 2^53 microseconds since the epoch.
function refuseEndlessRun({ startedAtUs, durationUs, phases }: RunRecord): void {
  if (!Number.isSafeInteger(startedAtUs + durationUs)) {
    throw failedValidation([{ path: ['duration'], message: 'must end before the year 2255' }])
  }
  const index = phases.findIndex((phase) => !Number.isSafeInteger(phase.startedAtUs + phase.durationUs))
  if (index >= 0) {
    throw failedValidation([{ path: ['steps', index, 'duration'], message: 'must end before the year 2255' }])
  }
}

function createScope(
  { nextKey }: Context,
  transaction: Transaction,
  { request, settings, options: { principal, strict } }: Creation,
): CreateScope {
  return {
    transaction,
    principal,
    strict,
    nextKey,
    // Consecutive keys, so that a record's key alone finds its run.
    runKey: nextKey(1 + countRecords(request.record)),
    nowUs: request.receivedAtUs,
    settings,
  }
}

function countRecords({ phases, logs }: RunRecord): number {
  return phases.reduce((sum, { measurements }) => sum + 1 + measurements.length, logs.length)
}

function findFirstError(
  { phases }: RunRecord,
  errors: ErrorRecords,
  errorKeys: ReadonlyMap<string, ErrorKeys>,
): number | null {
  if (errors.size === 0) return null
  const isFailed = ({ outcome }: PhaseRecord) => outcome === 'FAIL' || outcome === 'ERROR'
  const first = phases.find((phase) => isFailed(phase) && phase.facts?.errors[0])?.facts?.errors[0]
  return (first && errorKeys.get(errors.get(first)?.digest ?? '')?.id) ?? null
}

async function findOperator(transaction: Transaction, email: string | undefined): Promise<number | null> {
  if (email === undefined) return null
  const user = await findUserByEmail(transaction.query, email)
  if (user) return user.id
  throw new HttpError(
    'NOT_FOUND',
    `Operator "${email}" does not exist and must be created first in the application (POST /v2/users), or correct operated_by.`,
  )
}

const OTHER_BODY =
  'A run with this Idempotency-Key already exists and was created from another body. Use a new key for each run.'
const OTHER_IMPORT =
  'A run of this upload, or with this Idempotency-Key, already exists and was imported in another way. Upload the file again, and use a new key for each run.'

async function findFirstResponse(
  transaction: Transaction,
  { digest, uploadId }: RunRequest,
  { principal, idempotencyKey, procedure }: CreateRunOptions & Pick<Creation, 'procedure'>,
): Promise<CreateV2RunResponse | undefined> {
  if (idempotencyKey === undefined) return undefined
  const first = await findIdempotencyKey(transaction, principalOwner(principal), idempotencyKey)
  if (!first) return undefined
  // The digest leaves out the procedure of an imported file, which the request names.
  if (first.procedure_id === procedure.id && first.body_digest === (await digest()))
    return CreateV2RunResponseSchema.parse(JSON.parse(first.answer))
  throw new HttpError('CONFLICT', uploadId === undefined ? OTHER_BODY : OTHER_IMPORT)
}

async function rememberResponse(
  transaction: Transaction,
  runId: number,
  { request, options, answer }: Creation & { answer: CreateV2RunResponse },
): Promise<void> {
  if (options.idempotencyKey === undefined) return
  await insertIdempotencyKey(transaction, {
    owner: principalOwner(options.principal),
    key: options.idempotencyKey,
    bodyDigest: await request.digest(),
    answer: JSON.stringify(answer),
    runId,
  })
}

function createResponse(
  { publicUrl }: Context,
  id: string,
  { record, warnings }: RunRequest,
): CreateV2RunResponse {
  const group = record.metadata.find(([name]) => name === 'group')?.[1]
  return {
    id,
    url: formatRunUrl(publicUrl, id),
    message: 'Run created',
    warnings: warnings.length > 0 ? warnings : undefined,
    group_url: typeof group === 'string' && group !== '' ? formatGroupUrl(publicUrl, group) : undefined,
  }
}
