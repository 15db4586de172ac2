import type { Operation, SubjectAccess } from '@runledger/protocol'
import type { Context } from '../context'
import type { Transaction } from '../database/database'
import type { UnitsTable } from '../database/schema/units'
import type { Principal } from '../keys/principal'
import { type CheckedProcedure, findLinkedProcedure } from '../procedures/find-linked-procedure'
import { type CheckedRun, findLinkedRun } from '../runs/find-linked-run'
import { findOwnUnit } from '../units/find-own-unit'
import type { NamedSubject, SubjectScope } from './subject-scope'

/** What an operation of each such access is about, once it is known that who asks may. */
export interface Subjects {
  'linked-procedure': CheckedProcedure
  'linked-run': CheckedRun
  'own-unit': UnitsTable
}

/** Does work in the transaction in which the subject was found and checked. @throws HttpError NOT_FOUND, FORBIDDEN */
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

/** What the table of operations says of the subject, and the request that names it. */
interface CheckedRequest {
  context: Context
  principal: Principal
  params: unknown
  body: unknown
}

/** The way in which a handler writes to the subject of its operation; undefined where the access has none. */
export function createCheckedWrite(
  operation: Operation,
  { context, principal, ...request }: CheckedRequest,
): CheckedWrite<Subjects[SubjectAccess]> | undefined {
  if (!('subject' in operation)) return undefined
  const { access, subject } = operation
  const input = request[subject.in] as NamedSubject
  const named = Object.fromEntries(subject.fields.map((field) => [field, input[field]]))
  const isMalformedRefused = subject.isMalformedRefused ?? false
  return (work) =>
    context.database.write(async (transaction) => {
      const scope = { context, transaction, principal, isMalformedRefused }
      return work(transaction, await FIND_SUBJECT[access](scope, named))
    })
}
