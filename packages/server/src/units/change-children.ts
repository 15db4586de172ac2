import type { Context } from '../context'
import type { Query } from '../database/database'
import { HttpError } from '../errors'
import { findHolders } from './find-holders'
import { unknownUnit } from './unit-errors'
import { findUnitRecord, updateUnitRecord } from './unit-record-store'

/** The serial numbers of a unit and of one that it holds, or shall. */
export interface Relation {
  serial_number: string
  child_serial_number: string
}

/** Puts a unit into another, out of the one that it was in; 400 when it is that unit or holds it. Returns the holder's id. */
export async function addUnitChild({ database }: Context, relation: Relation): Promise<{ id: string }> {
  return database.write(async (transaction) => {
    const { unit, child } = await findRelation(transaction.query, relation)
    if ((await findHolders(transaction, unit)).has(child.id)) {
      throw refuse(
        `"${child.serial_number}" is or holds "${unit.serial_number}" and cannot be part of it too`,
      )
    }
    await updateUnitRecord(transaction.query, child.id, { parent_unit_id: unit.id })
    return { id: unit.public_id }
  })
}

/** Takes a unit out of another; 400 when it is not in it. Returns the holder's id. */
export async function removeUnitChild({ database }: Context, relation: Relation): Promise<{ id: string }> {
  return database.write(async ({ query }) => {
    const { unit, child } = await findRelation(query, relation)
    if (child.parent_unit_id !== unit.id)
      throw refuse(`"${child.serial_number}" is not part of "${unit.serial_number}"`)
    await updateUnitRecord(query, child.id, { parent_unit_id: null })
    return { id: unit.public_id }
  })
}

async function findRelation(query: Query, relation: Relation) {
  const unit = await findUnitRecord(query, relation.serial_number)
  if (!unit) throw unknownUnit(relation.serial_number)
  const child = await findUnitRecord(query, relation.child_serial_number)
  if (!child) throw unknownUnit(relation.child_serial_number)
  return { unit, child }
}

function refuse(message: string): HttpError {
  return new HttpError('BAD_REQUEST', `Child unit refused: ${message}.`, {
    issues: [{ path: ['child_serial_number'], message }],
  })
}
