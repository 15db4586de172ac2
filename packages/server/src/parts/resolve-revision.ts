import { foldIdentifier } from '@runledger/protocol'
import { HttpError } from '../errors'
import { createCreationAt } from '../keys/creation'
import type { CreateScope } from '../runs/create-scope'
import type { UnitRequest } from '../runs/run-request'
import type { Unit } from '../units/unit-store'
import {
  findRevision,
  findRevisionByKey,
  insertRevision,
  listRevisions,
  type Part,
  type Revision,
} from './part-store'

/**
 * The revision of a run. Sent: that one, created when it is new. Not sent: the only one that the component has; with
 * several, strict answers 400 (specification 4.1, rule 3), lenient keeps the unit's own when it is one of them; else
 * the default revision, created when it is missing.
 */
export async function resolveRevision(
  scope: CreateScope,
  part: Part,
  { request, unit }: { request: UnitRequest; unit: Unit | undefined },
): Promise<Revision> {
  if (request.revision !== undefined) return findOrCreateRevision(scope, part, request.revision)
  const [first, second] = await listRevisions(scope.transaction, part.id, 2)
  if (first && !second) return first
  if (second && scope.strict) throw missingRevision(part, request.paths.revision)
  const own = unit && (await findRevisionByKey(scope.transaction, part.id, unit.revision_id))
  return own ?? findOrCreateRevision(scope, part, scope.settings['default_revision.number'])
}

async function findOrCreateRevision(scope: CreateScope, part: Part, number: string): Promise<Revision> {
  const known = await findRevision(scope.transaction, part.id, number)
  if (known) return known
  const isDefault = foldIdentifier(number) === foldIdentifier(scope.settings['default_revision.number'])
  if (!scope.settings['auto_create.revision'] && !isDefault) {
    throw new HttpError(
      'FORBIDDEN',
      `Revision creation failed: component "${part.number}" has no revision "${number}" and the organisation does not create revisions on first sight.`,
    )
  }
  return insertRevision(scope.transaction, createCreationAt(scope), { partId: part.id, number })
}

function missingRevision(part: Part, path: string[]): HttpError {
  const message = `is required: component "${part.number}" has several revisions`
  return new HttpError('BAD_REQUEST', `The revision ${message}. Send ${path.join('.')}.`, {
    issues: [{ path, message }],
  })
}
