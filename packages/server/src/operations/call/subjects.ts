import { foldIdentifier, type Operation, type SubjectAccess } from '@runledger/protocol'
import type { Context } from './context'
import type { Transaction } from '../../storage/database/database'
import type { AttachmentsTable } from '../../storage/database/schema/index'
import type { UnitsTable } from '../../storage/database/schema/units'
import { HttpError, notFound } from '../../base/errors'
import {
  type CreatorColumns,
  creatorColumns,
  hasUploaded,
  type Principal,
  type UploaderColumns,
} from '../../record/access/keys/principal'
import { createProcedureWithin, procedureNotFound } from '../../record/catalogue/procedures/resolve-procedure'
import {
  findProcedure,
  findProcedureByName,
  type NamedProcedure,
} from '../../record/catalogue/procedures/store'
import { runNotFound } from '../../record/results/runs/map'
import { type CheckedRun, findRun } from '../../record/results/runs/store'
import { isLinked } from '../../record/access/stations/store'
import { unitNotFound } from '../../record/catalogue/units/map'
import { findUnit, hasRunOfStation } from '../../record/catalogue/units/store'

interface SubjectScope {
  context: Context
  transaction: Transaction
  principal: Principal
}

export type NamedSubject = Readonly<Record<string, string | undefined>>

/** A station may change runs of linked procedures (docs/interface.md#access). @throws HttpError NOT_FOUND, FORBIDDEN */
async function findLinkedRun(
  { transaction: { query }, principal }: Pick<SubjectScope, 'transaction' | 'principal'>,
  { id, run_id: runId }: NamedSubject,
): Promise<CheckedRun> {
  // `id` in a path, `run_id` in a body.
  const publicId = runId ?? id ?? ''
  const run = await findRun(query, publicId)
  // A project key reads nothing, so it must not learn which runs there are.
  const isHidden = principal.kind === 'project' && run?.procedure_id !== principal.procedureId
  if (!run || isHidden) throw runNotFound(publicId)
  if (principal.kind !== 'station' || (await isLinked(query, principal.stationId, run.procedure_id)))
    return run
  throw new HttpError(
    'FORBIDDEN',
    'This station is not authorized to change runs of this procedure. Link the procedure to the station first.',
  )
}

/** @throws HttpError NOT_FOUND, FORBIDDEN */
async function findOwnUnit(
  scope: Pick<SubjectScope, 'transaction' | 'principal'>,
  { serial_number: serialNumber = '' }: NamedSubject,
): Promise<UnitsTable> {
  const unit = await findUnit(scope.transaction, serialNumber)
  if (!unit) throw unitNotFound(serialNumber)
  await refuseForeignUnit(scope, unit)
  return unit
}

/** A station may change only units that it created or has a run of (docs/interface.md#stations). @throws HttpError FORBIDDEN */
export async function refuseForeignUnit(
  { transaction, principal }: Pick<SubjectScope, 'transaction' | 'principal'>,
  unit: UnitsTable,
): Promise<void> {
  if (mayTakeAway(principal, unit)) return
  if (
    principal.kind === 'station' &&
    (await hasRunOfStation(transaction.query, unit.id, principal.stationId))
  )
    return
  throw new HttpError(
    'FORBIDDEN',
    `This station is not authorized to change the unit "${unit.serial_number}": it did not create it, and no run of its own is about it. Use a user key.`,
  )
}

/** A station or project key may rename and remove only parts of its own records. @throws HttpError FORBIDDEN */
export function refuseRecordOfOthers(principal: Principal, record: CreatorColumns, change: string): void {
  if (mayTakeAway(principal, record)) return
  throw new HttpError(
    'FORBIDDEN',
    `This ${principal.kind} is not authorized to ${change}: it did not create it. Use a user key.`,
  )
}

/** A station or project key links only its own uploads; reporters then send the file again. @throws HttpError NOT_FOUND */
export function refuseForeignUpload(
  principal: Principal,
  attachment: Pick<AttachmentsTable, 'public_id' | keyof UploaderColumns>,
): void {
  if (principal.kind === 'user' || hasUploaded(principal, attachment)) return
  throw notFound(
    `attachment with the id "${attachment.public_id}" among the uploads of this ${principal.kind}`,
    'Upload the file again with this key.',
  )
}

export function mayTakeAway(principal: Principal, record: CreatorColumns): boolean {
  const { created_by_user_id, created_by_station_id } = creatorColumns(principal)
  return (
    principal.kind === 'user' ||
    (record.created_by_user_id === created_by_user_id &&
      record.created_by_station_id === created_by_station_id)
  )
}

export interface CheckedProcedure {
  id: number
  /** The name that was sent beside the id, if it differs. */
  otherName: string | undefined
}

/**
 * A user may name any procedure, and creates one by its name alone. Others get the same error for unknown and unlinked ones
 * (docs/interface.md#stations). @throws HttpError FORBIDDEN, NOT_FOUND
 */
export async function findLinkedProcedure(
  scope: SubjectScope,
  { procedure_id: identifier, procedure_name: name }: NamedSubject,
): Promise<CheckedProcedure> {
  const { transaction, principal } = scope
  const named = identifier ?? name ?? ''
  const found =
    identifier === undefined
      ? await findProcedureByName(transaction, named)
      : await findProcedure(transaction, named)
  if (principal.kind === 'station') {
    const isOwn = found && (await isLinked(transaction.query, principal.stationId, found.id))
    if (!isOwn) throw notLinkedError(named)
  }
  if (principal.kind === 'project' && found?.id !== principal.procedureId) throw otherProjectError(named)
  if (found) return { id: found.id, otherName: isOtherName(found, name) ? name : undefined }
  if (identifier !== undefined || principal.kind !== 'user') throw procedureNotFound(named)
  const created = await createProcedureWithin(scope.context, transaction, {
    principal,
    procedure: { name: named, identifier: undefined },
  })
  return { id: created.id, otherName: undefined }
}

function isOtherName({ name_folded }: NamedProcedure, name: string | undefined): boolean {
  return name !== undefined && foldIdentifier(name) !== name_folded
}

function notLinkedError(identifier: string): HttpError {
  return new HttpError(
    'FORBIDDEN',
    `This station is not authorized to create runs of the procedure "${identifier}". Link the procedure to the station first.`,
  )
}

function otherProjectError(identifier: string): HttpError {
  return new HttpError(
    'FORBIDDEN',
    `This key is not authorized to create runs of the procedure "${identifier}": it is a project key of another one. Use a key of this one.`,
  )
}

export interface Subjects {
  'linked-procedure': CheckedProcedure
  'linked-run': CheckedRun
  'own-unit': UnitsTable
}

/** Works in the transaction that checked the subject. @throws HttpError NOT_FOUND, FORBIDDEN */
export type CheckedWrite<Subject> = <Result>(
  work: (transaction: Transaction, subject: Subject) => Promise<Result>,
) => Promise<Result>

type FindSubject = {
  [Access in SubjectAccess]: (scope: SubjectScope, named: NamedSubject) => Promise<Subjects[Access]>
}

const FIND_SUBJECT: FindSubject = {
  'linked-procedure': findLinkedProcedure,
  'linked-run': findLinkedRun,
  'own-unit': findOwnUnit,
}

interface CheckedRequest {
  context: Context
  principal: Principal
  params: unknown
  body: unknown
}

/** Undefined for requests without a subject. */
export function createCheckedWrite(
  operation: Operation,
  { context, principal, ...request }: CheckedRequest,
): CheckedWrite<Subjects[SubjectAccess]> | undefined {
  if (!('subject' in operation) || operation.subject.in === 'file') return undefined
  const { access, subject } = operation
  const input = request[operation.subject.in] as NamedSubject
  const named = Object.fromEntries(subject.fields.map((field) => [field, input[field]]))
  return (work) =>
    context.database.write(async (transaction) => {
      const scope = { context, transaction, principal }
      return work(transaction, await FIND_SUBJECT[access](scope, named))
    })
}

export function writeToProcedure(
  context: Context,
  principal: Principal,
  named: NamedSubject,
): CheckedWrite<CheckedProcedure> {
  return (work) =>
    context.database.write(async (transaction) => {
      const scope = { context, transaction, principal }
      return work(transaction, await findLinkedProcedure(scope, named))
    })
}
