import type { Context } from '../context'
import { HttpError } from '../errors'
import { createCreation } from '../keys/creation'
import type { Principal } from '../keys/principal'
import { findKnownProcedure } from '../procedures/find-known-procedure'
import { insertVersion } from './version-store'

/** `POST /v2/procedures/{procedure_id}/versions`. @throws HttpError NOT_FOUND, CONFLICT for a tag that there is */
export async function createVersion(
  context: Context,
  principal: Principal,
  { procedureId, tag }: { procedureId: string; tag: string },
): Promise<{ id: string }> {
  return context.database.write(async ({ query }) => {
    const procedure = await findKnownProcedure(query, procedureId)
    const creation = createCreation(context, principal)
    if (await insertVersion(query, creation, { procedureId: procedure.id, tag }))
      return { id: creation.public_id }
    throw new HttpError(
      'CONFLICT',
      `Version "${tag}" of the procedure "${procedure.name}" already exists. Use another tag.`,
    )
  })
}
