import { foldIdentifier, type UpdateProcedureRequest } from '@runledger/protocol'
import type { Context } from '../context'
import { findKnownProcedure } from './find-known-procedure'
import { updateProcedure as updateRow } from './procedure-store'
import { parseRepositorySettings, pickRepositorySettings } from './repository-settings'

/** `PATCH /v2/procedures/{id}`; what is not sent stays. @throws HttpError NOT_FOUND */
export async function updateProcedure(
  { database }: Context,
  identifierOrId: string,
  { name, ...rest }: UpdateProcedureRequest,
): Promise<{ id: string }> {
  return database.write(async ({ query }) => {
    const procedure = await findKnownProcedure(query, identifierOrId)
    const settings = {
      ...parseRepositorySettings(procedure.repository_settings),
      ...pickRepositorySettings(rest),
    }
    await updateRow(query, procedure.id, {
      ...(name === undefined ? {} : { name, name_folded: foldIdentifier(name) }),
      repository_settings: JSON.stringify(settings),
    })
    return { id: procedure.public_id }
  })
}
