import type { Query } from '../database/database'
import { HttpError } from '../errors'
import { findVersion } from './version-store'

export type VersionRow = NonNullable<Awaited<ReturnType<typeof findVersion>>>

/** The version of a procedure with this tag, without regard to case. @throws HttpError NOT_FOUND */
export async function findKnownVersion(
  query: Query,
  procedure: { id: number; name: string },
  tag: string,
): Promise<VersionRow> {
  const version = await findVersion(query, procedure.id, tag)
  if (version) return version
  throw new HttpError(
    'NOT_FOUND',
    `No version with the tag "${tag}" was found of the procedure "${procedure.name}".`,
  )
}
