import type { CreatePartRequest } from '@runledger/protocol'
import type { Context } from '../context'
import { createCreation } from '../keys/creation'
import type { Principal } from '../keys/principal'
import { readSettings } from '../settings/settings-store'
import { partExists } from './part-errors'
import { insertPartRecord } from './part-record-store'
import { insertRevisionRecord } from './revision-record-store'

/** Creates a part with its first revision: the one sent, else the organisation's default; 409 when its number is taken. */
export async function createPart(
  context: Context,
  principal: Principal,
  { number, name = number, revision_number: revisionNumber }: CreatePartRequest,
): Promise<{ id: string }> {
  return context.database.write(async (transaction) => {
    const { query } = transaction
    const part = createCreation(context, principal)
    if (!(await insertPartRecord(query, part, { number, name }))) throw partExists(number)
    const settings = await readSettings(transaction)
    await insertRevisionRecord(query, createCreation(context, principal), {
      partId: part.id,
      number: revisionNumber ?? settings['default_revision.number'],
    })
    return { id: part.public_id }
  })
}
