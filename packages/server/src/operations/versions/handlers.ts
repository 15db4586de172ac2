import { formatTimestampUs, type Version } from '@runledger/protocol'
import type { Context } from '../call/context'
import type { Query } from '../../storage/database/database'
import { HttpError, notFound } from '../../base/errors'
import { createCreation, type Principal } from '../../record/access/keys/principal'
import { findKnownProcedure } from '../../record/catalogue/procedures/resolve-procedure'
import { mapPerson, mapStation } from '../../record/access/users/store'
import {
  countRunsOfVersion,
  deleteVersion as deleteRow,
  findVersion,
  hasRunRows,
  insertVersion,
} from '../../record/catalogue/versions/store'

/** @throws HttpError NOT_FOUND, CONFLICT for a known tag */
export async function createVersion(
  context: Context,
  principal: Principal,
  { procedureId, tag }: { procedureId: string; tag: string },
): Promise<{ id: string }> {
  return context.database.write(async (transaction) => {
    const { query } = transaction
    const procedure = await findKnownProcedure(query, procedureId)
    const creation = createCreation(context, principal)
    if (!(await insertVersion(query, creation, { procedureId: procedure.id, tag })))
      throw new HttpError(
        'CONFLICT',
        `Version "${tag}" of the procedure "${procedure.name}" already exists. Use another tag.`,
      )
    await context.recordChange(transaction, {
      kind: 'version',
      id: creation.public_id,
      name: tag,
      after: { procedure: procedure.name, tag },
    })
    return { id: creation.public_id }
  })
}

/** @throws HttpError NOT_FOUND */
export async function getVersion(
  { database }: Context,
  { procedure_id: procedureId, tag }: { procedure_id: string; tag: string },
): Promise<Version> {
  const { query } = database
  const procedure = await findKnownProcedure(query, procedureId)
  const version = await findKnownVersion(query, procedure, tag)
  return {
    id: version.public_id,
    tag: version.tag,
    created_at: formatTimestampUs(version.created_at_us),
    procedure: { id: procedure.public_id, name: procedure.name },
    run_count: await countRunsOfVersion(query, version.id),
    created_by_user: mapPerson(version),
    created_by_station: mapStation(version),
  }
}

/** @throws HttpError NOT_FOUND, CONFLICT when runs have it */
export async function deleteVersion(
  { database, recordChange }: Context,
  { procedure_id: procedureId, tag }: { procedure_id: string; tag: string },
): Promise<{ id: string }> {
  return database.write(async (transaction) => {
    const { query } = transaction
    const procedure = await findKnownProcedure(query, procedureId)
    const version = await findKnownVersion(query, procedure, tag)
    const runs = await countRunsOfVersion(query, version.id)
    if (runs > 0) {
      throw new HttpError(
        'CONFLICT',
        `Version "${version.tag}" cannot be deleted: ${runs} run${runs === 1 ? ' has' : 's have'} it. Delete the runs first.`,
      )
    }
    if (await hasRunRows(query, version.id)) {
      throw new HttpError(
        'CONFLICT',
        `Version "${version.tag}" cannot be deleted yet: its runs are being deleted. Try again later.`,
      )
    }
    await deleteRow(query, version.id)
    await recordChange(transaction, {
      kind: 'version',
      id: version.public_id,
      name: version.tag,
      before: { procedure: procedure.name, tag: version.tag },
    })
    return { id: version.public_id }
  })
}

type VersionRow = NonNullable<Awaited<ReturnType<typeof findVersion>>>

/** Ignores case. @throws HttpError NOT_FOUND */
async function findKnownVersion(
  query: Query,
  procedure: { id: number; name: string },
  tag: string,
): Promise<VersionRow> {
  const version = await findVersion(query, procedure.id, tag)
  if (version) return version
  throw notFound(`version "${tag}" of the procedure "${procedure.name}"`)
}
