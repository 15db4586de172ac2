import { randomUUID } from 'node:crypto'
import { HttpError, StartError } from '../../../base/errors'

/** A setting of a PostgreSQL database: which place has its bytes. */
export const PLACE_ID = 'internal.bytes_id'

/** A file in a place with bytes: which database names them. */
export const OWNER_FILE = 'database.json'

export interface Owner {
  postgresql: string
  /** A copy of the place has the same id. */
  id: string
}

/** Has the bytes that a PostgreSQL database names. */
export interface BytesPlace {
  kind: 'folder' | 'bucket'
  name: string
  /** The setting that selects another place. */
  setting: string
  readOwner(): Promise<Owner | undefined>
  /** Writes all or nothing, even if the process or the machine ends meanwhile. */
  writeOwner(owner: Owner): Promise<void>
  /** @throws StartError if there are bytes: the clean-up would delete those that no record names */
  refuseUnknownBytes(): Promise<void>
}

export interface PlaceNote {
  /** PostgreSQL's own copies and restores have another id; copies of its files have the same. */
  databaseId: string
  /** Undefined for a database without a place. */
  read(): Promise<string | undefined>
  write(id: string): Promise<void>
}

/**
 * Notes in the place which database names its bytes, and in the database which place it is. No other process may do so at the
 * same time. @throws StartError when either belongs to another, or the place cannot be used
 */
export async function takePlace(place: BytesPlace, note: PlaceNote): Promise<void> {
  const owner = await place.readOwner().catch(throwUnusable(place))
  const noted = await note.read()
  if (owner && owner.postgresql !== note.databaseId) throw otherDatabaseError(place, owner, note.databaseId)
  if (!owner) await place.refuseUnknownBytes().catch(throwUnusable(place))
  refuseOthersBytes(place, owner, noted)
  const id = owner?.id ?? randomUUID()
  // Write the place first: a process that ends in between finds its id again.
  if (!owner) await place.writeOwner({ postgresql: note.databaseId, id }).catch(throwUnusable(place))
  if (noted === undefined) await note.write(id)
}

/** For readers: a copy of the database may read its files too. @throws StartError when they are elsewhere */
export async function refuseOtherPlace(place: BytesPlace, noted: string | undefined): Promise<void> {
  refuseOthersBytes(place, await place.readOwner().catch(throwUnusable(place)), noted)
}

function refuseOthersBytes(place: BytesPlace, owner: Owner | undefined, noted: string | undefined): void {
  if (noted !== undefined && noted !== owner?.id) throw wrongLocationError(place)
}

function throwUnusable(place: BytesPlace): (error: unknown) => never {
  return (error) => {
    throw error instanceof StartError ? error : unusablePlaceError(place, error)
  }
}

export function unusablePlaceError({ name, setting }: BytesPlace, error: unknown): StartError {
  // The cause says more than the bucket's error for clients.
  const { message } = ((error instanceof HttpError && error.cause) || error) as Error
  return new StartError(`${name} cannot be used: ${message}. Look at ${setting}.`, { cause: error })
}

function otherDatabaseError(
  { kind, name, setting }: BytesPlace,
  owner: Owner,
  databaseId: string,
): StartError {
  const mine = JSON.stringify({ ...owner, postgresql: databaseId })
  return new StartError(
    `The files in ${name} belong to another PostgreSQL database, or to the one that this is a copy of. Name that one with --database (RUNLEDGER_DATABASE), or give another ${kind} with ${setting}. When that one is gone for good, or these files are a copy of its files, put ${mine} into ${OWNER_FILE} there.`,
  )
}

function wrongLocationError({ kind, name }: BytesPlace): StartError {
  return new StartError(
    `The files that go with this PostgreSQL database are elsewhere than in ${name}. Give their folder with --data (RUNLEDGER_DATA), or their bucket with --storage (RUNLEDGER_STORAGE). When they are lost, delete the row "${PLACE_ID}" of the table settings: then the database takes this ${kind}, without those files.`,
  )
}
