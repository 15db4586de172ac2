import { foldIdentifier } from '@runledger/protocol'
import type { PartsTable, RevisionsTable, UnitsTable } from '../../../storage/database/schema/units'
import { HttpError } from '../../../base/errors'
import { createCreationAt } from '../../access/keys/principal'
import type { Settings } from '../../access/settings/store'
import { findRevision, findRevisionByKey, insertRevision, listFirstRevisions } from './revision-store'
import { findPart, findPartOfRevision, insertPart } from './store'
import type { CreateScope, UnitRequest } from '../create-scope'
import { refuseNew } from '../refuse-new'

/**
 * The component sent, created when new; else the unit's own; else, for a new unit, the default component. @throws HttpError
 * BAD_REQUEST without a default (docs/interface.md#units-and-parts)
 */
export async function resolvePart(
  scope: CreateScope,
  { partNumber, paths, mayUseDefaultComponent }: UnitRequest,
  unit: UnitsTable | undefined,
): Promise<PartsTable> {
  if (partNumber !== undefined) return findOrCreatePart(scope, partNumber)
  const own = unit && (await findPartOfRevision(scope.transaction, unit.revision_id))
  if (own) return own
  if (mayUseDefaultComponent && scope.settings['default_component.enabled']) {
    return findOrCreatePart(scope, scope.settings['default_component.number'], 'Default component')
  }
  throw missingPartNumberError(scope, paths.partNumber)
}

function missingPartNumberError({ settings }: CreateScope, path: string[]): HttpError {
  const parsing =
    settings['serial_number.pattern'] === null
      ? 'no automatic parsing of serial numbers is configured in the organization settings'
      : 'the pattern in the organization settings finds no part number in it'
  const message = `is required: the serial number is new, and ${parsing}`
  return new HttpError('BAD_REQUEST', `The part number ${message}. Send ${path.join('.')}.`, {
    issues: [{ path, message }],
  })
}

async function findOrCreatePart(scope: CreateScope, number: string, name = number): Promise<PartsTable> {
  const known = await findPart(scope.transaction, number)
  if (known) return known
  refuseNew(scope.settings, 'part', `part "${number}" does not exist`)
  return insertPart(scope.transaction.query, createCreationAt(scope), { number, name })
}

/**
 * The revision sent, created when new; else the component's only one; else, unless strict refuses
 * (docs/interface.md#units-and-parts), the unit's own if it is one of them; else the default revision, created when missing.
 */
export async function resolveRevision(
  scope: CreateScope,
  part: PartsTable,
  { request, unit }: { request: UnitRequest; unit: UnitsTable | undefined },
): Promise<RevisionsTable> {
  if (request.revision !== undefined) return findOrCreateRevision(scope, part, request.revision)
  const [first, second] = await listFirstRevisions(scope.transaction, part.id, 2)
  if (first && !second) return first
  if (second && scope.strict) throw missingRevisionError(part, request.paths.revision)
  const own = unit && (await findRevisionByKey(scope.transaction, part.id, unit.revision_id))
  return own ?? findOrCreateRevision(scope, part, scope.settings['default_revision.number'])
}

async function findOrCreateRevision(
  scope: CreateScope,
  part: PartsTable,
  number: string,
): Promise<RevisionsTable> {
  const known = await findRevision(scope.transaction, part.id, number)
  if (known) return known
  refuseNewRevision(scope.settings, part, number)
  return insertRevision(scope.transaction.query, createCreationAt(scope), { partId: part.id, number })
}

/** The default revision may always be created. @throws HttpError FORBIDDEN */
export function refuseNewRevision(settings: Settings, part: PartsTable, number: string): void {
  if (foldIdentifier(number) === foldIdentifier(settings['default_revision.number'])) return
  refuseNew(settings, 'revision', `component "${part.number}" has no revision "${number}"`)
}

function missingRevisionError(part: PartsTable, path: string[]): HttpError {
  const message = `is required: component "${part.number}" has several revisions`
  return new HttpError('BAD_REQUEST', `The revision ${message}. Send ${path.join('.')}.`, {
    issues: [{ path, message }],
  })
}
