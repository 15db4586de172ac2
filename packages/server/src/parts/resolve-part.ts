import { HttpError } from '../errors'
import { createCreationAt } from '../keys/creation'
import type { CreateScope } from '../runs/create-scope'
import type { UnitRequest } from '../runs/run-request'
import type { Unit } from '../units/unit-store'
import { findPart, findPartOfRevision, insertPart, type Part } from './part-store'

/**
 * The component of a run: the one sent, created when it is new; else the unit's own; else, for a new unit, the
 * default component when the setting has one, and 400 when not (contract decisions, v1).
 */
export async function resolvePart(
  scope: CreateScope,
  { partNumber, paths, mayUseDefaultComponent }: UnitRequest,
  unit: Unit | undefined,
): Promise<Part> {
  if (partNumber !== undefined) return findOrCreatePart(scope, partNumber)
  const own = unit && (await findPartOfRevision(scope.transaction, unit.revision_id))
  if (own) return own
  if (mayUseDefaultComponent && scope.settings['default_component.enabled']) {
    return findOrCreatePart(scope, scope.settings['default_component.number'], 'Default component')
  }
  throw missingPartNumber(scope, paths.partNumber)
}

// Specification 7.2, BAD_REQUEST.
function missingPartNumber({ settings }: CreateScope, path: string[]): HttpError {
  const parsing =
    settings['serial_number.pattern'] === null
      ? 'no automatic parsing of serial numbers is configured in the organization settings'
      : 'the pattern in the organization settings finds no part number in it'
  const message = `is required: the serial number is new, and ${parsing}`
  return new HttpError('BAD_REQUEST', `The part number ${message}. Send ${path.join('.')}.`, {
    issues: [{ path, message }],
  })
}

async function findOrCreatePart(scope: CreateScope, number: string, name = number): Promise<Part> {
  const known = await findPart(scope.transaction, number)
  if (known) return known
  if (!scope.settings['auto_create.part']) {
    throw new HttpError(
      'FORBIDDEN',
      `Part creation failed: part "${number}" does not exist and the organisation does not create parts on first sight.`,
    )
  }
  return insertPart(scope.transaction, createCreationAt(scope), { number, name })
}
